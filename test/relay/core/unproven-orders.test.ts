import { expect, it } from 'vitest'
import type { Address } from '../../../src/protocol/domain/units.ts'
import { createUnprovenOrders } from '../../../src/relay/core/unproven-orders.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { RELAY_SETTINGS } from '../../support/test-relay.ts'

const [ADA, BOB] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`] as [Address, Address]

const counting = (maxUnprovenOrders = 3) => {
  const clock = createFakeClock()
  const settings = { ...RELAY_SETTINGS, maxUnprovenOrders, orderValidityMs: 90_000 }
  return { clock, orders: createUnprovenOrders({ clock, settings }) }
}

it('a client is given so many orders of a wallet, and one more each time that as much of their life is over', async () => {
  const { clock, orders } = counting()
  for (let i = 0; i < 3; i += 1) {
    expect(orders.isSpent('one', ADA)).toBe(false)
    orders.note('one', ADA)
  }
  expect(orders.isSpent('one', ADA)).toBe(true)
  await clock.advance(29_999)
  expect(orders.isSpent('one', ADA)).toBe(true)
  await clock.advance(1)
  expect(orders.isSpent('one', ADA)).toBe(false)
  orders.note('one', ADA)
  expect(orders.isSpent('one', ADA)).toBe(true)
})

it('other clients and other wallets have theirs', () => {
  const { orders } = counting(1)
  orders.note('one', ADA)
  expect(orders.isSpent('one', ADA)).toBe(true)
  expect(orders.isSpent('two', ADA)).toBe(false)
  expect(orders.isSpent('one', BOB)).toBe(false)
})

it('clients are unbounded where they cannot be distinguished, and where the operator sets no bound', () => {
  const { orders } = counting(1)
  orders.note(null, ADA)
  expect(orders.isSpent(null, ADA)).toBe(false)
  const unbounded = counting(0).orders
  unbounded.note('one', ADA)
  expect(unbounded.isSpent('one', ADA)).toBe(false)
})
