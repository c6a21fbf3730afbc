import { describe, expect, it } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { assertFill, gasCost, isSameFill } from '../../../src/relay/relayer/fill-rules.ts'
import { fillOf, hashOf, NOW, RECIPIENT, STRANGER } from './fixture.ts'

const chainTime = NOW / 1_000

const codeOf = (fill = fillOf(), fee = usd6(50_000n)): string | null => {
  try {
    assertFill(fill, { orderHash: hashOf(fill.order), feeRecipient: RECIPIENT, fee, chainTime })
    return null
  } catch (fault) {
    return (fault as { code: string }).code
  }
}

describe('a fill that a taker signed', () => {
  it('is taken when all of it is right', () => expect(codeOf()).toBe(null))

  it('is refused when another order was authorized', () => {
    expect(codeOf(fillOf({ authorization: { orderHash: `0x${'ab'.repeat(32)}` } }))).toBe('authorization_mismatch')
  })

  it('is refused when someone else is to be paid', () => {
    expect(codeOf(fillOf({ authorization: { feeRecipient: STRANGER } }))).toBe('authorization_mismatch')
  })

  it('is refused when less than the fee was authorized, by a micro-dollar', () => {
    expect(codeOf(fillOf({ authorization: { maxFee: usd6(49_999n) } }))).toBe('fee_too_low')
    expect(codeOf(fillOf({ authorization: { maxFee: usd6(0n) } }), usd6(0n))).toBe(null)
  })

  it.each([
    ['the order', { order: { validUntil: chainTime + 9 } }],
    ['the authorization', { authorization: { deadline: chainTime + 9 } }],
    ['the permit', { payment: { deadline: chainTime + 9 } }],
  ])('is refused when %s ends before it can be mined', (_, late) => {
    expect(codeOf(fillOf(late))).toBe('fill_too_late')
  })

  it('has time with ten seconds left, and an allowance has no deadline', () => {
    const deadline = chainTime + 10
    expect(codeOf(fillOf({ authorization: { deadline }, payment: { deadline } }))).toBe(null)
    expect(codeOf(fillOf({ payment: { method: 'allowance', deadline: 0 } }))).toBe(null)
  })
})

describe('the cost of gas', () => {
  it('is what the coin is worth, rounded up to a micro-dollar', () => {
    const coinPrice = usd6(250_000n)
    expect(gasCost(300_000n, 30n * 10n ** 9n, coinPrice)).toBe(2_250n)
    expect(gasCost(1n, 1n, coinPrice)).toBe(1n)
    expect(gasCost(0n, 1n, coinPrice)).toBe(0n)
  })
})

describe('two submissions', () => {
  it.each([
    ['takerSignature', fillOf({ takerSignature: '0x44' })],
    ['makerSignature', fillOf({ makerSignature: '0x44' })],
    ['the signature of the payment', fillOf({ payment: { signature: '0x44' } })],
    ['the method', fillOf({ payment: { method: 'permit2' } })],
    ['maxFee', fillOf({ authorization: { maxFee: usd6(60_000n) } })],
    ['the deadline', fillOf({ authorization: { deadline: chainTime + 50 } })],
    ['the partner', fillOf({ authorization: { partnerFee: { recipient: RECIPIENT, bps: 25 } } })],
  ])('differ by %s', (_, other) => expect(isSameFill(fillOf(), other)).toBe(false))

  it('differ by the share of a partner', () => {
    const of = (recipient: typeof RECIPIENT, bps: number) =>
      fillOf({ authorization: { partnerFee: { recipient, bps } } })
    expect(isSameFill(of(RECIPIENT, 25), of(RECIPIENT, 26))).toBe(false)
    expect(isSameFill(of(RECIPIENT, 25), of(STRANGER, 25))).toBe(false)
    expect(isSameFill(of(RECIPIENT, 25), of(RECIPIENT, 25))).toBe(true)
  })

  it('are the same with all signatures alike', () => expect(isSameFill(fillOf(), fillOf())).toBe(true))
})
