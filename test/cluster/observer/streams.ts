import type { History, MakerStreamSeen, StreamEvent } from './history.ts'

type Told = StreamEvent & { id: number }

/** What came between two events is known only if somebody heard both; ids of one epoch are counted without a gap. */
const EPOCH_SIZE = 1_000_000_000

/** V6: ids rise on each stream, one id is one event everywhere, and what comes live misses nothing. */
export function* brokenStreams({ makerStreams }: History): Generator<string> {
  const meaning = new Map<number, string>()
  for (const { makerId, events, after } of makerStreams) {
    let last = isContinued(events) ? (after ?? 0) : 0
    for (const { id, event, requestId } of events) {
      if (id === null || event === 'snapshot_complete') continue
      if (id <= last) yield `V6: ${makerId} got the id ${id} after ${last}`
      last = id
      const text = `${event} ${requestId}`
      const first = meaning.get(id) ?? text
      meaning.set(id, first)
      if (first !== text) yield `V6: the id ${id} is "${first}" and "${text}"`
    }
  }
  for (const stream of makerStreams) yield* gapsOf(stream)
}

/** A stream that goes on after an id has no snapshot. */
const isContinued = (events: readonly StreamEvent[]): boolean => events.every(({ event }) => event !== 'snapshot_begin')

/** Live events follow each other by one, after the position that the snapshot was taken at or the id it goes on after. */
function* gapsOf({ makerId, events, after }: MakerStreamSeen): Generator<string> {
  const complete = events.findIndex(({ event }) => event === 'snapshot_complete')
  const live = events.slice(complete + 1).filter((event): event is Told => event.id !== null)
  const from = complete >= 0 ? (events[complete]?.id ?? null) : isContinued(events) ? after : null
  let last = from
  for (const { id } of live) {
    // Another epoch begins with another market: those who listen are sent away, and come back for a snapshot.
    if (last !== null && id !== last + 1) {
      const why = Math.floor(id / EPOCH_SIZE) === Math.floor(last / EPOCH_SIZE) ? 'missed' : 'heard of another epoch'
      yield `V6: ${makerId} ${why} between ${last} and ${id}`
    }
    last = id
  }
}
