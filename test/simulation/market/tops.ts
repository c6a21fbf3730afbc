import type { BookTop } from '../../../src/relay/core/ports/book.ts'
import type { Stop } from '../../../src/relay/core/ports/runtime.ts'
import type { MarketParts } from './parts.ts'

/** As in the Redis adapter, milliseconds: a look at what is watched, and how late a watcher ends a quote. */
export const RECHECK_MS = 500
const STAND_IN_MS = 100

type Watched = {
  listeners: Set<(top: BookTop) => void>
  seen: number
  ready: Promise<void>
  stop: Stop
  stopExpiry: Stop
}

/** The tops that takers watch on a node: each change comes as a message with its number, and a lost one is found by looking. */
export function createWatchedTops({ clock, log, run, listen }: MarketParts) {
  const watched = new Map<string, Watched>()

  const read = (requestId: string): Promise<BookTop | null> =>
    run('top', (server, caller) => server.call('top', caller, [requestId]))

  function take(entry: Watched, top: BookTop): void {
    if (top.bookSeq <= entry.seen) return
    entry.seen = top.bookSeq
    expireWith(entry, top)
    for (const listener of [...entry.listeners]) listener(top)
  }

  /** The node that took a quote ends it on time; if that node is gone, a watcher does. */
  function expireWith(entry: Watched, { best, request, status }: BookTop): void {
    entry.stopExpiry()
    if (best === null || status !== 'open' || best.expiresAt >= request.expiresAt) return
    entry.stopExpiry = clock.schedule(best.expiresAt + STAND_IN_MS, () => {
      run('expire', (server, caller) => server.call('expire', caller, [best])).catch((fault: unknown) =>
        log.warn('quote_expiry_failed', { fault }),
      )
    })
  }

  function join(requestId: string): Watched {
    const known = watched.get(requestId)
    if (known !== undefined) return known
    const entry: Watched = {
      listeners: new Set(),
      seen: 0,
      ready: Promise.resolve(),
      stop: () => {},
      stopExpiry: () => {},
    }
    watched.set(requestId, entry)
    entry.stop = listen(`top:${requestId}`, (top) => take(entry, top as BookTop))
    entry.ready = read(requestId).then((top) => {
      if (top === null) return
      entry.seen = Math.max(entry.seen, top.bookSeq)
      expireWith(entry, top)
    })
    return entry
  }

  function leave(requestId: string, entry: Watched, listener: (top: BookTop) => void): void {
    entry.listeners.delete(listener)
    if (entry.listeners.size > 0 || watched.get(requestId) !== entry) return
    watched.delete(requestId)
    entry.stopExpiry()
    entry.stop()
  }

  return {
    read,
    watch: async (requestId: string, onChange: (top: BookTop) => void): Promise<Stop> => {
      const entry = join(requestId)
      const listener = (top: BookTop) => onChange(top)
      entry.listeners.add(listener)
      try {
        await entry.ready
      } catch (fault) {
        leave(requestId, entry, listener)
        throw fault
      }
      return () => leave(requestId, entry, listener)
    },
    recheck: async (): Promise<void> => {
      await Promise.all(
        [...watched].map(async ([requestId, entry]) => {
          const top = await read(requestId)
          if (top !== null) take(entry, top)
        }),
      )
    },
    /** A new market counts its changes again. */
    forget: (): void => {
      for (const entry of watched.values()) entry.seen = -1
    },
  }
}
