import { createListeners } from '@rfqctl/lib/listeners'
import type { Audience } from '@rfqctl/protocol/domain/audience'
import { EPOCH_SIZE } from '@rfqctl/protocol/domain/limits'
import type { MakerEvent, MakerFeed } from '../../../core/ports/live.ts'
import type { Stop } from '../../../core/ports/runtime.ts'
import { decodeRequest } from '../../store/codec.ts'
import { answerOf, type Connection } from './connection.ts'
import { NoEpochError } from './functions.ts'
import type { Market, NewestEpoch } from './market.ts'
import type { RedisParts } from './subscriptions.ts'

type RedisFeed = MakerFeed & { settled: () => Promise<void>; stop: Stop }

/** The longest block of a read for an event, and the extra time for an empty answer, in milliseconds. */
const BLOCK_MS = 2_000
const ANSWER_MS = 1_000

/** After this long without events, milliseconds, the streams that follow them are ended (fault I2). */
const INTERRUPTED_MS = 15_000

const RETRY_MS = 100

const BATCH = 1_000

/** A newer node may append fields. */
type Entry = [streamId: string, fields: [kind: string, content: string, ...rest: string[]]]

const OF_PACKAGE = 'package'
const AUDIENCE = 'audience'
const TWO_SIDED = 'both'

/** The value of a field after the first two, names and values by turns. */
const fieldOf = (fields: readonly string[], name: string): string | undefined => {
  const at = fields.findIndex((field, place) => place % 2 === 0 && field === name)
  return at < 0 ? undefined : fields[at + 1]
}

/**
 * The maker feed of several processes: one stream in Redis, which each node reads for itself from its own position. So
 * no event is lost or doubled, whatever connection breaks; where the stream cannot be continued, its followers start
 * again.
 */
export async function createRedisFeed(
  input: RedisParts & { reader: Connection; market: Market; newest: NewestEpoch },
): Promise<RedisFeed> {
  const { connection, reader, prefix, market, newest: newestEpoch, log } = input
  const events = `${prefix}events`
  const listeners = createListeners<[MakerEvent]>()
  const breakListeners = createListeners()
  const waiting = new Set<() => void>()
  const unknown = new Set<string>()
  let stopped = false
  let isBroken = false
  let readAt = performance.now()

  const command = <Reply>(...args: string[]) => answerOf(connection.sendCommand<Reply>(args))

  const position = () =>
    market.withEpoch(async () => {
      const [epoch, offset] = await command<(string | null)[]>('HMGET', `${prefix}feed`, 'epoch', 'offset')
      if (epoch == null || offset == null || Number(epoch) < newestEpoch.value)
        throw new NoEpochError('the market is empty')
      return eventIdOf(`${epoch}-${offset}`)
    })

  let newest = await position()

  /** Null for a kind that only a newer node knows, which is logged once (fault I12). */
  function understood(entry: Entry): MakerEvent | null {
    const event = eventOf(entry)
    const [kind] = entry[1]
    if (event !== null || unknown.has(kind)) return event
    log.warn('feed_event_unknown', { reason: kind })
    unknown.add(kind)
    return null
  }

  function breakOff(): void {
    log.warn('maker_feed_broken')
    breakListeners.call()
  }

  function deliver(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const id = eventIdOf(entry[0])
      // Another epoch, or events that were trimmed before this node read them.
      if (id !== newest + 1) breakOff()
      newest = id
      const event = understood(entry)
      if (event !== null) listeners.call(event)
    }
    for (const check of [...waiting]) check()
  }

  /** The read that Redis has not answered yet: another one would queue behind it and arrive later still. */
  let reading: Promise<[string, Entry[]][] | null> | null = null

  function read(): Promise<[string, Entry[]][] | null> {
    reading ??= reader
      .sendCommand<[string, Entry[]][] | null>([
        ...['XREAD', 'COUNT', `${BATCH}`, 'BLOCK', `${BLOCK_MS}`],
        ...['STREAMS', events, streamIdOf(newest)],
      ])
      .finally(() => {
        reading = null
      })
    return reading
  }

  async function follow(): Promise<void> {
    while (!stopped) {
      try {
        const found = await answerOf(read(), BLOCK_MS + ANSWER_MS)
        readAt = performance.now()
        isBroken = false
        if (found !== null) for (const [, entries] of found) deliver(entries)
      } catch (fault) {
        if (stopped) return
        if (!isBroken && performance.now() - readAt > INTERRUPTED_MS) {
          isBroken = true
          log.warn('maker_feed_interrupted', { fault })
          breakOff()
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref())
      }
    }
  }
  void follow()

  return {
    position,
    since: async (id) => {
      if (!Number.isInteger(id) || id < 0) return null
      const newest = await position()
      if (id === newest) return []
      if (!isSameEpoch(id, newest)) return null
      // Continuing needs the event itself and all after it to be in the stream.
      const [known, later] = await Promise.all([
        command<Entry[]>('XRANGE', events, streamIdOf(id), streamIdOf(id)),
        command<Entry[]>('XRANGE', events, `(${streamIdOf(id)}`, '+'),
      ])
      return known.length === 0 ? null : later.flatMap((entry) => understood(entry) ?? [])
    },
    listen: listeners.add,
    onBreak: breakListeners.add,
    /** Resolves when everything up to now has been delivered. */
    settled: async () => {
      const until = await position()
      await new Promise<void>((resolve) => {
        const check = () => {
          if (newest < until) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      })
    },
    stop: () => {
      stopped = true
    },
  }
}

function eventOf([streamId, [kind, content, ...fields]]: Entry): MakerEvent | null {
  const id = eventIdOf(streamId)
  const audience = fieldOf(fields, AUDIENCE)
  switch (kind) {
    case 'opened':
      return { id, kind: 'quote_request', request: decodeRequest(JSON.parse(content)) }
    case 'closed':
      return {
        id,
        kind: 'quote_request_expired',
        requestId: content,
        ...(fieldOf(fields, OF_PACKAGE) === undefined ? {} : { ofPackage: true }),
        ...(fieldOf(fields, TWO_SIDED) === undefined ? {} : { twoSided: true }),
        ...(audience === undefined ? {} : { audience: JSON.parse(audience) as Audience }),
      }
    default:
      return null
  }
}

/** The stream id is `epoch-offset`. */
function eventIdOf(streamId: string): number {
  const [epoch, offset] = streamId.split('-')
  return Number(epoch) * EPOCH_SIZE + Number(offset)
}

const streamIdOf = (id: number): string => `${Math.floor(id / EPOCH_SIZE)}-${id % EPOCH_SIZE}`

/** Events of another epoch may be lost. */
const isSameEpoch = (one: number, other: number): boolean =>
  Math.floor(one / EPOCH_SIZE) === Math.floor(other / EPOCH_SIZE)
