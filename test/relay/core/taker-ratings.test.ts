import { describe, expect, it } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import type { RelaySettings } from '../../../src/relay/core/ports/ports.ts'
import { createTestRelay, OTHER_TAKER, TAKER, type TestRelay } from '../../support/test-relay.ts'

const ON = { takerRatingMs: 600_000 }

/** A relay in which the taker has filled one order and let another one lapse. */
async function withOrders(settings: Partial<RelaySettings>, mode: 'onchain' | 'simulated' = 'onchain') {
  const ports = mode === 'simulated' ? { orderEvents: null } : {}
  const fixture = createTestRelay({ settings, mode, ports })
  await fixture.relay.start()
  const { order } = await fixture.trade()
  fixture.chain.use(order)
  await fixture.trade()
  await fixture.clock.advance(300_000)
  return fixture
}

/** What makers are told of the taker of a request that names `wallet`, live and in a snapshot. */
async function ratingOf(fixture: TestRelay, wallet: typeof TAKER | null) {
  const told: unknown[] = []
  const stop = fixture.relay.listenMakerFeed((event) => {
    if (event.kind === 'quote_request') told.push(event.request.takerRating)
  })
  const { requestId } = await fixture.open({ wallet })
  stop()
  const opening = await fixture.relay.openMakerFeed(null)
  const requests = opening.kind === 'snapshot' ? opening.requests : []
  const [found] = requests.filter(({ request }) => request.requestId === requestId)
  expect(told).toEqual([found?.request.takerRating])
  return told[0]
}

describe('a request that names its wallet', () => {
  it('tells makers how many of its signed orders the wallet filled, live and in a snapshot alike', async () => {
    const fixture = await withOrders(ON)
    expect(await ratingOf(fixture, TAKER)).toEqual({ orders: 2, filled: 1 })
    expect(await ratingOf(fixture, OTHER_TAKER)).toEqual({ orders: 0, filled: 0 })
    expect(await ratingOf(fixture, null)).toBeUndefined()
  })

  it('says the same after a restart, whatever has ended since', async () => {
    const fixture = await withOrders(ON)
    const { requestId } = await fixture.open({ wallet: TAKER })
    const next = await fixture.restart()
    const { request } = await next.relay.readRequest({ requestId, takerSecret: null })
    expect(request.takerRating).toEqual({ orders: 2, filled: 1 })
  })

  it('counts no order that ended before the time that is looked back', async () => {
    const fixture = await withOrders(ON)
    await fixture.clock.advance(ON.takerRatingMs)
    expect(await ratingOf(fixture, TAKER)).toEqual({ orders: 0, filled: 0 })
  })

  it.each([
    ['unless the operator turns ratings on', { takerRatingMs: null }, 'onchain'],
    ['without a chain, on which alone orders are filled', ON, 'simulated'],
  ] as const)('tells nothing %s', async (_, settings, mode) => {
    expect(await ratingOf(await withOrders(settings, mode), TAKER)).toBeUndefined()
  })

  it('is opened without a rating when the store does not tell it', async () => {
    const fixture = await withOrders(ON)
    fixture.ports.store.orders.ratingOf = async () => Promise.reject(new RfqError('store_unavailable'))
    expect(await ratingOf(fixture, TAKER)).toBeUndefined()
    expect(fixture.log.lines.map(({ event }) => event)).toContain('taker_not_rated')
  })
})
