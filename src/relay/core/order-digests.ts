import { orderDigest } from '@rfqctl/protocol/domain/order'
import type { Hex } from '@rfqctl/protocol/domain/units'
import type { Acceptance } from './ports/store.ts'

export type OrderDigests = ReturnType<typeof createOrderDigests>

/** More than are out for signature at a time; beyond it the oldest is computed again when needed. */
const PREPARED_KEPT = 1_000

/**
 * Computes each digest while no one waits for it: 30 µs, a tenth of what the relay adds to a commit if it ran between
 * the confirm and its answer.
 */
export function createOrderDigests() {
  const prepared = new Map<string, Hex>()
  return {
    prepare: ({ acceptanceId, order, domain }: Acceptance): void => {
      prepared.set(acceptanceId, orderDigest(order, domain))
      for (const oldest of prepared.keys()) {
        if (prepared.size <= PREPARED_KEPT) break
        prepared.delete(oldest)
      }
    },
    /** Also for orders that another node, or this one before a restart, has sent: those are not prepared. */
    of: ({ acceptanceId, order, domain }: Acceptance): Hex => prepared.get(acceptanceId) ?? orderDigest(order, domain),
  }
}
