import { transportOf } from '@rfqctl/client/from-text'
import { usd6ToNumber } from '@rfqctl/client/index'
import { createWallet } from '@rfqctl/client/wallet'
import { type HistoryEntry, type HistoryKind, readWalletHistory } from '@rfqctl/client/wallet-history'
import { gain, plural, shortId, usd } from '@rfqctl/lib/format'
import { payoff } from '@rfqctl/protocol/domain/option'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import { type Usd6, usd6 } from '@rfqctl/protocol/domain/units'
import type { Cli, Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { publicClient } from '../context/clients.ts'
import { listSavedRequests, type SavedRequest } from '../context/saved-requests.ts'
import { type ChainOptions, dataDirOf, type RelayOptions, tradingChain } from '../context/targets.ts'
import { listSeriesRows, type SeriesRow } from '../show/series-listing.ts'
import { type Column, tableLines } from '../terminal/table.ts'
import { walletOf } from './positions.ts'

/** `profit` is that of a position that the entry ended; null: not ended, or not known. */
type Row = HistoryEntry & { series: SeriesRow | null; profit: Usd6 | null }

/** Newest first, from the chain's events: works in any folder, without the wallet's key. */
export const run: Run<RelayOptions & ChainOptions & AccountOptions, [wallet?: string]> = async (cli, options, text) => {
  const { name, address } = await walletOf(cli, options, text)
  const { rpcUrl, stablecoinAddress: _, ...contracts } = tradingChain(cli, options)
  const wallet = createWallet({ account: address, setup: { ...contracts, transport: transportOf(rpcUrl) } })
  const [{ entries, isComplete }, listing] = await Promise.all([
    readWalletHistory(wallet, cli.stop),
    // The relay only has the names; the events are enough.
    listSeriesRows(cli, options, publicClient(cli, options)).catch(() => null),
  ])
  const series = new Map(listing?.rows.map((row) => [row.seriesId, row]))
  const profits = isComplete ? profitsOf(entries, series) : new Map<HistoryEntry, Usd6>()
  const rows = entries.map(
    (entry): Row => ({ ...entry, series: series.get(entry.seriesId) ?? null, profit: profits.get(entry) ?? null }),
  )
  const signed = signedBy(cli, options, address)
  cli.out.print(
    {
      type: 'history',
      wallet: address,
      complete: isComplete,
      signed: signed.map(signedJson),
      entries: rows.map(rowJson),
    },
    rows.length === 0 ? `${name ?? address} has traded nothing` : tableLines(COLUMNS, rows, cli.out),
  )
  for (const { request, commitment } of signed) {
    const until = utcText((commitment?.onchain?.order.validUntil ?? 0) * 1_000)
    cli.out.note(`signed, not filled: request ${shortId(request.requestId)}, until ${until}: rfqctl taker fill`)
  }
  if (!isComplete) cli.out.note('older trades are missing, and no profit is known: the node has no events that old')
}

/**
 * Profit of each position by the entry that ended it: closed, claimed or sold to the last option, or settled at
 * nothing. Options from another wallet have no price, so their positions have no profit.
 */
function profitsOf(entries: readonly HistoryEntry[], series: ReadonlyMap<string, SeriesRow>): Map<HistoryEntry, Usd6> {
  const profits = new Map<HistoryEntry, Usd6>()
  const running = new Map<string, { long: bigint; short: bigint; paid: bigint | null; last: HistoryEntry }>()
  for (const entry of entries.toReversed()) {
    const before = running.get(entry.seriesId) ?? { long: 0n, short: 0n, paid: 0n }
    const paid = before.paid === null || entry.paid === null ? null : before.paid + entry.paid
    const now = { long: before.long + entry.long, short: before.short + entry.short, paid, last: entry }
    const hasEnded = now.long === 0n && now.short === 0n
    if (hasEnded && paid !== null) profits.set(entry, usd6(-paid))
    if (hasEnded) running.delete(entry.seriesId)
    else running.set(entry.seriesId, now)
  }
  for (const [seriesId, { short, paid, last }] of running) {
    const row = series.get(seriesId)
    const isWorthless = row != null && row.resolutionBps !== null && payoff(row, row.resolutionBps) === 0n
    if (isWorthless && short === 0n && paid !== null) profits.set(last, usd6(-paid))
  }
  return profits
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

const rowJson = ({ series, ...entry }: Row) => ({
  time: new Date(entry.time * 1_000).toISOString(),
  kinds: entry.kinds,
  seriesId: entry.seriesId,
  name: series?.name ?? null,
  state: series?.state ?? null,
  contracts: Number(entry.amount),
  premiumUsd: entry.premium === null ? null : usd6ToNumber(entry.premium),
  paidUsd: entry.paid === null ? null : usd6ToNumber(entry.paid),
  profitUsd: entry.profit === null ? null : usd6ToNumber(entry.profit),
  blockNumber: Number(entry.blockNumber),
  txHash: entry.transactionHash,
})

const WORDS: Readonly<Record<HistoryKind, string>> = {
  bought: 'bought',
  sold: 'sold',
  closed: 'closed',
  payout: 'payout of',
  collateral: 'collateral of',
  received: 'received',
}

/** A fill that closes is shown as a fill. */
const whatText = ({ kinds, amount }: Row): string =>
  `${WORDS[kinds[0] ?? 'received']} ${plural(Number(amount), 'option')}`

const COLUMNS: readonly Column<Row>[] = [
  { heading: 'TIME', cell: ({ time }) => utcText(time * 1_000) },
  { heading: 'WHAT', cell: whatText },
  { heading: 'SERIES', cell: ({ series, seriesId }) => series?.name ?? shortId(seriesId) },
  { heading: 'PREMIUM', cell: ({ premium }) => (premium === null ? '-' : usd(premium)), align: 'right' },
  { heading: 'CASH', cell: ({ paid }) => (paid === null ? '-' : gain(usd6(-paid))), align: 'right' },
  { heading: 'P&L', cell: ({ profit }) => (profit === null ? '-' : gain(profit)), align: 'right' },
  { heading: 'STATE', cell: ({ series }) => series?.state ?? '-' },
  { heading: 'TRANSACTION', cell: ({ transactionHash }) => transactionHash, overflow: 'cut' },
]
