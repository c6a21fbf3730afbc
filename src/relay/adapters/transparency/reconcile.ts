import { type AuditEntry, openedEntry } from '@rfqctl/protocol/domain/audit'
import { orderDigest } from '@rfqctl/protocol/domain/order'
import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import type { Clock } from '../../core/ports/runtime.ts'
import type { Acceptance, Execution, Store } from '../../core/ports/store.ts'
import type { LogStorage } from './storage.ts'
import { SETTLED_MS } from './transparency-log.ts'

/** Above all orders that can be open at a time. */
const MOST_ORDERS = 1_000_000

/** A relay that starts looks this far back for orders that have lapsed, in seconds. */
const LAPSED_S = 24 * 3_600

/**
 * Entries of promises that the store has and the log lacks: a crash takes entries of its last second, but no promise. Before the
 * first of them comes `reopened`, since more of the request may be lost. `isAlone`: no other node may be about to write them.
 */
export function createReconciler(parts: {
  store: Pick<Store, 'requests' | 'acceptances' | 'orders' | 'executions' | 'audit'>
  storage: Pick<LogStorage, 'leavesOf'>
  clock: Pick<Clock, 'now'>
}) {
  const { store, storage, clock } = parts
  /** Requests whose promise is in the log. */
  let known = new Set<string>()

  async function kindsOf(requestId: string): Promise<ReadonlySet<string>> {
    const leaves = await storage.leavesOf(requestId)
    return new Set(leaves.map(({ text }) => JSON.parse(text).entry.kind))
  }

  /** Entries before the promise of a request: its opening, unless the log has it, and that more may be lost. */
  async function interruption(requestId: string, kinds: ReadonlySet<string>): Promise<AuditEntry[]> {
    const begun = kinds.has('opened') ? [] : await openingOf(store, requestId)
    return [...begun, { at: clock.now(), requestId, kind: 'reopened' }]
  }

  return async ({ isAlone }: { isAlone: boolean }): Promise<AuditEntry[]> => {
    const before = clock.now() - (isAlone ? 0 : SETTLED_MS)
    const since = Math.floor(clock.now() / 1_000) - (isAlone ? LAPSED_S : 0)
    const [pending, signed] = await Promise.all([
      store.acceptances.pending(),
      store.orders.open({ after: '', wallets: MOST_ORDERS, since, limit: MOST_ORDERS }),
    ])
    const found: AuditEntry[] = []
    const still = new Set<string>()
    for (const acceptance of pending) {
      const { requestId, createdAt } = acceptance
      if (createdAt > before) continue
      const kinds = await kindsOf(requestId)
      if (!kinds.has('asked')) found.push(...(await interruption(requestId, kinds)), askedOf(acceptance))
    }
    for (const { requestId, confirmedAt } of signed) {
      if (confirmedAt > before) continue
      const kinds = known.has(requestId) ? null : await kindsOf(requestId)
      if (kinds === null || kinds.has('confirmed')) {
        still.add(requestId)
        continue
      }
      const execution = await store.executions.findByRequest(requestId)
      if (execution === null) continue
      found.push(
        ...(await interruption(requestId, kinds)),
        confirmedOf(execution, { wasAsked: kinds.has('asked') }),
        ...(kinds.has('closed') ? [] : [closedBy(execution)]),
      )
    }
    known = still
    return found
  }
}

/** Openings of the open requests of a store, for a log without a leaf of them: entries that were held back are lost. */
export async function openingsOf(
  store: Pick<Store, 'requests' | 'audit'>,
  storage: Pick<LogStorage, 'knows'>,
): Promise<AuditEntry[]> {
  const openings: AuditEntry[] = []
  for (const request of await store.requests.listOpen())
    if (!storage.knows(request.requestId)) openings.push(await findOpening(store, request))
  return openings
}

async function openingOf(store: Pick<Store, 'requests' | 'audit'>, requestId: string): Promise<AuditEntry[]> {
  const found = await store.requests.find(requestId)
  return found === null ? [] : [await findOpening(store, found.request)]
}

/** A crash may have taken it from the audit log, and with it the number of makers. */
async function findOpening({ audit }: Pick<Store, 'audit'>, request: QuoteRequest): Promise<AuditEntry> {
  const opened = (await audit.find(request.requestId)).find(({ kind }) => kind === 'opened')
  return opened ?? openedEntry(request, { makersConnected: 0 })
}

const askedOf = ({ requestId, makerId, quoteId, order, deadline, createdAt: at }: Acceptance): AuditEntry => ({
  at,
  requestId,
  kind: 'asked',
  makerId,
  quoteId,
  order,
  deadline,
})

function confirmedOf(
  { executionId, acceptance, executedAt }: Execution,
  { wasAsked }: { wasAsked: boolean },
): AuditEntry {
  const { requestId, makerId, quoteId, order, domain, createdAt } = acceptance
  return {
    at: executedAt,
    requestId,
    kind: 'confirmed',
    makerId,
    quoteId,
    executionId,
    waitedMs: Math.max(0, executedAt - createdAt),
    orderHash: orderDigest(order, domain),
    ...(wasAsked ? {} : { order }),
  }
}

const closedBy = ({ acceptance: { requestId }, executedAt: at }: Execution): AuditEntry => ({
  at,
  requestId,
  kind: 'closed',
  status: 'committed',
})
