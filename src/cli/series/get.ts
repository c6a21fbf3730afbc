import { maxPayoff } from '../../domain/option.ts'
import { utcText } from '../../domain/utc-text.ts'
import type { Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import type { RelayOptions } from '../context/targets.ts'
import { findSeriesRow, listSeriesRows, seriesJson } from '../show/series-listing.ts'
import { resolution, strike, usd, when } from '../terminal/format.ts'
import { factLines } from '../terminal/table.ts'

/** Shows one series with what it can pay. */
export const run: Run<RelayOptions, [series: string]> = async (cli, options, text) => {
  const { rows, now } = await listSeriesRows(cli, options, publicClient(cli, options))
  const series = findSeriesRow(rows, text)
  const { seriesId, conditionId, yesTokenId, optionType, strikeBps, expiry, state, resolutionBps, market } = series
  const facts: [string, string][] = [
    ['question', market],
    ['option', `${optionType}, strike ${strike(strikeBps)}`],
    ['pays at most', `${usd(maxPayoff(optionType, strikeBps))} per option, which is its collateral`],
    ['expiry', `${utcText(expiry * 1_000)} (${when(expiry * 1_000, now)})`],
    ['state', resolutionBps === null ? state : `settled at ${resolution(resolutionBps)}`],
    ['seriesId', seriesId],
    ['conditionId', conditionId],
    ['YES token', yesTokenId],
  ]
  cli.out.print({ type: 'series', ...seriesJson(series) }, factLines(facts, cli.out.colors))
}
