import type { Commitment, RequestTerms, ShownBook, ShownQuote } from '../../client/index.ts'
import { usd6ToNumber } from '../../domain/decimal.ts'
import { premiumOf } from '../../domain/fill.ts'
import type { OptionType } from '../../domain/option.ts'
import { safeText } from '../../domain/safe-text.ts'
import { ONE_USD } from '../../domain/units.ts'
import { utcText } from '../../domain/utc-text.ts'
import type { Colors } from '../terminal/colors.ts'
import { cents, plural, priceText, strike, usd, yesPriceWords } from '../terminal/format.ts'
import type { Output } from '../terminal/output.ts'

/** A quote for programs, in the specification's words and dollars. */
export const quoteJson = ({ makerId, quoteId, maker, side, price, size, fillContracts, expiresInMs }: ShownQuote) => ({
  maker_id: makerId,
  quote_id: quoteId,
  ...(maker === null ? {} : { maker }),
  side,
  price: usd6ToNumber(price),
  size: Number(size),
  fillContracts: Number(fillContracts),
  ...(expiresInMs === null ? {} : { expires_in_ms: expiresInMs }),
})

/** The top of a book for programs. */
export const bookJson = (requestId: string, { bestQuote, quoteCount, status, bookSeq }: ShownBook) => ({
  type: 'best_quote',
  requestId,
  bestQuote: bestQuote === null ? null : quoteJson(bestQuote),
  quoteCount,
  status,
  bookSeq,
})

/** The top of a book in a line: who, at what price, for how many, and what it costs or brings. */
export function bookLine({ bestQuote, quoteCount, status }: ShownBook, colors: Colors): string {
  const others = colors.dim(`(${plural(quoteCount, 'quote')}${status === 'open' ? '' : `, ${status}`})`)
  if (bestQuote === null) return `no quote yet ${others}`
  const { makerId, price, fillContracts, side } = bestQuote
  const premium = premiumOf(fillContracts, price)
  const total = premium < ONE_USD ? usd(premium) : cents(premium)
  const what = side === 'buy' ? `buys ${fillContracts} for ${total}` : `sells ${fillContracts} for ${total}`
  return `${colors.bold(priceText(price))} by ${safeText(makerId)}  ${what}  ${others}`
}

/** Prints each change of a book; people are spared a line that says what the last one said. */
export function createBookPrinter(out: Output, requestId: string): (book: ShownBook) => void {
  let last = ''
  return (book) => {
    const line = bookLine(book, out.colors)
    if (out.isJson || line !== last) out.print(bookJson(requestId, book), line)
    last = line
  }
}

/** What is asked for, in words: "buy call $0.45". */
export const optionWords = ({ optionType, strikeBps }: { optionType: OptionType; strikeBps: number }): string =>
  `${optionType} ${strike(strikeBps)}`

/** A trade for programs: the execution and, on a chain, the order with its approval. */
export const commitmentJson = ({ mode, message, quote, execution, onchain, protections }: Commitment) => ({
  type: 'commitment',
  mode,
  message,
  quote: quoteJson(quote),
  execution: {
    execution_id: execution.executionId,
    request_id: execution.requestId,
    quote_id: execution.quoteId,
    maker_id: execution.makerId,
    executed_at: new Date(execution.executedAt).toISOString(),
  },
  limitPrice: protections.limitPrice === null ? null : usd6ToNumber(protections.limitPrice),
  minContracts: protections.minContracts === null ? null : Number(protections.minContracts),
  ...(onchain === null ? {} : { onchain }),
})

/** A trade for people. */
export function commitmentLines({ quote, onchain, mode, terms }: Commitment, colors: Colors): string[] {
  const { trade, option } = terms
  const verb = trade.side === 'buy' ? 'bought' : 'sold'
  const total = usd(premiumOf(quote.fillContracts, quote.price))
  const head = `${colors.green('committed')}: ${verb} ${quote.fillContracts} ${optionWords(option)} at ${priceText(quote.price)} = ${total}, signed by ${safeText(quote.makerId)}`
  if (onchain === null) return [head, `${mode} mode: there is nothing to fill`]
  const { amount, reason } = onchain.takerApproval
  return [head, `to fill: approve ${usd(amount)} of ${reason}, by ${utcText(onchain.order.validUntil * 1_000)}`]
}

/** What is asked for, for programs. */
export const termsJson = ({ wallet, market, option, trade }: RequestTerms) => ({
  wallet,
  market,
  option,
  trade:
    trade.side === 'buy'
      ? { side: trade.side, budgetUsd: usd6ToNumber(trade.budget) }
      : { side: trade.side, size: Number(trade.size) },
})

/** What is asked for, for people. */
export function termsWords({ market, option, trade }: RequestTerms): string {
  const amount = trade.side === 'buy' ? `for ${usd(trade.budget)}` : String(trade.size)
  const question = market.question === null ? '' : ` on "${safeText(market.question)}"`
  const price = market.yesPrice === undefined ? '' : `, YES at ${yesPriceWords({ yesPrice: market.yesPrice })}`
  return `${trade.side} ${amount} ${optionWords(option)}${question}${price}`
}
