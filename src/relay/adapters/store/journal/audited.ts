/** As many rows as the files of the family hold: there is nothing to find beyond. */
const MAX_ROWS = 400_000

/** A request takes its new place at most this often, milliseconds: each of its quotes is a row. */
const MOVED_EVERY_MS = 1_000

/** The rows of each request, in the order of their newest ones, give or take `MOVED_EVERY_MS`. */
type Shelf<Location> = Map<string, { at: number; movedAt: number; locations: Location[] }>

/**
 * An empty index of rows younger than `keptMs` by `now`. Beyond the bounds the requests with the oldest newest rows are
 * dropped first, counted separately for requests with and without a trade.
 */
export function createAudited<Location>(parts: {
  now: () => number
  keptMs: number
  isTrade: (requestId: string) => boolean
  maxRows?: number
}) {
  const { now, keptMs, isTrade, maxRows = MAX_ROWS } = parts
  const trades = createShelf<Location>()
  const others = createShelf<Location>()

  function createShelf<Kept>() {
    const requests: Shelf<Kept> = new Map()
    let rows = 0

    function take(requestId: string): { at: number; locations: Kept[] } | null {
      const entry = requests.get(requestId)
      if (entry === undefined) return null
      requests.delete(requestId)
      rows -= entry.locations.length
      return entry
    }

    function put(requestId: string, { at, locations }: { at: number; locations: Kept[] }): void {
      requests.set(requestId, { at, movedAt: at, locations })
      rows += locations.length
      letGo()
    }

    function letGo(): void {
      for (const [oldest, { at }] of requests) {
        if (at + keptMs > now() && rows <= maxRows) return
        take(oldest)
      }
    }

    return {
      requests,
      take,
      put,
      add: (requestId: string, at: number, location: Kept): void => {
        const entry = requests.get(requestId)
        if (entry !== undefined && at < entry.movedAt + MOVED_EVERY_MS) {
          entry.locations.push(location)
          entry.at = Math.max(entry.at, at)
          rows += 1
          if (rows > maxRows) letGo()
        } else {
          const former = take(requestId) ?? { at, locations: [] }
          former.locations.push(location)
          put(requestId, { ...former, at: Math.max(former.at, at) })
        }
      },
    }
  }

  const shelfOf = (requestId: string) => (isTrade(requestId) ? trades : others)

  return {
    add: (requestId: string, at: number, location: Location): void => shelfOf(requestId).add(requestId, at, location),
    /** The request came to a trade: its rows do not make room for those of requests without one. */
    keep: (requestId: string): void => {
      const entry = others.take(requestId)
      if (entry !== null) trades.put(requestId, entry)
    },
    /** In the order in which they were added. */
    of: (requestId: string): readonly Location[] => {
      const entry = shelfOf(requestId).requests.get(requestId)
      return entry === undefined || entry.at + keptMs <= now() ? [] : entry.locations
    },
  }
}
