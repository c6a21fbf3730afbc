import { accountOf, transportOf } from '../../client/from-text.ts'
import { type CostedPosition, createTakerClient, type PositionValue, type Usd6, usd6 } from '../../client/index.ts'
import { usd6ToNumber } from '../../domain/decimal.ts'
import { optionOf } from '../../domain/option.ts'
import { cents, gain, plural, usd } from '../../lib/format.ts'
import type { Cli, Run } from '../cli.ts'
import { type AccountOptions, DEFAULT_TAKER } from '../context/account.ts'
import { type ChainOptions, type RelayOptions, relayUrl, tradingChain } from '../context/targets.ts'
import { listSeriesRows, type SeriesRow } from '../show/series-listing.ts'
import { type Column, tableLines } from '../terminal/table.ts'
import { type KnownWallet, knownWallet } from '../wallet/find-wallet.ts'
import { readOwnKey } from '../wallet/own-key.ts'

/** What a row is worth and has made; null where that cannot be told. */
type Row = SeriesRow & Omit<CostedPosition, 'seriesId'> & { worth: PositionValue | null; profit: Usd6 | null }

/** Shows what a wallet holds and has written, with cost and profit or loss, and its stablecoin. */
export const run: Run<RelayOptions & ChainOptions & AccountOptions, [wallet?: string]> = async (cli, options, text) => {
  const { name, address } = await walletOf(cli, options, text)
  const { rpcUrl, ...chain } = tradingChain(cli, options)
  const setup = { ...chain, transport: transportOf(rpcUrl) }
  const client = createTakerClient({ url: relayUrl(cli, options), account: address, chain: setup })
  const signal = cli.stop
  const { rows } = await listSeriesRows(cli, options, client)
  const seriesIds = rows.map(({ seriesId }) => seriesId)
  const [positions, balance, valued] = await Promise.all([
    client.listCostedPositions({ seriesIds, signal }),
    client.getBalance(),
    client.listValuedPositions({ wallet: address, signal }),
  ])
  const held = rows.flatMap((row): Row[] => {
    const position = positions.find(({ seriesId }) => seriesId === row.seriesId)
    if (position === undefined) return []
    const worth = valued.find(({ series }) => series.seriesId === row.seriesId) ?? null
    return [{ ...row, ...position, worth, profit: profitOf(position, worth) }]
  })
  const summary = `${name ?? address} has ${usd(balance)}`
  cli.out.print(
    {
      type: 'positions',
      wallet: address,
      balance: usd6ToNumber(balance),
      positions: held.map(positionJson),
      profitUsd: dollars(totalProfit(held)),
    },
    held.length === 0
      ? `${summary} and no position`
      : [...tableLines(COLUMNS, held, cli.out), `${summary}${sumText(held)}`, ...unknownCosts(held)],
  )
  const canClaim = held.some(({ worth }) => worth !== null && worth.claimable > 0n)
  if (canClaim && name !== null)
    cli.out.note(name === DEFAULT_TAKER ? 'Next: rfqctl claim' : `Next: rfqctl claim --account ${name}`)
}

/** No one's key is needed to look; that of a file tells an address. */
async function walletOf(cli: Cli, options: AccountOptions, text: string | undefined): Promise<KnownWallet> {
  const own = text === undefined ? await readOwnKey(cli, options) : null
  return own === null ? knownWallet(cli, options, text) : { name: null, address: accountOf(own.privateKey).address }
}

const profitOf = ({ cost }: CostedPosition, worth: PositionValue | null): Usd6 | null =>
  typeof cost === 'string' || worth === null || worth.value === null ? null : usd6(worth.value - cost)

/** Of the rows that tell; null where none does. */
function totalProfit(held: readonly Row[]): Usd6 | null {
  const known = held.flatMap(({ profit }) => (profit === null ? [] : [profit]))
  return known.length === 0 ? null : usd6(known.reduce((sum, profit) => sum + profit, 0n))
}

function sumText(held: readonly Row[]): string {
  const claimable = held.reduce((sum, { worth }) => sum + (worth?.claimable ?? 0n), 0n)
  const total = totalProfit(held)
  const open = held.filter(({ profit }) => profit === null).length
  return [
    total === null ? '' : `, ${gain(total)} on ${plural(held.length - open, 'position')}`,
    claimable === 0n ? '' : `, ${usd(usd6(claimable))} to claim`,
  ].join('')
}

/** Why a cost is a dash. */
function unknownCosts(held: readonly Row[]): string[] {
  const count = (reason: Row['cost']) => held.filter(({ cost }) => cost === reason).length
  const [moved, earlier] = [count('moved'), count('earlier')]
  return [
    ...(moved === 0 ? [] : [`no cost for ${plural(moved, 'position')}: options were transferred between wallets`]),
    ...(earlier === 0 ? [] : [`no cost for ${plural(earlier, 'position')}: the node has no events that old`]),
  ]
}

const positionJson = (row: Row) => {
  const { seriesId, name, expiry, state, market, long, short, resolutionBps, worth, cost } = row
  return {
    seriesId,
    name,
    market,
    ...optionOf(row),
    expiry,
    state,
    resolutionBps,
    long: Number(long),
    short: Number(short),
    markUsd: dollars(worth?.mark),
    costUsd: typeof cost === 'string' ? null : dollars(cost),
    ...(typeof cost === 'string' ? { costUnknown: cost } : {}),
    valueUsd: dollars(worth?.value),
    profitUsd: dollars(row.profit),
    maxLossUsd: dollars(worth?.maxLoss),
    claimableUsd: dollars(worth?.claimable),
  }
}

const dollars = (amount: Usd6 | null | undefined): number | null => (amount == null ? null : usd6ToNumber(amount))

/** Options written stand below zero. */
const sizeText = ({ long, short }: Row): string =>
  [...(long > 0n ? [String(long)] : []), ...(short > 0n ? [`-${short}`] : [])].join(' ')

const COLUMNS: readonly Column<Row>[] = [
  { heading: 'SERIES', cell: ({ name }) => name },
  { heading: 'OPTIONS', cell: sizeText, align: 'right' },
  { heading: 'MARK', cell: ({ worth }) => (worth?.mark == null ? '-' : usd(worth.mark)), align: 'decimal' },
  { heading: 'COST', cell: ({ cost }) => (typeof cost === 'string' ? '-' : cents(cost)), align: 'right' },
  { heading: 'WORTH', cell: ({ worth }) => (worth?.value == null ? '-' : cents(worth.value)), align: 'right' },
  { heading: 'P&L', cell: ({ profit }) => (profit === null ? '-' : gain(profit)), align: 'right' },
  { heading: 'STATE', cell: ({ state }) => state },
]
