import { describe, expect, it, test } from 'vitest'
import { type Blueprint, differences, roleFaults } from '../../../src/onchain/deploy/blueprint.ts'
import { remainingWork, type Site } from '../../../src/onchain/deploy/plan.ts'
import type { Address } from '../../../src/protocol/domain/units.ts'

const address = (digit: string): Address => `0x${digit.repeat(40)}`
const DEPLOYER = address('1')
const OWNER = address('2')
const COIN = address('9')

const blueprint: Blueprint = {
  chainId: 80_002,
  deployer: DEPLOYER,
  owner: OWNER,
  registrar: address('5'),
  guardian: address('6'),
  halter: null,
  resolutionSigner: address('3'),
  tradingCutoff: 0,
  disputeWindow: 0,
  conditionalTokens: null,
  stablecoin: { kind: 'test', minter: address('4') },
  tokenUri: '',
}

const bare: Site = { block: 9n, nonce: 5, waiting: 0, hasStablecoin: false, hasFactory: false, hasPair: false }

describe('the rest of a deployment', () => {
  it.each([
    ['is all of it at first', bare, ['stablecoin', 'factory', 'pair']],
    ['is the rest once the stablecoin is there', { ...bare, hasStablecoin: true }, ['factory', 'pair']],
    [
      'is the stablecoin, too, where a stranger made the factory',
      { ...bare, hasFactory: true },
      ['stablecoin', 'pair'],
    ],
    ['is the pair in the end', { ...bare, hasStablecoin: true, hasFactory: true }, ['pair']],
    ['is nothing once the pair is there, whatever stablecoin it has', { ...bare, hasPair: true }, []],
  ] as const)('%s', (_, site, work) => {
    expect(remainingWork(blueprint, site)).toEqual(work)
  })

  it('has no stablecoin where one exists already', () => {
    const existing: Blueprint = { ...blueprint, stablecoin: { kind: 'existing', address: COIN } }
    expect(remainingWork(existing, { ...bare, hasStablecoin: true })).toEqual(['factory', 'pair'])
  })
})

describe('roles', () => {
  const signer = blueprint.resolutionSigner

  it('may be a key each, or fewer where one is owner, guardian and registrar, or the deployer is', () => {
    expect(roleFaults(blueprint, [])).toEqual([])
    expect(roleFaults({ ...blueprint, owner: DEPLOYER }, [])).toEqual([])
    expect(roleFaults({ ...blueprint, guardian: OWNER, registrar: OWNER }, [])).toEqual([])
    expect(roleFaults({ ...blueprint, owner: DEPLOYER, guardian: DEPLOYER, registrar: DEPLOYER }, [])).toEqual([])
    expect(roleFaults({ ...blueprint, stablecoin: { kind: 'existing', address: signer } }, [])).toEqual([])
  })

  it.each([
    [{ resolutionSigner: DEPLOYER }, 'deployer and resolution signer'],
    [{ stablecoin: { kind: 'test', minter: DEPLOYER } }, 'deployer and faucet'],
    [{ stablecoin: { kind: 'test', minter: signer } }, 'resolution signer and faucet'],
    [{ owner: signer }, 'resolution signer and owner'],
    [{ owner: address('4') }, 'faucet and owner'],
    [{ guardian: signer }, 'resolution signer and guardian'],
    [{ registrar: address('4') }, 'faucet and registrar'],
  ] as const)('may not be one key: %o', (change, words) => {
    expect(roleFaults({ ...blueprint, ...change }, [])).toEqual([expect.stringContaining(words)])
  })

  it('may not be held by public keys', () => {
    expect(roleFaults(blueprint, [signer, OWNER, blueprint.guardian])).toEqual([
      expect.stringContaining(`resolution signer ${signer} is public`),
      expect.stringContaining(`owner ${OWNER} is public`),
      expect.stringContaining(`guardian ${blueprint.guardian} is public`),
    ])
  })
})

test('a former choice that differs is named', () => {
  expect(differences(blueprint, blueprint)).toEqual([])
  expect(differences(blueprint, { ...blueprint, owner: DEPLOYER, tokenUri: 'https://a.example/{id}' })).toEqual([
    `the owner was ${OWNER} and is now ${DEPLOYER}`,
    'the token URI was none and is now https://a.example/{id}',
  ])
  const later: Blueprint = { ...blueprint, guardian: OWNER, disputeWindow: 7_200, conditionalTokens: COIN }
  expect(differences(blueprint, later)).toEqual([
    `the guardian was ${blueprint.guardian} and is now ${OWNER}`,
    'the dispute window was 0 s and is now 7200 s',
    `the conditional-token contract was none and is now ${COIN}`,
  ])
  const existing: Blueprint = { ...blueprint, stablecoin: { kind: 'existing', address: COIN } }
  expect(differences(existing, blueprint)).toEqual([
    `the stablecoin was ${COIN} and is now a TestUSD minted by ${address('4')}`,
  ])
})
