import type { TapePlace } from '@rfqctl/protocol/domain/public-trade'
import type { TapeQuery } from '../../../core/ports/store.ts'

/** Trades kept at least: a tape is read for its newest. */
const KEPT = 10_000

type Entry<Location> = TapePlace & { location: Location }

/** An empty list of the newest trades, in the order of their times. */
export function createNewestTrades<Location>(kept = KEPT) {
  const trades: Entry<Location>[] = []

  return {
    /** Rows come in the order of their times, give or take a clock that was set. */
    add: (entry: Entry<Location>): void => {
      let index = trades.length
      while (index > 0 && isBefore(entry, trades[index - 1] as TapePlace)) index -= 1
      trades.splice(index, 0, entry)
      if (trades.length >= 2 * kept) trades.splice(0, trades.length - kept)
    },
    /** The places of their rows, newest first. */
    list: ({ until, before, limit }: TapeQuery): Location[] =>
      trades
        .filter((trade) => trade.at <= until && (before === null || isBefore(trade, before)))
        .slice(-limit)
        .toReversed()
        .map(({ location }) => location),
  }
}

const isBefore = (a: TapePlace, b: TapePlace): boolean => (a.at === b.at ? a.tradeId < b.tradeId : a.at < b.at)
