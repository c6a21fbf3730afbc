import { LruMap } from 'toad-cache'
import type { Context } from './context.ts'
import { type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'

/** Dollars; null if unknown. */
export type ReadLatestPrice = (yesTokenId: string) => Promise<number | null>

/** Drops earlier prices when the chain's time was moved. */
export type LatestPrices = ReturnType<typeof createLatestPrices>

/** Maximum age of a current price, seconds. */
const LOOK_BACK_S = 3_600

/** Milliseconds: sources have a price a minute. */
const KEPT_MS = 15_000

/** Maximum age of a price for trading, milliseconds: as long as a relay may go without reading its markets. */
const RECENT_MS = 300_000

/** Smallest change of chain time against the clock that makes prices older, milliseconds. */
const MOVED_MS = KEPT_MS

/** More tokens than any relay lists at a time. */
const TOKENS_KEPT = 10_000

/** `at` is the start of the read, Unix milliseconds. */
type Reading = { value: number | null; at: number }

/** `last` is the former answer, used until this one arrives. */
type Answer = { at: number; price: Promise<number | null>; last: Reading | undefined }

/** Reads each token at most every 15 s for all callers. */
export function createLatestPrices(context: Pick<Context, 'chain' | 'prices' | 'store' | 'clock'>) {
  const { chain, prices, store, clock } = context
  const answers = new LruMap<Answer>(TOKENS_KEPT)
  let aheadMs: number | null = null

  async function read(yesTokenId: string): Promise<number | null> {
    const now = await chain.time('cached')
    const [recorded, given] = await Promise.all([
      store.prices.between(yesTokenId, now - LOOK_BACK_S, now),
      prices.history(yesTokenId, now - LOOK_BACK_S, now).catch(() => []),
    ])
    const newest = [...recorded, ...given].reduce((latest, point) => (point.t >= latest.t ? point : latest), {
      t: Number.NEGATIVE_INFINITY,
      p: Number.NaN,
    })
    return Number.isNaN(newest.p) ? null : newest.p
  }

  function ask(yesTokenId: string): Answer {
    const isFresh = ({ at }: Answer) => clock.now() < at + KEPT_MS
    const former = answers.get(yesTokenId)
    if (former !== undefined && isFresh(former)) return former
    const price = read(yesTokenId)
    const answer: Answer = { at: clock.now(), price, last: former?.last }
    price.then(
      (value) => {
        answer.last = { value, at: answer.at }
      },
      () => {},
    )
    answers.set(yesTokenId, answer)
    return answer
  }

  /** Chains whose time cannot be moved are not asked, and others once per life of their cache, not once per token. */
  function forgetMoved(): MaybePromise<void> {
    if (chain.isMovable !== true) return
    const forget = (time: number) => {
      const now = time * 1_000 - clock.now()
      if (aheadMs !== null && Math.abs(now - aheadMs) >= MOVED_MS) answers.clear()
      aheadMs = now
    }
    return Promise.resolve(chain.time('cached')).then(forget, () => {})
  }

  return {
    /** Waits for the source if the price is older than 15 s. */
    read: async (yesTokenId: string): Promise<number | null> => {
      await forgetMoved()
      return ask(yesTokenId).price
    },
    /**
     * Does not wait for a stale price, which is refreshed in the background, so that a source neither slows nor fails
     * the answer. Only the first call for a token waits.
     */
    known: (yesTokenId: string): MaybePromise<number | null> =>
      thenMaybe(forgetMoved(), () => {
        const { last, price } = ask(yesTokenId)
        return last === undefined ? price.catch(() => null) : last.value
      }),
    /**
     * Never waits: the price of the last five minutes, else null. Starts a read in the background, so call it only for
     * tokens of listed series: strangers must not choose the tokens that a source is asked for.
     */
    recent: (yesTokenId: string): MaybePromise<number | null> =>
      thenMaybe(forgetMoved(), () => {
        const { last } = ask(yesTokenId)
        return last === undefined || clock.now() > last.at + RECENT_MS ? null : last.value
      }),
  }
}
