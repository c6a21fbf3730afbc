import { describe, expect, test } from 'vitest'
import { ERRORS, type ErrorCode, RfqError } from '../../../src/protocol/domain/errors.ts'
import type { ResolutionBps, StrikeBps } from '../../../src/protocol/domain/units.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import {
  decodeMarkets,
  decodeSeries,
  decodeSeriesFilter,
  decodeSeriesList,
  encodeMarkets,
  encodeSeries,
  encodeSeriesList,
} from '../../../src/protocol/wire/discovery.ts'
import { decodeFailure, encodeFailure } from '../../../src/protocol/wire/envelope.ts'
import { decodeDrip, decodeDripped, encodeDrip, encodeDripped } from '../../../src/protocol/wire/faucet.ts'
import { decodeCancel } from '../../../src/protocol/wire/opened-request.ts'
import { decodePrepare, decodePrepared, encodePrepare, encodePrepared } from '../../../src/protocol/wire/settlement.ts'
import { decodeHome, decodeNow, encodeHome, encodeMakerStatus, encodeNow } from '../../../src/protocol/wire/status.ts'
import { CONDITION_ID, domain, overTheWire, TAKER } from './examples.ts'

const series = {
  seriesId: '7',
  conditionId: CONDITION_ID,
  yesTokenId: '123456789',
  strikeBps: 4_500 as StrikeBps,
  expiry: 1_800_000_000,
  optionType: 'call',
  resolutionBps: null,
} as const

describe('discovery', () => {
  test('shows a series as the specification does, and not whether it is halted', () => {
    const { yesTokenId, ...rest } = series
    expect(encodeSeries({ ...series, halted: true } as typeof series)).toEqual({
      success: true,
      series: { ...rest, yesClobTokenId: yesTokenId, settled: false },
    })
  })

  test('gives series and markets back', () => {
    const settled = { ...series, resolutionBps: 59 as ResolutionBps }
    expect(decodeSeries(overTheWire(encodeSeries(series)))).toEqual(series)
    expect(encodeSeries(settled).series).toMatchObject({ settled: true, resolutionBps: 59 })
    expect(encodeSeriesList([series, settled]).count).toBe(2)
    expect(decodeSeriesList(overTheWire(encodeSeriesList([series, settled])))).toEqual([series, settled])
    const market = {
      name: 'Rain?',
      conditionId: CONDITION_ID,
      yesTokenId: '123456789',
      seriesCount: 1,
      strikes: [4_500],
      expiries: [1_800_000_000],
      optionTypes: ['call' as const],
      yesPrice: 0.54,
    }
    expect(encodeMarkets([market])).toMatchObject({
      success: true,
      count: 1,
      markets: [{ yesClobTokenId: '123456789' }],
    })
    expect(decodeMarkets(overTheWire(encodeMarkets([market])))).toEqual([market])
    const { yesPrice: _, ...older } = encodeMarkets([market]).markets[0] ?? {}
    expect(decodeMarkets(overTheWire({ success: true, count: 1, markets: [older] }))).toEqual([
      { ...market, yesPrice: null },
    ])
  })

  test('filters by what is known and ignores the rest', () => {
    expect(decodeSeriesFilter({ x: '1' })).toEqual({})
    const upper = `0x${'AB'.repeat(32)}`
    expect(decodeSeriesFilter({ conditionId: upper, optionType: 'put', settled: 'false' })).toEqual({
      conditionId: CONDITION_ID,
      optionType: 'put',
      settled: false,
    })
  })

  test.each([
    ['conditionId', `0x${'a'.repeat(63)}`],
    ['conditionId', `0x${'a'.repeat(65)}`],
    ['optionType', 'CALL'],
    ['optionType', ['call', 'put']],
    ['settled', '1'],
    ['settled', ''],
  ])('refuses the filter %s=%j', (name, value) => {
    expect(() => decodeSeriesFilter({ [name]: value })).toThrow(new RegExp(`^${name} must be`))
  })
})

