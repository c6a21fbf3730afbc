/** A listed series, as far as a request for quotes names it. */
type Listed = {
  conditionId: unknown
  yesClobTokenId: unknown
  optionType?: unknown
  strikeBps?: unknown
  expiry: number
}

/** The part of a body that names a series. */
type AboutSeries = { market: object; option: object }

/** Whether a body asks about a series: then a listed one can stand in it for that of the example. */
export const isAboutSeries = (body: unknown): body is AboutSeries =>
  typeof body === 'object' && body !== null && 'market' in body && 'option' in body

/** The example of a body with a listed series in it, the one that lives longest; null where none is listed. */
export function withListedSeries(body: AboutSeries, answer: unknown): object | null {
  const { series = [] } = (answer ?? {}) as { series?: readonly Listed[] }
  const [longest] = series.filter(({ strikeBps }) => strikeBps !== undefined).sort((a, b) => b.expiry - a.expiry)
  if (longest === undefined) return null
  const { conditionId, yesClobTokenId, optionType, strikeBps, expiry } = longest
  return {
    ...body,
    market: { conditionId, yesTokenId: yesClobTokenId },
    option: { optionType, strikeBps, expiryMs: expiry * 1_000 },
  }
}
