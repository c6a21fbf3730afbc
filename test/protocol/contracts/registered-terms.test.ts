import { expect, test } from 'vitest'
import { registeredTerms } from '../../../src/protocol/contracts/registered-terms.ts'
import { packLegs } from '../../../src/protocol/domain/option.ts'
import type { StrikeBps } from '../../../src/protocol/domain/units.ts'

const registered = {
  seriesId: 7n,
  conditionId: `0x${'7e'.repeat(32)}` as const,
  yesClobTokenId: 42n,
  expiry: 1_800_000_000n,
}
const terms = { seriesId: '7', conditionId: registered.conditionId, yesTokenId: '42', expiry: 1_800_000_000 }

test.each([
  [0, 'call'],
  [1, 'put'],
])('option type %i of the core is a %s', (optionType, name) => {
  const args = { ...registered, strikeBps: 4_500, optionType }
  expect(registeredTerms({ eventName: 'SeriesCreated', args })).toEqual({
    ...terms,
    strikeBps: 4_500,
    optionType: name,
  })
})

test('a package has its legs', () => {
  const legs = [
    { optionType: 'call' as const, strikeBps: 4_000 as StrikeBps, quantity: 1 },
    { optionType: 'call' as const, strikeBps: 6_000 as StrikeBps, quantity: -1 },
  ]
  const args = { ...registered, legs: packLegs(legs) }
  expect(registeredTerms({ eventName: 'PackageCreated', args })).toEqual({ ...terms, legs })
})
