import type { Position, PositionValue, Usd6 } from '../../client/index.ts'
import { usd6ToNumber } from '../../domain/decimal.ts'
import { payoff } from '../../domain/option.ts'
import type { AccountOptions } from '../account.ts'
import type { Run } from '../cli.ts'
import { walletClient } from '../clients.ts'
import { usd, when } from '../format.ts'
import { listSeriesRows, type SeriesRow } from '../series-listing.ts'
import { type Column, tableLines } from '../table.ts'
import type { ChainOptions, RelayOptions } from '../where.ts'

/** What a row is worth; null where the relay cannot say. */
type Row = SeriesRow & Omit<Position, 'seriesId'> & { worth: PositionValue | null }

/** Shows what a wallet holds and has written, and its stablecoin. */
export const run: Run<RelayOptions & ChainOptions & AccountOptions> = async (cli, options) => {
  const { client, owner } = await walletClient(cli, options)
  const { rows, now } = await listSeriesRows(cli, options, client)
  const seriesIds = rows.map(({ seriesId }) => seriesId)
  const { address } = owner.account
  const signal = cli.stop
  const [positions, balance, valued] = await Promise.all([
    client.positions({ seriesIds, signal }),
    client.balance(),
    client.positionsOf({ wallet: address, signal }),
  ])
  const held = rows.flatMap((row): Row[] => {
    const position = positions.find(({ seriesId }) => seriesId === row.seriesId)
    if (position === undefined) return []
    const worth = valued.find(({ series }) => series.seriesId === row.seriesId) ?? null
    return [{ ...row, long: position.long, short: position.short, worth }]
  })
  const summary = `${owner.name ?? address} has ${usd(balance)}`
  cli.out.print(
    { type: 'positions', wallet: address, balance: usd6ToNumber(balance), positions: held.map(positionJson) },
    held.length === 0 ? `${summary} and no position` : [...tableLines(columnsAt(now), held, cli.out), summary],
  )
}

const positionJson = (row: Row) => {
  const { seriesId, name, optionType, strikeBps, expiry, state, market, long, short, resolutionBps, worth } = row
  return {
    seriesId,
    name,
    market,
    optionType,
    strikeBps,
    expiry,
    state,
    resolutionBps,
    long: Number(long),
    short: Number(short),
    markUsd: dollars(worth?.mark),
    valueUsd: dollars(worth?.value),
    maxLossUsd: dollars(worth?.maxLoss),
    claimableUsd: dollars(worth?.claimable),
  }
}

const dollars = (amount: Usd6 | null | undefined): number | null => (amount == null ? null : usd6ToNumber(amount))

const columnsAt = (now: number): Column<Row>[] => [
  { heading: 'SERIES', cell: ({ name }) => name },
  { heading: 'HELD', cell: ({ long }) => countOrDash(long), align: 'right' },
  { heading: 'WRITTEN', cell: ({ short }) => countOrDash(short), align: 'right' },
  { heading: 'MARK', cell: ({ worth }) => usdOrDash(worth?.mark), align: 'right' },
  { heading: 'WORTH', cell: ({ worth }) => usdOrDash(worth?.value), align: 'right' },
  { heading: 'MAX LOSS', cell: ({ worth }) => usdOrDash(worth?.maxLoss), align: 'right' },
  { heading: 'CLAIMABLE', cell: ({ worth }) => usdOrDash(worth?.claimable), align: 'right' },
  { heading: 'STATE', cell: (row) => stateWords(row, now) },
]

const countOrDash = (count: bigint): string => (count === 0n ? '-' : String(count))

const usdOrDash = (amount: Usd6 | null | undefined): string => (amount == null ? '-' : usd(amount))

function stateWords({ state, expiry, optionType, strikeBps, resolutionBps }: Row, now: number): string {
  if (resolutionBps !== null) return `pays ${usd(payoff(optionType, strikeBps, resolutionBps))} each`
  return state === 'open' ? `expires ${when(expiry * 1_000, now)}` : 'expired, not settled'
}
