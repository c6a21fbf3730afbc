import type { Acceptance, Execution, Store } from '../../relay/ports/store.ts'
import { decodeAcceptance, decodeExecution, type Encoded, encodeAcceptance } from './codec.ts'
import type { StoreBase } from './db.ts'
import type { Load } from './journal/rows.ts'
import { dropRequest } from './requests.ts'
import type { Draft } from './tables.ts'

/** The acceptances and executions of a store: pending ones are a table, the others are in the journal. */
export function createAcceptances({ clock, db }: StoreBase): Pick<Store, 'acceptances' | 'executions'> {
  const pending = () => [...db.tables().acceptances.values()]

  const findByRequest: Store['executions']['findByRequest'] = async (requestId) => {
    const row = (await db.journal.executed(requestId)?.()) ?? null
    return row === null ? null : decodeExecution(row.execution)
  }

  const acceptances: Store['acceptances'] = {
    insert: (acceptance) => db.change((draft) => insert(draft, encodeAcceptance(acceptance))),
    findByQuote: async (quoteId) => {
      const waiting = pending().find((row) => row.quoteId === quoteId)
      if (waiting !== undefined) return decodeAcceptance(waiting)
      const row = (await db.journal.accepted(quoteId)?.()) ?? null
      if (row === null) return null
      return decodeAcceptance(row.kind === 'executed' ? row.execution.acceptance : row.acceptance)
    },
    findActive: async (requestId) => {
      const waiting = db.tables().acceptances.get(requestId)
      if (waiting !== undefined) return decodeAcceptance(waiting)
      const execution = await findByRequest(requestId)
      return execution?.acceptance ?? null
    },
    pending: async (filter) =>
      pending()
        .filter((row) => filter === undefined || row.makerId === filter.makerId)
        .map(decodeAcceptance),
    owedBy: (maker, chainTime) => {
      const wallet = maker.toLowerCase()
      const waiting = pending().filter((row) => row.order.maker.toLowerCase() === wallet)
      const owed = db.journal.owed(wallet, chainTime)
      return waiting.length === 0 && owed.length === 0 ? [] : decodeOwed(waiting, owed)
    },
    confirm: async (acceptanceId, { executionId, signature }) => {
      const now = clock.now()
      const execution = await db.change((draft) => confirm(draft, { acceptanceId, executionId, signature, now }))
      return execution === null ? null : decodeExecution(execution)
    },
    withdraw: (acceptanceId) => db.change((draft) => withdraw(draft, acceptanceId)),
    end: (acceptanceId, state) => {
      const now = clock.now()
      return db.change((draft) => end(draft, { acceptanceId, state, now }))
    },
  }

  const confirmedBy: Store['executions']['confirmedBy'] = (makerIds, since) =>
    new Set(makerIds.filter((makerId) => (db.journal.lastConfirmedAt(makerId) ?? Number.NEGATIVE_INFINITY) >= since))

  return { acceptances, executions: { findByRequest, confirmedBy } }
}

async function decodeOwed(
  waiting: readonly Encoded<Acceptance>[],
  owed: readonly Load<'executed'>[],
): Promise<Acceptance[]> {
  const executed = await Promise.all(owed.map((load) => load()))
  const confirmed = executed.filter((row) => row !== null).map((row) => row.execution.acceptance)
  return [...waiting, ...confirmed].map(decodeAcceptance)
}

function insert(draft: Draft, acceptance: Encoded<Acceptance>): boolean {
  const { requestId } = acceptance
  if (draft.get('requests', requestId) === undefined || draft.get('acceptances', requestId) !== undefined) return false
  draft.set('acceptances', requestId, acceptance)
  return true
}

/** Exactly one of confirm and end finds the acceptance pending: whichever is applied first takes it out. */
function confirm(
  draft: Draft,
  {
    acceptanceId,
    now,
    ...signed
  }: Pick<Execution, 'executionId' | 'signature'> & { acceptanceId: string; now: number },
): Encoded<Execution> | null {
  const acceptance = findPending(draft, acceptanceId)
  if (acceptance === null || now >= acceptance.deadline) return null
  const request = draft.get('requests', acceptance.requestId)
  if (request === undefined) throw new Error(`a pending acceptance without its request: ${acceptance.requestId}`)
  const execution = { ...signed, acceptance: { ...acceptance, state: 'confirmed' as const }, executedAt: now }
  draft.delete('acceptances', acceptance.requestId)
  dropRequest(draft, acceptance.requestId)
  draft.append({ kind: 'executed', execution, request })
  return execution
}

function end(
  draft: Draft,
  { acceptanceId, state, now }: { acceptanceId: string; state: 'timed_out' | 'declined'; now: number },
): boolean {
  const acceptance = findPending(draft, acceptanceId)
  if (acceptance === null || (state === 'timed_out' && now < acceptance.deadline)) return false
  draft.delete('acceptances', acceptance.requestId)
  draft.append({ kind: 'ended', acceptance: { ...acceptance, state }, at: now })
  return true
}

function withdraw(draft: Draft, acceptanceId: string): boolean {
  const acceptance = findPending(draft, acceptanceId)
  if (acceptance === null) return false
  draft.delete('acceptances', acceptance.requestId)
  return true
}

function findPending(draft: Draft, acceptanceId: string): Encoded<Acceptance> | null {
  for (const [, acceptance] of draft.rows('acceptances')) {
    if (acceptance.acceptanceId === acceptanceId) return acceptance
  }
  return null
}
