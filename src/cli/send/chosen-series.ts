import { readSeriesOnChain, type SeriesOnChain } from '../../client/authority.ts'
import { utcText } from '../../domain/safe-text.ts'
import { legIdsOf } from '../../domain/series.ts'
import { plural, resolution, shortId, when } from '../../lib/format.ts'
import type { Cli } from '../cli.ts'
import { listSeriesRows } from '../show/series-listing.ts'
import type { Sender, SendOptions } from './send.ts'

/** A series that a person named, as the chain has it, with the name that people know it by. */
export type ChosenSeries = SeriesOnChain & { name: string }

/** A whole seriesId is looked for on the chain alone: who has to act at night may have no relay to ask. */
const WHOLE_ID = /^\d{40,78}$/

/** The series that a person named, each once, read from the chain. */
export async function chosenSeries(
  { chain, client }: Pick<Sender, 'chain' | 'client'>,
  cli: Cli,
  options: SendOptions,
  texts: readonly string[],
): Promise<ChosenSeries[]> {
  const listing = texts.every((text) => WHOLE_ID.test(text)) ? null : await listSeriesRows(cli, options, client)
  const named = texts.map((text) =>
    listing === null || WHOLE_ID.test(text)
      ? { seriesId: BigInt(text).toString(), name: shortId(text) }
      : listing.find(text),
  )
  return onChain(chain, named)
}

/**
 * The open packages with a leg among some series, read from the chain, but for those that are named themselves (decision K5); null where
 * no relay says which there are.
 */
export async function packagesOf(
  { chain, client }: Pick<Sender, 'chain' | 'client'>,
  cli: Cli,
  options: SendOptions,
  chosen: readonly ChosenSeries[],
): Promise<ChosenSeries[] | null> {
  // What the guardian does at night must not fail for want of a relay.
  const listing = await listSeriesRows(cli, options, client).catch(() => null)
  if (listing === null) return null
  const ids = new Set(chosen.map(({ seriesId }) => seriesId))
  const rows = listing.rows.filter(
    (row) => row.state === 'open' && !ids.has(row.seriesId) && legIdsOf(row).some((legId) => ids.has(legId)),
  )
  return onChain(chain, rows)
}

async function onChain(
  chain: Sender['chain'],
  named: readonly { seriesId: string; name: string }[],
): Promise<ChosenSeries[]> {
  const names = new Map(named.map(({ seriesId, name }) => [seriesId, name]))
  const found = await readSeriesOnChain(chain, [...names.keys()])
  return found.map((series) => ({ ...series, name: names.get(series.seriesId) ?? shortId(series.seriesId) }))
}

/** How a series stands, in a line. */
export function standingOf(series: SeriesOnChain, now: number): string {
  const { expiry, isHalted, isVetoed, resolutionBps, finalAt, openInterest } = series
  const state =
    resolutionBps === null
      ? `${expiry > now ? 'expires' : 'expired'} ${atText(expiry, now)}`
      : `price ${resolution(resolutionBps)}, ${finalAt > now ? `final from ${atText(finalAt, now)}` : 'final'}`
  return `${state}, ${plural(Number(openInterest), 'option')} open${isHalted ? ', halted' : ''}${isVetoed ? ', vetoed' : ''}`
}

/** A moment of the chain, seen from its time `now`, both in Unix seconds: "2026-11-25T20:00:00.000Z (in 3d)". */
export const atText = (at: number, now: number): string =>
  `${utcText(at * 1_000)} (${at === now ? 'now' : when(at * 1_000, now * 1_000)})`

/** A series for programs. */
export const chosenJson = ({ isHalted, isVetoed, openInterest, proposal: _, ...series }: ChosenSeries) => ({
  ...series,
  halted: isHalted,
  vetoed: isVetoed,
  openInterest: Number(openInterest),
})
