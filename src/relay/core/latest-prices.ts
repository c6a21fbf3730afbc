import { LruMap } from 'toad-cache'
import type { Context } from './context.ts'
import { type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'

/** The newest price of a YES token in dollars; null when none is known. */
export type ReadLatestPrice = (yesTokenId: string) => Promise<number | null>

/** The prices of now. Where the time of the chain was moved, what was read before is forgotten. */
export type LatestPrices = {
  /** Waits for the source when the price is older than 15 s. */
  read: ReadLatestPrice
  /**
   * What is known without waiting, for answers that a source must neither slow nor fail. Only who asks for a token first
   * waits; for a stale price the source is asked meanwhile.
   */
  known: (yesTokenId: string) => MaybePromise<number | null>
  /**
   * What was read in the last five minutes, for who waits for nothing; null where that is nothing. The source is asked
   * meanwhile, so ask only for tokens of listed series: strangers must not choose what a source is asked for.
   */
  recent: (yesTokenId: string) => MaybePromise<number | null>
}

/** How old a price may be to count as that of now, seconds. */
const LOOK_BACK_S = 3_600

/** How long an answer is kept, milliseconds: sources have a price a minute. */
const KEPT_MS = 15_000

/** How old an answer may be that someone trades on, milliseconds: as long as a relay may go without reading its markets. */
const RECENT_MS = 300_000

/** By how much chain time changes against the clock at least where someone moved it, milliseconds: by less a price is not older. */
const MOVED_MS = KEPT_MS

/** More tokens than any relay lists at a time. */
const TOKENS_KEPT = 10_000

/** A price, and when it was asked for, Unix milliseconds. */
type Reading = { value: number | null; at: number }

/** `last` is what the answer before said, until this one is there. */
type Answer = { at: number; price: Promise<number | null>; last: Reading | undefined }

/** Reads the prices of now, each token's at most every 15 s however many ask. */
export function createLatestPrices({
  chain,
  prices,
  store,
  clock,
}: Pick<Context, 'chain' | 'prices' | 'store' | 'clock'>): LatestPrices {
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

  /** Forgets what is of another time of the chain. A chain whose time no one moves is not asked. */
  function forgetMoved(): MaybePromise<void> {
    if (chain.isMovable !== true) return
    const forget = (time: number) => {
      const now = time * 1_000 - clock.now()
      if (aheadMs !== null && Math.abs(now - aheadMs) >= MOVED_MS) answers.clear()
      aheadMs = now
    }
    return Promise.resolve(chain.time('latest')).then(forget, () => {})
  }

  return {
    read: async (yesTokenId) => {
      await forgetMoved()
      return ask(yesTokenId).price
    },
    known: (yesTokenId) =>
      thenMaybe(forgetMoved(), () => {
        const { last, price } = ask(yesTokenId)
        return last === undefined ? price.catch(() => null) : last.value
      }),
    recent: (yesTokenId) =>
      thenMaybe(forgetMoved(), () => {
        const { last } = ask(yesTokenId)
        return last === undefined || clock.now() > last.at + RECENT_MS ? null : last.value
      }),
  }
}
