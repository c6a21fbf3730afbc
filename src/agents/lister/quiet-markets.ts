/** Whether a market has prices: `unknown` where its source did not answer, and has not been silent for long enough yet. */
export type MarketVoice = 'heard' | 'quiet' | 'unknown'

/** Listens for the prices of markets. One round asks for each market once. */
export type QuietMarkets = {
  /** Begins a round: a source that failed is asked again. */
  begin: () => void
  voiceOf: (yesTokenId: string) => Promise<MarketVoice>
}

/** How long a market is remembered that no one asks for, milliseconds. */
const KEPT_MS = 86_400_000

/**
 * Judges by a source that names the prices between two times, Unix seconds. A market is quiet when it has had no price for `quietMs`: as
 * the source says, or, while that fails, as far as anyone here has heard. `onFault` hears of a failure once a round.
 */
export function createQuietMarkets({
  prices,
  quietMs,
  now,
  onFault,
}: {
  prices: (yesTokenId: string, from: number, to: number) => Promise<readonly { t: number }[]>
  quietMs: number
  /** Unix milliseconds. */
  now: () => number
  onFault: (fault: unknown) => void
}): QuietMarkets {
  /** When each market last had a price, at first when it was first asked for, and when it was last asked for, Unix milliseconds. */
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
    begin: () => {
      // Longer than a relay that names the markets may be away.
      for (const [yesTokenId, { askedAt }] of markets) if (now() - askedAt > KEPT_MS) markets.delete(yesTokenId)
      voices = new Map()
      hasFailed = false
    },
    voiceOf: async (yesTokenId) => {
      const known = voices.get(yesTokenId)
      if (known !== undefined) return known
      // Each call to a source that is away takes seconds.
      const voice = hasFailed ? silent(yesTokenId) : await ask(yesTokenId)
      voices.set(yesTokenId, voice)
      return voice
    },
  }
}
