import type { History } from './history.ts'

/** V3: a maker hears at most once how a request ended. */
export function* endedTwice(history: History): Generator<string> {
  for (const { makerId, messages } of history.sockets) {
    const known = new Set<string>()
    for (const { type, requestId } of messages) {
      if (type === 'quote:accepted') continue
      if (known.has(requestId)) yield `V3: ${makerId} heard twice on one socket how ${requestId} ended`
      known.add(requestId)
    }
  }
  for (const makerId of new Set(history.sockets.map((socket) => socket.makerId))) {
    const told = new Map<string, string>()
    for (const { type, requestId } of endingsHeard(history, makerId)) {
      const first = told.get(requestId) ?? type
      told.set(requestId, first)
      if (first !== type) yield `V3: ${makerId} heard of ${requestId} both ${first} and ${type}`
    }
  }
}

/**
 * V3, when all is over: each maker that quoted has exactly one ending of each request that has ended, on its socket or,
 * where it was away, in its history (decision C10); and they do not contradict each other.
 */
export function* neverEnded(history: History): Generator<string> {
  const ended = new Set(history.makerStreams.flatMap(({ events }) => expiredIn(events)))
  for (const { makerId, endings } of history.outcomes) {
    const quoted = history.quotes.filter((quote) => quote.makerId === makerId).map(({ requestId }) => requestId)
    for (const requestId of new Set(quoted)) {
      if (!ended.has(requestId)) continue
      const [said, ...more] = endings.filter((one) => one.requestId === requestId)
      if (said === undefined) yield `V3: ${makerId} was never told how ${requestId} ended`
      if (more.length > 0) yield `V3: the history of ${makerId} has ${more.length + 1} endings of ${requestId}`
      const heard = endingsHeard(history, makerId).find((message) => message.requestId === requestId)
      if (heard !== undefined && said !== undefined && heard.type !== `quote:${said.status}`) {
        yield `V3: ${makerId} heard ${heard.type} of ${requestId} and its history says ${said.status}`
      }
    }
  }
}

/** V4: a stream says once that a request is over, and nothing of it afterwards. */
export function* endedWrongly({ makerStreams, takerStreams }: History): Generator<string> {
  for (const { makerId, events } of makerStreams) {
    const known = new Set<string>()
    for (const requestId of expiredIn(events)) {
      if (known.has(requestId)) yield `V4: ${makerId} was told twice on one stream that ${requestId} is over`
      known.add(requestId)
    }
  }
  for (const { requestId, events } of takerStreams) {
    const closings = events.filter(({ event }) => event === 'closed').length
    if (closings > 1) yield `V4: a stream of ${requestId} closed ${closings} times`
    if (closings > 0 && events.at(-1)?.event !== 'closed') yield `V4: a stream of ${requestId} went on after its end`
  }
}

const endingsHeard = ({ sockets }: History, makerId: string) =>
  sockets
    .filter((socket) => socket.makerId === makerId)
    .flatMap(({ messages }) => messages)
    .filter(({ type }) => type !== 'quote:accepted')

const expiredIn = (events: History['makerStreams'][number]['events']): string[] =>
  events.flatMap(({ event, requestId }) => (event === 'quote_request_expired' && requestId !== null ? [requestId] : []))
