import { type Check, check } from './checks.ts'

/** An event of a maker's stream, as far as it is looked at. */
export type FeedEvent = { id: number; event: 'quote_request' | 'quote_request_expired'; requestId: string }

/** Looks at what makers' streams tell (invariant V6). */
export type FeedJudge = {
  /** A stream tells from now on all that comes after an id; what it hears up to there is a snapshot. */
  follow: (stream: string, position: number) => void
  /** A live event of a stream that follows. */
  hear: (stream: string, event: FeedEvent) => Check
  /** A stream ended, and need not tell more. */
  leave: (stream: string) => void
}

/** How many events are let go of at a time, once all streams have told them. */
const STEP = 10_000

/**
 * Streams are held against one log: of each event its first telling, whoever told it. What one tells and another leaves
 * out, or tells in another order, shows as soon as the second comes to that place.
 */
export function createFeedJudge(): FeedJudge {
  /** The text of events in order; the first of them is number `first`. */
  let log: { id: number; text: string }[] = []
  let first = 0
  /** By stream: the number of the event that it must tell next. */
  const places = new Map<string, number>()

  function forget(): void {
    const told = Math.min(...places.values()) - first
    if (told < STEP) return
    log = log.slice(told)
    first += told
  }

  return {
    follow: (stream, position) => {
      const index = log.findIndex(({ id }) => id > position)
      places.set(stream, first + (index === -1 ? log.length : index))
    },
    hear: (stream, { id, event, requestId }) => {
      const place = (places.get(stream) ?? first + log.length) - first
      const text = `${event} ${requestId} as ${id}`
      const expected = log[place]
      places.set(stream, first + place + 1)
      if (expected !== undefined) {
        if (expected.text === text) return check('V6', true, () => '')
        const found = log.findIndex((known) => known.text === text)
        if (found !== -1) places.set(stream, first + found + 1)
        return check('V6', false, () => `${stream} showed ${text} instead of ${expected.text}`)
      }
      const last = log.at(-1)
      log.push({ id, text })
      if (log.length % STEP === 0) forget()
      return check('V6', last === undefined || id > last.id, () => `${stream} showed ${text} after the id ${last?.id}`)
    },
    leave: (stream) => void places.delete(stream),
  }
}
