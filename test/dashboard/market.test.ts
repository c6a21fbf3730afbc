import { describe, expect, it } from 'vitest'
import type { OperatorEvent } from '../../src/client/index.ts'
import { afterEvents, EMPTY_MARKET, type Market } from '../../src/web/dashboard/market.ts'
import { asked, BUSY, happened, healthOf, idOf, makerOf, NOON, opened, quoted, seriesOf, termsOf } from './scene.ts'

const BEGIN: OperatorEvent = { kind: 'snapshot_begin', openRequests: 0 }
const COMPLETE: OperatorEvent = { kind: 'snapshot_complete' }
const closed = (number: number, agoMs: number) => happened(number, agoMs, { kind: 'closed', status: 'expired' })

const standing = (number: number): OperatorEvent => ({
  kind: 'request',
  request: {
    requestId: idOf(number),
    seriesId: '77',
    createdAt: NOON - 60_000,
    expiresAt: NOON + 240_000,
    locked: false,
    terms: termsOf(number),
    quotes: [],
    quoteCount: 0,
    pending: null,
  },
})

const marketOf = (...events: OperatorEvent[]): Market => afterEvents(EMPTY_MARKET, events)

describe('the market', () => {
  it('is the same however its events are cut into batches', () => {
    const whole = marketOf(BEGIN, ...BUSY, COMPLETE)
    const one = [BEGIN, ...BUSY, COMPLETE].reduce((market, event) => afterEvents(market, [event]), EMPTY_MARKET)
    expect(one).toEqual(whole)
    expect(whole.isComplete).toBe(true)
  })

  it('is never changed in place', () => {
    const before = marketOf(opened(2, 9_000))
    const view = before.requests.get(idOf(2))
    afterEvents(before, [
      quoted(2, 5_000, 'ada', 120_000n),
      makerOf('ada'),
      seriesOf(1, { expiresInS: 60 }),
      healthOf(),
    ])
    expect(before.requests.get(idOf(2))).toBe(view)
    expect([before.makers.size, before.series.size, before.health]).toEqual([0, 0, null])
  })

  it('forgets everything at a new snapshot, but not what chain it is', () => {
    const connected: OperatorEvent = { kind: 'connected', serverTime: NOON, mode: 'simulated', chainId: 31337 }
    const market = marketOf(
      connected,
      BEGIN,
      ...BUSY,
      COMPLETE,
      { kind: 'snapshot_begin', openRequests: 3 },
      opened(8, 1),
    )
    expect([...market.requests.keys()]).toEqual([idOf(8)])
    expect(market).toMatchObject({
      mode: 'simulated',
      chainId: 31337,
      isComplete: false,
      hiddenRequests: 3,
      health: null,
    })
    expect(market.events).toHaveLength(1)
  })

  it('counts the open requests that a snapshot left out, until they end', () => {
    const begin: OperatorEvent = { kind: 'snapshot_begin', openRequests: 3 }
    const market = marketOf(begin, closed(9, 5_000), standing(2), COMPLETE)
    expect([market.hiddenRequests, market.requests.size]).toEqual([2, 1])
    expect(afterEvents(market, [closed(4, 1_000)]).hiddenRequests).toBe(1)
    expect(afterEvents(market, [closed(2, 1_000)]).hiddenRequests).toBe(2)
  })

  it('corrects the audit log by the state of a request', () => {
    const market = marketOf(BEGIN, opened(2, 60_000), quoted(2, 50_000, 'gone', 90_000n), standing(2), COMPLETE)
    expect(market.requests.get(idOf(2))?.quotes.size).toBe(0)
    expect(market.requests.get(idOf(2))?.auditLog).toHaveLength(2)
  })

  it('passes over what happens to a request that it does not know', () => {
    const market = marketOf(quoted(2, 5_000, 'ada', 120_000n))
    expect(market.requests.size).toBe(0)
    expect(market.events).toHaveLength(1)
  })

  it('counts quotes by the second and remembers how long confirmations took', () => {
    const { quoteRate, waits } = marketOf(
      opened(2, 9_000),
      quoted(2, 5_300, 'ada', 120_000n),
      quoted(2, 5_200, 'bob', 120_000n),
      quoted(2, 3_000, 'ada', 110_000n),
      happened(2, 1_000, { kind: 'confirmed', makerId: 'ada', quoteId: 'q', executionId: 'e', waitedMs: 77 }),
    )
    expect(quoteRate.map(({ second, count }) => [second - NOON / 1_000, count])).toEqual([
      [-6, 2],
      [-3, 1],
    ])
    expect(waits).toEqual([77])
  })

  it('keeps a bounded part of an endless life', () => {
    const events: OperatorEvent[] = []
    for (let number = 0; number < 2_600; number += 1) {
      events.push(opened(number, 5_000))
      if (number % 4 === 0) events.push(closed(number, 4_000))
      if (number === 1) events.push(asked(number, 3_000, 'ada'))
    }
    for (let i = 0; i < 6_000; i += 1) events.push(makerOf(`maker-${i}`))
    for (let i = 0; i < 600; i += 1) events.push(seriesOf(i, { expiresInS: i }))
    const market = marketOf(...events)
    const ofStatus = (open: boolean) =>
      [...market.requests.values()].filter(({ status }) => (status === 'open') === open)
    expect(ofStatus(false)).toHaveLength(200)
    expect(ofStatus(true).length).toBeLessThanOrEqual(2_001)
    expect(market.requests.get(idOf(1))?.waiting?.makerId).toBe('ada')
    expect([market.makers.size, market.series.size, market.events.length]).toEqual([5_000, 500, 1_000])
  })
})
