import { expect, test } from 'vitest'
import { decodeTraceparent } from '../../../src/protocol/wire/traceparent.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

test('a traceparent of version 00 is taken as it is', () => {
  expect(decodeTraceparent(`00-${TRACE}-${SPAN}-01`)).toBe(`00-${TRACE}-${SPAN}-01`)
})

test.each([
  ['none', undefined],
  ['one that came twice', [`00-${TRACE}-${SPAN}-01`]],
  ['another version', `01-${TRACE}-${SPAN}-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['more behind it', `00-${TRACE}-${SPAN}-01-${'x'.repeat(10_000)}`],
  ['a line break behind it', `00-${TRACE}-${SPAN}-01\n`],
  ['words', 'drop table traces'],
])('%s is ignored', (_, header) => {
  expect(decodeTraceparent(header)).toBeNull()
})
