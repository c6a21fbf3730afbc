import type { RankedQuote } from '../../../src/protocol/domain/best-quote.ts'
import type { CommitTerms } from '../../../src/protocol/domain/commit.ts'
import type { OneSidedTrade } from '../../../src/protocol/domain/request.ts'
import { bestByElimination, rankByElimination } from './best-quote.ts'
import { fillByFractions } from './fill.ts'

/**
 * The decisions on commits read aloud: strike out whom the taker may not meet, then ask the best of the rest, unless it has had
 * its chances before one with a record.
 */
export function askByTheBook({
  trade,
  quotes,
  terms,
  considered,
  proven,
  hurriedLeft,
  now,
}: {
  trade: OneSidedTrade
  quotes: readonly RankedQuote[]
  terms: CommitTerms
  considered: ReadonlySet<string>
  proven: ReadonlySet<string>
  hurriedLeft: number
  now: number
}): { quote: RankedQuote; isHurried: boolean } | 'no_valid_quotes' | 'no_acceptable_quote' | 'quote_changed' {
  const live: RankedQuote[] = []
  for (const quote of quotes) {
    if (quote.expiresAt <= now) continue
    if (quote.maker === terms.wallet) continue
    live.push(quote)
  }
  if (live.length === 0) return 'no_valid_quotes'
  const shown = bestByElimination(live)
  const isFirstRung = considered.size === 0
  if (isFirstRung && terms.expectedQuoteId !== null && terms.expectedQuoteId !== shown?.quoteId) return 'quote_changed'

  const allowed: RankedQuote[] = []
  for (const quote of live) {
    if (considered.has(quote.makerId)) continue
    if (terms.expectedQuoteId !== null && terms.expectedQuoteId !== quote.quoteId) continue
    if (terms.limitPrice !== null && trade.side === 'buy' && quote.price > terms.limitPrice) continue
    if (terms.limitPrice !== null && trade.side === 'sell' && quote.price < terms.limitPrice) continue
    if (terms.minContracts !== null && fillByFractions(trade, quote) < terms.minContracts) continue
    allowed.push(quote)
  }
  const quote = bestByElimination(allowed)
  if (quote === undefined) return 'no_acceptable_quote'
  const reliable: RankedQuote[] = []
  for (const other of allowed) if (proven.has(other.makerId) && !other.isDemoted) reliable.push(other)
  const [firstReliable] = rankByElimination(reliable)
  if (firstReliable === undefined) return { quote, isHurried: false }
  if (reliable.includes(quote)) return { quote, isHurried: false }
  if (hurriedLeft > 0) return { quote, isHurried: true }
  return { quote: firstReliable, isHurried: false }
}
