import { transportOf } from '@rfqctl/client/from-text'
import { formatTradesCsv, type TradeEvent, usd6ToNumber, type WalletTrade } from '@rfqctl/client/index'
import { readTradeHistory } from '@rfqctl/client/trade-history'
import { createWallet } from '@rfqctl/client/wallet'
import { gain, optionText, plural, shortId, usd } from '@rfqctl/lib/format'
import { optionOf } from '@rfqctl/protocol/domain/option'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import { realisedProfit, totalProfit } from '@rfqctl/protocol/domain/trade-history'
import type { Cli, Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { publicClient } from '../context/clients.ts'
import { listSavedRequests, type SavedRequest } from '../context/saved-requests.ts'
import { type ChainOptions, dataDirOf, type RelayOptions, tradingChain } from '../context/targets.ts'
import { listSeriesRows } from '../show/series-listing.ts'
import { type Column, tableLines } from '../terminal/table.ts'
import { walletOf } from './positions.ts'

type Options = RelayOptions & ChainOptions & AccountOptions & { since?: number; csv?: boolean }

/** `name` is that of the series; null without a relay. */
type Row = WalletTrade & { name: string | null }

/** Newest first, from the chain's events: works in any folder, without the wallet's key. */
export const run: Run<Options, [wallet?: string]> = async (cli, options, text) => {
  const { name, address } = await walletOf(cli, options, text)
  const { rpcUrl, stablecoinAddress: _, ...contracts } = tradingChain(cli, options)
  const wallet = createWallet({ account: address, setup: { ...contracts, transport: transportOf(rpcUrl) } })
  const [{ trades, isComplete }, listing] = await Promise.all([
    readTradeHistory(wallet, { since: options.since, signal: cli.stop }),
    // The relay only has the names; the events are enough.
    listSeriesRows(cli, options, publicClient(cli, options)).catch(() => null),
  ])
  const series = new Map(listing?.rows.map((row) => [row.seriesId, row]))
  const rows = trades.map((trade): Row => {
    const { name = null, market = null } = series.get(trade.seriesId) ?? {}
    return { ...trade, name, market }
  })
  const signed = signedBy(cli, options, address)
  const profit = totalProfit(rows)
  const json = {
    type: 'history',
    wallet: address,
    complete: isComplete,
    profitUsd: usd6ToNumber(profit),
    signed: signed.map(signedJson),
    trades: rows.map(tradeJson),
  }
  if (options.csv === true) cli.out.verbatim(json, formatTradesCsv(rows))
  else {
    const lines = [...tableLines(COLUMNS, rows, cli.out), `realised ${gain(profit)} on ${plural(rows.length, 'trade')}`]
    cli.out.print(json, rows.length === 0 ? `${name ?? address} has traded nothing` : lines)
  }
  for (const { request, commitment } of signed) {
    const until = utcText((commitment?.onchain?.order.validUntil ?? 0) * 1_000)
    cli.out.note(`signed, not filled: request ${shortId(request.requestId)}, until ${until}: rfqctl taker fill`)
  }
  if (rows.some(({ hasTransfers }) => hasTransfers))
    cli.out.note('* options from or to another wallet count as free: what was paid for them is not on the chain')
  if (!isComplete)
    cli.out.note('older trades are missing, and profits that depend on them: the node has no events that old')
}

/** Signed in this folder for this wallet, and still fillable. */
const signedBy = (cli: Cli, options: { dataDir?: string }, address: string): SavedRequest[] =>
  listSavedRequests(dataDirOf(cli, options)).filter(({ commitment, fillHash }) => {
    const order = commitment?.onchain?.order
    return order !== undefined && fillHash === null && order.taker === address && order.validUntil * 1_000 > Date.now()
  })

const signedJson = ({ request, commitment }: SavedRequest) => ({
  requestId: request.requestId,
  seriesId: request.seriesId,
  validUntil: new Date((commitment?.onchain?.order.validUntil ?? 0) * 1_000).toISOString(),
})

const tradeJson = (trade: Row) => ({
  seriesId: trade.seriesId,
  name: trade.name,
  market: trade.market,
  ...optionOf(trade.option),
  expiry: trade.expiry,
  side: trade.side,
  state: trade.state,
  contracts: Number(trade.amount),
  long: Number(trade.long),
  short: Number(trade.short),
  premiumPaidUsd: usd6ToNumber(trade.premiumPaid),
  premiumReceivedUsd: usd6ToNumber(trade.premiumReceived),
  feesUsd: usd6ToNumber(trade.fees),
  paidUsd: usd6ToNumber(trade.paid),
  receivedUsd: usd6ToNumber(trade.received),
  paidOutUsd: usd6ToNumber(trade.paidOut),
  profitUsd: trade.profit === null ? null : usd6ToNumber(trade.profit),
  costUsd: trade.cost === null ? null : usd6ToNumber(trade.cost),
  claimableUsd: usd6ToNumber(trade.claimable),
  transfers: trade.hasTransfers,
  openedAt: isoTime(trade.openedAt),
  closedAt: trade.closedAt === null ? null : isoTime(trade.closedAt),
  events: trade.events.map(eventJson),
})

const eventJson = ({ time, kind, amount, premium, fee, paid, received, blockNumber, transactionHash }: TradeEvent) => ({
  time: isoTime(time),
  kind,
  contracts: Number(amount),
  premiumUsd: usd6ToNumber(premium),
  feeUsd: usd6ToNumber(fee),
  paidUsd: usd6ToNumber(paid),
  receivedUsd: usd6ToNumber(received),
  blockNumber: Number(blockNumber),
  txHash: transactionHash,
})

const isoTime = (seconds: number): string => new Date(seconds * 1_000).toISOString()

/** A dash where nothing is realised yet, or profit is not known. */
function profitText(row: Row): string {
  const profit = realisedProfit(row)
  return profit === null ? '-' : `${gain(profit)}${row.hasTransfers ? '*' : ''}`
}

const lastOf = ({ events }: Row): TradeEvent => events.at(-1) as TradeEvent

const COLUMNS: readonly Column<Row>[] = [
  { heading: 'TIME', cell: (row) => utcText(lastOf(row).time * 1_000) },
  { heading: 'SERIES', cell: ({ name, option }) => name ?? optionText(option, 'column') },
  { heading: 'SIDE', cell: ({ side }) => side },
  { heading: 'OPTIONS', cell: ({ amount }) => String(amount), align: 'right' },
  { heading: 'PAID', cell: ({ paid }) => usd(paid), align: 'right' },
  { heading: 'RECEIVED', cell: ({ received }) => usd(received), align: 'right' },
  { heading: 'P&L', cell: profitText, align: 'right' },
  { heading: 'STATE', cell: ({ state }) => state },
  { heading: 'TRANSACTION', cell: (row) => lastOf(row).transactionHash, overflow: 'cut' },
]
