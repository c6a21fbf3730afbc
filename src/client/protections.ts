import type { Protections } from '../domain/commit.ts'
import { type Contracts, contracts, type Usd6 } from '../domain/units.ts'

/** The most that a commit may ask for as its least fill, options. */
const MOST_MIN_CONTRACTS = 1_000_000_000n

/**
 * The protections of a commit to a shown quote, unless told otherwise: its price as the limit, and half of the options
 * that it fills as the least fill. Null turns one off.
 */
export function protectionsAt(
  shown: { price: Usd6; fillContracts: Contracts },
  told: Partial<Protections> = {},
): Protections {
  return {
    limitPrice: told.limitPrice === undefined ? shown.price : told.limitPrice,
    minContracts: told.minContracts === undefined ? leastFill(shown.fillContracts / 2n) : told.minContracts,
    expectedQuoteId: told.expectedQuoteId ?? null,
  }
}

function leastFill(count: bigint): Contracts {
  if (count < 1n) return contracts(1n)
  return contracts(count < MOST_MIN_CONTRACTS ? count : MOST_MIN_CONTRACTS)
}
