import { setTimeout as pause } from 'node:timers/promises'
import { accountOf } from '../../src/client/from-text.ts'
import type { ListedSeries } from '../../src/client/index.ts'
import { commitDigest } from '../../src/protocol/domain/commit-proof.ts'
import { orderDomain } from '../../src/protocol/domain/order.ts'
import type { Trade } from '../../src/protocol/domain/request.ts'
import { toRequestedOption } from '../../src/protocol/domain/request.ts'
import { type Address, contracts, type Hex, usd6 } from '../../src/protocol/domain/units.ts'
import type { CancelSeen, ObservationOf } from '../../test/invariants/observation.ts'
import { between } from './between.ts'
import type { Collector } from './collector.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { type Answer, createHttpClient, encodeRequest, textField } from './http-connection.ts'
import { openSse } from './sse-client.ts'

/** What rounds came to since it was last asked; times in milliseconds. */
export type RoundFigures = {
  traded: number
  /** Of those: with another maker than the one that was shown as the best. */
  wentOn: number
  cancelled: number
  /** Requests that their taker left open and that ended by their time, or to make room for others. */
  expired: number
  displaced: number
  /** Commits that nobody was left for, and requests that nobody quoted. */
  refused: number
  skipped: number
  commitMs: readonly number[]
}

/** How takers take it that makers are not there. */
export type Patience = {
  /** How long they wait for the quotes of a request, milliseconds. */
  quotesMs: number
  /** Whether they go on with the quotes that came by then, and with the next request when no maker signs. */
  isContent: boolean
  /** How long some of them think before they commit, at least and at most, milliseconds; null: nobody does. */
  thinksMs: readonly [number, number] | null
  /** How much later a trade is asked for again, milliseconds: its order can then still be filled. */
  repeatAfterMs: number
}

/** More rounds at a time are not begun: a relay that hangs is not to be buried. */
const MAX_RUNNING = 500

/** One request in so many is cancelled by its taker. */
const CANCELS_ONE_IN = 20

/** One trade in so many is asked for again, at once and when its order is about to lapse (decision C3). */
const REPEATS_ONE_IN = 20

/** Half of the takers name their wallet, and half of these take firm quotes only: in turn, of each two one of each side. */
const namesItsWallet = (number: number): boolean => number % 4 < 2
const takesFirmOnly = (number: number): boolean => number % 8 >= 4 && number % 8 < 6

/** Where requests are left open: one in so many is left to its time, and one is a hoarder's. Odd: of either side of a trade. */
const LEAVES_ONE_IN = 41
const HOARDS_ONE_IN = 11

/** The hoarder has one address, every other request one of its own: to make room for others, the hoarder's requests end. */
const HOARDER = '192.0.2.1'
const addressOf = (number: number): string => `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`

/** How much later than its time a request may end, and how much earlier it is displaced at least, milliseconds. */
const ENDS_WITHIN_MS = 5_000

/** One taker in so many thinks, where any does. */
const THINKS_ONE_IN = 5

/** How takers are where all makers are there. An order can be filled for 130 s (decision C7). */
export const PATIENCE: Patience = { quotesMs: 10_000, isContent: false, thinksMs: null, repeatAfterMs: 100_000 }

/** The status of what is asked of a request that is over, and of one too many. */
const NOT_FOUND = 404
const TOO_MANY = 429

/** How a commit is answered when all makers are gone, held back or do not sign: 409 and 503. */
const NOBODY_LEFT = ['no_valid_quotes', 'no_maker_confirmed']

/** How a commit is answered that takes firm quotes only, where there is none. */
const NONE_FIRM = 'no_acceptable_quote'

/** The domain of a relay without a chain. */
const NO_CONTRACT = orderDomain(80_002, '0x0000000000000000000000000000000000000000')

const TRADES: readonly [Trade, Trade] = [
  { side: 'buy', budget: usd6(1_000_000n) },
  { side: 'sell', size: contracts(20n) },
]

