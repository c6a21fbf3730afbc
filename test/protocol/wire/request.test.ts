import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { decodeOpenRequest, encodeOpenRequest } from '../../../src/protocol/wire/open-request.ts'
import { decodeOpened, encodeOpened } from '../../../src/protocol/wire/opened-request.ts'
import { encodeParams } from '../../../src/protocol/wire/request.ts'
import { address, bytes32, optionType, strikeBps, trade, uint256 } from '../../support/arbitraries.ts'
import { CONDITION_ID, openBody, overTheWire, request, TAKER, terms } from './examples.ts'

const ID = '1f0e8d6c-5b4a-4c3d-9e2f-7a6b5c4d3e2f'

const refusal = (body: unknown): string => {
  try {
    decodeOpenRequest(body)
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_request' })
    return (error as Error).message
  }
  throw new Error('not refused')
}

describe('a body that opens a request', () => {
  test('needs no more than the specification shows', () => {
    expect(decodeOpenRequest(openBody())).toEqual({ ...terms, locked: false })
  })

  test('gives back what was encoded', () => {
    const arbitrary = fc.record({
      wallet: fc.option(address),
      market: fc.record({
        conditionId: bytes32,
        yesTokenId: uint256.map(String),
        question: fc.option(fc.stringMatching(/^[ -~]{1,300}$/)),
      }),
      option: fc.record({ strikeBps, expiryMs: fc.maxSafeNat(), optionType }),
      trade,
      locked: fc.boolean(),
    })
    const audience = fc.record({
      kind: fc.constantFrom('only', 'except'),
      makers: fc.array(fc.stringMatching(/^[a-z-]{1,64}$/), { minLength: 1, maxLength: 50 }),
    })
    fc.assert(
      fc.property(
        arbitrary,
        fc.option(audience, { nil: undefined }),
        fc.option(address, { nil: undefined }),
        (...drawn) => {
          const [plain, chosen, blindWallet] = drawn
          const blind = blindWallet === undefined ? {} : { wallet: null, blindWallet, locked: true }
          const input = { ...plain, ...blind, ...(chosen === undefined ? {} : { audience: chosen }) }
          expect(decodeOpenRequest(overTheWire(encodeOpenRequest(input)))).toEqual(input)
        },
      ),
    )
  })

  test('names the makers that hear of it, or those that do not, and is of a wallet where it is blind', () => {
    expect(refusal({ ...openBody(), makers: ['ada'], exceptMakers: ['bob'] })).toBe(
      'exceptMakers must be absent when makers are given, got a list',
    )
    expect(refusal({ ...openBody(), blind: true })).toBe('wallet must be an address when blind is true, got nothing')
    expect(refusal({ ...openBody(), blind: true, firmOnly: true, wallet: TAKER })).toMatch(/^firmOnly must be absent/)
    expect(decodeOpenRequest({ ...openBody(), blind: true, wallet: TAKER, locked: false })).toMatchObject({
      wallet: null,
      blindWallet: TAKER,
      locked: true,
    })
  })

  test.each([
    ['a price', { limitPrice: usd6(120_000n), minContracts: null }],
    ['all that there is', { limitPrice: usd6(0n), minContracts: contracts(400n), proof: '0x5afe' }],
  ])('carries a standing limit of %s, of which makers are shown nothing', (_, standing) => {
    const asked = { ...terms, wallet: TAKER, standing, locked: true, clientRequestId: ID }
    expect(decodeOpenRequest(overTheWire(encodeOpenRequest(asked)))).toEqual(asked)
    expect(encodeParams(asked)).toEqual(encodeParams({ ...terms, wallet: TAKER }))
  })

  test.each([
    [{}, 'standing.limitPrice must be a number of dollars 0..1, got nothing'],
    [null, 'not refused'],
    [5, 'standing must be an object, or null, got 5'],
    [{ limitPrice: null }, /^standing\.limitPrice must be a number/],
    [{ limitPrice: 16.5 }, /^standing\.limitPrice must be a number/],
    [
      { limitPrice: 0.1234567 },
      'standing.limitPrice must be a number of dollars with at most 6 decimals, got 0.1234567',
    ],
    [{ limitPrice: 0.1, minContracts: 0 }, /^standing\.minContracts must be an integer 1\.\.1000000000/],
    [{ limitPrice: 0.1, min_contracts: 5 }, /min_contracts/],
    [{ limitPrice: 0.1, wallet: TAKER }, /wallet/],
    [
      { limitPrice: 0.1, proof: 'x'.repeat(9_000) },
      /^standing\.proof must be a string of at most \d+ characters.*, got something else$/,
    ],
    [{ limitPrice: 0.1, proof: '0x5afe' }, /^clientRequestId must be given with standing\.proof/],
  ])('with the standing limit %j is refused: %s', (standing, message) => {
    const opening = { ...openBody(), wallet: TAKER, standing }
    if (message === 'not refused') expect(decodeOpenRequest(opening)).not.toHaveProperty('standing')
    else expect(refusal(opening)).toMatch(message)
  })

  test('needs a wallet with a standing limit', () => {
    expect(refusal({ ...openBody(), standing: { limitPrice: 0.1 } })).toBe(
      'wallet must be an address when standing is given, got nothing',
    )
  })

  test.each([
    ['market', undefined, 'market must be an object, got nothing'],
    ['market.conditionId', '0x12', 'market.conditionId must be a bytes32 in hex: 0x and 64 digits, got "0x12"'],
    ['market.yesTokenId', 5, 'market.yesTokenId must be a uint256 in decimal digits, got 5'],
    ['market.yesTokenId', (2n ** 256n).toString(), /^market\.yesTokenId must be a uint256/],
    ['market.yesTokenId', '0x10', /^market\.yesTokenId must be a uint256/],
    ['option.strikeBps', 0, 'option.strikeBps must be an integer 1..9999, in basis points of $1, got 0'],
    ['option.strikeBps', 10_000, /got 10000$/],
    ['option.strikeBps', 4_500.5, /got 4500\.5$/],
    ['option.strikeBps', '4500', /got "4500"$/],
    ['option.strikeBps', [4_500], /got a list$/],
    ['option.expiryMs', 1e308, /^option\.expiryMs must be an integer of Unix milliseconds/],
    ['option.optionType', 2, /^option\.optionType must be "call" or "put"/],
    ['option.optionType', null, /got null$/],
    ['trade.side', 'hold', 'trade.side must be "buy" or "sell" or "both", got "hold"'],
    ['trade.budgetUsd', undefined, 'trade.budgetUsd must be a number of dollars when side is buy, got nothing'],
    ['trade.budgetUsd', 0, /^trade\.budgetUsd must be .* got 0$/],
    ['trade.budgetUsd', -0, /^trade\.budgetUsd must be/],
    ['trade.budgetUsd', 1e-7, 'trade.budgetUsd must be at least 0.000001, got 1e-7'],
    ['trade.budgetUsd', 1_000_000_000.5, /^trade\.budgetUsd must be/],
    ['trade.budgetUsd', Infinity, /got Infinity$/],
    ['trade.budgetUsd', true, /got true$/],
    ['trade.size', 5, 'trade.size must be absent when side is buy, got 5'],
    ['makers', [], 'makers must be an array of 1 to 50 makerIds, or null, got a list'],
    ['makers', 'ada', 'makers must be an array of 1 to 50 makerIds, or null, got "ada"'],
    ['makers', Array.from({ length: 51 }, () => 'ada'), /^makers must be an array of 1 to 50 makerIds/],
    ['exceptMakers', ['a'.repeat(65)], /^exceptMakers\.0 must be a string of at most 64 characters/],
    ['wallet', TAKER.toLowerCase().replace('f', 'F'), /^wallet must be an address/],
    ['wallet', `0x${'0'.repeat(40)}`, /^wallet must be an address/],
    ['wallet', 'vitalik.eth', /^wallet must be an address/],
    ['wallet', 5, /^wallet must be an address: .*, or null, got 5$/],
    ['locked', 'true', 'locked must be true or false, or null, got "true"'],
  ])('is refused when %s is %j', (field, value, message) => {
    expect(refusal(withField(openBody(), field, value))).toMatch(message)
  })

  test.each([undefined, null, [], 5, 'x'])('is refused when it is %j', (body) => {
    expect(refusal(body)).toMatch(/^(the body must be an object, got|market must be)/)
  })

  test.each([
    ['trade.budget_usd', 'did you mean budgetUsd?'],
    ['trade.Size', 'did you mean size?'],
    ['LOCKED', 'did you mean locked?'],
    ['wal-let', 'did you mean wallet?'],
  ])('is refused with %s, which is nearly an optional field', (field, hint) => {
    expect(refusal(withField(openBody(), field, 1))).toContain(hint)
  })

  test('may hold unknown fields, which are dropped', () => {
    const body = { ...openBody(), client: 'x', market: { ...openBody().market, slug: 'rain' } }
    expect(decodeOpenRequest(body)).toEqual({ ...terms, locked: false })
  })

  test('does not set the YES price that makers receive', () => {
    expect(decodeOpenRequest(withField(openBody(), 'market.yesPrice', 0.99))).toEqual({ ...terms, locked: false })
  })

  test('may say null for every optional field', () => {
    const body = withField(openBody(), 'market.question', null)
    const decoded = decodeOpenRequest({ ...body, wallet: null, locked: null, trade: { ...body.trade, size: null } })
    expect(decoded).toEqual({ ...terms, market: { ...terms.market, question: null }, locked: false })
  })

  test('may give the option type by its number', () => {
    expect(decodeOpenRequest(withField(openBody(), 'option.optionType', 0)).option).toMatchObject({
      optionType: 'call',
    })
    expect(decodeOpenRequest(withField(openBody(), 'option.optionType', 1)).option).toMatchObject({ optionType: 'put' })
  })

  test('may give hex in any case; the condition id is compared in lower case', () => {
    const body = withField(openBody(), 'market.conditionId', `0x${'AB'.repeat(32)}`)
    expect(decodeOpenRequest(body).market.conditionId).toBe(CONDITION_ID)
    expect(decodeOpenRequest({ ...openBody(), wallet: TAKER.toLowerCase() }).wallet).toBe(TAKER)
    expect(decodeOpenRequest({ ...openBody(), wallet: `0x${TAKER.slice(2).toUpperCase()}` }).wallet).toBe(TAKER)
  })

  test('rounds a budget down to what the stablecoin can pay', () => {
    const trade = decodeOpenRequest(withField(openBody(), 'trade.budgetUsd', 0.1234569)).trade
    expect(trade).toEqual({ side: 'buy', budget: 123_456n })
  })

  test.each([undefined, false, true])(
    'is locked where it asks for both sides, with locked %j (protocol open-12)',
    (locked) => {
      const body = { ...openBody(), trade: { side: 'both', size: 5 }, locked }
      expect(decodeOpenRequest(body)).toMatchObject({ trade: { side: 'both', size: 5n }, locked: true })
    },
  )

  test('asks for a size on a sell, and for no budget', () => {
    const sell = (trade: object) => ({ ...openBody(), trade: { side: 'sell', ...trade } })
    expect(decodeOpenRequest(sell({ size: 5 })).trade).toEqual({ side: 'sell', size: 5n })
    expect(refusal(sell({}))).toMatch(/^trade\.size must be an integer 1\.\.1000000000/)
    expect(refusal(sell({ size: 5, budgetUsd: 1 }))).toMatch(/^trade\.budgetUsd must be absent/)
    expect(refusal(sell({ size: 1_000_000_001 }))).toMatch(/^trade\.size must be/)
  })

  test.each([
    ['a NUL', 'a\0b'],
    ['a line break', 'a\nb'],
    ['a terminal escape', '\u001b]52;c;aGk=\u0007'],
    ['a right-to-left override', 'a\u202eb'],
    ['a direction isolate', 'a\u2066b'],
    ['a lone surrogate', 'a\ud800b'],
    ['a right-to-left mark', 'a\u200fb'],
    ['an Arabic letter mark', 'a\u061cb'],
    ['a zero-width space', 'a\u200bb'],
    ['a zero-width joiner in a word', 'a\u200db'],
    ['a zero-width joiner at the end of an emoji', '👩\u200d'],
    ['a byte order mark', 'a\ufeffb'],
    ['a soft hyphen', 'a\u00adb'],
    ['tag characters', 'a\u{e0041}b'],
    ['a blank filler of Hangul', 'a\u3164b'],
    ['a variation selector of no emoji', 'a\ufe0fb'],
    ['301 characters', 'é'.repeat(301)],
  ])('is refused when the question holds %s', (_, question) => {
    expect(refusal(withField(openBody(), 'market.question', question))).toMatch(
      /^market\.question must be .*at most 300/,
    )
  })

  test.each(['👩‍🚀 lands?', '❤️ or 🏳️‍🌈?', '👩🏽‍🔬?', 'Yağmur mu? نعم 中 1️⃣'])('may hold what is seen: %s', (question) => {
    expect(decodeOpenRequest(withField(openBody(), 'market.question', question)).market.question).toBe(question)
  })

  test('says that it can be filled from inventory, and that it only reduces, of which makers are shown nothing', () => {
    const sale = { ...terms, wallet: TAKER, trade: { side: 'sell', size: contracts(50n), reduceOnly: true } } as const
    const close = {
      ...terms,
      inventory: true,
      wallet: TAKER,
      trade: { side: 'buy', budget: usd6(5_000_000n), reduceOnly: true, most: contracts(50n) },
    } as const
    for (const asked of [
      sale,
      close,
      { ...close, trade: { side: 'buy', budget: usd6(5n), reduceOnly: true } } as const,
    ]) {
      expect(decodeOpenRequest(overTheWire(encodeOpenRequest({ ...asked, locked: false })))).toEqual({
        ...asked,
        locked: false,
      })
    }
    expect(encodeParams(close)).toEqual(
      encodeParams({ ...terms, wallet: TAKER, trade: { side: 'buy', budget: usd6(5_000_000n) } }),
    )
    expect(encodeParams(sale).trade).toEqual({ side: 'sell', size: 50 })
    expect(() => decodeOpenRequest({ ...openBody(), trade: { side: 'sell', size: 1, reduceOnly: true } })).toThrow(
      'wallet must be an address when trade.reduceOnly is true',
    )
    expect(() => decodeOpenRequest({ ...openBody(), trade: { side: 'buy', budgetUsd: 1, size: 1 } })).toThrow(
      'trade.size',
    )
  })

  test('counts the question in characters, not in code units', () => {
    const question = '🌧'.repeat(300)
    expect(decodeOpenRequest(withField(openBody(), 'market.question', question)).market.question).toBe(question)
  })
})

