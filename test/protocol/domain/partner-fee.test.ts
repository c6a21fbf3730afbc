import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isSamePartner,
  MAX_PARTNER_BPS,
  parsePartnerFee,
  partnerShare,
} from '../../../src/protocol/domain/partner-fee.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'

const RECIPIENT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

describe("a partner's share", () => {
  it.each([
    [0n, 500, 0n],
    [399n, 25, 0n],
    [400n, 25, 1n],
    [799n, 25, 1n],
    [77_500_000n, 100, 775_000n],
    [77_500_000n, 500, 3_875_000n],
  ])('on %s micro-dollars at %s basis points is %s, rounded down as by the contract', (premium, bps, share) => {
    expect(partnerShare(usd6(premium), { recipient: RECIPIENT, bps })).toBe(share)
  })

  it('is nothing without a partner, and never above a twentieth', () => {
    expect(partnerShare(usd6(77_500_000n), null)).toBe(0n)
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 80n }), fc.integer({ min: 1, max: MAX_PARTNER_BPS }), (sum, bps) => {
        expect(partnerShare(usd6(sum), { recipient: RECIPIENT, bps }) * 20n).toBeLessThanOrEqual(sum)
      }),
    )
  })
})

describe('two fees are the same', () => {
  const fee = { recipient: RECIPIENT, bps: 25 } as const

  it('if recipient and share are, or if neither is there', () => {
    expect(isSamePartner(fee, { ...fee })).toBe(true)
    expect(isSamePartner(null, null)).toBe(true)
  })

  it.each([{ ...fee, bps: 26 }, { ...fee, recipient: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' as const }, null])(
    'and not beside %o',
    (other) => {
      expect(isSamePartner(fee, other)).toBe(false)
      expect(isSamePartner(other, fee)).toBe(false)
    },
  )
})

describe('a partner that is written out', () => {
  it('is an address, in any case, and basis points', () => {
    expect(parsePartnerFee(`${RECIPIENT}:25`)).toEqual({ recipient: RECIPIENT, bps: 25 })
    expect(parsePartnerFee(`${RECIPIENT.toLowerCase()}:1`)).toEqual({ recipient: RECIPIENT, bps: 1 })
    expect(parsePartnerFee(`${RECIPIENT}:500`)?.bps).toBe(500)
  })

  it.each([
    '',
    ':',
    RECIPIENT,
    `${RECIPIENT}:`,
    `${RECIPIENT}:0`,
    `${RECIPIENT}:025`,
    `${RECIPIENT}:501`,
    `${RECIPIENT}:1e2`,
  ])('is not read from "%s"', (text) => expect(parsePartnerFee(text)).toBeNull())

  it('is not read with a wrong checksum, or of the zero address', () => {
    expect(parsePartnerFee(`${RECIPIENT.replace('C5', 'c5')}:25`)).toBeNull()
    expect(parsePartnerFee(`0x${'0'.repeat(40)}:25`)).toBeNull()
  })
})