describe('settlement', () => {
  test.each([
    ['10', '10'],
    ['0x0a', '10'],
    ['0x0A', '10'],
    ['0010', '10'],
  ])('the id %j is %j', (text, id) => {
    expect(decodePrepare({ seriesId: text })).toBe(id)
  })

  test.each(['', '-1', '0x', `0x${'f'.repeat(65)}`, '1e18', (2n ** 256n).toString(), 'abc'])('%j is no id', (text) => {
    expect(() => decodePrepare({ seriesId: text })).toThrow(/^seriesId must be a uint256/)
  })

  test('an attestation carries what anyone needs to verify and relay it', () => {
    const prepared = {
      attestation: { seriesId: '7', resolutionBps: 59 as ResolutionBps, validUntil: 1_800_000_900 },
      signature: '0x12',
      meta: {
        method: 'twap',
        twap: 0.587,
        pointCount: 31,
        yesPrice: 0.587,
        windowStart: 1_799_998_200,
        windowEnd: 1_800_000_000,
      },
      domain: { ...domain, name: 'ServiceCore' },
    } as const
    expect(encodePrepare('7')).toEqual({ seriesId: '7' })
    expect(encodePrepared(prepared)).toMatchObject({
      success: true,
      seriesId: '7',
      resolutionBps: 59,
      validUntil: 1_800_000_900,
      types: { SettlementAttestation: [{ name: 'seriesId', type: 'uint256' }, {}, {}] },
    })
    expect(decodePrepared(overTheWire(encodePrepared(prepared)))).toEqual(prepared)
  })
})

test('the faucet says what it sent, in dollars', () => {
  const dripped = encodeDripped({ amount: usd6(1_000_000_000n), txHash: '0x12' })
  expect(dripped).toEqual({ success: true, amount: 1_000, txHash: '0x12', message: 'Sent 1000 test dollars.' })
  expect(decodeDripped(overTheWire(dripped))).toMatchObject({ amount: 1_000_000_000n, txHash: '0x12' })
  expect(decodeDrip(encodeDrip(TAKER))).toBe(TAKER)
  expect(() => decodeDrip({ wallet: 'me' })).toThrow(/^wallet must be an address/)
})

test('a cancel may carry the secret in its body, and nothing nearly so called', () => {
  expect(decodeCancel({})).toBeNull()
  expect(decodeCancel({ takerSecret: 's' })).toBe('s')
  expect(() => decodeCancel({ taker_secret: 's' })).toThrow(/did you mean takerSecret/)
})

test('the relay says what it is and what time it has', () => {
  expect(decodeHome(encodeHome({ mode: 'onchain', chainId: 80_002 }, '1.2.3'))).toEqual({
    mode: 'onchain',
    chainId: 80_002,
  })
  const connected = { makersConnected: 2, socketsConnected: 3 }
  expect(decodeNow(encodeNow(1_700_000_000_000))).toBe(1_700_000_000_000)
  expect(encodeMakerStatus({ mode: 'simulated', now: 0, connected })).toMatchObject({
    protocolVersion: 3,
    mode: 'simulated',
    ...connected,
    wsPath: '/maker/v1/ws',
  })
})

describe('a failure', () => {
  const NAMED = ['maker_insufficient_balance', 'maker_insufficient_allowance', 'no_pending_acceptance']

  test.each(Object.keys(ERRORS) as ErrorCode[])('%s says its sentence where the specification wants it', (code) => {
    const failure = encodeFailure(new RfqError(code, { detail: 'Why.' }))
    const sentence = NAMED.includes(code) ? { error: code, detail: 'Why.' } : { error: 'Why.' }
    expect(failure).toMatchObject({ success: false, code, ...sentence })
    expect(decodeFailure(overTheWire(failure))).toMatchObject({ code, message: 'Why.' })
  })

  test('carries its figures, its hint, and whether trying again can help', () => {
    const failure = encodeFailure(new RfqError('faucet_cooldown', { data: { retryAfterS: 5, success: true } }))
    expect(failure).toMatchObject({ success: false, retryable: true, retryAfterS: 5 })
    expect(decodeFailure(failure)).toMatchObject({ retryable: true, data: { retryAfterS: 5 } })
    expect(encodeFailure(new RfqError('invalid_api_key')).hint).toMatch(/X-API-Key/)
  })

  test('from a stranger is null, and one of a later version is kept', () => {
    expect(decodeFailure('<html>')).toBeNull()
    expect(decodeFailure({ error: 'Bad Gateway' })).toBeNull()
    expect(decodeFailure({ success: false, error: 'New.', code: 'brand_new' })).toMatchObject({ code: 'brand_new' })
  })
})
