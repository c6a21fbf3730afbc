/** As many rows as the files of the family hold: there is nothing to find beyond. */
const MAX_ROWS = 400_000

/** The rows of each request, in the order of their newest ones. */
type Shelf<Location> = Map<string, { at: number; locations: Location[] }>

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
    const take = (requestId: string) => {
      const entry = requests.get(requestId) ?? { at: 0, locations: [] }
      requests.delete(requestId)
      rows -= entry.locations.length
      return entry
    }
    return {
      requests,
      take,
      put: (requestId: string, at: number, locations: Kept[]) => {
        requests.set(requestId, { at, locations })
        rows += locations.length
        for (const [oldest, entry] of requests) {
          if (entry.at + keptMs > now() && rows <= maxRows) return
          take(oldest)
        }
      },
    }
  }

  const shelfOf = (requestId: string) => (isTrade(requestId) ? trades : others)

  return {
    add: (requestId: string, addedAt: number, location: Location): void => {
      const shelf = shelfOf(requestId)
      const { at, locations } = shelf.take(requestId)
      locations.push(location)
      shelf.put(requestId, Math.max(at, addedAt), locations)
    },
    /** The request came to a trade: its rows do not make room for those of requests without one. */
    keep: (requestId: string): void => {
      const { at, locations } = others.take(requestId)
      if (locations.length > 0) trades.put(requestId, at, locations)
    },
    /** In the order in which they were added. */
    of: (requestId: string): readonly Location[] => {
      const entry = shelfOf(requestId).requests.get(requestId)
      return entry === undefined || entry.at + keptMs <= now() ? [] : entry.locations
    },
  }
}
