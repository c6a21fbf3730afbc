import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contracts } from '../../../src/protocol/domain/units.ts'
import { decodeCommit, decodeCommitment, encodeCommit, encodeCommitment } from '../../../src/protocol/wire/commit.ts'
import { decodeOpenRequest } from '../../../src/protocol/wire/open-request.ts'
import { address, price, size } from '../../support/arbitraries.ts'
import { domain, environment, order, overTheWire, quote, TAKER } from './examples.ts'

const signature = `0x${'12'.repeat(65)}` as const
const acceptance = { requestId: 'request-1', quoteId: 'quote-1', makerId: 'maker-1', quote, order, domain }
const execution = { executionId: 'execution-1', executedAt: 1_700_000_011_000, signature, acceptance }
const approval = { spender: 'settlement', amount: order.premiumAmount, reason: 'premium' } as const

describe('the body of a commit', () => {
  test('needs a wallet only', () => {
    expect(decodeCommit({ wallet: TAKER })).toEqual({
      terms: { wallet: TAKER, limitPrice: null, minContracts: null, expectedQuoteId: null },
      takerSecret: null,
      proof: null,
    })
  })

  test('gives back the protections that were encoded', () => {
    const arbitrary = fc.record({
      wallet: address,
      limitPrice: fc.option(price),
      minContracts: fc.option(size),
      expectedQuoteId: fc.option(fc.uuid()),
    })
    fc.assert(
      fc.property(arbitrary, (terms) => {
        expect(decodeCommit(overTheWire(encodeCommit(terms)))).toEqual({ terms, takerSecret: null, proof: null })
      }),
    )
  })

  test.each(['limit_price', 'LimitPrice', 'maxPrice', 'slippage'])('is refused with the unknown field %s', (name) => {
    expect(() => decodeCommit({ wallet: TAKER, [name]: 0.5 })).toThrow(`"${name}" is not a field of the body`)
  })

  test.each([
    ['wallet', undefined],
    ['wallet', null],
    ['wallet', `0X${TAKER.slice(2)}`],
    ['wallet', TAKER.slice(0, -1)],
    ['limitPrice', '0.5'],
    ['limitPrice', 16.5],
    ['limitPrice', -0.1],
    ['minContracts', 0],
    ['minContracts', 1.5],
    ['expectedQuoteId', 5],
    ['takerSecret', 5],
    ['proof', 5],
    ['proof', `0x${'12'.repeat(4_097)}`],
  ])('is refused when %s is %j', (field, value) => {
    expect(() => decodeCommit({ wallet: TAKER, [field]: value })).toThrow(new RegExp(`^${field} must be`))
  })

  test('is refused rather than rounded when its limit has more than 6 decimals', () => {
    expect(() => decodeCommit({ wallet: TAKER, limitPrice: 0.1200001 })).toThrow(/at most 6 decimals, got 0\.1200001/)
  })

  test.each(['takerSecret', 'proof'])('never shows its %s in a refusal', (field) => {
    expect(() => decodeCommit({ wallet: TAKER, [field]: 123_456 })).toThrow(/^(?!.*123456)/)
  })
})

describe('the answer to a commit', () => {
  test('is what the specification shows, on chain', () => {
    expect(encodeCommitment({ mode: 'onchain', execution, approval }, environment)).toEqual({
      success: true,
      message: expect.any(String),
      mode: 'onchain',
      quote: {
        maker_id: 'maker-1',
        quote_id: 'quote-1',
        maker: quote.maker,
        side: 'buy',
        price: 0.12,
        size: 1_000,
        expires_in_ms: 50_000,
        fillContracts: 833,
      },
      execution: {
        execution_id: 'execution-1',
        request_id: 'request-1',
        quote_id: 'quote-1',
        maker_id: 'maker-1',
        executed_at: '2023-11-14T22:13:31.000Z',
      },
      onchain: {
        settlementAddress: environment.settlementAddress,
        coreAddress: environment.coreAddress,
        order: {
          maker: quote.maker,
          seriesId: '7',
          optionAmount: '833',
          premiumAmount: '99960000',
          makerSelling: true,
          taker: TAKER,
          validUntil: 1_700_000_132,
          nonce: 4_294_967_296,
        },
        makerSignature: signature,
        domain,
        chainId: 80_002,
        takerApproval: { spender: environment.settlementAddress, amount: '99960000', reason: 'premium' },
      },
    })
  })

  test('names the core as spender of collateral', () => {
    const sell = { ...approval, spender: 'core', reason: 'collateral' } as const
    const { onchain } = encodeCommitment({ mode: 'onchain', execution, approval: sell }, environment)
    expect(onchain?.takerApproval).toEqual({
      spender: environment.coreAddress,
      amount: '99960000',
      reason: 'collateral',
    })
  })

  test('has no onchain object in simulated mode', () => {
    expect(encodeCommitment({ mode: 'simulated', execution, approval }, environment)).not.toHaveProperty('onchain')
  })

  test('shows no negative lifetime for a quote that expired while its maker signed', () => {
    const late = { ...execution, executedAt: quote.expiresAt + 5 }
    const { quote: shown } = encodeCommitment({ mode: 'simulated', execution: late, approval }, environment)
    expect(shown.expires_in_ms).toBe(0)
  })

  test('says what comes from inventory and what is closed, where there is any', () => {
    const acceptance = { ...execution.acceptance, fromInventory: contracts(100n) }
    const told = (over: object) =>
      encodeCommitment(
        { mode: 'onchain', execution: { ...execution, acceptance: { ...acceptance, ...over } }, approval },
        environment,
      )
    expect(told({})).toMatchObject({
      message: expect.stringContaining('fillFromInventory()'),
      onchain: { fromInventory: '100', closeAfter: '0' },
    })
    expect(told({ closes: true }).onchain).toMatchObject({ fromInventory: '100', closeAfter: '833' })
    expect(decodeCommitment(overTheWire(told({ closes: true }))).onchain).toMatchObject({
      fromInventory: 100n,
      closeAfter: 833n,
    })
  })

  test('gives its taker everything back', () => {
    const decoded = decodeCommitment(
      overTheWire(encodeCommitment({ mode: 'onchain', execution, approval }, environment)),
    )
    expect(decoded).toMatchObject({
      mode: 'onchain',
      quote: { quoteId: 'quote-1', price: 120_000n, fillContracts: 833n, expiresInMs: 50_000 },
      execution: { executionId: 'execution-1', executedAt: execution.executedAt },
      onchain: { order, domain, makerSignature: signature, takerApproval: { amount: 99_960_000n, reason: 'premium' } },
    })
    const simulated = encodeCommitment({ mode: 'simulated', execution, approval }, environment)
    expect(decodeCommitment(overTheWire(simulated)).onchain).toBeNull()
  })
})

test('a body with a crowd of fields is refused before any of them is looked at', () => {
  const crowd = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`field${i}`, 1]))
  expect(() => decodeCommit({ wallet: 'me', ...crowd })).toThrow('the body has 5001 fields')
  expect(() => decodeOpenRequest({ market: crowd, option: {}, trade: {} })).toThrow('market has 5000 fields')
  expect(() => decodeOpenRequest(Array(5_000).fill(crowd))).toThrow('the body must be an object, got a list')
})
