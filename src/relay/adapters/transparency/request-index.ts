import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import type { Head, Leaf } from './storage.ts'

type OfRequest = { head: Head; indexes: number[] }

/** An index of the leaves of each request, and of the last of each, for as long as their records are kept. */
export function createRequestIndex() {
  /** In the order of their last leaves. */
  const requests = new Map<string, OfRequest>()

  return {
    add: (leaf: Pick<Leaf, 'requestId' | 'number' | 'commitment' | 'text'>, index: number): void => {
      const { requestId, number, commitment, text } = leaf
      const former = requests.get(requestId)
      requests.delete(requestId)
      const hasConfirmed = former?.head.hasConfirmed === true || isConfirmed(text)
      const indexes = former?.indexes ?? []
      indexes.push(index)
      requests.set(requestId, { head: { number, commitment, hasConfirmed }, indexes })
    },
    headsOf: (entries: readonly AuditEntry[]): ReadonlyMap<string, Head> => {
      const heads = new Map<string, Head>()
      for (const { requestId } of entries) {
        const head = requests.get(requestId)?.head
        if (head !== undefined) heads.set(requestId, head)
      }
      return heads
    },
    indexesOf: (requestId: string): readonly number[] => requests.get(requestId)?.indexes ?? [],
    /** Forgets requests whose leaves are all before `oldest`. */
    forgetBefore: (oldest: number): void => {
      for (const [requestId, { indexes }] of requests) {
        if ((indexes.at(-1) as number) >= oldest) break
        requests.delete(requestId)
      }
    },
  }
}

/** The record is canonical JSON that this program wrote, so that the kind has one form. No text in it has a bare quotation mark. */
export const isConfirmed = (text: string): boolean => text.includes('"kind":"confirmed"')
