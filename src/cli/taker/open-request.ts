import type { TakerClient, TakerRequest, Trade } from '../../client/index.ts'
import { maxPayoff } from '../../domain/option.ts'
import type { Cli } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { type SavedRequest, saveRequest } from '../context/saved-requests.ts'
import type { RelayOptions } from '../context/targets.ts'
import { findSeriesRow, listSeriesRows, type SeriesRow, seriesWords } from '../show/series-listing.ts'
import { termsJson } from '../show/show-trade.ts'
import { plural, shortId, usd, when } from '../terminal/format.ts'
import type { Output } from '../terminal/output.ts'
import { wrapWords } from '../terminal/wrap-words.ts'

/** A request with the series it is about, and as it is kept. */
export type Opened = { request: TakerRequest; series: SeriesRow; saved: SavedRequest }

/** Opens a request for the series that a person named, and keeps it with its secret. */
export async function openRequest(
  cli: Cli,
  options: RelayOptions & AccountOptions,
  { client, series: text, trade }: { client: TakerClient; series: string; trade: Trade },
): Promise<Opened> {
  const { rows } = await listSeriesRows(cli, options, client)
  const series = findSeriesRow(rows, text)
  const { conditionId, yesTokenId, optionType, strikeBps, expiry, market } = series
  const request = await client.openQuoteRequest({
    market: { conditionId, yesTokenId, question: market },
    option: { optionType, strikeBps, expiryMs: expiry * 1_000 },
    trade,
    signal: cli.stop,
  })
  const hasOwnKey = options.keyFile !== undefined || options.keyStdin === true
  const account = hasOwnKey ? null : options.account
  const saved: SavedRequest = { createdAt: Date.now(), request, account, commitment: null, fillHash: null }
  saveRequest(dataDirOf(cli, options), saved)
  return { request, series, saved }
}

/** A request for programs, without its secret, which stays in the data directory. */
export const requestJson = ({ requestId, seriesId, expiresAt, makersConnected, terms }: TakerRequest) => ({
  type: 'request',
  requestId,
  seriesId,
  expiresAt: new Date(expiresAt).toISOString(),
  makersConnected,
  trade: termsJson(terms).trade,
})

/** A request for people. */
export function requestLines(
  { request, series }: Opened,
  { colors, width }: Pick<Output, 'colors' | 'width'>,
): string[] {
  const { trade } = request.terms
  const amount = trade.side === 'buy' ? `for ${usd(trade.budget)}` : `${trade.size}`
  const most = usd(maxPayoff(series.optionType, series.strikeBps))
  return [
    ...wrapWords(`${colors.bold(trade.side)} ${amount}: ${seriesWords(series)}, pays at most ${most} each`, width),
    `request ${shortId(request.requestId)} closes ${when(request.expiresAt, Date.now())}, ${plural(request.makersConnected, 'maker')} connected`,
  ]
}
