import { expect, test } from 'vitest'
import type { OutstandingOrder } from '../../../../../src/protocol/domain/reservation.ts'
import { contracts, usd6 } from '../../../../../src/protocol/domain/units.ts'
import { createConfirmedOrders } from '../../../../../src/relay/adapters/store/journal/confirmed-orders.ts'
import { walletOf } from '../../../../support/arbitraries.ts'

const order = (nonce: number, validUntil: number): OutstandingOrder => ({
  acceptanceId: `acceptance-${nonce}`,
  makerId: 'maker-1',
  nonce,
  validUntil,
  confirmedAt: 0,
  spender: 'core',
  amount: usd6(5n),
  seriesId: '1',
  optionAmount: contracts(5n),
  collateralEach: usd6(1n),
  longs: contracts(0n),
  taker: walletOf(1),
  takerAmount: usd6(2n),
  isProven: true,
  closes: false,
  endedIn: null,
})

let now = 0

test("a wallet's debt is the orders that can still be filled", () => {
  const orders = createConfirmedOrders(() => now)
  const [first, second] = [order(1, 100), order(2, 200)]
  orders.add('ada', first)
  orders.add('ada', second)
  orders.add('bob', order(3, 300))
  expect(orders.of('ada', 100)).toEqual([first, second])
  expect(orders.of('ada', 101)).toEqual([second])
  expect(orders.of('ada', 100)).toEqual([first, second])
  expect(orders.of('cyd', 0)).toEqual([])
})

test('the answer is the same array until an order is added, has ended or is let go, or the chain moves on', () => {
  now = 1_000
  const orders = createConfirmedOrders(() => now)
  orders.add('ada', order(1, 500))
  const first = orders.of('ada', 100)
  orders.add('bob', order(2, 500))
  expect(orders.of('ada', 100)).toBe(first)
  orders.add('ada', order(3, 500))
  expect(orders.of('ada', 100)).toEqual([order(1, 500), order(3, 500)])
  orders.end('ada', 'acceptance-1', { block: 7, at: now })
  expect(orders.of('ada', 100)).toContainEqual({ ...order(1, 500), endedIn: 7 })
  now += 60_000
  expect(orders.of('ada', 100)).toEqual([order(3, 500)])
  expect(orders.of('ada', 501)).toEqual([])
})

test('orders that lapsed long ago are let go of, also without a reader', () => {
  const orders = createConfirmedOrders(() => now)
  const day = 86_400
  for (let n = 0; n < 10_000; n += 1) orders.add('ada', order(n, n * 100))
  const kept = orders.of('ada', 0).map(({ nonce }) => nonce)
  expect(kept.length).toBeLessThan(4_000)
  expect(kept).toEqual(expect.arrayContaining(Array.from({ length: day / 100 }, (_, i) => 9_999 - i)))
})

test('an order that has ended is shown for a minute more, with its block, and one that has lapsed not at all', () => {
  now = 1_000
  const orders = createConfirmedOrders(() => now)
  const [filled, lapsed] = [order(1, 500), order(2, 500)]
  orders.add('ada', filled)
  orders.add('ada', lapsed)
  orders.end('ada', filled.acceptanceId, { block: 7, at: now })
  orders.end('ada', lapsed.acceptanceId, { block: null, at: now })
  now += 59_999
  expect(orders.of('ada', 0)).toEqual([{ ...filled, endedIn: 7 }])
  now += 1
  expect(orders.of('ada', 0)).toEqual([])
  orders.end('ada', 'unknown', { block: 8, at: now })
})
