import { compareQuotes, type RankedQuote } from '../../../domain/best-quote.ts'

/** The quotes of one request, at most one a maker, kept best first. */
export type OrderedQuotes = {
  list: readonly RankedQuote[]
  of: (makerId: string) => RankedQuote | undefined
  put: (quote: RankedQuote) => void
  remove: (makerId: string) => void
}

/** A sorted array: a binary search and a move of pointers for each change, so that 5,000 quotes cost what 10 do. */
export function createOrderedQuotes(): OrderedQuotes {
  const list: RankedQuote[] = []
  const byMaker = new Map<string, RankedQuote>()

  const remove = (makerId: string) => {
    const quote = byMaker.get(makerId)
    if (quote === undefined) return
    list.splice(rankOf(list, quote), 1)
    byMaker.delete(makerId)
  }

  return {
    list,
    of: (makerId) => byMaker.get(makerId),
    put: (quote) => {
      remove(quote.makerId)
      list.splice(rankOf(list, quote), 0, quote)
      byMaker.set(quote.makerId, quote)
    },
    remove,
  }
}

/** Where a quote stands or belongs: the number of quotes before it. */
function rankOf(list: readonly RankedQuote[], quote: RankedQuote): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareQuotes(list[middle] as RankedQuote, quote) < 0) low = middle + 1
    else high = middle
  }
  return low
}
