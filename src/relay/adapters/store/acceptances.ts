import { type AcceptanceFacts, type RestsOn, UNGUARDED } from '@rfqctl/protocol/domain/acceptance'
import { usedWindow } from '@rfqctl/protocol/domain/maker-protections'
import type { Acceptance, Execution, Stale, Store } from '../../core/ports/store.ts'
import { keepNonce } from './allocations.ts'
import { decodeAcceptance, decodeExecution, type Encoded, encode } from './codec.ts'
import type { StoreBase } from './db.ts'
import { createOutstandingLedger } from './outstanding-ledger.ts'
import { stateOf } from './protections.ts'
import { dropRequest } from './requests.ts'
import { type AcceptedRow, createDraft, type Draft } from './tables.ts'

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
    factsOf,
    insert: (acceptance, restsOn = UNGUARDED) =>
      written<true | Stale>(
        (draft) => {
          const obstacle = obstacleTo(draft, acceptance, restsOn)
          if (obstacle !== null) return obstacle
          const row = accept(draft, acceptance, restsOn)
          draft.set('acceptances', acceptance.requestId, row)
          ledger.accept(acceptance)
          return true
        },
        (result) => {
          if (result !== true) return
          ledger.release(acceptance)
          counted.release(acceptance)
        },
      ),
    insertSigned: async (acceptance, signed, restsOn = UNGUARDED) => {
      const result = await written<Encoded<Execution> | Stale | 'late'>(
        (draft) => {
          const now = clock.now()
          if (now >= acceptance.deadline) return 'late'
          const obstacle = obstacleTo(draft, acceptance, restsOn)
          if (obstacle !== null) return obstacle
          const row = accept(draft, acceptance, restsOn)
          const at = notBefore(acceptance, now)
          ledger.confirm(acceptance, at)
          return confirm(draft, row, { ...signed, at })
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
          const at = notBefore(acceptance, now)
          ledger.confirm(acceptance, at)
          return confirm(draft, row, { executionId, signature, at })
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

  /** Whatever an acceptance rests on that does not hold; null: all of it holds. */
  function obstacleTo(draft: Draft, acceptance: Acceptance, restsOn: RestsOn): Stale | null {
    const { requestId, makerId, order } = acceptance
    const { owed, protections, used, suspendedUntil } = restsOn
    if (!isFree(draft, requestId)) return false
    if (owed !== null && owed !== ledger.version(order.maker)) return 'outdated'
    const isGuardedAsDecided =
      protections === (draft.get('protections', makerId)?.version ?? 0) &&
      (used === null || used === counted.version(makerId)) &&
      suspendedUntil === (draft.get('suspensions', makerId)?.until ?? null)
    return isGuardedAsDecided ? null : 'changed'
  }

  /** As of the last durable change: a later one shows when what rests on these facts is written. */
  function factsOf(acceptance: Acceptance): AcceptanceFacts {
    const { requestId, makerId, order } = acceptance
    const now = notBefore(acceptance, clock.now())
    const draft = createDraft(db.tables())
    const row = draft.get('protections', makerId)
    const protections = row === undefined ? null : stateOf(row)
    const inWindows = row === undefined ? [] : counted.of(makerId, row.countedFrom)
    return {
      now,
      isFree: isFree(draft, requestId),
      owed: ledger.version(order.maker),
      protections,
      used: protections?.protections.windows.map((window) => usedWindow(window, inWindows, now)) ?? [],
      usedVersion: counted.version(makerId),
      suspension: draft.get('suspensions', makerId) ?? null,
    }
  }

  /** The row of an acceptance, counted from now on where its maker has windows. */
  function accept(draft: Draft, acceptance: Acceptance, { used }: RestsOn): AcceptedRow {
    const { requestId, order } = acceptance
    const counting = used === null ? {} : { countedAt: notBefore(acceptance, clock.now()) }
    const row: AcceptedRow = { ...encode(acceptance), ...counting }
    keepNonce(draft, { requestId, wallet: order.maker.toLowerCase(), nonce: order.nonce })
    counted.add(row)
    return row
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

  // Trades and their ends are never written later: nothing is to be flushed, which anyone could make the disk do.
  const newest: Store['executions']['newest'] = async (query) => {
    const rows = await Promise.all(db.journal.newestTrades(query).map((load) => load()))
    return Promise.all(
      rows
        .filter((row) => row !== null)
        .map(async ({ execution, request }) => {
          const { requestId, market } = request
          const { conditionId, yesTokenId } = market
          const end = (await db.journal.orderEnded(requestId)?.())?.end ?? null
          return { execution: decodeExecution(execution), market: { conditionId, yesTokenId }, end }
        }),
    )
  }

  return { acceptances, executions: { findByRequest, confirmedBy, mayHavePaid, newest } }
}

/** Now, and never before the acceptance was made: a clock that was set back shows less until a node notices (fault I19). */
const notBefore = ({ createdAt }: Pick<Acceptance, 'createdAt'>, now: number): number => Math.max(now, createdAt)

const isRow = <Row extends object>(result: Row | Stale | 'late' | null): result is Row =>
  typeof result === 'object' && result !== null

/** An open request without a pending acceptance has no confirmed one, either. */
const isFree = (draft: Draft, requestId: string): boolean =>
  draft.get('requests', requestId) !== undefined && draft.get('acceptances', requestId) === undefined

/** Exactly one of confirm and end finds the acceptance pending: the first to be applied removes it. */
function confirm(
  draft: Draft,
  acceptance: Encoded<Acceptance>,
  { at, ...signed }: Pick<Execution, 'executionId' | 'signature'> & { at: number },
): Encoded<Execution> {
  const request = draft.get('requests', acceptance.requestId)
  if (request === undefined) throw new Error(`a pending acceptance without its request: ${acceptance.requestId}`)
  const execution = { ...signed, acceptance: { ...acceptance, state: 'confirmed' as const }, executedAt: at }
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
  draft.append({ kind: 'ended', acceptance: { ...acceptance, state }, at: notBefore(acceptance, now) })
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
