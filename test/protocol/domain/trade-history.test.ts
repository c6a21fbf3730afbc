import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  realisedProfit,
  type TradedSeries,
  type TradeEvent,
  type TradeEventKind,
  type TradeRecord,
  totalProfit,
  tradesOf,
} from '../../../src/protocol/domain/trade-history.ts'
import { contracts, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'

const EXPIRY = 1_000
const MAX_PAYOFF = 550_000n

type Change = Partial<Record<'long' | 'short' | 'premium' | 'fee' | 'paid' | 'received', bigint>>

const eventOf = (kind: TradeEventKind, count: bigint, change: Change, seriesId = '7'): Omit<TradeEvent, Place> => ({
  kind,
  seriesId,
  amount: contracts(count),
  long: change.long ?? 0n,
  short: change.short ?? 0n,
  premium: usd6(change.premium ?? 0n),
  fee: usd6(change.fee ?? 0n),
  paid: usd6(change.paid ?? 0n),
  received: usd6(change.received ?? 0n),
})

type Place = 'transactionHash' | 'blockNumber' | 'time'

const bought = (count: bigint, premium: bigint, fee = 0n) =>
  eventOf('bought', count, { long: count, premium, fee, paid: premium + fee })
const sold = (count: bigint, premium: bigint, fee = 0n) =>
  eventOf('sold', count, { long: -count, premium, fee, received: premium - fee })
const wrote = (count: bigint, premium: bigint, fee = 0n) =>
  eventOf('wrote', count, { short: count, premium, fee, paid: count * MAX_PAYOFF, received: premium - fee })
const closed = (count: bigint) =>
  eventOf('closed', count, { long: -count, short: -count, received: count * MAX_PAYOFF })
const payout = (count: bigint, each: bigint) => eventOf('payout', count, { long: -count, received: count * each })
const collateral = (count: bigint, each: bigint) =>
  eventOf('collateral', count, { short: -count, received: count * (MAX_PAYOFF - each) })
const received = (count: bigint) => eventOf('received', count, { long: count })
const sent = (count: bigint) => eventOf('sent', count, { long: -count })

/** Trades of events that happened in this sequence, a block each; the series expires at 1000 and pays `payoff` once it is given. */
function read(
  events: readonly Omit<TradeEvent, Place>[],
  {
    payoff = null,
    now = 0,
    before = new Map(),
  }: { payoff?: bigint | null; now?: number; before?: Map<string, { long: bigint; short: bigint }> } = {},
): TradeRecord[] {
  const terms: TradedSeries = {
    option: { optionType: 'call', strikeBps: 4_500 as StrikeBps },
    expiry: EXPIRY,
    payoff: payoff === null ? null : usd6(payoff),
  }
  return tradesOf({
    events: events.map((event, index) => ({
      ...event,
      transactionHash: `0x${index}` as const,
      blockNumber: BigInt(index),
      time: 100 + index,
    })),
    before,
    series: new Map(events.map(({ seriesId }) => [seriesId, terms])),
    now,
  })
}

describe('the history of a wallet', () => {
  test('has a trade from its first option to its last, with dates, and starts another one after it', () => {
    const trades = read([bought(10n, 3_000_000n), sold(10n, 4_000_000n), bought(5n, 1_000_000n)])
    expect(trades).toMatchObject([
      {
        side: 'long',
        state: 'open',
        amount: 5n,
        long: 5n,
        profit: 0n,
        cost: 1_000_000n,
        openedAt: 102,
        closedAt: null,
      },
      {
        side: 'long',
        state: 'closed',
        amount: 10n,
        long: 0n,
        profit: 1_000_000n,
        cost: 0n,
        openedAt: 100,
        closedAt: 101,
      },
    ])
    expect(trades.map(({ events }) => events.map(({ kind }) => kind))).toEqual([['bought'], ['bought', 'sold']])
  })

  test('takes the average cost along with options that leave, fees included', () => {
    const [trade] = read([bought(10n, 2_000_000n, 5_000n), bought(10n, 4_000_000n), sold(5n, 2_000_000n, 1_000n)])
    expect(trade).toMatchObject({
      amount: 20n,
      long: 15n,
      premiumPaid: 6_000_000n,
      premiumReceived: 2_000_000n,
      fees: 6_000n,
      paid: 6_005_000n,
      received: 1_999_000n,
      profit: 1_999_000n - 1_501_250n,
      cost: 6_005_000n - 1_501_250n,
    })
  })

  test('leaves no micro-dollar behind where the average cost is rounded', () => {
    const [trade] = read([bought(3n, 100n), sold(1n, 0n), sold(1n, 0n), sold(1n, 0n)])
    expect(trade).toMatchObject({ profit: -100n, cost: 0n })
  })

  test('counts the premium of written options as profit once they are bought back', () => {
    const [trade] = read([wrote(10n, 2_000_000n, 10_000n), bought(10n, 1_500_000n), closed(10n)])
    expect(trade).toMatchObject({ side: 'short', state: 'closed', amount: 10n, profit: 490_000n, cost: 0n })
  })

  test('has one trade for options sold and another one for those written in the same fill', () => {
    expect(read([bought(10n, 1_000_000n), sold(10n, 2_000_000n), wrote(5n, 1_000_000n)])).toMatchObject([
      { side: 'short', amount: 5n, short: 5n, cost: 5n * MAX_PAYOFF - 1_000_000n, profit: 0n },
      { side: 'long', amount: 10n, state: 'closed', profit: 1_000_000n },
    ])
  })

  test('tells what is claimable, worthless, claimed, expired and transferred apart', () => {
    const state = (events: Omit<TradeEvent, Place>[], options: Parameters<typeof read>[1] = {}) =>
      read(events, options).map(({ state }) => state)
    expect(state([bought(1n, 1n)], { now: EXPIRY - 1 })).toEqual(['open'])
    expect(state([bought(1n, 1n)], { now: EXPIRY })).toEqual(['expired'])
    expect(state([bought(1n, 1n)], { payoff: 1n })).toEqual(['claimable'])
    expect(state([bought(1n, 1n)], { payoff: 0n })).toEqual(['worthless'])
    expect(state([wrote(1n, 1n)], { payoff: MAX_PAYOFF })).toEqual(['worthless'])
    expect(state([wrote(1n, 1n)], { payoff: 0n })).toEqual(['claimable'])
    expect(state([bought(1n, 1n), payout(1n, 5n)], { payoff: 5n })).toEqual(['claimed'])
    expect(state([bought(1n, 1n), payout(1n, 0n)], { payoff: 0n })).toEqual(['worthless'])
    expect(state([bought(1n, 1n), sent(1n)])).toEqual(['transferred'])
  })

  test('counts what worthless options cost as lost, before and after their claim', () => {
    const lost = { state: 'worthless', profit: -700_000n, cost: 0n, claimable: 0n }
    expect(read([bought(2n, 700_000n)], { payoff: 0n })).toMatchObject([lost])
    expect(read([bought(2n, 700_000n), payout(2n, 0n)], { payoff: 0n })).toMatchObject([lost])
  })

  test('shows what can be claimed, and counts it as profit once it is', () => {
    expect(read([bought(2n, 700_000n)], { payoff: 500_000n })).toMatchObject([
      { claimable: 1_000_000n, profit: 0n, cost: 700_000n, paidOut: 0n },
    ])
    expect(read([wrote(2n, 700_000n), collateral(2n, 500_000n)], { payoff: 500_000n })).toMatchObject([
      { claimable: 0n, profit: -300_000n, cost: 0n, paidOut: 100_000n },
    ])
  })

  test('counts options of another wallet as free, so that a gift hides no profit, and says that there were some', () => {
    expect(read([bought(10n, 1_000_000n), received(10n), sold(10n, 900_000n), sent(10n)])).toMatchObject([
      { hasTransfers: true, amount: 20n, profit: -100_000n, cost: 0n },
    ])
    expect(read([bought(1n, 1n)])).toMatchObject([{ hasTransfers: false }])
  })

  test('knows no profit of a trade whose beginning is missing, and that of the next one', () => {
    const before = new Map([['7', { long: 5n, short: 0n }]])
    expect(read([sold(5n, 1_000_000n), bought(1n, 200_000n), sold(1n, 300_000n)], { before })).toMatchObject([
      { profit: 100_000n, cost: 0n },
      { amount: 5n, received: 1_000_000n, profit: null, cost: null },
    ])
  })

  test('has profits that, less the cost of what is left, are the money that went in and out, whatever happened', () => {
    const action = fc.record({
      kind: fc.constantFrom<TradeEventKind>(
        'bought',
        'sold',
        'wrote',
        'closed',
        'payout',
        'collateral',
        'received',
        'sent',
      ),
      seriesId: fc.constantFrom('7', '8'),
      count: fc.bigInt(1n, 1_000n),
      premium: fc.bigInt(0n, 1_000n),
      fee: fc.bigInt(0n, 1_000n),
    })
    const settled = fc.option(fc.bigInt(0n, MAX_PAYOFF))
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), settled, (actions, payoff) => {
        const held = new Map<string, { long: bigint; short: bigint }>()
        const events: Omit<TradeEvent, Place>[] = []
        for (const { kind, seriesId, count, premium, fee } of actions) {
          const { long, short } = held.get(seriesId) ?? { long: 0n, short: 0n }
          const least = (...counts: bigint[]) => counts.reduce((a, b) => (a < b ? a : b))
          const make: Record<TradeEventKind, () => Omit<TradeEvent, Place>> = {
            bought: () => bought(count, count * premium, fee),
            sold: () => sold(least(count, long), least(count, long) * premium + fee, fee),
            wrote: () => wrote(count, count * premium + fee, fee),
            closed: () => closed(least(count, long, short)),
            payout: () => payout(least(count, long), payoff ?? 1n),
            collateral: () => collateral(short, payoff ?? 1n),
            received: () => received(count),
            sent: () => sent(least(count, long)),
          }
          const event = { ...make[kind](), seriesId }
          if (event.amount === 0n) continue
          events.push(event)
          held.set(seriesId, { long: long + event.long, short: short + event.short })
        }
        const trades = read(events, { payoff })
        const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
        const flow = sum(events.map(({ paid, received }) => received - paid))
        expect(sum(trades.map(({ profit, cost }) => (profit ?? 0n) - (cost ?? 0n)))).toBe(flow)
        for (const { profit, cost, paid, received } of trades)
          expect((profit ?? 0n) - (cost ?? 0n)).toBe(received - paid)
        for (const [seriesId, { long, short }] of held) {
          const open = trades.filter((trade) => trade.seriesId === seriesId && trade.closedAt === null)
          expect(open.map(({ long, short }) => [long, short])).toEqual(long + short === 0n ? [] : [[long, short]])
        }
        expect(sum(trades.map(({ events }) => BigInt(events.length)))).toBe(BigInt(events.length))
      }),
      { numRuns: 500 },
    )
  })
})

test('options that leave and were never seen to come take no cost along', () => {
  expect(read([sold(5n, 100n)])).toMatchObject([{ profit: 100n, cost: 0n, long: -5n }])
})

test('a realised profit is shown once there is one, and a total leaves out those that are not known', () => {
  expect(realisedProfit({ profit: usd6(0n), closedAt: null })).toBeNull()
  expect(realisedProfit({ profit: usd6(0n), closedAt: 5 })).toBe(0n)
  expect(realisedProfit({ profit: usd6(-7n), closedAt: null })).toBe(-7n)
  expect(realisedProfit({ profit: null, closedAt: 5 })).toBeNull()
  expect(totalProfit([{ profit: usd6(12n) }, { profit: null }, { profit: usd6(-7n) }])).toBe(5n)
})
