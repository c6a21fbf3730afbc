import { readSeriesOnChain, type SeriesOnChain } from '@rfqctl/client/authority'
import { readSeriesTerms } from '@rfqctl/client/series-terms'
import { CliError } from '@rfqctl/lib/cli-error'
import { plural, resolution, shortId, when } from '@rfqctl/lib/format'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import { legIdsOf, type SeriesTerms } from '@rfqctl/protocol/domain/series'
import type { Cli } from '../cli.ts'
import { type RelayOptions, settingValues } from '../context/targets.ts'
import { listSeriesRows, type SeriesRow } from '../show/series-listing.ts'
import type { Sender } from './send.ts'

/** As the chain has it, with the name that people use. */
export type ChosenSeries = SeriesOnChain & { name: string; terms?: SeriesTerms }

/** A whole seriesId needs the chain alone: a guardian may have to act without a relay. */
const WHOLE_ID = /^\d{40,78}$/

/** Each once, read from the chain. */
export async function chosenSeries(
  { chain, client }: Pick<Sender, 'chain' | 'client'>,
  cli: Cli,
  options: RelayOptions,
  texts: readonly string[],
): Promise<ChosenSeries[]> {
  const listing = texts.every((text) => WHOLE_ID.test(text)) ? null : await listSeriesRows(cli, options, client)
  const named = texts.map((text) =>
    listing === null || WHOLE_ID.test(text)
      ? { seriesId: BigInt(text).toString(), name: shortId(text) }
      : namedRow(listing.find(text)),
  )
  return onChain(chain, named)
}

/**
 * The chain keeps only a hash of the terms: they come from the relay's list or, for a whole seriesId, from the event
 * that registered it.
 */
export async function chosenWithTerms(
  sender: Pick<Sender, 'chain' | 'client'>,
  cli: Cli,
  options: RelayOptions,
  texts: readonly string[],
): Promise<(ChosenSeries & { terms: SeriesTerms })[]> {
  const chosen = await chosenSeries(sender, cli, options, texts)
  return Promise.all(chosen.map(async (series) => ({ ...series, terms: await termsOf(sender, cli, series) })))
}

async function termsOf(
  { chain }: Pick<Sender, 'chain'>,
  cli: Cli,
  { seriesId, name, terms }: ChosenSeries,
): Promise<SeriesTerms> {
  if (terms !== undefined) return terms
  const { START_BLOCK } = settingValues(cli)
  const found = await readSeriesTerms(chain, { seriesId, fromBlock: BigInt(START_BLOCK), signal: cli.stop })
  if (found !== null) return found
  throw new CliError(`the node has no event that registered series ${name}`, {
    code: 'terms_not_found',
    why: [`it was asked for blocks from ${START_BLOCK} on`],
    hint: 'name a node that keeps all events with --rpc, or a relay that lists the series with --url',
  })
}

/**
 * Open packages with a leg among `chosen`, read from the chain, without the chosen ones themselves (decision K5); null
 * where no relay lists them.
 */
export async function packagesOf(
  { chain, client }: Pick<Sender, 'chain' | 'client'>,
  cli: Cli,
  options: RelayOptions,
  chosen: readonly ChosenSeries[],
): Promise<ChosenSeries[] | null> {
  // A guardian's emergency halt must not fail without a relay.
  const listing = await listSeriesRows(cli, options, client).catch(() => null)
  if (listing === null) return null
  const ids = new Set(chosen.map(({ seriesId }) => seriesId))
  const rows = listing.rows.filter(
    (row) => row.state === 'open' && !ids.has(row.seriesId) && legIdsOf(row).some((legId) => ids.has(legId)),
  )
  return onChain(chain, rows.map(namedRow))
}

async function onChain(chain: Sender['chain'], named: readonly Named[]): Promise<ChosenSeries[]> {
  const known = new Map(named.map((one) => [one.seriesId, one]))
  const found = await readSeriesOnChain(chain, [...known.keys()])
  return found.map((series) => ({ name: shortId(series.seriesId), ...known.get(series.seriesId), ...series }))
}

/** `terms` is set where the relay lists the series. */
type Named = { seriesId: string; name: string; terms?: SeriesTerms }

const namedRow = (row: SeriesRow): Named => ({ seriesId: row.seriesId, name: row.name, terms: row })

export function standingOf(series: SeriesOnChain, now: number): string {
  const { expiry, isHalted, isVetoed, resolutionBps, finalAt, openInterest } = series
  const state =
    resolutionBps === null
      ? `${expiry > now ? 'expires' : 'expired'} ${atText(expiry, now)}`
      : `price ${resolution(resolutionBps)}, ${finalAt > now ? `final from ${atText(finalAt, now)}` : 'final'}`
  return `${state}, ${plural(Number(openInterest), 'option')} open${isHalted ? ', halted' : ''}${isVetoed ? ', vetoed' : ''}`
}

/** `at` and the chain's time `now` are in Unix seconds: "2026-11-25T20:00:00.000Z (in 3d)". */
export const atText = (at: number, now: number): string =>
  `${utcText(at * 1_000)} (${at === now ? 'now' : when(at * 1_000, now * 1_000)})`

export const chosenJson = ({
  seriesId,
  name,
  expiry,
  isHalted,
  resolutionBps,
  finalAt,
  isVetoed,
  openInterest,
  lastResortAt,
}: ChosenSeries) => ({
  seriesId,
  name,
  expiry,
  resolutionBps,
  finalAt,
  lastResortAt,
  halted: isHalted,
  vetoed: isVetoed,
  openInterest: Number(openInterest),
})
