import type { Socket } from 'node:net'
import type { Channel, Meter } from '../../core/ports/operations.ts'
import type { Clock, Log } from '../../core/ports/runtime.ts'
import { createEventStream, type EventStream, type StreamEnd } from './event-stream.ts'

export type StreamRegistry = ReturnType<typeof createStreamRegistry>

const CHECK_INTERVAL_MS = 5_000

/** One ping in 25 s. */
const CHECKS_PER_PING = 5

const MARKET: readonly Channel[] = ['maker_stream', 'taker_stream']

export function createStreamRegistry(parts: {
  clock: Clock
  log: Log
  meter: Meter
  onOpen?: (socket: Socket) => void
}) {
  const { clock, log, meter, onOpen = () => {} } = parts
  const streams = new Map<EventStream, Channel>()
  let checks = 0

  function checkAll(): void {
    const now = clock.now()
    checks += 1
    for (const stream of streams.keys()) stream.checkProgress(now)
    if (checks % CHECKS_PER_PING === 0) for (const stream of streams.keys()) stream.keepAlive()
    stopChecking = clock.schedule(now + CHECK_INTERVAL_MS, checkAll)
  }
  let stopChecking = clock.schedule(clock.now() + CHECK_INTERVAL_MS, checkAll)

  return {
    open: ({ onEnd, channel, ...input }: Parameters<typeof createEventStream>[0] & { channel: Channel }) => {
      const uncount = meter.connected(channel)
      // Stays null when the opening frames cannot be made: the connection still ends, and is reported.
      let stream: EventStream | null = null
      const end = (why: StreamEnd) => {
        if (stream !== null) streams.delete(stream)
        uncount()
        if (why === 'slow') {
          meter.dropped(why)
          log.warn('stream_dropped', { reason: why })
        }
        onEnd(why)
      }
      onOpen(input.connection.socket)
      const opened = createEventStream({ ...input, onEnd: end })
      stream = opened
      streams.set(opened, channel)
      return opened
    },
    endMarket: (): void => {
      for (const [stream, channel] of streams) if (MARKET.includes(channel)) stream.sendAway()
    },
    endAll: (): void => {
      stopChecking()
      for (const stream of streams.keys()) stream.sendAway()
    },
  }
}
