import { formatUsd6 } from '@rfqctl/protocol/domain/decimal'
import { legsOf, type Option } from '@rfqctl/protocol/domain/option'
import { safeText, utcText } from '@rfqctl/protocol/domain/safe-text'
import type { TradeEvent } from '@rfqctl/protocol/domain/trade-history'
import { type Usd6, usd6 } from '@rfqctl/protocol/domain/units'
import type { WalletTrade } from './trade-history.ts'

/**
 * Writes trades as CSV (RFC 4180), a line each under a line of names, for a spreadsheet or a program. Dollars are exact; an unknown amount is
 * empty. A text that a spreadsheet would run as a formula begins with an apostrophe.
 * @param trades - Trades of `getTradeHistory`.
 * @returns The text of the file.
 * @example
 * import { formatTradesCsv } from 'rfqctl/client'
 *
 * const { trades } = await taker.getTradeHistory()
 * console.log(formatTradesCsv(trades))
 */
export const formatTradesCsv = (trades: readonly WalletTrade[]): string =>
  [COLUMNS.map(([name]) => name), ...trades.map((trade) => COLUMNS.map(([, cellOf]) => cellOf(trade)))]
    .map((cells) => cells.map(quoted).join(','))
    .join('\r\n')

/** Characters with which a formula begins in some spreadsheet, also after blanks. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/u

const text = (value: string): string => (FORMULA.test(value) ? `'${safeText(value)}` : safeText(value))

const dollars = (amount: Usd6 | null): string => (amount === null ? '' : formatUsd6(amount))

const time = (seconds: number | null): string => (seconds === null ? '' : utcText(seconds * 1_000))

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** `call 0.45`, and of a package `1 call 0.4, -1 call 0.6`. */
const optionText = (option: Option): string => {
  const legs = legsOf(option)
  return legs
    .map(({ quantity, optionType, strikeBps }) => {
      const terms = `${optionType} ${formatUsd6(usd6(BigInt(strikeBps) * 100n))}`
      return legs.length === 1 ? terms : `${quantity} ${terms}`
    })
    .join(', ')
}

const eventText = ({ time: at, kind, amount, transactionHash }: TradeEvent): string =>
  `${time(at)} ${kind} ${amount} ${transactionHash}`

const COLUMNS: readonly (readonly [name: string, cellOf: (trade: WalletTrade) => string])[] = [
  ['opened', ({ openedAt }) => time(openedAt)],
  ['closed', ({ closedAt }) => time(closedAt)],
  ['market', ({ market }) => text(market ?? '')],
  ['option', ({ option }) => text(optionText(option))],
  ['expiry', ({ expiry }) => time(expiry)],
  ['side', ({ side }) => side],
  ['state', ({ state }) => state],
  ['options', ({ amount }) => String(amount)],
  ['held', ({ long }) => String(long)],
  ['written', ({ short }) => String(short)],
  ['premium_paid', ({ premiumPaid }) => dollars(premiumPaid)],
  ['premium_received', ({ premiumReceived }) => dollars(premiumReceived)],
  ['fees', ({ fees }) => dollars(fees)],
  ['paid', ({ paid }) => dollars(paid)],
  ['received', ({ received }) => dollars(received)],
  ['paid_out', ({ paidOut }) => dollars(paidOut)],
  ['profit', ({ profit }) => dollars(profit)],
  ['cost', ({ cost }) => dollars(cost)],
  ['claimable', ({ claimable }) => dollars(claimable)],
  ['transfers', ({ hasTransfers }) => (hasTransfers ? 'yes' : 'no')],
  ['series_id', ({ seriesId }) => seriesId],
  ['events', ({ events }) => events.map(eventText).join('; ')],
]
