type Listed = {
  conditionId: unknown
  yesClobTokenId: unknown
  optionType?: unknown
  strikeBps?: unknown
  expiry: number
}

type AboutSeries = { market: object; option: object }

export const isAboutSeries = (body: unknown): body is AboutSeries =>
  typeof body === 'object' && body !== null && 'market' in body && 'option' in body

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
