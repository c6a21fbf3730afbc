import { MAX_RATING_MS, RATED_ORDERS, type TakerRating } from '@rfqctl/protocol/domain/request'
import type { RowOf } from './rows.ts'

type Ended = { at: number; isFilled: boolean }

/** The ended orders of takers that count in their ratings by `now`, Unix milliseconds. */
export function createTakerRatings(now: () => number) {
  /** The taker whose order ended last comes last. */
  const takers = new Map<string, readonly Ended[]>()

  function letGo(): void {
    for (const [taker, ended] of takers) {
      if ((ended.at(-1)?.at ?? 0) > now() - MAX_RATING_MS) return
      takers.delete(taker)
    }
  }

  return {
    add: ({ taker, end, at }: RowOf<'order_ended'>): void => {
      if (end.state === 'cancelled') return
      const ended = [...(takers.get(taker) ?? []).slice(1 - RATED_ORDERS), { at, isFilled: end.state === 'filled' }]
      takers.delete(taker)
      takers.set(taker, ended)
      letGo()
    },
    /** For a taker wallet, in lower case: its orders that ended after `since`, Unix milliseconds. */
    of: (taker: string, since: number): TakerRating => {
      const ended = (takers.get(taker) ?? []).filter(({ at }) => at > since)
      return { orders: ended.length, filled: ended.filter(({ isFilled }) => isFilled).length }
    },
  }
}
