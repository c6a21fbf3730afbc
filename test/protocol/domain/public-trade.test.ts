import { expect, test } from 'vitest'
import type { OrderState } from '../../../src/protocol/domain/order-end.ts'
import { publicTrade } from '../../../src/protocol/domain/public-trade.ts'
import { contracts, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'

const series = {
  conditionId: `0x${'11'.repeat(32)}`,
  yesTokenId: '123',
  expiry: 1_800_000_000,
  optionType: 'call',
  strikeBps: 4_500 as StrikeBps,
  resolutionBps: null,
} as const
const order = {
  maker: '0xmaker',
  taker: '0xtaker',
  seriesId: '7',
  optionAmount: contracts(800n),
  validUntil: 120,
  makerSelling: true,
} as const
const trade = { tradeId: 'a', at: 1_000, order, price: usd6(120_000n), series, standing: null, now: 61_000 }

test('a public trade has terms, side, size, price and time, and nothing of its parties', () => {
  expect(publicTrade(trade)).toEqual({
    tradeId: 'a',
    at: 1_000,
    seriesId: '7',
    conditionId: series.conditionId,
    yesTokenId: '123',
    expiry: 1_800_000_000,
    optionType: 'call',
    strikeBps: 4_500,
    side: 'buy',
    size: 800n,
    price: 120_000n,
    state: null,
  })
})

test('its side is the taker’s, and the state of its order comes without the transaction', () => {
  const standing = { state: 'filled', transactionHash: `0x${'5e'.repeat(32)}`, blockNumber: 7 } as const
  const sold = publicTrade({ ...trade, order: { ...order, makerSelling: false }, standing })
  expect(sold).toMatchObject({ side: 'sell', state: 'filled' })
  expect(JSON.stringify(Object.keys(sold))).not.toContain('transactionHash')
})

test('the cancellation of a maker does not show, since the chain has its wallet: the order is open and then expired', () => {
  const transaction = { transactionHash: `0x${'5e'.repeat(32)}`, blockNumber: 7 } as const
  const stateAt = (now: number, standing: OrderState) => publicTrade({ ...trade, now, standing }).state
  const standings: OrderState[] = [{ state: 'open' }, { state: 'cancelled', ...transaction }]
  expect(standings.map((standing) => stateAt(120_000, standing))).toEqual(['open', 'open'])
  expect(standings.map((standing) => stateAt(120_001, standing))).toEqual(['expired', 'expired'])
  expect(stateAt(61_000, { state: 'expired' })).toBe('expired')
  expect(stateAt(120_001, { state: 'filled', ...transaction })).toBe('filled')
})
