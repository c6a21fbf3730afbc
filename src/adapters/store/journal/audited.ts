/** Where what was recorded of requests lies. */
export type Audited<Place> = {
  note: (requestId: string, at: number, place: Place) => void
  /** Oldest first. */
  of: (requestId: string) => readonly Place[]
}

/** As many rows as the files of the family hold: beyond that there is nothing to find. */
const MAX_ROWS = 400_000

/** An empty index of what is younger than `keptMs` by `now`. The requests that were heard of longest ago go first. */
export function createAudited<Place>({
  now,
  keptMs,
  maxRows = MAX_ROWS,
}: {
  now: () => number
  keptMs: number
  maxRows?: number
}): Audited<Place> {
  /** In the order of their newest rows. */
  const requests = new Map<string, { at: number; places: Place[] }>()
  let rows = 0

  function forget(): void {
    for (const [requestId, { at, places }] of requests) {
      if (at + keptMs > now() && rows <= maxRows) return
      requests.delete(requestId)
      rows -= places.length
    }
  }

  return {
    note: (requestId, at, place) => {
      const entry = requests.get(requestId) ?? { at, places: [] }
      entry.at = at
      entry.places.push(place)
      rows += 1
      requests.delete(requestId)
      requests.set(requestId, entry)
      forget()
    },
    of: (requestId) => {
      const entry = requests.get(requestId)
      return entry === undefined || entry.at + keptMs <= now() ? [] : entry.places
    },
  }
}
