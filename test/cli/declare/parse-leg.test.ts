import { expect, test } from 'vitest'
import { parseLeg } from '../../../src/cli/declare/parse.ts'

test.each([
  ['+1@1', 1, '@1'],
  ['1@12', 1, '@12'],
  ['-2@2', -2, '@2'],
  ['+4@norvik-c45-nov22-0310', 4, 'norvik-c45-nov22-0310'],
  ['-1@norvik', -1, 'norvik'],
  ['+1@7720843', 1, '7720843'],
])('the leg %s is %d of %s', (text, quantity, series) => {
  expect(parseLeg(text)).toEqual([{ quantity, series }])
})

test('legs are taken in their order', () => {
  expect(parseLeg('-1@2', parseLeg('+1@1'))).toEqual([
    { quantity: 1, series: '@1' },
    { quantity: -1, series: '@2' },
  ])
})

test.each(['@1', '+@1', '0@1', '+5@1', '+10@1', '1.5@1', '+1', '+1@', '++1@1', '+1@a b', `+1@${'9'.repeat(101)}`])(
  '%s is no leg',
  (text) => {
    expect(() => parseLeg(text)).toThrow('such as +1@1')
  },
)
