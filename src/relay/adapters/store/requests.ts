import { withoutTexts } from '@rfqctl/protocol/domain/request'
import type { Store } from '../../core/ports/store.ts'
import { decodeRequest, encode } from './codec.ts'
import type { StoreBase } from './db.ts'
import type { Draft } from './tables.ts'

/** Open requests are a table, closed ones are in the journal. */
export function createRequests({ clock, db }: StoreBase): Store['requests'] {
  return {
    insert: (request) =>
      db.change((draft) => {
        const { requestId } = request
        const { executed, closed } = db.journal
        if (draft.get('requests', requestId) !== undefined || (executed(requestId) ?? closed(requestId)) !== null)
          return false
        draft.set('requests', requestId, encode(request))
        return true
      }),
    find: async (requestId) => {
      const open = db.tables().requests.get(requestId)
      if (open !== undefined) return { request: decodeRequest(open), status: 'open' }
      const executed = (await db.journal.executed(requestId)?.()) ?? null
      if (executed !== null) return { request: decodeRequest(executed.request), status: 'committed' }
      const closed = (await db.journal.closed(requestId)?.()) ?? null
      return closed === null ? null : { request: decodeRequest(closed.request), status: closed.status }
    },
    close: (requestId, status) => {
      const now = clock.now()
      return db.change((draft) => {
        const request = draft.get('requests', requestId)
        if (request === undefined || draft.get('acceptances', requestId) !== undefined) return false
        // Never before it was opened, as of acceptances (fault I19).
        const at = Math.max(now, request.createdAt)
        dropRequest(draft, requestId)
        draft.append({ kind: 'closed', request: withoutTexts(request), status, at })
        return true
      })
    },
    listOpen: async () => [...db.tables().requests.values()].map(decodeRequest),
  }
}

/** Takes a request out of the tables, with its nonces: no order of it can follow. */
export function dropRequest(draft: Draft, requestId: string): void {
  draft.delete('requests', requestId)
  draft.delete('allotments', requestId)
}
