import type { RankedQuote } from '../../../src/protocol/domain/best-quote.ts'

/** The best quote by elimination: of all, those that are not demoted, of these the fewest misses, of these the best price, the oldest, the first id. */
export function bestByElimination(quotes: readonly RankedQuote[]): RankedQuote | undefined {
  const least = <Value>(list: readonly RankedQuote[], of: (quote: RankedQuote) => Value) => {
    const smallest = list.map(of).reduce((a, b) => (b < a ? b : a))
    return list.filter((quote) => of(quote) === smallest)
  }
  if (quotes.length === 0) return undefined
  const trusted = least(quotes, ({ isDemoted }) => Number(isDemoted))
  const reliable = least(trusted, ({ misses }) => misses)
  const cheapest = least(reliable, ({ side, price }) => (side === 'buy' ? price : (-price as typeof price)))
  const earliest = least(cheapest, ({ pricedAt }) => pricedAt)
  return least(earliest, ({ quoteId }) => quoteId)[0]
}

/** A whole ranking by taking out the best, again and again. */
export function rankByElimination(quotes: readonly RankedQuote[]): RankedQuote[] {
  const best = bestByElimination(quotes)
  return best === undefined ? [] : [best, ...rankByElimination(quotes.filter((quote) => quote !== best))]
}
