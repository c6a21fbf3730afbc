import { expect, test } from 'vitest'
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
  makerSelling: true,
} as const
const trade = { tradeId: 'a', at: 1_000, order, price: usd6(120_000n), series, standing: null }

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
