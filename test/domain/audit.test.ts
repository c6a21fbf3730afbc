import { expect, test } from 'vitest'
import { makerOf } from '../../src/domain/audit.ts'
import { contracts, usd6 } from '../../src/domain/units.ts'

test('an entry is about the maker that it names, or that made its quote', () => {
  const quote = {
    quoteId: 'q',
    requestId: 'r',
    makerId: 'ada',
    maker: '0x',
    side: 'buy',
    price: usd6(1n),
    size: contracts(1n),
    pricedAt: 1,
    expiresAt: 2,
  } as const
  expect(makerOf({ kind: 'quoted', quote, isRequote: false })).toBe('ada')
  expect(makerOf({ kind: 'missed', makerId: 'bob', quoteId: 'q' })).toBe('bob')
  expect(makerOf({ kind: 'closed', status: 'expired' })).toBeNull()
})
