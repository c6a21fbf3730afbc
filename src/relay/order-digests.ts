import { orderDigest } from '../domain/order.ts'
import type { Hex } from '../domain/units.ts'
import type { Stop } from './ports/clock.ts'
import type { Acceptance } from './ports/store.ts'

/** The EIP-712 digests of orders that are out for signature. */
export type OrderDigests = {
  /** Makes the digest of an order that its maker signs meanwhile; the returned function forgets it. */
  prepare: (acceptance: Acceptance) => Stop
  /** The digest of any order; an order that another node, or this one before a restart, has sent is not prepared. */
  of: (acceptance: Acceptance) => Hex
}

/**
 * Makes each digest while nobody waits for it: it takes 30 µs, a tenth of what the relay adds to a commit when it is made
 * between the confirm and its answer.
 */
export function createOrderDigests(): OrderDigests {
  const prepared = new Map<string, Hex>()
  return {
    prepare: ({ acceptanceId, order, domain }) => {
      prepared.set(acceptanceId, orderDigest(order, domain))
      return () => void prepared.delete(acceptanceId)
    },
    of: ({ acceptanceId, order, domain }) => prepared.get(acceptanceId) ?? orderDigest(order, domain),
  }
}
