import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Order } from '../../../src/protocol/domain/order.ts'
import { createNonceCheck, endedBy, maskOf, type NonceUse } from '../../../src/protocol/domain/order-end.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { walletOf } from '../../support/arbitraries.ts'

const order: Order = {
  maker: walletOf(1),
  seriesId: '77',
  optionAmount: contracts(10n),
  premiumAmount: usd6(5n),
  makerSelling: true,
  taker: walletOf(2),
  validUntil: 1_000,
  nonce: 2 ** 52 - 3,
}
const { maker, nonce, validUntil: _, ...fill } = order
const place = { transactionHash: `0x${'ab'.repeat(32)}`, blockNumber: 7 } as const
const use = (by: Partial<NonceUse>): NonceUse => ({ maker, ...place, ...maskOf(BigInt(nonce)), fill: null, ...by })

describe('a signed order', () => {
  test('is filled by a fill of its terms, and cancelled by its maker', () => {
    expect(endedBy(order, [use({ fill })])).toEqual({ state: 'filled', ...place })
    expect(endedBy(order, [use({})])).toEqual({ state: 'cancelled', ...place })
  })

  test('is cancelled by a fill of other terms that its maker has signed with the same nonce', () => {
    const others = [
      { taker: walletOf(3) },
      { seriesId: '78' },
      { optionAmount: contracts(9n) },
      { premiumAmount: usd6(6n) },
      { makerSelling: false },
    ]
    for (const other of others)
      expect(endedBy(order, [use({ fill: { ...fill, ...other } })])).toMatchObject({ state: 'cancelled' })
  })

  test('is open while only other nonces are used', () => {
    expect(endedBy(order, [])).toBeNull()
    expect(endedBy(order, [use(maskOf(BigInt(nonce) + 1n)), use(maskOf(BigInt(nonce) + 256n))])).toBeNull()
  })

  test('is cancelled with a whole word of nonces, and the first use counts', () => {
    const word = use({ mask: 2n ** 256n - 1n })
    expect(endedBy(order, [word, use({ fill })])).toMatchObject({ state: 'cancelled' })
  })
})

test('a nonce is used when any use has its bit', () => {
  const nonces = fc.array(fc.integer({ min: 0, max: 1_000 }))
  fc.assert(
    fc.property(nonces, nonces, (used, asked) => {
      const isUsed = createNonceCheck(used.map((one) => use(maskOf(BigInt(one)))))
      for (const one of [...used, ...asked]) expect(isUsed(one)).toBe(used.includes(one))
    }),
  )
})
