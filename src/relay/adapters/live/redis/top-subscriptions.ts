import type { BookTop } from '../../../core/ports/book.ts'
import type { Stop } from '../../../core/ports/runtime.ts'
import { decodeRequest } from '../../store/codec.ts'
import { answerOf } from './connection.ts'
import { decodeTop } from './rows.ts'
import type { RedisParts } from './subscriptions.ts'

export type TopSubscriptions = ReturnType<typeof createTopSubscriptions>

/** Minimum interval between reads of one request, in milliseconds: a storm of quotes is one read. */
const FOLD_MS = 20

/** Interval of checks of watched requests, in milliseconds: the longest delay of a change whose message was lost. */
export const RECHECK_MS = 500

/** A watcher ends a quote this long after its expiry, in milliseconds: its own node does so at once. */
const STAND_IN_MS = 100

/** `seen` is the newest bookSeq, `polledAt` when the top was last read, Unix milliseconds. */
type Watched = {
  listeners: Set<(top: BookTop) => void>
  seen: number
  polledAt: number
  ready: Promise<Stop>
  /** Timers of the next poll, null while there is none, and of the expiry of a best quote. */
  stopPolling: Stop | null
  stopExpiry: Stop
}

/**
 * Receives changes as messages that carry the whole top; its number identifies an older or doubled one. After a message
 * Redis sends none for further quotes until someone has read the top, which each watcher does at once, and every 20 ms
 * at most: so a storm of quotes is one poll in that time, and not a message each to every node.
 */
export function createTopSubscriptions(parts: RedisParts) {
  const { connection, prefix, run, subscriptions, clock, log } = parts
  const watched = new Map<string, Watched>()

  async function readTop(requestId: string): Promise<BookTop | null> {
    const found = await run<[body: string, closedAt: string, top: string] | null>('read_top', requestId, clock.now())
    return found === null ? null : decodeTop(found[2], decodeRequest(JSON.parse(found[0])))
  }

  /** Subscribes before it reads, so that no change after the read is missed. */
  async function begin(requestId: string, entry: Watched): Promise<Stop> {
    const early: string[] = []
    let onText = (text: string): void => void early.push(text)
    const stop = await subscriptions.subscribe(`top:${requestId}`, (text) => onText(text))
    try {
      const top = await readTop(requestId)
      if (top === null) return stop
      entry.seen = top.bookSeq
      onText = (text) => {
        notify(entry, decodeTop(text, top.request))
        schedulePoll(requestId, entry)
      }
      expireWith(entry, top)
      early.forEach(onText)
      return stop
    } catch (fault) {
      stop()
      throw fault
    }
  }

  function schedulePoll(requestId: string, entry: Watched): void {
    entry.stopPolling ??= clock.schedule(Math.max(clock.now(), entry.polledAt + FOLD_MS), () => {
      entry.stopPolling = null
      entry.polledAt = clock.now()
      poll(requestId, entry).catch((fault: unknown) => log.warn('watched_not_looked_at', { fault }))
    })
  }

  async function poll(requestId: string, entry: Watched): Promise<void> {
    const top = await readTop(requestId)
    if (top !== null) notify(entry, top)
  }

  function notify(entry: Watched, top: BookTop): void {
    if (top.bookSeq <= entry.seen) return
    entry.seen = top.bookSeq
    expireWith(entry, top)
    for (const listener of [...entry.listeners]) listener(top)
  }

  /** The node that took a quote ends it on time; if that node is gone, a watcher does. */
  function expireWith(entry: Watched, { best, bestBid = null, request, status }: BookTop): void {
    entry.stopExpiry()
    const [first] = [best, bestBid]
      .flatMap((quote) => (quote !== null && quote.expiresAt < request.expiresAt ? [quote] : []))
      .sort((a, b) => a.expiresAt - b.expiresAt)
    if (first === undefined || status !== 'open') return
    entry.stopExpiry = clock.schedule(first.expiresAt + STAND_IN_MS, () => {
      run('expire', request.requestId, first.quoteId, clock.now()).catch((fault: unknown) =>
        log.warn('quote_expiry_failed', { fault }),
      )
    })
  }

  function leave(requestId: string, entry: Watched, listener: (top: BookTop) => void): void {
    entry.listeners.delete(listener)
    if (entry.listeners.size > 0 || watched.get(requestId) !== entry) return
    watched.delete(requestId)
    entry.stopExpiry()
    entry.stopPolling?.()
    void entry.ready.then(
      (stop) => stop(),
      () => {},
    )
  }

  function join(requestId: string): Watched {
    const known = watched.get(requestId)
    if (known !== undefined) return known
    const entry: Watched = {
      listeners: new Set(),
      seen: 0,
      polledAt: 0,
      ready: Promise.resolve(() => {}),
      stopPolling: null,
      stopExpiry: () => {},
    }
    entry.ready = begin(requestId, entry)
    watched.set(requestId, entry)
    return entry
  }

  return {
    /** Resolves when every change from now on is received. */
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

    /** Checks for lost messages. */
    recheck: async (): Promise<void> => {
      await Promise.all(
        [...watched].map(async ([requestId, entry]) => {
          const field = connection.sendCommand<string | null>(['HGET', `${prefix}request:${requestId}`, 'seq'])
          if (Number(await answerOf(field)) <= entry.seen) return
          await poll(requestId, entry)
        }),
      )
    },

    /** For a new market, which counts its changes again. */
    forget: (): void => {
      for (const entry of watched.values()) entry.seen = -1
    },
  }
}
