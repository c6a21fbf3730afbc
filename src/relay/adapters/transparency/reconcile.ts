import { type AuditEntry, openedEntry } from '@rfqctl/protocol/domain/audit'
import { orderDigest } from '@rfqctl/protocol/domain/order'
import type { Clock } from '../../core/ports/runtime.ts'
import type { Acceptance, Execution, Store } from '../../core/ports/store.ts'
import type { OpeningOf } from './number-entries.ts'
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
  store: Pick<Store, 'acceptances' | 'orders' | 'executions'>
  storage: Pick<LogStorage, 'leavesOf'>
  clock: Pick<Clock, 'now'>
}) {
  const { store, storage, clock } = parts
  /** Requests whose promise is in the log. */
  let known = new Set<string>()

  /** Parts of a request that the log has: one order may have been missed before another one was asked for. */
  async function loggedOf({ requestId, quoteId, order }: Pick<Acceptance, 'requestId' | 'quoteId' | 'order'>) {
    const entries = (await storage.leavesOf(requestId)).map(({ text }) => JSON.parse(text).entry)
    const has = (kind: AuditEntry['kind']) => entries.some((entry) => entry.kind === kind)
    const hasOrder = entries.some((entry) => entry.quoteId === quoteId && entry.order?.validUntil === order.validUntil)
    return { hasOrder, isSigned: has('confirmed'), isClosed: has('closed') }
  }

  const interruptionOf = (requestId: string): AuditEntry => ({ at: clock.now(), requestId, kind: 'reopened' })

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
      if (!(await loggedOf(acceptance)).hasOrder) found.push(interruptionOf(requestId), askedOf(acceptance))
    }
    for (const one of signed) {
      const { requestId, confirmedAt } = one
      if (confirmedAt > before) continue
      const logged = known.has(requestId) ? null : await loggedOf(one)
      if (logged === null || (logged.isSigned && logged.hasOrder)) {
        still.add(requestId)
        continue
      }
      const execution = await store.executions.findByRequest(requestId)
      if (execution === null) continue
      found.push(interruptionOf(requestId), ...missingOf(execution, logged))
    }
    known = still
    return found
  }
}

/** The opening of a request by its store. A crash may have taken it from the audit log, and with it the number of makers. */
export const createOpenings =
  ({ requests, audit }: Pick<Store, 'requests' | 'audit'>): OpeningOf =>
  async (requestId) => {
    const opened = (await audit.find(requestId)).find(({ kind }) => kind === 'opened')
    if (opened !== undefined) return opened
    const found = await requests.find(requestId)
    return found && openedEntry(found.request, { makersConnected: 0 })
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

/** The ask is lost with the node that wrote it, though another one entered the signature. */
function missingOf(
  execution: Execution,
  { hasOrder, isSigned, isClosed }: { hasOrder: boolean; isSigned: boolean; isClosed: boolean },
): AuditEntry[] {
  if (isSigned) return [askedOf(execution.acceptance)]
  return [confirmedOf(execution, { wasAsked: hasOrder }), ...(isClosed ? [] : [closedBy(execution)])]
}

const closedBy = ({ acceptance: { requestId }, executedAt: at }: Execution): AuditEntry => ({
  at,
  requestId,
  kind: 'closed',
  status: 'committed',
})
