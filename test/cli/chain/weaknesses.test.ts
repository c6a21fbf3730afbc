import { describe, expect, it, test } from 'vitest'
import { marketsOn, type Safeguards, weaknessesOf } from '../../../src/cli/chain/weaknesses.ts'
import type { Address } from '../../../src/protocol/domain/units.ts'

const address = (digit: string): Address => `0x${digit.repeat(40)}`
const MARKETS = address('c')

const SAFE: Safeguards = {
  holders: {
    owner: address('1'),
    guardian: address('2'),
    signer: address('3'),
    registrar: address('4'),
    halter: address('5'),
  },
  disputeWindow: 3_600,
  conditionalTokens: MARKETS,
  markets: MARKETS,
}

const withHolders = (holders: Partial<Safeguards['holders']>): string[] =>
  weaknessesOf({ ...SAFE, holders: { ...SAFE.holders, ...holders } }).map(({ found, fix }) => `${found}; ${fix}`)

test('a core whose roles are apart, with a window of an hour and a last resort, has no weakness', () => {
  expect(weaknessesOf(SAFE)).toEqual([])
  expect(weaknessesOf({ ...SAFE, markets: null, conditionalTokens: null })).toEqual([])
  expect(weaknessesOf({ ...SAFE, markets: null })).toEqual([])
})

describe('one address in two roles', () => {
  it.each([
    ['owner', 'signer', 'chain signer propose ADDRESS'],
    ['guardian', 'signer', 'chain signer propose ADDRESS'],
    ['registrar', 'signer', 'chain registrar ADDRESS'],
    ['halter', 'signer', 'chain halter ADDRESS'],
    ['guardian', 'registrar', 'chain registrar ADDRESS'],
    ['guardian', 'halter', 'chain halter ADDRESS'],
  ] as const)('%s and %s are to be apart', (one, other, fix) => {
    const shared = SAFE.holders[one]
    expect(withHolders({ [other]: shared })).toEqual([
      `${one} and ${other} are both ${shared}: one stolen key has two roles; rfqctl ${fix}`,
    ])
  })

  test('an owner that is the guardian is named by itself, without the roles that the owner has anyway', () => {
    const owner = SAFE.holders.owner
    expect(withHolders({ guardian: owner, registrar: owner, halter: owner })).toEqual([
      'owner and guardian are one: no one can stop a stolen owner key; rfqctl chain guardian propose ADDRESS',
    ])
  })

  test('registrar and halter may be one machine, and vacant roles are shared by no one', () => {
    expect(withHolders({ halter: SAFE.holders.registrar })).toEqual([])
    expect(withHolders({ registrar: null, halter: null, signer: null })).toEqual([])
  })
})

it.each([
  [0, 'there is no dispute window: no signed price can be vetoed'],
  [3_599, 'the dispute window of 59m 59s is too short for a person to veto a price'],
])('a window of %s s is too short', (disputeWindow, found) => {
  expect(weaknessesOf({ ...SAFE, disputeWindow }).map((weakness) => weakness.found)).toEqual([found])
})

test('a chain with a known conditional-token contract is to have it as the last resort', () => {
  expect(weaknessesOf({ ...SAFE, conditionalTokens: null })).toEqual([
    {
      found: `there is no last resort, and this chain has the markets' contract at ${MARKETS}`,
      fix: expect.stringContaining(`--conditional-tokens ${MARKETS}`),
    },
  ])
})

test('the known contract counts where it has code', async () => {
  const chainWith = (code: `0x${string}` | undefined) => ({ getCode: async () => code }) as never
  expect(await marketsOn(chainWith('0x60'), 137)).toBe('0x4D97DCd97eC945f40cF65F87097ACe5EA0476045')
  expect(await marketsOn(chainWith(undefined), 137)).toBeNull()
  expect(await marketsOn(chainWith('0x60'), 1)).toBeNull()
})
