import { setTimeout as pause } from 'node:timers/promises'
import type { ListedSeries } from '../../src/client/index.ts'
import type { Trade } from '../../src/domain/request.ts'
import { type Address, contracts, usd6 } from '../../src/domain/units.ts'
import type { Observation } from '../../test/invariants/observation.ts'
import type { Collector } from './collector.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { createHttpClient, encodeRequest, textField } from './http-connection.ts'
import { openSse } from './sse-client.ts'

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
  connections,
  wallet,
  series,
  quotesPerRequest,
  makerCount,
  collector,
  signal,
}: {
  connections: ConnectionPool
  wallet: Address
  series: ListedSeries
  quotesPerRequest: number
  /** How many makers are connected. */
  makerCount: number
  collector: Collector
  signal: AbortSignal
}): { run: (perSecond: number) => Promise<void>; figures: () => RoundFigures } {
  const client = createHttpClient(connections)
  const { observe, moment } = collector
  const openings = TRADES.map((trade) => encodeRequest('POST', '/quote-requests', { body: requestOf(series, trade) }))
  const running = new Set<Promise<void>>()
  let begun = 0
  let figures = blank()

  async function call(what: string, request: string): Promise<string> {
    const { status, text } = await client.call(request)
    if (status !== 200) throw new Error(`${what} was answered by ${status}: ${text}`)
    return text
  }

  async function play(number: number): Promise<void> {
    const turn = number % 2
    const opened = await call('a request', openings[turn] as string)
    const requestId = textField(opened, 'requestId')
    const counted = Number(/"makersConnected":(\d+)/.exec(opened)?.[1])
    observe(openedOf(requestId, TRADES[turn] as Trade))
    observe({ kind: 'makers_counted', requestId, counted, least: makerCount, most: makerCount })
    await quotesOf(requestId)
    if (number % CANCELS_ONE_IN === 0) {
      const takerSecret = textField(opened, 'takerSecret')
      await call('a cancel', encodeRequest('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } }))
      figures.cancelled += 1
      return
    }
    await trade(requestId, number)
  }

  async function trade(requestId: string, number: number): Promise<void> {
    const commit = encodeRequest('POST', `/quote-requests/${requestId}/commit`, { body: { wallet } })
    const sent = moment()
    const startedAt = performance.now()
    const { quote, execution } = JSON.parse(await call('a commit', commit))
    figures.commitMs.push(performance.now() - startedAt)
    figures.traded += 1
    const executionId: string = execution.execution_id
    const names = { requestId, wallet, limitPrice: null, executionId, quoteId: quote.quote_id }
    observe({ kind: 'commit', ...names, sent, answered: moment(), status: 200, revealed: null })
    if (number % REPEATS_ONE_IN !== 1) return
    const what = `the commit of ${requestId}`
    observe({ kind: 'promise_reread', what, promised: executionId, kept: executionOf(await client.call(commit)) })
    void repeatLate(commit, { what, executionId })
  }

  async function repeatLate(commit: string, { what, executionId }: { what: string; executionId: string }) {
    await pause(REPEAT_AFTER_MS, undefined, { ref: false })
    if (signal.aborted) return
    const kept = await client.call(commit).then(executionOf, () => 'nothing')
    if (!signal.aborted) observe({ kind: 'promise_reread', what, promised: executionId, kept })
  }

  /** Follows a request's stream to its end; resolves once all have quoted. */
  function quotesOf(requestId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('not every maker quoted within 10 s')), PATIENCE_MS)
      const stream = `the stream of the taker of ${requestId}`
      observe({ kind: 'taker_stream_opened', stream, requestId })
      openSse(connections, {
        path: `/quote-requests/${requestId}/stream`,
        onFrame: ({ event, data }) => {
          const now = moment()
          if (event === 'closed') observe({ kind: 'taker_event', stream, event, requestId, moment: now })
          if (event !== 'best_quote') return
          observe({ kind: 'taker_event', stream, event, requestId, moment: now })
          const { bestQuote, quoteCount } = JSON.parse(data)
          const quoteId = bestQuote === null ? null : bestQuote.quote_id
          observe({ kind: 'quote_shown', requestId, by: 'stream', asked: now, answered: now, quoteId, quoteCount })
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
        if (!signal.aborted) collector.failed('a round', error)
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

const openedOf = (requestId: string, trade: Trade): Observation =>
  trade.side === 'buy'
    ? { kind: 'request_opened', requestId, side: 'buy', budget: trade.budget, size: null }
    : { kind: 'request_opened', requestId, side: 'sell', budget: null, size: trade.size }

const executionOf = ({ status, text }: { status: number; text: string }): string =>
  status === 200 ? textField(text, 'execution_id') : 'nothing'

function requestOf({ conditionId, yesTokenId, optionType, strikeBps, expiry }: ListedSeries, trade: Trade) {
  return {
    market: { conditionId, yesTokenId },
    option: { optionType, strikeBps, expiryMs: expiry * 1_000 },
    trade: trade.side === 'buy' ? { side: 'buy', budgetUsd: 1 } : { side: 'sell', size: Number(trade.size) },
  }
}
