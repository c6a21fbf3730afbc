import { describe, expect, it } from 'vitest'
import { failure, isoTime } from './harness/match.ts'
import { openServices } from './harness/service.ts'
import type { SseEvent, SseStream } from './harness/sse.ts'
import { byWay, WAYS } from './harness/ways.ts'

const idsOf = (events: readonly SseEvent[]): number[] =>
  events.filter(({ id }) => id !== null).map(({ id }) => Number(id))

const isRising = (ids: readonly number[]): boolean =>
  ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? 0))

/** The names of a snapshot's events in order, the requests between its marks folded into one. */
const shapeOf = (events: readonly SseEvent[]): string[] =>
  events.map(({ event }) => event).filter((event, index, all) => event !== 'quote_request' || all[index - 1] !== event)

const SERVICES = openServices(import.meta.url)
const EACH = SERVICES.flatMap((service) => WAYS.map((way) => ({ mode: service.mode, way, service })))

describe.concurrent.each(EACH)('requests for makers over $way, $mode', ({ way, service }) => {
  const about = (requestId: string) => (data: Record<string, unknown>) => data.requestId === requestId
  const cancel = (requestId: string, takerSecret: string) =>
    service.call('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })
  const open = async () => byWay(way, await service.maker({ funded: false }))

  it('a maker stream is connected, snapshot_begin, the open requests, snapshot_complete, then live (protocol stream-1)', async () => {
    const maker = await open()
    const { requestId, expiresAt } = await service.open()
    const stream = await maker.stream()
    const complete = await stream.until('snapshot_complete')
    const events = [...stream.events.all()]
    const snapshot = events.slice(0, events.indexOf(complete) + 1)
    expect(shapeOf(snapshot)).toEqual(['connected', 'snapshot_begin', 'quote_request', 'snapshot_complete'])
    expect(events[0]?.data).toEqual({ makerId: maker.makerId, serverTime: isoTime() })
    expect(events[1]?.data).toEqual({})
    expect(complete.data).toEqual({})
    const mine = snapshot.find(({ data }) => data.requestId === requestId)
    expect(mine?.data).toEqual({ requestId, expiresAt, params: expect.any(Object) })
    const live = await service.open()
    expect((await stream.until('quote_request', about(live.requestId))).data).toMatchObject({
      requestId: live.requestId,
      expiresAt: live.expiresAt,
    })
  })

  it('quote_request carries a monotonic integer id, as does quote_request_expired (protocol stream-2, decision M1)', async () => {
    const maker = await open()
    const stream = await maker.stream()
    await stream.until('snapshot_complete')
    const first = await service.open()
    const second = await service.open()
    await cancel(first.requestId, first.takerSecret)
    const expired = await stream.until('quote_request_expired', about(first.requestId))
    expect(expired.data).toEqual({ requestId: first.requestId })
    const ids = idsOf(stream.events.all().filter(({ event }) => event.startsWith('quote_request')))
    expect(isRising(ids) && ids.every(Number.isSafeInteger)).toBe(true)
    const ofSecond = stream.events.all().find(({ data }) => data.requestId === second.requestId)
    expect(Number(expired.id)).toBeGreaterThan(Number(ofSecond?.id))
  })

  it('snapshot events carry their original ids, and snapshot_complete the current position (decision M1)', async () => {
    const [early, late] = await Promise.all([open(), open()])
    const before = await early.stream()
    await before.until('snapshot_complete')
    const { requestId } = await service.open()
    const live = await before.until('quote_request', about(requestId))
    const after = await late.stream()
    const complete = await after.until('snapshot_complete')
    const inSnapshot = after.events.all().find(({ data }) => data.requestId === requestId)
    expect(inSnapshot?.id).toBe(live.id)
    const snapshot = after.events.all().slice(0, after.events.all().indexOf(complete) + 1)
    expect(isRising(idsOf(snapshot.slice(0, -1)))).toBe(true)
    expect(Number(complete.id)).toBeGreaterThanOrEqual(Number(live.id))
  })

  it('after a Last-Event-ID every later event is replayed in order without snapshot marks, then live ones follow (protocol stream-3, fault D3)', async () => {
    const maker = await open()
    const first = await maker.stream()
    await first.until('snapshot_complete')
    const seen = await service.open()
    const { id } = await first.until('quote_request', about(seen.requestId))
    first.close()
    const missed = await service.open()
    await cancel(seen.requestId, seen.takerSecret)
    const back = await maker.stream({ 'last-event-id': String(id) })
    const ended = await back.until('quote_request_expired', about(seen.requestId))
    const names = back.events.all().map(({ event }) => event)
    expect(names[0]).toBe('connected')
    expect(names).not.toContain('snapshot_begin')
    expect(names).not.toContain('snapshot_complete')
    const ids = idsOf(back.events.all())
    expect(ids.every((later) => later > Number(id)) && isRising(ids)).toBe(true)
    expect(ids).toContain(Number(ended.id))
    expect(back.events.all().some(({ data }) => data.requestId === missed.requestId)).toBe(true)
    const live = await service.open()
    await back.until('quote_request', about(live.requestId))
  })

  it('an empty replay is connected and then live (protocol stream-3)', async () => {
    const maker = await open()
    const first = await maker.stream()
    const { id } = await first.until('snapshot_complete')
    const back = await maker.stream({ 'last-event-id': String(id) })
    const live = await service.open()
    await back.until('quote_request', about(live.requestId))
    expect(back.events.all().map(({ event }) => event)).not.toContain('snapshot_begin')
  })

  it.each(['', 'garbage', '-1', '0', '1.5', '1e3', '99999999999999999', '9007199254740991', '1, 2', '0x10'])(
    'Last-Event-ID "%s" gets a fresh snapshot (decision M1, faults D4, D5)',
    async (lastEventId) => {
      const maker = await open()
      const stream = await maker.stream({ 'last-event-id': lastEventId })
      await stream.until('snapshot_complete')
      expect(
        stream.events
          .all()
          .map(({ event }) => event)
          .slice(0, 2),
      ).toEqual(['connected', 'snapshot_begin'])
    },
  )

  it('makers receive a committed request as quote_request_expired (protocol close-1)', async () => {
    const maker = await byWay(way, await service.maker())
    const [stream, socket] = await Promise.all([maker.stream(), maker.connect()])
    await stream.until('snapshot_complete')
    const { requestId } = await service.open()
    const takerStream = await service.stream(`/quote-requests/${requestId}/stream`)
    const quoteId = await maker.quoted(requestId)
    const committing = service.commit(requestId, { wallet: service.wallet().address })
    const accepted = await socket.until('quote:accepted', requestId)
    await maker.confirm(quoteId, await maker.sign(accepted))
    await committing
    await stream.until('quote_request_expired', about(requestId))
    expect((await takerStream.until('closed')).data).toEqual({ requestId })
    const fresh = await maker.stream()
    await fresh.until('snapshot_complete')
    expect(fresh.events.all().some(({ data }) => data.requestId === requestId)).toBe(false)
  })

  it('a maker that connects while requests are opened sees each of them once, in order (fault D2)', async () => {
    const makers = await Promise.all(Array.from({ length: 4 }, open))
    const streams: SseStream[] = []
    const opened: string[] = []
    for (let round = 0; round < 20; round += 1) {
      const maker = makers[round % 4]
      const [stream, { requestId }] = await Promise.all([round % 5 === 0 ? maker?.stream() : undefined, service.open()])
      if (stream !== undefined) streams.push(stream)
      opened.push(requestId)
    }
    const last = await service.open()
    for (const stream of streams) {
      await stream.until('quote_request', about(last.requestId))
      const events = stream.events.all().filter(({ event }) => event.startsWith('quote_request'))
      expect(isRising(idsOf(events))).toBe(true)
      const seen = events.filter(({ event }) => event === 'quote_request').map(({ data }) => data.requestId)
      expect(opened.filter((id) => !seen.includes(id))).toEqual([])
    }
  })
})

describe.concurrent.each(SERVICES)('maker event stream, $mode', (service) => {
  const path = '/v1/mm/quote-requests/stream'

  it('the headers of an event stream, and retry (decision M2, fault D1)', async () => {
    const maker = await service.maker({ funded: false })
    const stream = await maker.stream()
    await stream.until('snapshot_complete')
    expect(stream.status).toBe(200)
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(stream.headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(stream.headers.get('x-accel-buffering')).toBe('no')
    expect(stream.text()).toMatch(/^retry: \d+$/m)
  })

  it('the stream takes the key in the query, and is 401 JSON without a good one (protocol auth-1, fault B4)', async () => {
    const maker = await service.maker({ funded: false })
    const stream = await service.stream(`${path}?apiKey=${maker.apiKey}`)
    expect((await stream.until('connected')).data).toMatchObject({ makerId: maker.makerId })
    for (const [query, headers] of [
      ['', {}],
      ['?apiKey=wrong', {}],
      ['', { 'x-api-key': 'wrong' }],
    ] as const) {
      const answer = await service.call('GET', `${path}${query}`, { headers })
      expect(answer).toMatchObject({ status: 401, body: failure('invalid_api_key') })
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    }
  })
})
