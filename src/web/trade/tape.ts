import type { PublicTrade } from '@rfqctl/client/index'
import type { SessionContext } from './context.ts'
import type { Tape } from './state.ts'
import { chosenMarket, marketKeyOf, relayNow } from './view-model.ts'

/** Interval of reads, milliseconds, and their number per read of the prices, of which sources have one a minute. */
const TAPE_MS = 15_000
const PRICES_ROUNDS = 4

const DAY_MS = 86_400_000

/** Pages of a hundred trades that one round reads, and trades that are kept. */
const MOST_PAGES = 5
const MOST_TRADES = 1_000

/** Reads the tape of all markets, which thus has each market's at once, and the prices of the chosen one. Rests out of sight. */
export function createTapeRound(context: SessionContext): () => Promise<number> {
  const { get, dispatch, signal, ports } = context
  let rounds = 0
  return async () => {
    if (get().markets === null || ports.attention.isHidden()) return TAPE_MS
    const market = chosenMarket(get())
    const marketKey = market === null ? null : marketKeyOf(market)
    const isDue = rounds % PRICES_ROUNDS === 0 || get().prices?.marketKey !== marketKey
    const trader = context.reader()
    const [tape, points] = await Promise.all([
      readTape(context).catch(() => null),
      market !== null && isDue ? trader.listPrices({ yesTokenId: market.yesTokenId, signal }).catch(() => null) : null,
    ])
    if (signal.aborted) return TAPE_MS
    rounds += 1
    if (tape !== null) dispatch({ kind: 'tape-read', tape })
    if (points !== null && marketKey !== null) dispatch({ kind: 'prices-read', prices: { marketKey, points } })
    return TAPE_MS
  }
}

/** Reads back to trades that are known and can change no longer, else as far as the bounds allow. */
async function readTape({ reader, get, signal }: SessionContext): Promise<Tape> {
  const from = relayNow(get()) - DAY_MS
  const former = get().tape
  const known = new Set(former?.trades.filter(({ state }) => state !== 'open').map(({ tradeId }) => tradeId))
  const read: PublicTrade[] = []
  let cursor: string | null = null
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { trades, nextCursor } = await reader().listTrades({ ...(cursor === null ? {} : { cursor }), signal })
    read.push(...trades)
    if (former !== null && trades.some(({ tradeId }) => known.has(tradeId)))
      return bounded([...read, ...former.trades], Math.max(from, former.since))
    if (nextCursor === null || (trades.at(-1)?.at ?? from) < from) return bounded(read, from)
    cursor = nextCursor
  }
  return bounded(read, read.at(-1)?.at ?? from)
}

/** The first copy of a trade counts: it was read last. */
function bounded(trades: readonly PublicTrade[], since: number): Tape {
  const byId = new Map(trades.toReversed().map((trade) => [trade.tradeId, trade]))
  const kept = [...byId.values()].filter(({ at }) => at >= since).toSorted((a, b) => b.at - a.at)
  return { trades: kept.slice(0, MOST_TRADES), since: kept[MOST_TRADES]?.at ?? since }
}
