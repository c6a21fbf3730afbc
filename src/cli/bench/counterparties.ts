import type { AnnouncedRequest, ListedSeries, MakerClient, TakerClient, TakerRequest } from '../../client/index.ts'
import { contracts, usd6 } from '../../client/index.ts'

/** A maker that listens to a relay, and a taker that asks on one series. */
export type Counterparties = {
  /** Opens a request; resolves once the maker has heard of it, with the time that this took, milliseconds. */
  ask: () => Promise<{ request: TakerRequest; announced: AnnouncedRequest; tookMs: number }>
  /** Quotes at a random price. */
  quote: (announced: AnnouncedRequest) => Promise<unknown>
}

const BUDGET = usd6(1_000_000n)
const SIZE = contracts(1_000n)

/** Prices in micro-dollars, below the max payoff of nearly any series. */
const LOWEST = 10_000
const RANGE = 10_000

/** Has the maker listen and sign whatever it wins, until the signal ends it. */
export function createCounterparties({
  maker,
  taker,
  series,
  signal,
  onFailure,
}: {
  maker: MakerClient
  taker: TakerClient
  series: ListedSeries
  signal: AbortSignal
  onFailure: (error: unknown) => void
}): Counterparties {
  const heard = new Map<string, AnnouncedRequest>()
  const waiting = new Map<string, (request: AnnouncedRequest) => void>()

  async function hearRequests(): Promise<void> {
    for await (const event of maker.watchQuoteRequests({ signal })) {
      if (event.kind === 'quote_request_expired') heard.delete(event.requestId)
      if (event.kind !== 'quote_request') continue
      heard.set(event.request.requestId, event.request)
      waiting.get(event.request.requestId)?.(event.request)
    }
  }

  async function signWhatIsWon(): Promise<void> {
    for await (const message of maker.watchOrders({ signal })) {
      if (message.kind !== 'accepted') continue
      // Another process may sign for the same maker, and be first. What no one signs, the commit tells.
      await maker.confirmOrder({ acceptance: message.acceptance, signal }).catch(() => {})
    }
  }

  for (const work of [hearRequests(), signWhatIsWon()]) work.catch(onFailure)

  return {
    ask: async () => {
      const { conditionId, yesTokenId, optionType, strikeBps, expiry } = series
      const startedAt = performance.now()
      const request = await taker.openQuoteRequest({
        market: { conditionId, yesTokenId },
        option: { optionType, strikeBps, expiryMs: expiry * 1_000 },
        trade: { side: 'buy', budget: BUDGET },
        signal,
      })
      const { requestId } = request
      const announced =
        heard.get(requestId) ?? (await new Promise<AnnouncedRequest>((resolve) => waiting.set(requestId, resolve)))
      waiting.delete(requestId)
      return { request, announced, tookMs: performance.now() - startedAt }
    },
    quote: (announced) =>
      maker.submitQuote({
        request: announced,
        price: usd6(BigInt(LOWEST + Math.floor(Math.random() * RANGE))),
        size: SIZE,
        signal,
      }),
  }
}
