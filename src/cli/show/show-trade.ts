import type { CommittedTrade, RequestTerms, ShownBook, ShownQuote } from '@rfqctl/client/index'
import { bookJson } from '@rfqctl/client/to-json'
import { exactUsd, optionsText, optionText, plural, priceText, usd, yesPriceText } from '@rfqctl/lib/format'
import type { OrderState } from '@rfqctl/protocol/domain/order-end'
import { type PartnerFee, partnerShare } from '@rfqctl/protocol/domain/partner-fee'
import { premiumOf } from '@rfqctl/protocol/domain/quote'
import { safeText, utcText } from '@rfqctl/protocol/domain/safe-text'
import { usd6 } from '@rfqctl/protocol/domain/units'
import type { Colors } from '../terminal/colors.ts'
import type { Output } from '../terminal/output.ts'

/** The best quote in one line: maker, price, size, and cost or proceeds. */
export function bookLine(
  {
    bestQuote,
    bestBid,
    quoteCount,
    status,
    orderStanding,
  }: Pick<ShownBook, 'bestQuote' | 'bestBid' | 'quoteCount' | 'status'> & {
    orderStanding: Pick<OrderState, 'state'> | null
  },
  colors: Colors,
): string {
  if (bestQuote === null && status !== 'open') {
    const order = orderStanding === null ? '' : `, and its order ${ORDER_TEXT[orderStanding.state]}`
    return `the request is ${status}${order}`
  }
  const others = colors.dim(`(${plural(quoteCount, 'quote')}${status === 'open' ? '' : `, ${status}`})`)
  if (bestQuote === null) return `no quote yet ${others}`
  if (bestBid !== undefined)
    return `${bestBid === null ? 'no bid' : `sell at ${quoteText(bestBid, colors)}`}, buy at ${quoteText(bestQuote, colors)}  ${others}`
  const { price, fillContracts, side } = bestQuote
  const total = usd(premiumOf(fillContracts, price))
  const what = side === 'buy' ? `buys ${fillContracts} for ${total}` : `sells ${fillContracts} for ${total}`
  return `${quoteText(bestQuote, colors)}  ${what}  ${others}`
}

const quoteText = ({ price, makerId, isFirm }: ShownQuote, colors: Colors): string =>
  `${colors.bold(priceText(price))} by ${safeText(makerId)}${isFirm === true ? ', firm' : ''}`

const ORDER_TEXT: Readonly<Record<OrderState['state'], string>> = {
  open: 'can be filled',
  filled: 'is filled',
  cancelled: 'was cancelled by its maker',
  expired: 'has expired',
}

/** People do not get a line that repeats the last one. */
export function createBookPrinter(out: Output, requestId: string): (book: ShownBook) => void {
  let last = ''
  return (book) => {
    const line = bookLine(book, out.colors)
    if (out.isJson || line !== last) out.print(bookJson(requestId, book), line)
    last = line
  }
}

/** The approval includes the share of a partner that a buyer names. */
export function commitmentLines(
  { quote, onchain, mode, terms }: CommittedTrade,
  colors: Colors,
  partnerFee: PartnerFee | null = null,
): string[] {
  const { trade, option } = terms
  const verb = trade.side === 'buy' ? 'bought' : 'sold'
  const total = usd(premiumOf(quote.fillContracts, quote.price))
  const head = `${colors.green('committed')}: ${verb} ${optionsText(quote.fillContracts, option)} at ${priceText(quote.price)} for ${total}, signed by ${safeText(quote.makerId)}`
  if (onchain === null) return [head, `${mode} mode: there is nothing to fill`]
  const { amount, reason } = onchain.takerApproval
  const share = reason === 'premium' ? partnerShare(onchain.order.premiumAmount, partnerFee) : 0n
  const what = `${exactUsd(usd6(amount + share))} of ${reason}${share === 0n ? '' : ' and partner fee'}`
  return [head, `to fill: approve ${what}, by ${utcText(onchain.order.validUntil * 1_000)}`]
}

export function termsText({ market, option, trade }: RequestTerms): string {
  const what = trade.side === 'buy' ? `for ${usd(trade.budget)} ${optionText(option)}` : optionsText(trade.size, option)
  const question = market.question === null ? '' : ` on "${safeText(market.question)}"`
  const price = market.yesPrice === undefined ? '' : `, YES at ${yesPriceText({ yesPrice: market.yesPrice })}`
  return `${trade.side === 'both' ? 'buy or sell' : trade.side} ${what}${question}${price}`
}