describe('the terms that makers see', () => {
  test('hold the budget on a buy, the size on a sell, and the expiry as it was sent', () => {
    expect(encodeParams(terms)).toEqual({ wallet: null, ...openBody() })
    const sell = encodeParams({ ...terms, trade: { side: 'sell', size: 5n as never } })
    expect(sell.trade).toEqual({ side: 'sell', size: 5 })
  })

  test('have an empty question by default', () => {
    expect(encodeParams({ ...terms, market: { ...terms.market, question: null } }).market.question).toBe('')
  })
})

test('the answer to opening carries the secret, the series and the makers', () => {
  const opened = {
    requestId: request.requestId,
    seriesId: request.seriesId,
    expiresAt: request.expiresAt,
    takerSecret: 's',
    makersConnected: 2,
    seriesListed: true,
  }
  const answer = encodeOpened(opened, request.option)
  expect(answer).toEqual({
    success: true,
    requestId: 'request-1',
    expiresAt: '2023-11-14T22:18:20.000Z',
    makersConnected: 2,
    takerSecret: 's',
    seriesId: '7',
    seriesListed: true,
  })
  expect(decodeOpened(overTheWire(answer))).toEqual({
    requestId: 'request-1',
    expiresAt: request.expiresAt,
    makersConnected: 2,
    takerSecret: 's',
    seriesId: '7',
    seriesListed: true,
  })
})

function withField<Body extends object>(body: Body, path: string, value: unknown): Body {
  const [name = '', ...rest] = path.split('.')
  const fields = body as Record<string, unknown>
  return { ...body, [name]: rest.length === 0 ? value : withField(fields[name] as object, rest.join('.'), value) }
}
