import { describe, expect, it } from 'vitest'
import type { MakerMessage } from '../../../src/relay/core/ports/live.ts'
import type { Acceptance } from '../../../src/relay/core/ports/store.ts'
import { createRelay } from '../../../src/relay/core/relay.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, RELAY_SETTINGS, type TestRelay } from '../../support/test-relay.ts'

type Told = Extract<MakerMessage, { kind: 'order_ended' }>

/** A relay that watches, with a maker that has signed one order, and what it is told of how orders end. */
async function signed(options: Parameters<typeof createTestRelay>[0] = {}) {
  const fixture = createTestRelay(options)
  await fixture.relay.start()
  const told: Told[] = []
  fixture.ports.bus.subscribe('maker', 'ada', (message) => message.kind === 'order_ended' && told.push(message))
  const acceptance = await fixture.trade()
  return { fixture, told, acceptance }
}

const poll = async ({ relay }: TestRelay, requestId: string) =>
  (await relay.readRequest({ requestId, takerSecret: null })).orderStanding
const history = async ({ relay }: TestRelay) => {
  const query = { makerId: 'ada', after: null, since: null, status: null, limit: 10 } as const
  return (await relay.makerHistory(query)).map((outcome) => ('standing' in outcome ? outcome.standing : null))
}
const kindsOf = ({ auditLog }: TestRelay) =>
  auditLog.map(({ kind }) => kind).filter((kind) => kind.startsWith('order_'))

describe('a signed order', () => {
  it('is open until its fill is final, and then filled, once, wherever one asks', async () => {
    const { fixture, told, acceptance } = await signed()
    const { requestId, quoteId, order } = acceptance
    expect([await poll(fixture, requestId), ...(await history(fixture))]).toEqual([
      { state: 'open' },
      { state: 'open' },
    ])
    fixture.chain.unfinal = 2
    fixture.chain.use(order)
    await fixture.clock.advance(3_000)
    expect([told, await poll(fixture, requestId)]).toEqual([[], { state: 'open' }])
    fixture.chain.block += 2
    await fixture.clock.advance(3_000)
    const end = { state: 'filled', transactionHash: expect.any(String), blockNumber: 8 }
    expect(told).toEqual([{ kind: 'order_ended', requestId, quoteId, end }])
    expect([await poll(fixture, requestId), ...(await history(fixture))]).toEqual([end, end])
    expect(kindsOf(fixture)).toEqual(['order_filled'])
  })

  it('that a reorganisation takes back stays open, and only its later fill is announced', async () => {
    const { fixture, told, acceptance } = await signed()
    fixture.chain.unfinal = 2
    fixture.chain.use(acceptance.order)
    await fixture.clock.advance(2_000)
    fixture.chain.uses.length = 0
    fixture.chain.block += 5
    fixture.chain.use(acceptance.order)
    fixture.chain.block += 2
    await fixture.clock.advance(2_000)
    expect(told).toMatchObject([{ end: { state: 'filled', blockNumber: 14 } }])
  })

  it('is cancelled by its maker', async () => {
    const { fixture, told, acceptance } = await signed()
    fixture.chain.use(acceptance.order, 'cancelled')
    await fixture.clock.advance(2_000)
    expect(told).toMatchObject([{ end: { state: 'cancelled', blockNumber: 8 } }])
    expect(kindsOf(fixture)).toEqual(['order_cancelled'])
  })

  it('that its maker cancelled before it signed is cancelled, too', async () => {
    const fixture = createTestRelay()
    await fixture.relay.start()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const commit = fixture.commit(requestId)
    await settle()
    const { order } = ada.accepted()[0] as Acceptance
    fixture.chain.use(order, 'cancelled')
    await fixture.clock.advance(2_000)
    await ada.confirm()
    await commit
    await fixture.clock.advance(2_000)
    expect(kindsOf(fixture)).toEqual(['order_cancelled'])
  })

  it.each([
    [0, ['cancelled']],
    [1, ['confirmed']],
  ])(
    'that its maker cancelled is taken back unless it may have lapsed before: %i s past its last',
    async (s, kinds) => {
      const { fixture, told, acceptance } = await signed()
      const { clock, chain, ports } = fixture
      chain.down = true
      await clock.advance((acceptance.order.validUntil + s) * 1_000 - clock.now() - 1_000)
      chain.use(acceptance.order, 'cancelled')
      chain.down = false
      await clock.advance(1_000)
      expect(told).toMatchObject([{ end: { state: 'cancelled' } }])
      const { outcomes } = await ports.store.makerRecords.find('ada')
      expect(outcomes.map(({ kind }) => kind)).toEqual(kinds)
    },
  )

  it('expires once a final block is past its last second, and not a second before', async () => {
    const { fixture, told, acceptance } = await signed()
    const { clock, chain } = fixture
    const lastMs = acceptance.order.validUntil * 1_000
    await clock.advance(lastMs - clock.now() + 500)
    expect(told).toEqual([])
    chain.unfinal = 4
    await clock.advance(3_000)
    expect(told).toEqual([])
    await clock.advance(3_000)
    expect(told).toMatchObject([{ end: { state: 'expired' } }])
    expect(kindsOf(fixture)).toEqual(['order_expired'])
  })

  it('that was filled in its last second is not expired', async () => {
    const { fixture, told, acceptance } = await signed()
    await fixture.clock.advance(acceptance.order.validUntil * 1_000 - fixture.clock.now() - 1_500)
    fixture.chain.down = true
    await fixture.clock.advance(60_000)
    fixture.chain.use(acceptance.order)
    fixture.chain.down = false
    await fixture.clock.advance(2_000)
    expect(told).toMatchObject([{ end: { state: 'filled' } }])
  })

  it('without a chain can only expire', async () => {
    const { fixture, told, acceptance } = await signed({ mode: 'simulated' })
    expect(await poll(fixture, acceptance.requestId)).toEqual({ state: 'open' })
    await fixture.clock.advance(acceptance.order.validUntil * 1_000 - fixture.clock.now() + 3_000)
    expect(told).toMatchObject([{ end: { state: 'expired' } }])
  })

  it('is announced once by two nodes that see its end', async () => {
    const { fixture, told, acceptance } = await signed()
    const other = createRelay(fixture.ports, RELAY_SETTINGS)
    await other.start()
    fixture.chain.use(acceptance.order)
    await fixture.clock.advance(5_000)
    expect(told).toHaveLength(1)
    expect(kindsOf(fixture)).toEqual(['order_filled'])
  })

  it('that ended while the relay was down is announced after the restart, also by a node that could not read events', async () => {
    const { fixture, acceptance } = await signed()
    fixture.chain.use(acceptance.order)
    fixture.chain.down = true
    const next = await fixture.restart(60_000)
    const told: MakerMessage[] = []
    next.ports.bus.subscribe('maker', 'ada', (message) => message.kind === 'order_ended' && told.push(message))
    await next.relay.start()
    await next.clock.advance(5_000)
    expect(told).toEqual([])
    next.chain.down = false
    await next.clock.advance(5_000)
    expect(told).toMatchObject([{ kind: 'order_ended', end: { state: 'filled' } }])
  })

  it('from before the first watch is of unknown state, and is not announced', async () => {
    const fixture = createTestRelay()
    const acceptance = await fixture.trade()
    await fixture.clock.advance(acceptance.order.validUntil * 1_000 - fixture.clock.now() + 2_000)
    await fixture.relay.start()
    await fixture.clock.advance(5_000)
    expect([await poll(fixture, acceptance.requestId), ...(await history(fixture))]).toEqual([null, null])
    expect(kindsOf(fixture)).toEqual([])
  })
})
