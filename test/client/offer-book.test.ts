import { describe, expect, test } from 'vitest'
import { createOfferBook } from '../../src/client/offer-book.ts'
import { usd6 } from '../../src/protocol/domain/units.ts'
import { announced, BUY, NOW, offerOf } from './trade-fixture.ts'

function setUp() {
  let time = NOW
  const offers = createOfferBook(() => time)
  const place = (cents: bigint, requestId?: string) =>
    offers.add(announced(BUY, requestId), offerOf(BUY, usd6(cents * 10_000n)))
  const prices = (requestId = 'request-1') => offers.of(requestId).map(({ quote }) => Number(quote.price) / 10_000)
  return { offers, place, prices, setTime: (to: number) => (time = to) }
}

describe('a maker’s offers', () => {
  test('may be taken from the moment they are sent', () => {
    const { place, prices } = setUp()
    place(12n)
    expect(prices()).toEqual([12])
  })

  test('are replaced when the relay has taken a newer one', () => {
    const { place, prices } = setUp()
    place(12n).accepted('quote-1')
    const newer = place(11n)
    expect(prices()).toEqual([11, 12])
    newer.accepted('quote-1')
    expect(prices()).toEqual([11])
  })

  test('stay when a newer one is refused', () => {
    const { place, prices } = setUp()
    place(12n).accepted('quote-1')
    place(11n).refused()
    expect(prices()).toEqual([12])
  })

  test('that no relay has accepted may stay, until a later one is accepted', () => {
    const { place, prices } = setUp()
    place(12n).accepted('quote-1')
    place(11n).lost()
    expect(prices()).toEqual([11, 12])
    place(10n).accepted('quote-1')
    expect(prices()).toEqual([10])
  })

  test('that were on their way together may both stand: the relay may have taken either last', () => {
    const { place, prices } = setUp()
    const first = place(12n)
    const second = place(11n)
    second.accepted('quote-1')
    expect(prices()).toEqual([11, 12])
    first.accepted('quote-1')
    expect(prices()).toEqual([11, 12])
    place(10n).accepted('quote-1')
    expect(prices()).toEqual([10])
  })

  test('end when they are withdrawn', () => {
    const { offers, place, prices } = setUp()
    place(12n).accepted('quote-1')
    place(13n, 'request-2').accepted('quote-2')
    offers.withdraw('quote-1')
    expect(prices()).toEqual([])
    expect(prices('request-2')).toEqual([13])
  })

  test('are forgotten two minutes after their request ended', () => {
    const { place, prices, setTime } = setUp()
    place(12n)
    setTime(NOW + 300_000 + 120_000)
    place(13n, 'request-2')
    expect(prices()).toEqual([12])
    setTime(NOW + 300_000 + 120_001)
    place(13n, 'request-3')
    expect(prices()).toEqual([])
  })

  test('can be signed under one nonce only', () => {
    const { offers, place } = setUp()
    place(12n)
    expect(offers.claim('request-1', 7)).toBe(true)
    expect(offers.claim('request-1', 7)).toBe(true)
    expect(offers.claim('request-1', 8)).toBe(false)
  })
})
