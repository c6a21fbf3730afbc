import { activeTrip, countOrder, judgeWindows } from '@rfqctl/protocol/domain/maker-protections'
import { activeSuspension } from '@rfqctl/protocol/domain/maker-record'
import type { Acceptance, Execution, Store } from '../../core/ports/store.ts'
import { keepNonce } from './allocations.ts'
import { decodeAcceptance, decodeExecution, type Encoded, encode } from './codec.ts'
import type { StoreBase } from './db.ts'
import { createOutstandingLedger } from './outstanding-ledger.ts'
import { stateOf } from './protections.ts'
import { dropRequest } from './requests.ts'
import type { AcceptedRow, Draft } from './tables.ts'

/** Pending acceptances are a table, the others are in the journal. */
export function createAcceptances({ clock, db }: StoreBase): Pick<Store, 'acceptances' | 'executions'> {
  const pending = () => [...db.tables().acceptances.values()]
  const ledger = createOutstandingLedger(pending().map(decodeAcceptance), db.journal)
  const { counted } = db.journal
  pending().forEach(counted.add)

  const findByRequest: Store['executions']['findByRequest'] = async (requestId) => {
    const row = (await db.journal.executed(requestId)?.()) ?? null
    return row === null ? null : decodeExecution(row.execution)
  }

  const acceptances: Store['acceptances'] = {
    insert: (acceptance, outstandingVersion = null, protectionsVersion = null) =>
      written<true | Refused>(
        (draft) => {
          const row = admit(draft, acceptance, { outstandingVersion, protectionsVersion })
          if (!isRow(row)) return row
          draft.set('acceptances', acceptance.requestId, row)
          ledger.accept(acceptance)
          counted.add(row)
          return true
        },
        (result) => {
          if (result !== true) return
          ledger.release(acceptance)
          counted.release(acceptance)
        },
      ),
    insertSigned: async (acceptance, signed, outstandingVersion = null, protectionsVersion = null) => {
      const result = await written<Encoded<Execution> | Refused | 'late'>(
        (draft) => {
          const now = clock.now()
          if (now >= acceptance.deadline) return 'late'
          const row = admit(draft, acceptance, { outstandingVersion, protectionsVersion })
          if (!isRow(row)) return row
          ledger.confirm(acceptance, now)
          counted.add(row)
          return confirm(draft, row, { ...signed, now })
        },
        (made) => {
          if (!isRow(made)) return
          ledger.release(acceptance)
          counted.release(acceptance)
        },
      )
      if (!isRow(result)) return result
      ledger.release(acceptance)
      return decodeExecution(result)
    },
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
    outstandingOf: ledger.of,
    confirm: async (acceptanceId, { executionId, signature }, outstandingVersion = null) => {
      const now = clock.now()
      const result = await written<Encoded<Execution> | 'outdated' | null>(
        (draft) => {
          const row = findPending(draft, acceptanceId)
          if (row === null || now >= row.deadline) return null
          const acceptance = decodeAcceptance(row)
          const version = ledger.version(acceptance.order.maker)
          if (outstandingVersion === null ? ledger.hasNewSigner(acceptance) : outstandingVersion !== version)
            return 'outdated'
          ledger.confirm(acceptance, now)
          return confirm(draft, row, { executionId, signature, now })
        },
        (made) => isRow(made) && ledger.accept(decodeAcceptance(made.acceptance)),
      )
      if (!isRow(result)) return result
      const execution = decodeExecution(result)
      ledger.release(execution.acceptance)
      return execution
    },
    withdraw: async (acceptanceId) => {
      const row = await db.change((draft) => takeOut(draft, acceptanceId))
      if (row !== null) counted.release(row)
      return released(row)
    },
    end: async (acceptanceId, state) => {
      const now = clock.now()
      return released(await db.change((draft) => end(draft, { acceptanceId, state, now })))
    },
  }

  /** The row of an acceptance that may be made; otherwise the obstacle. */
  function admit(draft: Draft, acceptance: Acceptance, { outstandingVersion, protectionsVersion }: Seen) {
    if (!isFree(draft, acceptance.requestId)) return false
    if (outstandingVersion !== null && outstandingVersion !== ledger.version(acceptance.order.maker)) return 'outdated'
    const suspension = draft.get('suspensions', acceptance.makerId) ?? null
    if (activeSuspension(suspension, clock.now()) !== null) return 'suspended'
    const row = protect(draft, acceptance, protectionsVersion)
    if (!isRow(row)) return row
    const { requestId, order } = acceptance
    keepNonce(draft, { requestId, wallet: order.maker.toLowerCase(), nonce: order.nonce })
    return row
  }

  /**
   * The row of an acceptance that its maker's protections allow, counted from now on where there are windows; otherwise
   * the refusal. One that would exceed a window trips them.
   */
  function protect(draft: Draft, acceptance: Acceptance, seen: number | null): AcceptedRow | 'protected' | 'unproven' {
    const row = encode(acceptance)
    const { makerId } = acceptance
    const saved = draft.get('protections', makerId)
    if (seen !== null && seen !== (saved?.version ?? 0)) return 'protected'
    if (saved === undefined) return row
    const now = clock.now()
    const { protections, trip } = stateOf(saved)
    if (activeTrip({ trip }, now) !== null) return 'protected'
    if (protections.windows.length === 0) return row
    const verdict = judgeWindows(protections, counted.of(makerId, saved.countedFrom), countOrder(acceptance, now))
    if (verdict.kind === 'within') return { ...row, countedAt: now }
    if (verdict.kind === 'unproven') return 'unproven'
    draft.set('protections', makerId, { ...saved, version: saved.version + 1, trip: encode(verdict.trip) })
    return 'protected'
  }

  /** The ledger counts a change as soon as it is made, and takes it back if it cannot be written. */
  async function written<Result>(apply: (draft: Draft) => Result, takeBack: (result: Result) => void): Promise<Result> {
    const made: Result[] = []
    try {
      return await db.change((draft) => {
        const result = apply(draft)
        made.push(result)
        return result
      })
    } catch (fault) {
      made.forEach(takeBack)
      throw fault
    }
  }

  /** Releases what was owed only once the end is written. */
  function released(row: Encoded<Acceptance> | null): boolean {
    if (row !== null) ledger.release(decodeAcceptance(row))
    return row !== null
  }

  const confirmedBy: Store['executions']['confirmedBy'] = (makerIds, since) =>
    new Set(makerIds.filter((makerId) => (db.journal.lastConfirmedAt(makerId) ?? Number.NEGATIVE_INFINITY) >= since))

  const mayHavePaid: Store['executions']['mayHavePaid'] = (wallet, since) =>
    db.journal.lastPromisedAt(wallet.toLowerCase()) >= since

  return { acceptances, executions: { findByRequest, confirmedBy, mayHavePaid } }
}

