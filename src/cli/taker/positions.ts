import { accountOf, transportOf } from '@rfqctl/client/from-text'
import { type CostedPosition, createTakerClient, type Usd6, usd6, type ValuedPosition } from '@rfqctl/client/index'
import { gain, markText, plural, priceText, shownRest, usd } from '@rfqctl/lib/format'
import { wrapWords } from '@rfqctl/lib/text-width'
import { usd6ToNumber } from '@rfqctl/protocol/domain/decimal'
import { optionOf } from '@rfqctl/protocol/domain/option'
import { worthNow } from '@rfqctl/protocol/domain/position'
import type { Cli, Run } from '../cli.ts'
import { type AccountOptions, DEFAULT_TAKER } from '../context/account.ts'
import { type ChainOptions, type RelayOptions, relayUrl, tradingChain } from '../context/targets.ts'
import { listSeriesRows, type SeriesRow } from '../show/series-listing.ts'
import { type Column, tableLines } from '../terminal/table.ts'
import { type KnownWallet, knownWallet } from '../wallet/find-wallet.ts'
import { readOwnKey } from '../wallet/own-key.ts'

/** `value` is null where it is not known; `now` is what the page shows as its worth, too. */
type Row = SeriesRow & Omit<CostedPosition, 'seriesId'> & { value: ValuedPosition | null; now: Usd6 | null }

/** Includes cost, profit or loss, and the stablecoin balance. */
export const run: Run<RelayOptions & ChainOptions & AccountOptions, [wallet?: string]> = async (cli, options, text) => {
  const { name, address } = await walletOf(cli, options, text)
  const { rpcUrl, ...chain } = tradingChain(cli, options)
  const setup = { ...chain, transport: transportOf(rpcUrl) }
  const client = createTakerClient({ url: relayUrl(cli, options), account: address, chain: setup })
  const signal = cli.stop
  const { rows, now } = await listSeriesRows(cli, options, client)
  const seriesIds = rows.map(({ seriesId }) => seriesId)
  const [positions, balance, valued] = await Promise.all([
    client.listCostedPositions({ seriesIds, signal }),
    client.getBalance(),
    client.listValuedPositions({ wallet: address, signal }),
  ])
  const held = rows.flatMap((row): Row[] => {
    const position = positions.find(({ seriesId }) => seriesId === row.seriesId)
    if (position === undefined) return []
    const value = valued.find(({ series }) => series.seriesId === row.seriesId) ?? null
    return [{ ...row, ...position, value, now: value === null ? null : worthNow(value, now / 1_000) }]
  })
  const summary = `${name ?? address} has ${usd(balance)}`
  cli.out.print(
    {
      type: 'positions',
      wallet: address,
      balance: usd6ToNumber(balance),
      positions: held.map(positionJson),
      profitUsd: dollars(totalOf(held, profitOf)),
    },
    held.length === 0
      ? `${summary} and no position`
      : [
          ...tableLines(COLUMNS, held, cli.out),
          ...[`${summary}${sumText(held)}`, ...explanations(held)].flatMap((line) => wrapWords(line, cli.out.width)),
        ],
  )
  const canClaim = held.some(({ value }) => value !== null && value.claimable > 0n)
  if (canClaim && name !== null)
    cli.out.note(name === DEFAULT_TAKER ? 'Next: rfqctl claim' : `Next: rfqctl claim --account ${name}`)
}

/** Needs no key; a key file gives its address. */
export async function walletOf(cli: Cli, options: AccountOptions, text: string | undefined): Promise<KnownWallet> {
  const own = text === undefined ? await readOwnKey(cli, options) : null
  return own === null ? knownWallet(cli, options, text) : { name: null, address: accountOf(own.privateKey).address }
}

/** `rest` is value minus cost, exact or as shown. */
const profitBy =
  (rest: (value: Usd6, cost: Usd6) => Usd6) =>
  ({ cost, now }: Row): Usd6 | null =>
    typeof cost === 'string' || now === null ? null : rest(now, cost)

const profitOf = profitBy((value, cost) => usd6(value - cost))

/** Matches the difference of the rounded columns. */
const shownProfit = profitBy(shownRest)

/** Sums the known profits; null where none is known. */
function totalOf(held: readonly Row[], profit: (row: Row) => Usd6 | null): Usd6 | null {
  const known = held.map(profit).filter((each) => each !== null)
  return known.length === 0 ? null : usd6(known.reduce((sum, each) => sum + each, 0n))
}

function sumText(held: readonly Row[]): string {
  const claimable = held.reduce((sum, { value }) => sum + (value?.claimable ?? 0n), 0n)
  const total = totalOf(held, shownProfit)
  const open = held.filter((row) => profitOf(row) === null).length
  return [
    total === null ? '' : `, ${gain(total)} on ${plural(held.length - open, 'position')}`,
    claimable === 0n ? '' : `, ${usd(usd6(claimable))} to claim`,
  ].join('')
}

/** Footnotes on missing marks and costs. */
function explanations(held: readonly Row[]): string[] {
  const count = (reason: Row['cost']) => held.filter(({ cost }) => cost === reason).length
  const [moved, earlier] = [count('moved'), count('earlier')]
  const unmarked = held.filter(({ value, now }) => now === null && value !== null && value.intrinsic !== null).length
  return [
    ...(unmarked === 0
      ? []
      : [`no value for ${plural(unmarked, 'position')} without a mark: the intrinsic value has no time value`]),
    ...(moved === 0 ? [] : [`no cost for ${plural(moved, 'position')}: options were transferred between wallets`]),
    ...(earlier === 0 ? [] : [`no cost for ${plural(earlier, 'position')}: the node has no events that old`]),
  ]
}

const positionJson = (row: Row) => {
  const { seriesId, name, expiry, state, market, long, short, resolutionBps, value, cost } = row
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
    markUsd: dollars(value?.mark),
    intrinsicUsd: dollars(value?.intrinsic),
    costUsd: typeof cost === 'string' ? null : dollars(cost),
    ...(typeof cost === 'string' ? { costUnknown: cost } : {}),
    valueUsd: dollars(row.now),
    profitUsd: dollars(profitOf(row)),
    maxLossUsd: dollars(value?.maxLoss),
    claimableUsd: dollars(value?.claimable),
  }
}

const dollars = (amount: Usd6 | null | undefined): number | null => (amount == null ? null : usd6ToNumber(amount))

/** Written options are negative. */
const sizeText = ({ long, short }: Row): string =>
  [...(long > 0n ? [String(long)] : []), ...(short > 0n ? [`-${short}`] : [])].join(' ')

const textOrDash = (profit: Usd6 | null): string => (profit === null ? '-' : gain(profit))

const COLUMNS: readonly Column<Row>[] = [
  { heading: 'SERIES', cell: ({ name }) => name },
  { heading: 'OPTIONS', cell: sizeText, align: 'right' },
  { heading: 'MARK', cell: ({ value }) => (value?.mark == null ? '-' : markText(value.mark)), align: 'right' },
  {
    heading: 'INTRINSIC',
    cell: ({ value }) => (value?.intrinsic == null ? '-' : priceText(value.intrinsic)),
    align: 'right',
    overflow: 'drop',
  },
  { heading: 'COST', cell: ({ cost }) => (typeof cost === 'string' ? '-' : usd(cost)), align: 'decimal' },
  { heading: 'VALUE', cell: ({ now }) => (now === null ? '-' : usd(now)), align: 'decimal' },
  { heading: 'P&L', cell: (row) => textOrDash(shownProfit(row)), align: 'decimal' },
  { heading: 'STATE', cell: ({ state }) => state },
]
