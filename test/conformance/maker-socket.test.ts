import { describe, expect, it } from 'vitest'
import { openSocket } from '../kit/socket.ts'
import { isoTime } from './harness/match.ts'
import { openServices } from './harness/service.ts'
import { askedToSign, trade } from './harness/trade.ts'

/** The default of WS_AUTH_TIMEOUT_MS. */
const AUTH_TIMEOUT_MS = 3_000

describe.concurrent.each(openServices(import.meta.url))('maker socket, $mode', (service) => {
  const PATH = `${service.ready.wsUrl}/maker/v1/ws`
  const stranger = () => service.maker({ funded: false })

  it('connected has protocolVersion 3, makerId, authenticated, serverTime and what the socket offers, with the key in the query (protocol auth-3, decision X5)', async () => {
    const { apiKey, makerId } = await stranger()
    const socket = openSocket(`${PATH}?apiKey=${apiKey}`)
    const message = await socket.messages.next()
    expect(message).toEqual({
      type: 'connected',
      protocolVersion: 3,
      makerId,
      authenticated: true,
      serverTime: isoTime(),
      offers: ['calls', 'orders', 'standing', 'inventory', 'requests', 'packages', 'levels'],
    })
  })

  it('the key may come in a first message (protocol auth-3)', async () => {
    const { apiKey, makerId } = await stranger()
    const socket = openSocket(PATH)
    await socket.opened
    socket.send({ type: 'auth', apiKey })
    expect(await socket.messages.next()).toMatchObject({ type: 'connected', makerId, authenticated: true })
  })

  it('the first message may be binary, and a second auth is ignored (fault B5)', async () => {
    const [one, two] = await Promise.all([stranger(), stranger()])
    const socket = openSocket(PATH)
    await socket.opened
    socket.socket.send(Buffer.from(JSON.stringify({ type: 'auth', apiKey: one.apiKey })))
    expect(await socket.messages.next()).toMatchObject({ type: 'connected', makerId: one.makerId })
    socket.send({ type: 'auth', apiKey: two.apiKey })
    socket.send({ type: 'auth', apiKey: 'wrong' })
    socket.send({ type: 'ping' })
    expect(await socket.messages.next()).toMatchObject({ type: 'pong' })
  })

  it('pong answers an application ping with a timestamp, a number of ms (decision M4)', async () => {
    const maker = await stranger()
    const socket = await maker.connect()
    socket.send({ type: 'ping' })
    const { timestamp } = await socket.until('pong')
    expect(Math.abs(Number(timestamp) - Date.now())).toBeLessThan(10_000)
    expect(typeof timestamp).toBe('number')
  })

  it('a bad key closes the socket with 4001 at once, from the query or the first message (protocol auth-3, decision M4)', async () => {
    const inQuery = openSocket(`${PATH}?apiKey=wrong`)
    const first = openSocket(PATH)
    await first.opened
    first.send({ type: 'auth', apiKey: 'wrong' })
    const odd = openSocket(PATH)
    await odd.opened
    odd.send({ type: 'auth', apiKey: 7 })
    const begun = Date.now()
    expect(await Promise.all([inQuery.closed, first.closed, odd.closed])).toEqual([4001, 4001, 4001])
    expect(Date.now() - begun).toBeLessThan(AUTH_TIMEOUT_MS)
    expect([inQuery, first, odd].flatMap(({ messages }) => messages.all())).toEqual([])
  })

  it('a missing key closes with 4001 after WS_AUTH_TIMEOUT_MS; a ping first does not help (decision M4, fault B5)', async () => {
    const begun = Date.now()
    const [silent, pinging] = [openSocket(PATH), openSocket(PATH)]
    await pinging.opened
    pinging.send({ type: 'ping' })
    expect(await Promise.all([silent.closed, pinging.closed])).toEqual([4001, 4001])
    expect(Date.now() - begun).toBeGreaterThanOrEqual(AUTH_TIMEOUT_MS - 10)
    expect([silent, pinging].flatMap(({ messages }) => messages.all())).toEqual([])
  })

  it('a message over 24 KiB closes with 1009, whole or in fragments (decision M4, fault D21)', async () => {
    const maker = await stranger()
    const [whole, fragments, fitting] = await Promise.all([maker.connect(), maker.connect(), maker.connect()])
    fitting.send(JSON.stringify({ type: 'ping', padding: 'x'.repeat(24_000) }))
    await fitting.until('pong')
    whole.send(JSON.stringify({ type: 'ping', padding: 'x'.repeat(25_000) }))
    for (let part = 0; part < 80; part += 1) fragments.socket.send('x'.repeat(320), { fin: false })
    expect(await Promise.all([whole.closed, fragments.closed])).toEqual([1009, 1009])
  })

  it('with a key the origin does not matter (decision E4, fault B16)', async () => {
    const { apiKey } = await stranger()
    await openSocket(`${PATH}?apiKey=${apiKey}`, { origin: 'https://desk.example' }).until('connected')
  })

  it('compression is not agreed on (fault D21)', async () => {
    const { apiKey } = await stranger()
    const socket = openSocket(`${PATH}?apiKey=${apiKey}`, { perMessageDeflate: true })
    await socket.until('connected')
    expect(socket.socket.extensions).toBe('')
  })

  it('a message that is neither auth nor ping is ignored (protocol socket-3)', async () => {
    const maker = await stranger()
    const socket = await maker.connect()
    const strange = [
      '',
      'ping',
      '[]',
      'null',
      '{}',
      '{"type":7}',
      '{"type":"quote:accepted"}',
      '{"__proto__":{"type":"ping"}}',
    ]
    for (const text of strange) socket.send(text)
    socket.send({ type: 'ping' })
    expect(await socket.messages.next()).toMatchObject({ type: 'pong' })
    expect(socket.messages.all().filter(({ type }) => type === 'pong')).toHaveLength(1)
  })

  it('quote:accepted has ids, order, domain, types and deadline; types are the eight fields (protocol socket-1, decision C11)', async () => {
    const { accepted, created, quoteId } = await trade(service)
    expect(accepted).toEqual({
      type: 'quote:accepted',
      quoteId,
      requestId: created.requestId,
      order: expect.any(Object),
      domain: expect.any(Object),
      types: {
        Order: [
          { name: 'maker', type: 'address' },
          { name: 'seriesId', type: 'uint256' },
          { name: 'optionAmount', type: 'uint256' },
          { name: 'premiumAmount', type: 'uint256' },
          { name: 'makerSelling', type: 'bool' },
          { name: 'taker', type: 'address' },
          { name: 'validUntil', type: 'uint256' },
          { name: 'nonce', type: 'uint256' },
        ],
      },
      confirmationDeadline: isoTime(),
    })
  })

  it('quote:confirmed has requestId and quoteId (protocol confirm-4)', async () => {
    const { socket, created, quoteId } = await trade(service)
    expect(await socket.until('quote:confirmed', created.requestId)).toEqual({
      type: 'quote:confirmed',
      requestId: created.requestId,
      quoteId,
    })
  })

  it('quote:accepted is sent to the winning maker only', async () => {
    const [winner, loser, idle] = await Promise.all([service.maker(), service.maker(), stranger()])
    const sockets = await Promise.all([winner.connect(), loser.connect(), idle.connect()])
    const { requestId } = await service.open()
    const quoteId = await winner.quoted(requestId, { price: 0.1 })
    await loser.quoted(requestId, { price: 0.2 })
    const committing = service.commit(requestId, { wallet: service.wallet().address })
    await winner.confirm(quoteId, await winner.sign(await askedToSign(sockets[0], requestId)))
    await committing
    expect(await sockets[1].until('quote:rejected', requestId)).toEqual({
      type: 'quote:rejected',
      requestId,
      quoteId: expect.any(String),
      reason: 'another_quote_won',
    })
    sockets[2].send({ type: 'ping' })
    await sockets[2].until('pong')
    expect(sockets[2].messages.all().map(({ type }) => type)).toEqual(['connected', 'pong'])
  })

  it('the socket answers no plain HTTP, and no other path upgrades', async () => {
    const { status, body } = await service.call('GET', '/maker/v1/ws')
    expect([400, 404, 426]).toContain(status)
    expect(body.success).toBe(false)
    const elsewhere = openSocket(`${service.ready.wsUrl}/v1/mm/quote-requests/stream`)
    expect([400, 401, 404, 426]).toContain(await elsewhere.refused)
  })
})
