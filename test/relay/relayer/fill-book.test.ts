import { describe, expect, it } from 'vitest'
import type { Hex } from '../../../src/protocol/domain/units.ts'
import { createFillBook } from '../../../src/relay/relayer/fill-book.ts'
import { fillOf, TRANSACTION } from './fixture.ts'

const hash = (digit: number): Hex => `0x${String(digit).repeat(64)}`
const charged = { fill: fillOf(), fee: 0n as never }

describe('the book of fills', () => {
  it('forgets what was signed for a fill once it has ended', () => {
    const book = createFillBook()
    const [filled, failed] = [book.open(hash(1), charged), book.open(hash(2), charged)]
    book.sent(filled, TRANSACTION)
    expect(filled.charged).toBe(charged)
    book.filled(filled, TRANSACTION)
    book.failed(failed, 'reverted', 'It refuses.')
    expect([filled.charged, failed.charged]).toEqual([null, null])
  })

  it('keeps the transaction of a fill that failed', () => {
    const book = createFillBook()
    const fill = book.open(hash(1), charged)
    book.sent(fill, TRANSACTION)
    book.failed(fill, 'unmined', 'Not in time.')
    expect(fill.status).toMatchObject({ status: 'failed', transactionHash: TRANSACTION, failure: 'unmined' })
  })

  it('keeps so many that have ended, and every one that has not', () => {
    const book = createFillBook(2)
    book.open(hash(1), charged)
    for (const digit of [2, 3, 4]) book.note(hash(digit), TRANSACTION)
    expect([1, 2, 3, 4].filter((digit) => book.find(hash(digit)) !== null)).toEqual([1, 3, 4])
  })

  it('keeps an order that was submitted again after it had failed', () => {
    const book = createFillBook(1)
    book.failed(book.open(hash(1), charged), 'refused', 'Not now.')
    const again = book.open(hash(1), charged)
    book.note(hash(2), TRANSACTION)
    expect(book.find(hash(1))).toBe(again)
  })
})
