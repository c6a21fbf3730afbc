import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { settle } from '../../support/fake-clock.ts'
import { RELAY_SETTINGS, refusal, TAKER } from '../../support/test-relay.ts'
import { ADA, KEYS, OPEN_MODE, startServer, type TestSocket } from './support.ts'

const AT = Date.UTC(2026, 0, 1)
const PLACE = { requestId: 'request-1', quoteId: 'quote-1' }
const SUSPENDED = { kind: 'suspended', until: AT + 5_000, because: [{ kind: 'missed', at: AT, ...PLACE }] } as const
const TOLD = {
  type: 'maker:suspended',
  until: '2026-01-01T00:00:05.000Z',
  because: [{ kind: 'missed', at: '2026-01-01T00:00:00.000Z', ...PLACE }],
}

/** A maker's socket, and how Ada is told something. */
async function connect() {
  const fixture = await startServer()
  const ada = fixture.socket(`/maker/v1/ws?apiKey=${ADA['x-api-key']}`)
  await ada.next()
  const tell = (message: Parameters<typeof fixture.ports.bus.publish<'maker'>>[2]) =>
    fixture.ports.bus.publish('maker', 'ada', message)
  const subscribe = async (to: string) => {
    ada.send({ type: 'subscribe', to })
    await seen(ada)
  }
  return { fixture, ada, tell, subscribe }
}

/** Waits until the server has seen all that was sent so far. */
async function seen({ socket }: TestSocket): Promise<void> {
  socket.ping()
  await once(socket, 'pong')
}

describe('a socket', () => {
  test('that asks for it receives a missed order, a suspension and its end (protocol record-5)', async () => {
    const { ada, tell, subscribe } = await connect()
    await subscribe('standing')
    await tell({ kind: 'missed', ...PLACE })
    await tell(SUSPENDED)
    await tell({ kind: 'reinstated', at: AT })
    expect([await ada.next(), await ada.next(), await ada.next()]).toEqual([
      { type: 'quote:missed', ...PLACE },
      TOLD,
      { type: 'maker:reinstated' },
    ])
  })

  test('receives nothing of it unasked, nor when it asks for something else', async () => {
    const { ada, tell, subscribe } = await connect()
    await subscribe('orders')
    await tell({ kind: 'missed', ...PLACE })
    await tell(SUSPENDED)
    await tell({ kind: 'reinstated', at: AT })
    ada.send({ type: 'ping' })
    expect(await ada.next()).toEqual({ type: 'pong', timestamp: AT })
  })

  test('that asks after it was suspended receives so once, unless the suspension is over by then', async () => {
    const { ada, tell, subscribe } = await connect()
    await tell(SUSPENDED)
    await subscribe('standing')
    await subscribe('standing')
    ada.send({ type: 'ping' })
    expect([await ada.next(), await ada.next()]).toMatchObject([TOLD, { type: 'pong' }])
    const other = await connect()
    await other.tell(SUSPENDED)
    await other.tell({ kind: 'reinstated', at: AT })
    await other.subscribe('standing')
    other.ada.send({ type: 'ping' })
    expect(await other.ada.next()).toMatchObject({ type: 'pong' })
  })
})

describe('GET /v1/mm/standing', () => {
  test('shows a maker its own record and nothing of others (protocol book-3)', async () => {
    const breaker = { ...RELAY_SETTINGS.breaker, suspensionMs: 900_000, minOutcomes: 1, below: 70 }
    const fixture = await startServer({ relay: { ...KEYS, breaker } })
    const { requestId } = await fixture.open({ wallet: TAKER })
    for (const name of ['ada', 'bob']) await fixture.connect(name)
    const quoteId = await fixture.quote('ada', requestId)
    const outcome = refusal(fixture.commit(requestId))
    await settle()
    await fixture.relay.decline({ makerId: 'ada', quoteId })
    expect(await outcome).toBe('no_maker_confirmed')
    const { status, body } = await fixture.call('GET', '/v1/mm/standing', { headers: ADA })
    const declined = { kind: 'declined', requestId, quoteId, at: '2026-01-01T00:00:00.000Z' }
    expect(status).toBe(200)
    expect(body.standing).toMatchObject({
      score: 67,
      outcomes: { declined: 1, confirmed: 0 },
      confirmP50Ms: null,
      lastDay: { requests: 0, won: 0, winShare: null },
      suspension: { until: '2026-01-01T00:15:00.000Z', because: [declined] },
      strikes: 1,
      newest: [declined],
    })
    expect(await fixture.relay.makerStanding('bob')).toMatchObject({ score: null, suspension: null, newest: [] })
  })

  test('counts the requests of the last day that the maker quoted on, and those that it won', async () => {
    const fixture = await startServer()
    const [ada] = [await fixture.connect('ada'), await fixture.connect('bob')]
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const commit = fixture.commit(requestId)
    await settle()
    await fixture.clock.advance(40)
    await ada.confirm()
    await commit
    const lost = await fixture.open()
    await fixture.quote('ada', lost.requestId)
    await fixture.relay.cancelRequest(lost)
    expect(await fixture.relay.makerStanding('ada')).toMatchObject({
      score: 100,
      confirmP99Ms: 40,
      lastDay: { requests: 2, won: 1 },
    })
    await fixture.clock.advance(86_400_000)
    expect(await fixture.relay.makerStanding('ada')).toMatchObject({ score: null, lastDay: { requests: 0, won: 0 } })
  })

  test('is refused without a key, also where none is needed to quote', async () => {
    for (const options of [{}, { relay: OPEN_MODE }]) {
      const fixture = await startServer(options)
      expect((await fixture.call('GET', '/v1/mm/standing')).status).toBe(401)
    }
  })
})
