import { once } from 'node:events'
import { Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { anAcceptance, aRequest } from '../../ports/store.fixtures.ts'
import { TAKER } from '../../support/test-relay.ts'
import {
  ADA,
  holdLibraryTimers,
  OPEN_MODE,
  openBody,
  rawExchange,
  rawSocket,
  SERVER_SETTINGS,
  startServer,
  type TestSocket,
} from './support.ts'

const KEY = ADA['x-api-key']
const CONNECTED = {
  type: 'connected',
  protocolVersion: 3,
  makerId: 'ada',
  authenticated: true,
  serverTime: '2026-01-01T00:00:00.000Z',
  offers: ['calls', 'orders', 'standing', 'inventory', 'requests', 'packages', 'levels'],
}

/** Waits until the server has seen all that was sent so far. */
async function seen({ socket }: TestSocket): Promise<void> {
  socket.ping()
  await once(socket, 'pong')
}

describe('a maker socket', () => {
  test('answers what comes behind the auth message in the same packet, in order', async () => {
    const fixture = await startServer()
    const { socket, opened, next } = fixture.socket()
    await opened
    const { _socket: raw } = socket as unknown as { _socket: Socket }
    raw.cork()
    socket.send(JSON.stringify({ type: 'auth', apiKey: KEY }))
    for (let i = 0; i < 2; i += 1) socket.send(JSON.stringify({ type: 'ping' }))
    raw.uncork()
    expect([await next(), await next(), await next()]).toMatchObject([CONNECTED, { type: 'pong' }, { type: 'pong' }])
  })

  test('has losses held, and written at once before an order that it must sign', async () => {
    const fixture = await startServer()
    await fixture.socket('/maker/v1/ws', { headers: ADA }).next()
    const write = vi.spyOn(Socket.prototype, 'write')
    onTestFinished(() => void write.mockRestore())
    const written = () => write.mock.calls.map(([bytes]) => String(bytes)).filter((text) => text.includes('"quote:'))
    const { bus, clock } = fixture.ports
    for (const requestId of ['first', 'second']) {
      void bus.publish('maker', 'ada', { kind: 'rejected', requestId, quoteId: 'any', reason: 'request_expired' })
    }
    expect(written()).toEqual([])
    const acceptance = anAcceptance(aRequest(clock.now()), { now: clock.now() })
    void bus.publish('maker', 'ada', { kind: 'accepted', acceptance })
    expect(written()).toEqual([expect.stringMatching(/first.*second.*quote:accepted/s)])
  })

  test('takes the key in the header, before the query, and a wrong one there is refused at once', async () => {
    const fixture = await startServer()
    const ada = fixture.socket('/maker/v1/ws?apiKey=wrong', { headers: { 'X-API-Key': KEY } })
    expect(await ada.next()).toEqual(CONNECTED)
    const stranger = fixture.socket(`/maker/v1/ws?apiKey=${KEY}`, { headers: { 'X-API-Key': 'wrong' } })
    expect(await stranger.next()).toBe(4001)
  })

  test('that is refused is gone a second later, though its other end does not close', async () => {
    const fixture = await startServer()
    const socket = rawSocket(fixture.port)
    socket.write(
      'GET /maker/v1/ws?apiKey=wrong HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    let text = ''
    socket.on('data', (bytes) => (text += String(bytes)))
    await expect.poll(() => text).toContain('invalid_api_key')
    holdLibraryTimers()
    await fixture.clock.advance(999)
    expect(socket.destroyed).toBe(false)
    await fixture.clock.advance(1)
    await expect.poll(() => socket.destroyed).toBe(true)
  })

  test('is connected by a key in the query, or in the first message', async () => {
    const fixture = await startServer()
    expect(await fixture.socket(`/maker/v1/ws?apiKey=${KEY}`).next()).toEqual(CONNECTED)
    const late = fixture.socket()
    await late.opened
    late.send({ type: 'auth', apiKey: KEY })
    expect(await late.next()).toEqual(CONNECTED)
  })

  test('is closed at once with 4001 for a bad key, in the query or in a message (fault B4)', async () => {
    const fixture = await startServer()
    expect(await fixture.socket('/maker/v1/ws?apiKey=wrong').next()).toBe(4001)
    for (const apiKey of ['wrong', 5, null, undefined, '']) {
      const socket = fixture.socket()
      await socket.opened
      socket.send({ type: 'auth', apiKey })
      expect(await socket.next()).toBe(4001)
    }
  })

  test('is closed with 4001 when no key comes in time; a ping before is ignored (fault B5)', async () => {
    const fixture = await startServer()
    const socket = fixture.socket()
    await socket.opened
    socket.send({ type: 'ping' })
    await seen(socket)
    await fixture.clock.advance(SERVER_SETTINGS.wsAuthTimeoutMs - 1)
    expect(socket.socket.readyState).toBe(socket.socket.OPEN)
    await fixture.clock.advance(1)
    expect(await socket.next()).toBe(4001)
  })

  test('ignores what is no message, and a second auth; takes JSON in binary frames (fault B5)', async () => {
    const fixture = await startServer()
    const socket = fixture.socket()
    await socket.opened
    socket.send('{')
    socket.socket.send(Buffer.from(JSON.stringify({ type: 'auth', apiKey: KEY })))
    expect(await socket.next()).toEqual(CONNECTED)
    for (const text of ['{', 'null', '[]', '{"type":"other"}', '{"__proto__":{"type":"ping"}}']) socket.send(text)
    socket.send({ type: 'auth', apiKey: 'wrong' })
    socket.send({ type: 'ping' })
    expect(await socket.next()).toEqual({ type: 'pong', timestamp: Date.UTC(2026, 0, 1) })
  })

  test.each([
    ['two messages that mean nothing', ['{}', '{}'], 4001],
    ['two calls', Array(2).fill('{"type":"quote"}'), 4001],
    ['pings without end', Array(16).fill('{"type":"ping"}'), 4001],
    ['subscriptions without end', Array(16).fill('{"type":"subscribe","to":"requests"}'), 4001],
    ['some pings and subscriptions', Array(15).fill('{"type":"ping"}'), 'connected'],
  ])('is closed with 4001 for %s in place of a key', async (_, messages, end) => {
    const socket = (await startServer()).socket()
    await socket.opened
    for (const text of messages) socket.send(text)
    socket.send({ type: 'auth', apiKey: KEY })
    const answer = await socket.next()
    expect(typeof answer === 'number' ? answer : answer.type).toBe(end)
  })

  const MOST_FRAMES = 20_000

  test.each([
    ['pings', ({ send }: TestSocket) => send({ type: 'ping' }), MOST_FRAMES],
    ['pongs', ({ socket }: TestSocket) => socket.pong(), MOST_FRAMES],
    [
      'quotes, 64 in a message',
      ({ send }: TestSocket) => send({ type: 'quotes', ref: 'a', quotes: Array(64).fill(0) }),
      MOST_FRAMES / 64,
    ],
  ])('is closed with 1008 for too many %s', async (_, say, most) => {
    const fixture = await startServer()
    const socket = fixture.socket(`/maker/v1/ws?apiKey=${KEY}`)
    let code: number | null = null
    socket.socket.on('close', (closed) => (code = closed))
    await socket.next()
    // As many as there may be at once.
    for (let n = 0; n < Math.floor(most); n += 1) say(socket)
    await fixture.clock.advance(100)
    await seen(socket)
    expect(code).toBeNull()
    for (let n = 0; n < 2_000; n += 1) say(socket)
    await expect.poll(() => code).toBe(1008)
  })

  test('on an open relay is connected at once when its first message is not a key', async () => {
    const socket = (await startServer({ relay: OPEN_MODE })).socket()
    await socket.opened
    for (const text of ['{}', '{}', '{"type":"ping"}']) socket.send(text)
    expect([await socket.next(), await socket.next()]).toMatchObject([{ makerId: 'anonymous' }, { type: 'pong' }])
  })

  test('is closed with 1011 when answering it fails, and nothing else is', async () => {
    const fixture = await startServer()
    const [ada, bystander] = [
      fixture.socket(`/maker/v1/ws?apiKey=${KEY}`),
      fixture.socket(`/maker/v1/ws?apiKey=${KEY}`),
    ]
    await Promise.all([ada.next(), bystander.next()])
    const { now } = fixture.relay
    fixture.relay.now = () => {
      throw new Error('no time')
    }
    ada.send({ type: 'ping' })
    expect(await ada.next()).toBe(1011)
    expect(fixture.log.lines).toContainEqual(expect.objectContaining({ event: 'maker_socket_failed' }))
    fixture.relay.now = now
    bystander.send({ type: 'ping' })
    expect(await bystander.next()).toMatchObject({ type: 'pong' })
  })

  test('is closed with 1009 for a message over 24 KiB, and with 1008 for one in many fragments (fault D21)', async () => {
    const fixture = await startServer()
    const large = fixture.socket(`/maker/v1/ws?apiKey=${KEY}`)
    await large.next()
    large.send('x'.repeat(25_000))
    expect(await large.next()).toBe(1009)
    const split = fixture.socket(`/maker/v1/ws?apiKey=${KEY}`)
    await split.next()
    for (let i = 0; i < 300; i += 1) split.socket.send('x', { fin: false })
    expect(await split.next()).toBe(1008)
  })

  test('refuses compression', async () => {
    const fixture = await startServer()
    const answer = await rawExchange(
      fixture.port,
      `GET /maker/v1/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Extensions: permessage-deflate\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n${'\x88\x80\0\0\0\0'}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 101 /)
    expect(answer.toLowerCase()).not.toContain('sec-websocket-extensions')
  })

  test('receives its order on every connection, and again when it comes back (decision C5, faults D18, D19)', async () => {
    const fixture = await startServer()
    const [one, two] = [fixture.socket(`/maker/v1/ws?apiKey=${KEY}`), fixture.socket(`/maker/v1/ws?apiKey=${KEY}`)]
    await Promise.all([one.next(), two.next()])
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const committing = fixture.commit(requestId, { wallet: TAKER })
    committing.catch(() => {})
    const accepted = await one.next()
    expect(accepted).toMatchObject({
      type: 'quote:accepted',
      requestId,
      confirmationDeadline: '2026-01-01T00:00:10.000Z',
    })
    expect(await two.next()).toEqual(accepted)
    one.destroy()
    await fixture.clock.advance(4_000)
    const back = fixture.socket(`/maker/v1/ws?apiKey=${KEY}`)
    expect(await back.next()).toMatchObject({ type: 'connected' })
    expect(await back.next()).toEqual(accepted)
  })

  test('is pinged every 25 s, and terminated when it does not answer', async () => {
    const fixture = await startServer()
    const alive = fixture.socket(`/maker/v1/ws?apiKey=${KEY}`)
    const dead = fixture.socket(`/maker/v1/ws?apiKey=${KEY}`)
    await Promise.all([alive.next(), dead.next()])
    dead.socket.pong = () => {}
    const pinged = Promise.all([once(alive.socket, 'ping'), once(dead.socket, 'ping')])
    await fixture.clock.advance(25_000)
    await pinged
    await seen(alive)
    await fixture.clock.advance(8_000)
    expect(await dead.next()).toBe(1006)
    await fixture.clock.advance(25_000)
    await seen(alive)
    expect(alive.socket.readyState).toBe(alive.socket.OPEN)
  })

  test('is refused with 4029 beyond the limit of its key', async () => {
    const fixture = await startServer({ server: { maxStreamsPerKey: 1 } })
    await fixture.socket(`/maker/v1/ws?apiKey=${KEY}`).next()
    expect(await fixture.socket(`/maker/v1/ws?apiKey=${KEY}`).next()).toBe(4029)
  })

  test('gives its place back when it closes', async () => {
    const fixture = await startServer({ server: { maxStreamsPerKey: 1 } })
    const first = fixture.socket(`/maker/v1/ws?apiKey=${KEY}`)
    await first.next()
    expect(await fixture.ports.presence.hasSocket('ada')).toBe(true)
    first.destroy()
    await expect.poll(() => fixture.ports.presence.hasSocket('ada')).toBe(false)
    expect(await fixture.socket(`/maker/v1/ws?apiKey=${KEY}`).next()).toEqual(CONNECTED)
  })

  test('leaves nothing behind when it closes while its channel is opened', async () => {
    const fixture = await startServer()
    const { openMakerChannel } = fixture.relay
    let letGo = () => {}
    const gate = new Promise<void>((resolve) => {
      letGo = resolve
    })
    fixture.relay.openMakerChannel = async (input) => {
      const stop = await openMakerChannel(input)
      await gate
      return stop
    }
    const socket = fixture.socket(`/maker/v1/ws?apiKey=${KEY}`)
    expect(await socket.next()).toEqual(CONNECTED)
    socket.socket.close()
    await fixture.call('GET', '/time')
    letGo()
    // What comes while the channel is opened, the close among it, is read behind it.
    await socket.next()
    await expect.poll(() => fixture.ports.presence.hasSocket('ada')).toBe(false)
  })

  test('is closed with 1011 when keys cannot be looked up, and the fault is logged', async () => {
    const fixture = await startServer()
    fixture.ports.ids.digest = () => {
      throw new Error('down')
    }
    expect(await fixture.socket(`/maker/v1/ws?apiKey=${KEY}`).next()).toBe(1011)
    expect(fixture.log.lines).toContainEqual(expect.objectContaining({ event: 'maker_socket_failed' }))
    expect(JSON.stringify(fixture.log.lines)).not.toContain(KEY)
  })
})

describe('a maker socket of a relay in open mode (decision M5)', () => {
  test('waits 250 ms for a key, then is anonymous', async () => {
    const fixture = await startServer({ relay: OPEN_MODE })
    const silent = fixture.socket()
    await silent.opened
    await seen(silent)
    await fixture.clock.advance(250)
    expect(await silent.next()).toMatchObject({ type: 'connected', makerId: 'anonymous' })
    const named = fixture.socket()
    await named.opened
    named.send({ type: 'auth', apiKey: 'mine' })
    expect((await named.next()) as object).toMatchObject({ makerId: expect.stringMatching(/^anon-[0-9a-f]{8}$/) })
  })

  test('is refused to pages of other origins; with keys no origin matters (fault B16)', async () => {
    const fixture = await startServer({ relay: OPEN_MODE })
    const evil = fixture.socket('/maker/v1/ws', { origin: 'https://evil.example' })
    await expect(evil.opened).rejects.toThrow('403')
    const local = fixture.socket('/maker/v1/ws', { origin: 'http://localhost:3000' })
    await expect(local.opened).resolves.toBeUndefined()
    const keyed = await startServer()
    const page = keyed.socket(`/maker/v1/ws?apiKey=${KEY}`, { origin: 'https://evil.example' })
    expect(await page.next()).toEqual(CONNECTED)
  })
})

describe('an upgrade', () => {
  test('on another path is answered like any request', async () => {
    const fixture = await startServer()
    await expect(fixture.socket('/nowhere').opened).rejects.toThrow('404')
  })

  test('to a protocol that we do not speak is ignored, as curl --http2 and the client of Java need it', async () => {
    const fixture = await startServer()
    const body = JSON.stringify(openBody())
    const head = [
      'POST /quote-requests HTTP/1.1',
      'Host: x',
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ].join('\r\n')
    const next = 'GET /time HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    const answers = await rawExchange(fixture.port, `${head}\r\n\r\n${body}${next}`)
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
    expect(answers).toContain('"requestId"')
    expect(answers).toContain('"serverTime"')
  })

  test('that is sent before the last request was answered ends its connection, and no more', async () => {
    const fixture = await startServer()
    const first = 'POST /faucet HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
    for (const protocol of ['websocket', 'h2c']) {
      const upgrade = `GET /maker/v1/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`
      expect(await rawExchange(fixture.port, first + upgrade)).not.toContain('101')
    }
    expect((await fixture.call('GET', '/time')).status).toBe(200)
  })

  test('to another protocol whose body comes late, and in chunks, is ignored all the same', async () => {
    const fixture = await startServer()
    const body = JSON.stringify(openBody())
    const socket = rawSocket(fixture.port)
    const answer = textOf(socket)
    socket.write(
      'POST /quote-requests HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: h2c\r\n' +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    )
    await new Promise((resolve) => setImmediate(resolve))
    socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
    expect(await answer).toContain('"requestId"')
  })

  test('with so many headers that Node leaves some out is refused, since its body could have no length', async () => {
    const fixture = await startServer()
    const many = Array.from({ length: 120 }, (_, i) => `X-${i}: y\r\n`).join('')
    const head = `POST /quote-requests HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n${many}`
    const answers = await rawExchange(
      fixture.port,
      `${head}Content-Length: 33\r\n\r\nGET /time HTTP/1.1\r\nHost: x\r\n\r\n`,
    )
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400'])
    expect(answers).toContain('"success":false')
  })

  test('that is broken is refused in the envelope', async () => {
    const fixture = await startServer()
    const head = 'GET /maker/v1/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
    const answer = await rawExchange(fixture.port, `${head}\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('"success":false')
  })

  test('without a key is an error that names the rule', async () => {
    const { call } = await startServer()
    expect(await call('GET', '/maker/v1/ws')).toMatchObject({
      status: 400,
      body: { error: 'This path accepts only WebSocket connections.' },
    })
  })
})
