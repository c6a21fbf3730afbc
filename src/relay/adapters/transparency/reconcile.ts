import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import { orderDigest } from '@rfqctl/protocol/domain/order'
import type { Clock } from '../../core/ports/runtime.ts'
import type { Acceptance, Execution, Store } from '../../core/ports/store.ts'
import type { LogStorage } from './storage.ts'

/** A promise of a node that lives has its entry in the log by then, in milliseconds. */
const SETTLED_MS = 5_000

/** Above all orders that can be open at a time. */
const MOST_ORDERS = 1_000_000

/** A relay that starts looks this far back for orders that have lapsed, in seconds. */
const LAPSED_S = 24 * 3_600

/**
 * Entries of promises that the store has and the log lacks: a crash takes entries of its last second, but no promise. `isAlone`: no
 * other node may be about to write them.
 */
export function createReconciler(parts: {
  store: Pick<Store, 'acceptances' | 'orders' | 'executions'>
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
      if (acceptance.createdAt > before) continue
      if (!(await kindsOf(acceptance.requestId)).has('asked')) found.push(askedOf(acceptance))
    }
    for (const { requestId, confirmedAt } of signed) {
      if (confirmedAt > before) continue
      const kinds = known.has(requestId) ? null : await kindsOf(requestId)
      if (kinds === null || kinds.has('confirmed')) still.add(requestId)
      else {
        const execution = await store.executions.findByRequest(requestId)
        if (execution !== null) found.push(confirmedOf(execution, { wasAsked: kinds.has('asked') }))
      }
    }
    known = still
    return found
  }
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
