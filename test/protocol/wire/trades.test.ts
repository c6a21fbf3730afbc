import { describe, expect, test } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import type { PublicTrade } from '../../../src/protocol/domain/public-trade.ts'
import { contracts, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'
import { decodeTrades, decodeTradesQuery, encodeTrades } from '../../../src/protocol/wire/trades.ts'
import { CONDITION_ID, overTheWire } from './examples.ts'

const common = {
  tradeId: 'c56a4180-65aa-42ec-a945-5fd21dec0538',
  at: 1_799_996_402_250,
  seriesId: '7',
  conditionId: CONDITION_ID,
  yesTokenId: '123456789',
  expiry: 1_800_000_000,
  side: 'buy' as const,
  size: contracts(833n),
  price: usd6(120_001n),
}
const call: PublicTrade = { ...common, optionType: 'call', strikeBps: 4_500 as StrikeBps, state: 'filled' }
const spread: PublicTrade = {
  ...common,
  legs: [
    { optionType: 'call', strikeBps: 4_000 as StrikeBps, quantity: 1 },
    { optionType: 'call', strikeBps: 6_000 as StrikeBps, quantity: -1 },
  ],
  state: null,
}

describe('a page of trades', () => {
  test('gives trades back, those of packages and those of an unknown state as well', () => {
    const next = { at: common.at, tradeId: common.tradeId }
    const { trades, nextCursor } = decodeTrades(overTheWire(encodeTrades([call, spread], next)))
    expect(trades).toEqual([call, spread])
    expect(decodeTradesQuery({ cursor: nextCursor })).toEqual({ conditionId: null, seriesId: null, before: next })
    expect(encodeTrades([], null)).toEqual({ success: true, trades: [], nextCursor: null })
  })

  test('shows dollars, options and a time as other calls do', () => {
    expect(encodeTrades([call], null).trades).toMatchObject([
      { at: '2027-01-15T07:00:02.250Z', size: 833, price: 0.120001, strikeBps: 4_500, state: 'filled' },
    ])
  })
})

describe('the query', () => {
  test('names a market, a series or both', () => {
    expect(decodeTradesQuery({ conditionId: CONDITION_ID, seriesId: '10' })).toEqual({
      conditionId: CONDITION_ID,
      seriesId: '10',
      before: null,
    })
  })

  test.each([
    { cursor: 'x' },
    { cursor: '1_' },
    { cursor: `1_${'a'.repeat(65)}` },
    { seriesId: '-1' },
    { conditionId: '0x1' },
  ])('refuses %j', (query) => {
    expect(() => decodeTradesQuery(query)).toThrow(RfqError)
  })
})