/** Begins so many rounds a second: each opens a request, waits for its quotes and takes the best. */
export function createRounds({
  pools,
  privateKey,
  series,
  quotesPerRequest,
  makersSince,
  patience,
  ttlMs,
  collector,
  signal,
}: {
  /** Of each node of the relay: they are asked in turn. */
  pools: readonly ConnectionPool[]
  /** Of the wallet that trades: it proves each commit, as our own client does. */
  privateKey: Hex
  series: ListedSeries
  quotesPerRequest: number
  /** How many makers were connected at least and at most between a moment, Unix milliseconds, and now. */
  makersSince: (at: number) => readonly [least: number, most: number]
  patience: Patience
  /** How long a request lives that its taker leaves open, milliseconds; null: no one leaves any. */
  ttlMs: number | null
  collector: Collector
  signal: AbortSignal
}): { run: (perSecond: number) => Promise<void>; figures: () => RoundFigures } {
  const clients = pools.map(createHttpClient)
  const account = accountOf(privateKey)
  const wallet = account.address
  const { observe, moment } = collector
  const bodiesOf = (named: { wallet?: Address }) => TRADES.map((trade) => ({ ...requestOf(series, trade), ...named }))
  const [bodies, namedBodies] = [bodiesOf({}), bodiesOf({ wallet })]
  const running = new Set<Promise<void>>()
  let begun = 0
  let figures = blank()

  /** Calls the n-th node. */
  const callAt = (n: number, request: string): Promise<Answer> =>
    (clients[n % clients.length] as (typeof clients)[number]).call(request)

  async function call(what: string, n: number, request: string): Promise<string> {
    const { status, text } = await callAt(n, request)
    if (status !== 200) throw new Error(`${what} was answered by ${status}: ${text}`)
    return text
  }

  async function play(number: number): Promise<void> {
    const turn = number % 2
    const askedAt = Date.now()
    const namesWallet = namesItsWallet(number)
    const isHoarded = ttlMs !== null && number % HOARDS_ONE_IN === 1
    const isLeft = isHoarded || (ttlMs !== null && number % LEAVES_ONE_IN === 1)
    const headers = ttlMs === null ? {} : { 'x-forwarded-for': isHoarded ? HOARDER : addressOf(number) }
    const body = (namesWallet ? namedBodies : bodies)[turn]
    const { status, text: opened } = await callAt(number, encodeRequest('POST', '/quote-requests', { headers, body }))
    // Where there is no room, it is the hoarder who has none.
    if (isHoarded && status === TOO_MANY) return
    if (status !== 200) throw new Error(`a request was answered by ${status}: ${opened}`)
    const requestId = textField(opened, 'requestId')
    const counted = Number(/"makersConnected":(\d+)/.exec(opened)?.[1])
    const [least, most] = makersSince(askedAt)
    observe({ ...openedOf(requestId, TRADES[turn] as Trade), namesWallet })
    observe({ kind: 'makers_counted', requestId, counted, least, most })
    const onClosed = isLeft && ttlMs !== null ? expectEnd(requestId, ttlMs) : () => {}
    const progress: Progress = { mayBeOver: false, isCancelled: false, isLeft, onClosed }
    const best = await quotesOf(requestId, number + 1, progress)
    if (isLeft) return
    if (patience.thinksMs !== null && number % THINKS_ONE_IN === 1) await pause(between(patience.thinksMs))
    progress.mayBeOver = true
    const cancel = async () => {
      progress.isCancelled = true
      const takerSecret = textField(opened, 'takerSecret')
      const body = encodeRequest('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })
      const cancel: CancelSeen = { kind: 'cancel', requestId, sent: moment(), answered: null, status: 0 }
      observe(cancel)
      await call('a cancel', number + 2, body)
      Object.assign(cancel, { answered: moment(), status: 200 })
    }
    if (number % CANCELS_ONE_IN === 0) {
      await cancel()
      figures.cancelled += 1
    } else if (best() === null || !(await trade(requestId, number, best))) {
      figures.refused += 1
      await cancel()
    }
  }

  /** Whether a maker signed. `best` is the quote that the taker was shown last. */
  async function trade(requestId: string, number: number, best: () => string | null): Promise<boolean> {
    const isFirmOnly = takesFirmOnly(number)
    const terms = { wallet, limitPrice: null, minContracts: null, expectedQuoteId: null, firmOnly: isFirmOnly }
    const proof = await account.sign?.({ hash: commitDigest({ ...terms, requestId }, NO_CONTRACT) })
    const body = isFirmOnly ? { wallet, firmOnly: true, proof } : { wallet, proof }
    const request = encodeRequest('POST', `/quote-requests/${requestId}/commit`, { body })
    const commit: ObservationOf<'commit'> = {
      kind: 'commit',
      ...{ requestId, wallet, limitPrice: null, revealed: null, isFirmOnly },
      ...{ sent: moment(), answered: null, status: 0, executionId: null, quoteId: null },
    }
    observe(commit)
    const shown = best()
    const startedAt = performance.now()
    const { status, text } = await callAt(number + 2, request)
    Object.assign(commit, { answered: moment(), status, ...(status === 200 ? {} : { code: textField(text, 'code') }) })
    if (patience.isContent && status !== 200 && NOBODY_LEFT.includes(textField(text, 'code'))) return false
    if (isFirmOnly && status === 409 && textField(text, 'code') === NONE_FIRM) return false
    if (status !== 200) throw new Error(`a commit was answered by ${status}: ${text}`)
    figures.commitMs.push(performance.now() - startedAt)
    figures.traded += 1
    const { quote, execution } = JSON.parse(text)
    if (quote.quote_id !== shown && !isFirmOnly) figures.wentOn += 1
    const executionId: string = execution.execution_id
    Object.assign(commit, { executionId, quoteId: quote.quote_id, isFirm: quote.firm === true })
    if (commit.isFirm) collector.tookFirm(commit)
    if (number % REPEATS_ONE_IN !== 1) return true
    const what = `the commit of ${requestId}`
    observe({ kind: 'promise_reread', what, promised: executionId, kept: executionOf(await callAt(number, request)) })
    void repeatLate(() => callAt(number + 1, request), { what, executionId })
    return true
  }

  async function repeatLate(
    commit: () => Promise<Answer>,
    { what, executionId }: { what: string; executionId: string },
  ): Promise<void> {
    await pause(patience.repeatAfterMs, undefined, { ref: false })
    if (signal.aborted) return
    const kept = await commit().then(executionOf, () => 'nothing')
    if (!signal.aborted) observe({ kind: 'promise_reread', what, promised: executionId, kept })
  }

  /** Of a request that is left open: called when it has ended, which must not be long after its time. */
  function expectEnd(requestId: string, ms: number): () => void {
    const openedAt = performance.now()
    const timer = setTimeout(() => {
      if (!signal.aborted) collector.failed('a request that is left open', new Error(`${requestId} has not ended`))
    }, ms + ENDS_WITHIN_MS)
    timer.unref()
    return () => {
      clearTimeout(timer)
      if (performance.now() - openedAt < ms - ENDS_WITHIN_MS) figures.displaced += 1
      else figures.expired += 1
    }
  }

  /** Follows a request's stream to its end; resolves once all have quoted, with what is shown as the best from then on. */
  function quotesOf(requestId: string, node: number, progress: Readonly<Progress>): Promise<() => string | null> {
    return new Promise((resolve, reject) => {
      let best: string | null = null
      const timer = setTimeout(() => {
        if (patience.isContent) resolve(() => best)
        else reject(new Error(`not every maker quoted within ${patience.quotesMs} ms`))
      }, patience.quotesMs)
      const leave = () => {
        clearTimeout(timer)
        resolve(() => best)
      }
      const stream = `the stream of the taker of ${requestId}`
      let isOpen = false
      openSse(pools[node % pools.length] as ConnectionPool, {
        path: `/quote-requests/${requestId}/stream`,
        onOpen: () => {
          isOpen = true
          observe({ kind: 'taker_stream_opened', stream, requestId })
        },
        onFrame: ({ event, data }) => {
          const now = moment()
          if (event === 'closed') {
            observe({ kind: 'taker_event', stream, event, requestId, moment: now })
            progress.onClosed()
            // It may have made room for others before all had quoted.
            if (progress.isLeft) leave()
          }
          if (event !== 'best_quote') return
          observe({ kind: 'taker_event', stream, event, requestId, moment: now })
          const { bestQuote, quoteCount } = JSON.parse(data)
          best = bestQuote === null ? null : bestQuote.quote_id
          const quoteId = best
          // The book is empty a moment before the stream closes.
          if (progress.isCancelled || (progress.isLeft && best === null)) return
          observe({ kind: 'quote_shown', requestId, by: 'stream', asked: now, answered: now, quoteId, quoteCount })
          if (quoteCount < quotesPerRequest) return
          leave()
        },
        onEnd: (fault) => {
          clearTimeout(timer)
          reject(fault)
          // A taker that goes on without its quotes may have ended its request before its stream was opened, which then is a 404
          // (protocol watch-5): no other refusal, and none of a request that it has not taken or cancelled yet, is as it should be.
          const isExcused = isOpen || (progress.mayBeOver && fault.message.includes(`${NOT_FOUND} `))
          if (!isExcused && patience.isContent && !signal.aborted) collector.failed('the stream of a taker', fault)
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

const blank = () => ({
  ...{ traded: 0, wentOn: 0, cancelled: 0, expired: 0, displaced: 0, refused: 0, skipped: 0 },
  commitMs: [] as number[],
})

/** How far a request is, as its stream must know. */
type Progress = { mayBeOver: boolean; isCancelled: boolean; isLeft: boolean; onClosed: () => void }

const openedOf = (requestId: string, trade: Trade): ObservationOf<'request_opened'> =>
  trade.side === 'buy'
    ? { kind: 'request_opened', requestId, side: 'buy', budget: trade.budget, size: trade.most ?? null }
    : { kind: 'request_opened', requestId, side: 'sell', budget: null, size: trade.size }

const executionOf = ({ status, text }: { status: number; text: string }): string =>
  status === 200 ? textField(text, 'execution_id') : 'nothing'

function requestOf(series: ListedSeries, trade: Trade) {
  const { conditionId, yesTokenId } = series
  return {
    market: { conditionId, yesTokenId },
    option: toRequestedOption(series),
    trade: trade.side === 'buy' ? { side: 'buy', budgetUsd: 1 } : { side: 'sell', size: Number(trade.size) },
  }
}
