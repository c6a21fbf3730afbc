import type { History, MakerStreamSeen, StreamEvent } from './history.ts'

type Told = StreamEvent & { id: number }

/** What came between two events is known only if somebody heard both; ids of one epoch are counted without a gap. */
const EPOCH_SIZE = 1_000_000_000

/** V6: ids rise on each stream, one id is one event everywhere, and what comes live misses nothing. */
export function* brokenStreams({ makerStreams, strangeEvents }: History): Generator<string> {
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
  const isTold = strangeEvents ? (id: number) => meaning.has(id) : () => true
  for (const stream of makerStreams) yield* gapsOf(stream, isTold)
}

/** A stream that goes on after an id has no snapshot. */
const isContinued = (events: readonly StreamEvent[]): boolean => events.every(({ event }) => event !== 'snapshot_begin')

/** Live events follow each other, after the position that the snapshot was taken at or the id it goes on after. */
function* gapsOf({ makerId, events, after }: MakerStreamSeen, isTold: (id: number) => boolean): Generator<string> {
  const complete = events.findIndex(({ event }) => event === 'snapshot_complete')
  const live = events.slice(complete + 1).filter((event): event is Told => event.id !== null)
  const from = complete >= 0 ? (events[complete]?.id ?? null) : isContinued(events) ? after : null
  let last = from
  for (const { id } of live) {
    // Another epoch begins with another market: those who listen are sent away, and come back for a snapshot.
    if (last !== null && !isSameEpoch(id, last)) yield `V6: ${makerId} heard of another epoch between ${last} and ${id}`
    else if (last !== null && between(last, id).some(isTold)) yield `V6: ${makerId} missed between ${last} and ${id}`
    last = id
  }
}

const isSameEpoch = (one: number, other: number): boolean =>
  Math.floor(one / EPOCH_SIZE) === Math.floor(other / EPOCH_SIZE)

const between = (last: number, next: number): number[] =>
  Array.from({ length: Math.max(next - last - 1, 0) }, (_, index) => last + 1 + index)
