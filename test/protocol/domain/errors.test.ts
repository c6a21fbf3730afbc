import { describe, expect, test } from 'vitest'
import { ERRORS, type ErrorCode, errorEntry, RfqError } from '../../../src/protocol/domain/errors.ts'

const codes = Object.keys(ERRORS) as ErrorCode[]

describe('the table of errors', () => {
  test('has the three codes that the specification names', () => {
    expect(codes).toEqual(
      expect.arrayContaining(['maker_insufficient_balance', 'maker_insufficient_allowance', 'no_pending_acceptance']),
    )
  })

  test.each(codes)('%s is a snake_case code with a whole sentence', (code) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(errorEntry(code).message).toMatch(/^[A-Z].*\.$/)
    expect(errorEntry(code).hint ?? 'None.').toMatch(/^[A-Z].*\.$/)
  })

  test('has no sentence twice, so that two refusals differ', () => {
    const messages = codes.map((code) => ERRORS[code].message)
    expect(new Set(messages).size).toBe(messages.length)
  })
})

describe('a refusal', () => {
  test("says the table's sentence unless it has one of its own", () => {
    expect(new RfqError('quote_locked').message).toBe(ERRORS.quote_locked.message)
    expect(new RfqError('quote_locked', { detail: 'Quote 7 is out.' }).message).toBe('Quote 7 is out.')
  })

  test('carries its code, its figures and its cause', () => {
    const cause = new Error('socket hang up')
    const refusal = new RfqError('chain_unavailable', { data: { block: 7 }, cause })
    expect(refusal).toBeInstanceOf(Error)
    expect(refusal).toMatchObject({ name: 'RfqError', code: 'chain_unavailable', data: { block: 7 }, cause })
  })

  test('without figures or a cause has no such field', () => {
    const refusal = new RfqError('not_found')
    expect(refusal.data).toEqual({})
    expect('cause' in refusal).toBe(false)
  })
})
