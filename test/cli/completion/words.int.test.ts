import { expect, test } from 'vitest'
import { wordsOf } from '../../../src/cli/completion/complete.ts'

test.each([
  ['rfqctl', ['rfqctl']],
  ['rfqctl ', ['rfqctl', '']],
  ['rfqctl  taker   co', ['rfqctl', 'taker', 'co']],
  ['rfqctl --reason "last trade" --by A', ['rfqctl', '--reason', 'last trade', '--by', 'A']],
  ["rfqctl 'my fi", ['rfqctl', 'my fi']],
  ['', ['']],
])('%j is %j', (line, words) => {
  expect(wordsOf(line)).toEqual(words)
})
