import type { Assert } from './invariants.ts'
import type { RequestHistory, Surroundings } from './request-history.ts'

/** Whether a stream has shown that a request ended. */
const isEnded = (request: RequestHistory): boolean =>
  request.of('maker_event').length > 0 || request.of('taker_event').some(({ event }) => event === 'closed')

/** V4, when all is over: so is the request, and some stream has shown it. */
export function checkIsEnded(request: RequestHistory, assert: Assert): void {
  const { requestId } = request
  if (request.of('request_opened').length === 0 || request.of('news_lost').length > 0) return
  assert('V4', requestId, isEnded(request), () => `${requestId} never ended`)
}

/** V3: each maker that quoted is told once how the request ended, and what it is told is so. */
export function checkEndings(request: RequestHistory, around: Surroundings, assert: Assert): void {
  const { requestId } = request
  const heard = request.of('quote_ended')
  const won = new Set(request.of('commit').flatMap(({ quoteId }) => quoteId ?? []))
  for (const { quoteId, status } of request.of('confirm')) if (status === 200) won.add(quoteId)
  for (const { quoteId } of request.of('order_taken')) won.add(quoteId)
  const onSocket = new Map<string, number>()
  const firstOf = new Map<string, string>()
  for (const { makerId, socket, quoteId, outcome } of heard) {
    onSocket.set(socket, (onSocket.get(socket) ?? 0) + 1)
    const isOnce = onSocket.get(socket) === 1
    assert('V3', requestId, isOnce, () => `${makerId} heard twice on one socket how ${requestId} ended`)
    const first = firstOf.get(makerId) ?? outcome
    firstOf.set(makerId, first)
    assert('V3', requestId, first === outcome, () => `${makerId} heard of ${requestId} both ${first} and ${outcome}`)
    const isRight = outcome === 'confirmed' ? won.size === 0 || won.has(quoteId) : !won.has(quoteId)
    assert(
      'V3',
      requestId,
      isRight,
      () => `${makerId} heard that its quote for ${requestId} was ${outcome}, which is not so`,
    )
  }
  checkLateSignatures(request, assert)
  if (!isEnded(request)) return
  const quoters = new Set(request.of('quote').flatMap(({ makerId, quoteId }) => (quoteId === null ? [] : [makerId])))
  if (request.of('news_lost').length === 0) {
    for (const [socket, makerId] of around.lastingSockets) {
      if (!quoters.has(makerId)) continue
      assert('V3', requestId, onSocket.has(socket), () => `${makerId} did not hear how ${requestId} ended`)
    }
  }
  for (const makerId of quoters) {
    const endings = around.endingsRead.get(makerId)?.filter((ending) => ending.requestId === requestId)
    if (endings === undefined) continue
    const [said] = endings
    if (said === undefined && isQuoterLost(request, around, makerId)) continue
    assert('V3', requestId, said !== undefined, () => `${makerId} was never told how ${requestId} ended`)
    assert(
      'V3',
      requestId,
      endings.length <= 1,
      () => `the history of ${makerId} has ${endings.length} endings of ${requestId}`,
    )
    const first = firstOf.get(makerId)
    const agrees = first === undefined || said === undefined || said.status === first
    assert(
      'V3',
      requestId,
      agrees,
      () => `${makerId} heard ${first} of ${requestId} and its history says ${said?.status}`,
    )
  }
}

/** The live market alone knows who has quoted: one that quoted before it was lost, and not since, is owed no answer. */
const isQuoterLost = (request: RequestHistory, { bookLosses }: Surroundings, makerId: string): boolean =>
  request
    .of('quote')
    .filter((quote) => quote.makerId === makerId && quote.quoteId !== null)
    .every(({ sent }) => bookLosses.some((lost) => lost.order > sent.order))

/** A signature that comes after its deadline is not taken (decision C8); one that was taken may be sent again. */
function checkLateSignatures(request: RequestHistory, assert: Assert): void {
  const { requestId } = request
  /** Quotes whose signature was taken, or may have been: it may be sent again, as may that of one that was firm. */
  const taken = new Set(request.of('order_taken').map(({ quoteId }) => quoteId))
  for (const { quoteId, makerId, sent, status } of request.of('confirm')) {
    const isRepeated = taken.has(quoteId)
    if (status === 200 || status === 0) taken.add(quoteId)
    if (isRepeated) continue
    const deadlines = request.of('order_sent').flatMap((order) => (order.quoteId === quoteId ? [order.deadline] : []))
    if (deadlines.length === 0 || Math.max(...deadlines) + LATE_MS > sent.at) continue
    assert('V3', requestId, status !== 200, () => `a late signature of ${makerId} for ${requestId} was taken`)
  }
}

/** What is sent so much after its deadline is late by any clock, in milliseconds. */
const LATE_MS = 400

/** V4: a stream says once that a request is over, and nothing of it afterwards. */
export function checkStreamEnds(request: RequestHistory, { lastingStreams }: Surroundings, assert: Assert): void {
  const { requestId } = request
  const ends = new Map<string, number>()
  for (const { stream } of request.of('maker_event')) ends.set(stream, (ends.get(stream) ?? 0) + 1)
  for (const [stream, count] of ends) {
    assert('V4', requestId, count === 1, () => `${stream} was told ${count} times that ${requestId} is over`)
  }
  const closed = new Set<string>()
  for (const { stream, event } of request.of('taker_event')) {
    const isFirst = !closed.has(stream)
    if (event === 'closed') {
      assert('V4', requestId, isFirst, () => `${stream} closed twice`)
      closed.add(stream)
    } else assert('V4', requestId, isFirst, () => `${stream} went on after its end`)
  }
  if (!isEnded(request) || request.of('news_lost').length > 0) return
  for (const stream of lastingStreams) {
    assert('V4', requestId, ends.has(stream), () => `${stream} was not told that ${requestId} is over`)
  }
  for (const { stream } of request.of('taker_stream_opened')) {
    assert('V4', requestId, closed.has(stream), () => `${stream} did not close when ${requestId} was over`)
  }
}
