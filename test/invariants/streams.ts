import type { Assert } from './invariants.ts'
import type { ObservationOf } from './observation.ts'

/** Ids of one epoch are counted without a gap; another epoch begins with another live market. */
const EPOCH_SIZE = 1_000_000_000

/** Events whose meaning is remembered: more than any stream is behind another one. */
const REMEMBERED = 20_000

/** Checks the events of all makers' streams, one after the other (invariant V6). */
export type StreamChecker = {
  open: (opened: ObservationOf<'maker_stream_opened'>) => void
  event: (event: ObservationOf<'maker_event'>) => void
  /** Where ids may be left out: what is known once all streams have told what they tell. */
  finish: () => void
}

type Stream = {
  /** The id that the next one must be above. */
  last: number
  /** The id that the next live event follows; null: not known. */
  live: number | null
  isSnapshot: boolean
}

/**
 * V6: ids rise on each stream, one id is one event everywhere, and what comes live misses nothing. `skipsIds`: ids are also
 * given to events that nobody is told; then only what another stream has told is missed.
 */
export function createStreamChecker(assert: Assert, { skipsIds }: { skipsIds: boolean }): StreamChecker {
  const meanings = new Map<number, string>()
  const streams = new Map<string, Stream>()
  const gaps: { stream: string; from: number; to: number }[] = []

  function streamOf(name: string): Stream {
    const known = streams.get(name) ?? { last: 0, live: null, isSnapshot: false }
    streams.set(name, known)
    return known
  }

  function mean(id: number, text: string): void {
    const first = meanings.get(id)
    assert('V6', null, first === undefined || first === text, () => `the id ${id} is "${first}" and "${text}"`)
    if (first !== undefined) return
    meanings.set(id, text)
    const [oldest] = meanings.keys()
    if (meanings.size > REMEMBERED && oldest !== undefined) meanings.delete(oldest)
  }

  function follow(name: string, stream: Stream, id: number): void {
    const { live } = stream
    stream.live = id
    if (live === null) return
    // Those who listen to another epoch are sent away, and come back for a snapshot.
    const isSameEpoch = Math.floor(id / EPOCH_SIZE) === Math.floor(live / EPOCH_SIZE)
    assert('V6', null, isSameEpoch, () => `${name} heard of another epoch between ${live} and ${id}`)
    if (!isSameEpoch || id <= live + 1) return
    if (skipsIds) gaps.push({ stream: name, from: live, to: id })
    else assert('V6', null, false, () => `${name} missed between ${live} and ${id}`)
  }

  return {
    open: ({ stream, after }) => void streams.set(stream, { last: after ?? 0, live: after, isSnapshot: false }),
    event: ({ stream: name, event, id, requestId }) => {
      const stream = streamOf(name)
      if (event === 'snapshot_begin') Object.assign(stream, { last: 0, live: null, isSnapshot: true })
      if (event === 'snapshot_complete') Object.assign(stream, { live: id, isSnapshot: false })
      if (id === null || event === 'snapshot_complete') return
      const { last } = stream
      assert('V6', null, id > last, () => `${name} got the id ${id} after ${last}`)
      stream.last = id
      mean(id, `${event} ${requestId}`)
      if (!stream.isSnapshot) follow(name, stream, id)
    },
    finish: () => {
      for (const { stream, from, to } of gaps.splice(0)) {
        const missed = [...meanings.keys()].some((id) => id > from && id < to)
        assert('V6', null, !missed, () => `${stream} missed between ${from} and ${to}`)
      }
    },
  }
}
