import { describe, expect, it } from 'vitest'
import { maskOf, type NonceUse } from '../../../src/protocol/domain/order-end.ts'
import {
  type FundsLook,
  findDefunded,
  mostSpent,
  type Promised,
  type Spender,
} from '../../../src/protocol/domain/reservation.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'

type Named = Promised & { name: string }

const order = (name: string, amount: bigint, signedAt: number, spender: Spender = 'core'): Named => ({
  name,
  amount: usd6(amount),
  signedAt,
  spender,
})
const ENOUGH = 10n ** 12n
const look = (time: number, balance: bigint, allowance = ENOUGH): FundsLook => {
  const funds = { balance: usd6(balance), allowance: usd6(allowance) }
  return { time, funds: { core: funds, settlement: funds } }
}
const found = (
  orders: readonly Named[],
  at: { before: FundsLook; now: FundsLook; spent?: bigint; spentSinceSigned?: bigint },
) => {
  const { spent = 0n, spentSinceSigned = spent } = at
  const looks = { ...at, spent: usd6(spent), spentSinceSigned: usd6(spentSinceSigned) }
  return findDefunded(orders, looks).map(({ order: { name }, code }) => [name, code])
}
const BALANCE = 'maker_insufficient_balance'
const ALLOWANCE = 'maker_insufficient_allowance'

describe('orders that were covered at the last look', () => {
  const orders = [order('a', 100n, 10), order('b', 100n, 11), order('c', 100n, 12)]

  it('are defunded where what is left pays for those that were signed before them, and not for them', () => {
    expect(found(orders, { before: look(20, 300n), now: look(30, 199n) })).toEqual([
      ['b', BALANCE],
      ['c', BALANCE],
    ])
    expect(found(orders, { before: look(20, 300n), now: look(30, 300n) })).toEqual([])
  })

  it('each count through their own spender against its allowance, and all against the balance', () => {
    const mixed = [order('a', 100n, 10), order('b', 100n, 11, 'settlement'), order('c', 100n, 12)]
    const now = look(30, 300n, 150n)
    expect(found(mixed, { before: look(20, 300n), now })).toEqual([['c', ALLOWANCE]])
    expect(found(mixed, { before: look(20, 300n), now: look(30, 250n) })).toEqual([['c', BALANCE]])
  })

  it('are not defunded by fills that took what is not there any more, and are by what the maker took beside them', () => {
    expect(found(orders, { before: look(20, 400n), now: look(30, 250n), spent: 150n })).toEqual([])
    expect(found(orders, { before: look(20, 500n), now: look(30, 250n), spent: 150n })).toEqual([['c', BALANCE]])
  })

  it('are announced once: an order that was not covered before does not lose its cover now', () => {
    expect(found(orders, { before: look(20, 199n), now: look(30, 199n) })).toEqual([])
    expect(found(orders, { before: look(20, 199n), now: look(30, 50n) })).toEqual([['a', BALANCE]])
  })

  it('do not count where the wallet was let promise more than it has, because its takers could not pay', () => {
    expect(found(orders, { before: look(20, 100n), now: look(30, 100n) })).toEqual([])
    expect(found(orders.slice(1), { before: look(20, 100n), now: look(30, 0n), spent: 100n })).toEqual([])
  })

  it('do not count where the last look was at another spender', () => {
    const before: FundsLook = { time: 20, funds: {} }
    expect(found(orders, { before, now: look(30, 0n) })).toEqual([])
  })
})

describe('an order that was signed since the last look', () => {
  it('counts alone: that its wallet could pay for it is all that is known', () => {
    const orders = [order('a', 100n, 25), order('b', 100n, 26)]
    const before: FundsLook = { time: 20, funds: {} }
    expect(found(orders, { before, now: look(30, 100n) })).toEqual([])
    expect(found(orders, { before, now: look(30, 99n) })).toEqual([
      ['a', BALANCE],
      ['b', BALANCE],
    ])
    expect(found(orders, { before, now: look(30, 500n, 99n) })).toEqual([
      ['a', ALLOWANCE],
      ['b', ALLOWANCE],
    ])
  })

  it('is not defunded by what fills may have taken since', () => {
    const before = look(20, 500n)
    const at = { before, now: look(30, 40n), spent: 0n }
    expect(found([order('a', 100n, 25)], { ...at, spentSinceSigned: 60n })).toEqual([])
    expect(found([order('a', 100n, 25)], { ...at, spentSinceSigned: 59n })).toEqual([['a', BALANCE]])
  })

  it('is not judged where its spender was not looked at', () => {
    const now: FundsLook = { time: 30, funds: {} }
    expect(found([order('a', 100n, 25)], { before: look(20, 500n), now })).toEqual([])
  })

  it('is not judged by a block of before its signature', () => {
    expect(found([order('a', 100n, 30)], { before: look(20, 500n), now: look(30, 0n) })).toEqual([])
  })
})

it('fills take the premium of a maker that buys and at most what a package can pay for each option that it sells, between two blocks', () => {
  const use = (blockNumber: number, makerSelling: boolean, filled = true): NonceUse => ({
    maker: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    ...maskOf(1n),
    fill: filled
      ? {
          taker: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
          seriesId: '1',
          optionAmount: contracts(3n),
          premiumAmount: usd6(7n),
          makerSelling,
        }
      : null,
    transactionHash: '0x01',
    blockNumber,
  })
  const uses = [use(4, true), use(5, true), use(6, false), use(7, true, false), use(8, false)]
  expect(mostSpent(uses, 4, 7)).toBe(48_000_007n)
})
