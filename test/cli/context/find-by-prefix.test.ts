import { expect, test } from 'vitest'
import { findByPrefix } from '../../../src/cli/context/find-by-prefix.ts'

const items = ['1234', '12', '99'].map((id) => ({ id }))
const choice = { noun: 'series', items, idOf: ({ id }: { id: string }) => id, list: 'rfqctl series list' }

test('an id is found by a unique start, or by all of it', () => {
  expect(findByPrefix('9', choice).id).toBe('99')
  expect(findByPrefix('12', choice).id).toBe('12')
})

test('a start of several ids is refused with all of them', () => {
  expect(() => findByPrefix('1', choice)).toThrow(
    expect.objectContaining({ code: 'ambiguous', why: ['1234', '12'], exitCode: 2 }),
  )
})

test.each(['5', '@1', '@', '-1'])('%s is nothing', (text) => {
  expect(() => findByPrefix(text, choice)).toThrow(
    expect.objectContaining({ code: 'not_found', hint: 'rfqctl series list', exitCode: 5 }),
  )
})
