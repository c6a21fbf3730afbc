/** `unknown`: the source did not answer, and has not been silent for long enough yet. */
export type MarketVoice = 'heard' | 'quiet' | 'unknown'

/** A market that no one asks for is forgotten after this time, milliseconds. */
const KEPT_MS = 86_400_000

/**
 * Judges by a source of the prices between two times, Unix seconds. A market is quiet after `quietMs` without a price:
 * by the source, or, while that fails, by the last price seen here. `onFault` is called for a failure once a round.
 */
export function createQuietMarkets(parts: {
  prices: (yesTokenId: string, from: number, to: number) => Promise<readonly { t: number }[]>
  quietMs: number
  /** Unix milliseconds. */
  now: () => number
  onFault: (fault: unknown) => void
}) {
  const { prices, quietMs, now, onFault } = parts
  /** `heardAt`: time of the last price, at first of the first question; `askedAt`: of the last question. Unix ms. */
  const markets = new Map<string, { heardAt: number; askedAt: number }>()
  let voices = new Map<string, MarketVoice>()
  let hasFailed = false

  async function ask(yesTokenId: string): Promise<MarketVoice> {
    const to = Math.floor(now() / 1_000)
    try {
      const points = await prices(yesTokenId, to - Math.floor(quietMs / 1_000), to)
      const newest = points.reduce((latest, { t }) => Math.max(latest, t), 0)
      if (newest === 0) return 'quiet'
      markets.set(yesTokenId, { heardAt: newest * 1_000, askedAt: now() })
      return 'heard'
    } catch (fault) {
      if (!hasFailed) onFault(fault)
      hasFailed = true
      return silent(yesTokenId)
    }
  }

  /** A source that is away for longer than a market may be quiet has no price for it either. */
  function silent(yesTokenId: string): MarketVoice {
    const heardAt = markets.get(yesTokenId)?.heardAt ?? now()
    markets.set(yesTokenId, { heardAt, askedAt: now() })
    return now() - heardAt > quietMs ? 'quiet' : 'unknown'
  }

  return {
    /** Begins a round: a source that failed is asked again. */
    begin: (): void => {
      // Longer than the relay that names the markets may be away.
      for (const [yesTokenId, { askedAt }] of markets) if (now() - askedAt > KEPT_MS) markets.delete(yesTokenId)
      voices = new Map()
      hasFailed = false
    },
    voiceOf: async (yesTokenId: string): Promise<MarketVoice> => {
      const known = voices.get(yesTokenId)
      if (known !== undefined) return known
      // Each call to a source that is away takes seconds.
      const voice = hasFailed ? silent(yesTokenId) : await ask(yesTokenId)
      voices.set(yesTokenId, voice)
      return voice
    },
  }
}
