import { type Usd6, usd6, usd6ToNumber } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { exactUsd, plural, usd } from '@rfqctl/lib/format'
import { maxPayoff, payoff } from '@rfqctl/protocol/domain/option'
import { chunksOf } from '../chain/authority.ts'
import { atText, chosenSeries } from '../send/chosen-series.ts'
import { type Draft, recipientOf, type SendOptions, sendingOwn } from '../send/send.ts'
import { listSeriesRows, type SeriesRow } from '../show/series-listing.ts'

type Due = { series: SeriesRow; kind: 'payout' | 'collateral'; amount: bigint; paid: Usd6 }

/** Gas bound: one series takes some 40,000. */
const SERIES_PER_CALL = 100

/** Holders get payouts, writers the rest of their collateral. */
export const run = sendingOwn<SendOptions & { to?: string }, [series?: string]>(
  async (sender, cli, options, text): Promise<Draft> => {
    const { client, calls, address } = sender
    const name = sender.owner?.name ?? address
    const { rows, find } = await listSeriesRows(cli, options, client)
    const wanted = text === undefined ? rows.filter(({ state }) => state === 'settled') : [find(text)]
    const expired = text === undefined ? rows.filter(({ state }) => state === 'expired') : []
    const positions = await client.listPositions({
      seriesIds: [...wanted, ...expired].map(({ seriesId }) => seriesId),
      signal: cli.stop,
    })
    const unsettled = expired.filter(({ seriesId }) => positions.some((position) => position.seriesId === seriesId))
    const found = wanted.flatMap((series): Due[] => {
      const { seriesId } = series
      const { long = 0n, short = 0n } = positions.find((candidate) => candidate.seriesId === seriesId) ?? {}
      const each = dueEach(series)
      if (long > 0n && each.payout === 0n) cli.out.note(`${long} ${series.name} expired worthless: nothing to collect`)
      if (short > 0n && each.collateral === 0n)
        cli.out.note(`${short} ${series.name} cost their whole collateral: nothing to collect`)
      // A series without a final price is included: the chain says why it does not pay.
      const sides: Due[] = [
        { series, kind: 'payout', amount: long, paid: usd6(long * (each.payout ?? 1n)) },
        { series, kind: 'collateral', amount: short, paid: usd6(short * (each.collateral ?? 1n)) },
      ]
      return sides.filter(({ paid }) => paid > 0n)
    })
    const all = await chosenSeries(
      sender,
      cli,
      options,
      found.map(({ series }) => series.seriesId),
    )
    const waiting = all.filter(({ finalAt }) => text === undefined && finalAt > sender.authority.time)
    for (const series of waiting) {
      const own = found.find((each) => each.series.seriesId === series.seriesId)
      cli.out.note(
        `${own?.series.name} pays when its price is final, from ${atText(series.finalAt, sender.authority.time)}`,
      )
    }
    if (unsettled.length > 0) {
      const names = unsettled.map((series) => series.name).join(', ')
      cli.out.note(`${names}: expired, and not settled yet`)
      cli.out.note('Next: wait until someone settles, or settle it yourself: rfqctl settle run --once')
    }
    const due = found.filter(({ series }) => !waiting.some(({ seriesId }) => seriesId === series.seriesId))
    if (due.length === 0) {
      const why = whyNothing({ settled: wanted.length, unsettled: unsettled.length })
      if (text !== undefined || options.calldata === true) throw nothingToClaim(name, why)
      cli.out.print({ type: 'claim', claims: [] }, `${name} has nothing to claim: ${why}`)
      return { ...NOTHING, data: { claims: [] } }
    }
    const to = recipientOf(options, address)
    const total = usd6(due.reduce((sum, { paid }) => sum + paid, 0n))
    const seriesIds = [...new Set(due.map(({ series }) => series.seriesId))]
    const chunks = chunksOf(seriesIds, SERIES_PER_CALL)
    return {
      type: 'claim',
      act: `claim ${exactUsd(total)}`,
      holders: [],
      facts: [
        ...due.map(
          ({ series, kind, amount, paid }) => [series.name, `${kind} of ${amount}: ${exactUsd(paid)}`] as const,
        ),
        ['paid to', to],
      ],
      data: { to, claims: due.map(claimJson) },
      calls: chunks.map((chunk) => calls.claimMany({ seriesIds: chunk, to })),
      done: `claimed ${exactUsd(total)}`,
      tell: (index) =>
        due
          .filter(({ series }) => chunks[index]?.includes(series.seriesId))
          .map((claim) => ({
            value: claimJson(claim),
            text: `${claim.kind} of ${claim.amount} ${claim.series.name}: ${exactUsd(claim.paid)}`,
          })),
      // A payment to the wallet itself needs no confirmation.
      ...(to === address ? { asks: false as const } : {}),
      after: async () =>
        to === address
          ? `${name} received ${usd(total)} and now has ${usd(await client.getBalance())}`
          : `${to} received ${usd(total)}`,
    }
  },
)

/** Micro-dollars for one option; null until the series is settled. */
function dueEach(series: SeriesRow): { payout: bigint | null; collateral: bigint | null } {
  if (series.resolutionBps === null) return { payout: null, collateral: null }
  const payout = payoff(series, series.resolutionBps)
  return { payout, collateral: maxPayoff(series) - payout }
}

/** `settled` counts series, `unsettled` positions in expired series without a price. */
function whyNothing({ settled, unsettled }: { settled: number; unsettled: number }): string {
  if (unsettled > 0) {
    return `${plural(unsettled, 'expired position')} ${unsettled === 1 ? 'waits for its' : 'wait for their'} settlement`
  }
  return settled === 0 ? 'no series is settled' : `no position pays in ${settled} settled series`
}

const claimJson = ({ series, kind, amount, paid }: Due) => ({
  kind,
  seriesId: series.seriesId,
  optionAmount: Number(amount),
  paid: usd6ToNumber(paid),
})

/** Nothing due is not a failure: a script may run this at any time. */
const NOTHING = {
  type: 'claim',
  act: 'claim nothing',
  holders: [],
  facts: [],
  calls: [],
  done: '',
  asks: false,
} as const

/** A failure only where a series was named, or a batch was asked for. */
const nothingToClaim = (owner: string, why: string): CliError =>
  new CliError(`${owner} has nothing to claim`, {
    code: 'nothing_to_claim',
    why: [why],
    hint: 'rfqctl taker positions',
  })
