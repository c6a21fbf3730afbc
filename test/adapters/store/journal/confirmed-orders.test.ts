import { expect, test } from 'vitest'
import { createConfirmedOrders } from '../../../../src/adapters/store/journal/confirmed-orders.ts'
import type { OutstandingOrder } from '../../../../src/domain/reservation.ts'
import { usd6 } from '../../../../src/domain/units.ts'
import { walletOf } from '../../../support/arbitraries.ts'

const order = (nonce: number, validUntil: number): OutstandingOrder => ({
  acceptanceId: `acceptance-${nonce}`,
  makerId: 'maker-1',
  nonce,
  validUntil,
  confirmedAt: 0,
  spender: 'core',
  amount: usd6(5n),
  taker: walletOf(1),
  takerAmount: usd6(2n),
})

test('what a wallet owes are the orders that can still be filled', () => {
  const orders = createConfirmedOrders()
  const [first, second] = [order(1, 100), order(2, 200)]
  orders.add('ada', first)
  orders.add('ada', second)
  orders.add('bob', order(3, 300))
  expect(orders.of('ada', 100)).toEqual([first, second])
  expect(orders.of('ada', 101)).toEqual([second])
  expect(orders.of('ada', 100)).toEqual([first, second])
  expect(orders.of('cyd', 0)).toEqual([])
})

test('orders that lapsed long ago are let go of, also where nobody asks for them', () => {
  const orders = createConfirmedOrders()
  const day = 86_400
  for (let n = 0; n < 10_000; n += 1) orders.add('ada', order(n, n * 100))
  const kept = orders.of('ada', 0).map(({ nonce }) => nonce)
  expect(kept.length).toBeLessThan(4_000)
  expect(kept).toEqual(expect.arrayContaining(Array.from({ length: day / 100 }, (_, i) => 9_999 - i)))
})
