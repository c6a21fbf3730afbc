import { setTimeout as pause } from 'node:timers/promises'
import { type ListedSeries, toUsd6 } from '../../src/client/index.ts'
import type { Trade } from '../../src/domain/request.ts'
import { type Address, contracts, type Usd6, usd6 } from '../../src/domain/units.ts'
import { check } from '../../test/invariants/checks.ts'
import type { Dialler } from './dialler.ts'
import { listen } from './event-ear.ts'
import { createLines, encodeCall, textField } from './http-line.ts'
import { type Observer, TAKER_STREAM } from './observer.ts'

/** What rounds came to since it was last asked; times in milliseconds. */
export type RoundFigures = { traded: number; cancelled: number; skipped: number; commitMs: readonly number[] }

/** More rounds at a time are not begun: a relay that hangs is not to be buried. */
const MAX_RUNNING = 500

/** One request in so many is cancelled by its taker. */
const CANCELS_ONE_IN = 20

/** One trade in so many is asked for again, at once and when its order is about to lapse (decision C3). */
const REPEATS_ONE_IN = 20

/** An order can be filled for 130 s (decision C7). */
const REPEAT_AFTER_MS = 100_000

/** How long a taker waits for the quotes of a request. */
const PATIENCE_MS = 10_000

const TRADES: readonly [Trade, Trade] = [
  { side: 'buy', budget: usd6(1_000_000n) },
  { side: 'sell', size: contracts(20n) },
]

/** Begins so many rounds a second: each opens a request, waits for its quotes and takes the best. */
export function createRounds({
  dialler,
  wallet,
  series,
  quotesPerRequest,
  observer,
  signal,
}: {
  dialler: Dialler
  wallet: Address
  series: ListedSeries
  quotesPerRequest: number
  observer: Observer
  signal: AbortSignal
}): { run: (perSecond: number) => Promise<void>; figures: () => RoundFigures } {
  const lines = createLines(dialler)
  const openings = TRADES.map((trade) => encodeCall('POST', '/quote-requests', { body: requestOf(series, trade) }))
  const running = new Set<Promise<void>>()
  let begun = 0
  let figures = blank()

  async function call(what: string, request: string): Promise<string> {
    const { status, text } = await lines.call(request)
    if (status !== 200) throw new Error(`${what} was answered by ${status}: ${text}`)
    return text
  }

  async function play(number: number): Promise<void> {
    const turn = number % 2
    const opened = await call('a request', openings[turn] as string)
    const requestId = textField(opened, 'requestId')
    const makersConnected = Number(/"makersConnected":(\d+)/.exec(opened)?.[1])
    observer.opened(requestId, { trade: TRADES[turn] as Trade, makersConnected })
    await quotesOf(requestId)
    if (number % CANCELS_ONE_IN === 0) {
      const takerSecret = textField(opened, 'takerSecret')
      await call('a cancel', encodeCall('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } }))
      figures.cancelled += 1
      return
    }
    await trade(requestId, number)
  }

  async function trade(requestId: string, number: number): Promise<void> {
    const commit = encodeCall('POST', `/quote-requests/${requestId}/commit`, { body: { wallet } })
    observer.saw(requestId, { kind: 'committing', wallet })
    const startedAt = performance.now()
    const { quote, execution } = JSON.parse(await call('a commit', commit))
    figures.commitMs.push(performance.now() - startedAt)
    figures.traded += 1
    const executionId: string = execution.execution_id
    observer.saw(requestId, {
      kind: 'revealed',
      executionId,
      quoteId: quote.quote_id,
      price: priceOf(quote),
      signed: null,
    })
    if (number % REPEATS_ONE_IN !== 1) return
    const again = await lines.call(commit)
    observer.saw(requestId, { kind: 'repeated', executionId: executionOf(again) })
    void repeatLate(commit, { requestId, executionId })
  }

  async function repeatLate(commit: string, { requestId, executionId }: { requestId: string; executionId: string }) {
    await pause(REPEAT_AFTER_MS, undefined, { ref: false })
    if (signal.aborted) return
    const again = await lines.call(commit).then(executionOf, () => null)
    if (!signal.aborted) observer.note([check('V10', again === executionId, () => `the trade of ${requestId} is gone`)])
  }

  /** Follows a request's stream to its end; resolves once all have quoted. */
  function quotesOf(requestId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('not every maker quoted within 10 s')), PATIENCE_MS)
      listen(dialler, {
        path: `/quote-requests/${requestId}/stream`,
        onFrame: ({ event, data }) => {
          if (event === 'closed') observer.saw(requestId, { kind: 'ended', stream: TAKER_STREAM })
          if (event !== 'best_quote') return
          const { bestQuote, quoteCount } = JSON.parse(data)
          const price = bestQuote === null ? null : priceOf(bestQuote)
          observer.saw(requestId, { kind: 'best', stream: TAKER_STREAM, price, quoteCount })
          if (quoteCount < quotesPerRequest) return
          clearTimeout(timer)
          resolve()
        },
        onEnd: (fault) => {
          clearTimeout(timer)
          reject(fault)
        },
      })
    })
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

const priceOf = ({ price }: { price: number }): Usd6 => toUsd6(price, 'down') ?? usd6(0n)

const executionOf = ({ status, text }: { status: number; text: string }): string | null =>
  status === 200 ? textField(text, 'execution_id') : null

function requestOf({ conditionId, yesTokenId, optionType, strikeBps, expiry }: ListedSeries, trade: Trade) {
  return {
    market: { conditionId, yesTokenId },
    option: { optionType, strikeBps, expiryMs: expiry * 1_000 },
    trade: trade.side === 'buy' ? { side: 'buy', budgetUsd: 1 } : { side: 'sell', size: Number(trade.size) },
  }
}
