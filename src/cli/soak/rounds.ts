import { setTimeout as pause } from 'node:timers/promises'
import { type ListedSeries, type TakerClient, usd6 } from '../../client/index.ts'
import type { Address } from '../../domain/units.ts'
import type { Observer } from './observer.ts'

/** What rounds came to since it was last asked; times in milliseconds. */
export type RoundFigures = { traded: number; cancelled: number; skipped: number; commitMs: readonly number[] }

/** More rounds at a time are not begun: a relay that hangs is not to be buried. */
const MAX_RUNNING = 500

/** One request in so many is cancelled by its taker. */
const CANCELS_ONE_IN = 20

/** How long a taker waits for the quotes of a request. */
const PATIENCE_MS = 10_000

const BUDGET = usd6(1_000_000n)

/** Begins so many rounds a second until the signal ends them: each opens a request, waits for its quotes and takes the best. */
export function createRounds({
  taker,
  wallet,
  series,
  quotesPerRequest,
  observer,
  signal,
}: {
  taker: TakerClient
  wallet: Address
  series: ListedSeries
  quotesPerRequest: number
  observer: Observer
  signal: AbortSignal
}): { run: (perSecond: number) => Promise<void>; figures: () => RoundFigures } {
  const running = new Set<Promise<void>>()
  let begun = 0
  let figures = blank()

  async function play(number: number): Promise<void> {
    const { conditionId, yesTokenId, optionType, strikeBps, expiry } = series
    const request = await taker.openRequest({
      market: { conditionId, yesTokenId },
      option: { optionType, strikeBps, expiryMs: expiry * 1_000 },
      trade: { side: 'buy', budget: BUDGET },
      signal,
    })
    observer.opened(request.requestId, request.makersConnected)
    const shown = await quotesOf(request)
    if (number % CANCELS_ONE_IN === 0) {
      await taker.cancel({ request, signal })
      figures.cancelled += 1
      return
    }
    const startedAt = performance.now()
    // The ladder may end at a worse price than was shown.
    const { quote } = await taker.commit({ request, shown, wallet, limitPrice: null, minContracts: null, signal })
    figures.commitMs.push(performance.now() - startedAt)
    figures.traded += 1
    observer.committed(request.requestId, quote.price)
  }

  async function quotesOf(request: Parameters<TakerClient['watch']>[0]['request']) {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
    for await (const { bestQuote, quoteCount } of taker.watch({ request, signal: patience })) {
      if (quoteCount >= quotesPerRequest && bestQuote !== null) return bestQuote
    }
    throw new Error('the request closed before all had quoted')
  }

  function begin(): void {
    begun += 1
    if (running.size >= MAX_RUNNING) {
      figures.skipped += 1
      return
    }
    const round: Promise<void> = play(begun)
      .catch((error: unknown) => {
        if (!signal.aborted) observer.failed('a round', error)
      })
      .finally(() => running.delete(round))
    running.add(round)
  }

  return {
    run: async (perSecond) => {
      const startedAt = performance.now()
      while (!signal.aborted) {
        const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond)
        while (begun < due) begin()
        await pause(1_000 / perSecond, undefined, { signal }).catch(() => {})
      }
      await Promise.all(running)
    },
    figures: () => {
      const told = figures
      figures = blank()
      return told
    },
  }
}

const blank = () => ({ traded: 0, cancelled: 0, skipped: 0, commitMs: [] as number[] })
