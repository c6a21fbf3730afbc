import { expect, test } from 'vitest'
import { nearestWord } from '../../src/cli/nearest-word.ts'

const WORDS = ['--budget', '--size', '--wait', '--fill']

test.each([
  ['--bugdet', '--budget'],
  ['--buget', '--budget'],
  ['--budgett', '--budget'],
  ['--bduget', '--budget'],
  ['--sise', '--size'],
  ['--fil', '--fill'],
])('%s was meant as %s', (typed, meant) => {
  expect(nearestWord(typed, WORDS)).toBe(meant)
})

test.each(['--price', '--bdgte-usd', ''])('%j is near none', (typed) => {
  expect(nearestWord(typed, WORDS)).toBeNull()
})
