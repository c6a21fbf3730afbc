import { type PublicTrade, publicTrade, type TapePage, type TapePlace } from '@rfqctl/protocol/domain/public-trade'
import { expirySecond } from '@rfqctl/protocol/domain/request'
import type { Context } from './context.ts'
import type { OrderWatch } from './order-watch.ts'

/** A page looks at this many trades, whichever of them are asked for: a call costs the same. */
const PAGE = 100

/** Signed trades, newest first. `next` is the place from which an older page begins; null: there is none. */
export async function listTrades(
  { store, clock, settings }: Context,
  { standingOf }: OrderWatch,
  { conditionId, seriesId, before }: TapePage,
): Promise<{ trades: readonly PublicTrade[]; next: TapePlace | null }> {
  const now = clock.now()
  const until = now - settings.tapeDelayMs
  const looked = await store.executions.newest({ until, before, limit: PAGE })
  const trades = looked
    .map(({ execution: { executionId, executedAt, acceptance }, market, end }) => {
      const { order, quote, option } = acceptance
      const series = { ...market, ...option, expiry: expirySecond(option.expiryMs) }
      const standing = standingOf(order, end)
      return publicTrade({ tradeId: executionId, at: executedAt, order, price: quote.price, series, standing, now })
    })
    .filter(
      (trade) =>
        (conditionId === null || trade.conditionId === conditionId) &&
        (seriesId === null || trade.seriesId === seriesId),
    )
  const last = looked.length < PAGE ? undefined : looked.at(-1)?.execution
  return { trades, next: last === undefined ? null : { at: last.executedAt, tradeId: last.executionId } }
}
