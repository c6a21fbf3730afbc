import { expect, test } from 'vitest'
import { eventually } from '../../kit/eventually.ts'
import { ADA, openBody, startServer } from './support.ts'

const TEN_MINUTES_MS = 600_000

/** Longer than half of what nginx and HAProxy wait for a byte before they give a connection up: a minute. */
const PING_MS = 25_000

test('ten idle minutes behind a proxy: a byte comes twice a minute on streams and sockets, and then an event at once (fault D13)', async () => {
  const fixture = await startServer()
  const stream = await fixture.stream('/v1/mm/quote-requests/stream', ADA)
  // What a proxy would hold back until its buffer is full, it passes on.
  expect(stream.headers).toMatchObject({ 'x-accel-buffering': 'no', 'cache-control': 'no-cache, no-transform' })
  while ((await stream.next())?.event !== 'snapshot_complete');
  const socket = fixture.socket('/maker/v1/ws', { headers: ADA })
  let pings = 0
  socket.socket.on('ping', () => {
    pings += 1
  })
  expect(await socket.next()).toMatchObject({ type: 'connected' })

  for (let idleMs = 0; idleMs < TEN_MINUTES_MS; idleMs += PING_MS) {
    const before = pings
    await fixture.clock.advance(PING_MS)
    expect(await stream.next()).toEqual({ comment: expect.any(String) })
    await eventually(() => pings > before)
    // Its pong has arrived when the answer to what was sent after it has.
    socket.send({ type: 'ping' })
    expect(await socket.next()).toMatchObject({ type: 'pong' })
  }

  const { body } = await fixture.call('POST', '/quote-requests', { body: openBody() })
  expect(await stream.next()).toMatchObject({ event: 'quote_request', data: { requestId: body.requestId } })
})
