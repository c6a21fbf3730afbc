/** Where what was recorded of requests lies. */
export type Audited<Place> = {
  note: (requestId: string, at: number, place: Place) => void
  /** A request has just come to a trade: its rows do not make room for those of requests that came to nothing. */
  keep: (requestId: string) => void
  /** In the order in which they were noted. */
  of: (requestId: string) => readonly Place[]
}

/** As many rows as the files of the family hold: beyond that there is nothing to find. */
const MAX_ROWS = 400_000

/** The rows of each request, in the order of their newest ones. */
type Shelf<Place> = Map<string, { at: number; places: Place[] }>

/**
 * An empty index of what is younger than `keptMs` by `now`. Of very many rows the requests that were heard of longest ago go
 * first: of those that came to nothing, and by a count of their own of those that came to a trade.
 */
export function createAudited<Place>({
  now,
  keptMs,
  isTrade,
  maxRows = MAX_ROWS,
}: {
  now: () => number
  keptMs: number
  isTrade: (requestId: string) => boolean
  maxRows?: number
}): Audited<Place> {
  const trades = createShelf<Place>()
  const others = createShelf<Place>()

  function createShelf<Kept>() {
    const requests: Shelf<Kept> = new Map()
    let rows = 0
    const take = (requestId: string) => {
      const entry = requests.get(requestId) ?? { at: 0, places: [] }
      requests.delete(requestId)
      rows -= entry.places.length
      return entry
    }
    return {
      requests,
      take,
      put: (requestId: string, at: number, places: Kept[]) => {
        requests.set(requestId, { at, places })
        rows += places.length
        for (const [oldest, entry] of requests) {
          if (entry.at + keptMs > now() && rows <= maxRows) return
          take(oldest)
        }
      },
    }
  }

  const shelfOf = (requestId: string) => (isTrade(requestId) ? trades : others)

  return {
    note: (requestId, noted, place) => {
      const shelf = shelfOf(requestId)
      const { at, places } = shelf.take(requestId)
      places.push(place)
      shelf.put(requestId, Math.max(at, noted), places)
    },
    keep: (requestId) => {
      const { at, places } = others.take(requestId)
      if (places.length > 0) trades.put(requestId, at, places)
    },
    of: (requestId) => {
      const entry = shelfOf(requestId).requests.get(requestId)
      return entry === undefined || entry.at + keptMs <= now() ? [] : entry.places
    },
  }
}
