import type { Protections } from '../domain/commit.ts'
import type { RequestTerms } from '../domain/request.ts'
import { type Contracts, contracts, type Usd6 } from '../domain/units.ts'

/**
 * The protections of a commit to a shown price, unless told otherwise: that price as the limit, and half of what the budget
 * buys there, or half of what is written, as the least fill (ruling C1). Null turns one off.
 */
export function protectionsAt(
  { trade }: Pick<RequestTerms, 'trade'>,
  shownPrice: Usd6,
  told: Partial<Protections> = {},
): Protections {
  const wanted = trade.side === 'buy' ? trade.budget / shownPrice : trade.size
  return {
    limitPrice: told.limitPrice === undefined ? shownPrice : told.limitPrice,
    minContracts: told.minContracts === undefined ? atLeastOne(wanted / 2n) : told.minContracts,
    expectedQuoteId: told.expectedQuoteId ?? null,
  }
}

const atLeastOne = (count: bigint): Contracts => contracts(count > 1n ? count : 1n)