/** Versions the caller read before inserting; null if none. */
type Seen = { outstandingVersion: number | null; protectionsVersion: number | null }

type Refused = false | 'outdated' | 'protected' | 'unproven' | 'suspended'

const isRow = <Row extends object>(result: Row | Refused | 'late' | null): result is Row =>
  typeof result === 'object' && result !== null

/** An open request whose maker is not asked has no confirmed acceptance, either. */
const isFree = (draft: Draft, requestId: string): boolean =>
  draft.get('requests', requestId) !== undefined && draft.get('acceptances', requestId) === undefined

/** Exactly one of confirm and end finds the acceptance pending: the first to be applied removes it. */
function confirm(
  draft: Draft,
  acceptance: Encoded<Acceptance>,
  { now, ...signed }: Pick<Execution, 'executionId' | 'signature'> & { now: number },
): Encoded<Execution> {
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
): Encoded<Acceptance> | null {
  const acceptance = findPending(draft, acceptanceId)
  if (acceptance === null || (state === 'timed_out' && now < acceptance.deadline)) return null
  draft.delete('acceptances', acceptance.requestId)
  draft.append({ kind: 'ended', acceptance: { ...acceptance, state }, at: now })
  return acceptance
}

function takeOut(draft: Draft, acceptanceId: string): Encoded<Acceptance> | null {
  const acceptance = findPending(draft, acceptanceId)
  if (acceptance !== null) draft.delete('acceptances', acceptance.requestId)
  return acceptance
}

function findPending(draft: Draft, acceptanceId: string): Encoded<Acceptance> | null {
  for (const [, acceptance] of draft.rows('acceptances')) {
    if (acceptance.acceptanceId === acceptanceId) return acceptance
  }
  return null
}
