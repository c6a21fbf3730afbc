import type { Order } from '../domain/order.ts'
import type { SeriesId } from '../domain/series.ts'

/** What a maker holds (or owes, negative) of each series, in whole options, by the trades that it signed for. */
export type Inventory = {
  position: (seriesId: SeriesId) => number
  /** Books a confirmed order and returns the new position. */
  book: (order: Pick<Order, 'seriesId' | 'makerSelling' | 'optionAmount'>) => number
}

/** An empty inventory. */
export function createInventory(): Inventory {
  const positions = new Map<SeriesId, number>()
  const position = (seriesId: SeriesId): number => positions.get(seriesId) ?? 0
  return {
    position,
    book: ({ seriesId, makerSelling, optionAmount }) => {
      const next = position(seriesId) + (makerSelling ? -1 : 1) * Number(optionAmount)
      positions.set(seriesId, next)
      return next
    },
  }
}
