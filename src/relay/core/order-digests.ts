import { orderDigest } from '@rfqctl/protocol/domain/order'
import type { Hex } from '@rfqctl/protocol/domain/units'
import type { Acceptance } from './ports/store.ts'

/** The EIP-712 digests of orders that are out for signature. */
export type OrderDigests = {
  /** Makes the digest of an order that its maker signs meanwhile. */
  prepare: (acceptance: Acceptance) => void
  /** The digest of any order; an order that another node, or this one before a restart, has sent is not prepared. */
  of: (acceptance: Acceptance) => Hex
}

/** More than are out for signature at the same time; beyond it the oldest is made again when it is needed. */
const PREPARED_KEPT = 1_000

/**
 * Makes each digest while no one waits for it: it takes 30 µs, a tenth of what the relay adds to a commit when it is made
 * between the confirm and its answer.
 */
export function createOrderDigests(): OrderDigests {
  const prepared = new Map<string, Hex>()
  return {
    prepare: ({ acceptanceId, order, domain }) => {
      prepared.set(acceptanceId, orderDigest(order, domain))
      for (const oldest of prepared.keys()) {
        if (prepared.size <= PREPARED_KEPT) break
        prepared.delete(oldest)
      }
    },
    of: ({ acceptanceId, order, domain }) => prepared.get(acceptanceId) ?? orderDigest(order, domain),
  }
}
