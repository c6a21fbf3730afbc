import { describe, expect, it, test } from 'vitest'
import { addressAt, type Blueprint, differences, roleFaults } from '../../../src/onchain/deploy/blueprint.ts'
import { nextStep, predict, remainingWork, type Site } from '../../../src/onchain/deploy/plan.ts'
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

const bare: Site = { nonce: 5, waiting: 0, stablecoin: null, core: null, settlement: null }
const withCoin: Site = { ...bare, nonce: 6, stablecoin: COIN }
const core = { address: address('a'), nonce: 6, stablecoin: COIN }
const withCore: Site = { ...withCoin, nonce: 7, core }
const withAll: Site = { ...withCore, nonce: 8, settlement: address('b') }

describe('the next step of a deployment', () => {
  it.each([
    ['begins with the stablecoin, at the nonce that the deployer really has', bare, 'stablecoin', 5],
    ['goes on with the core', withCoin, 'core', 6],
    ['then with the settlement, the very next transaction', withCore, 'settlement', 7],
    ['goes on with the core also when the deployer did other things meanwhile', { ...withCoin, nonce: 40 }, 'core', 40],
  ] as const)('%s', (_, site, work, nonce) => {
    expect(nextStep(blueprint, site)).toEqual({ kind: 'work', work, nonce })
  })

  it('leaves a stablecoin alone that exists already', () => {
    const existing: Blueprint = { ...blueprint, stablecoin: { kind: 'existing', address: COIN } }
    expect(nextStep(existing, { ...bare, stablecoin: COIN })).toEqual({ kind: 'work', work: 'core', nonce: 5 })
  })

  it('is none when all three are there', () => {
    expect(nextStep(blueprint, withAll)).toEqual({ kind: 'done' })
  })

  it('is none when the settlement’s place was lost: that core can never be used', () => {
    const lost = { ...withCore, nonce: 8 }
    expect(nextStep(blueprint, lost)).toEqual({
      kind: 'stuck',
      reason: expect.stringContaining('transaction 7 of the deployer was something else'),
    })
    expect(remainingWork(blueprint, lost)).toEqual([])
  })

  it('is none when the core is for another stablecoin', () => {
    const other = { ...withCore, stablecoin: address('8') }
    expect(nextStep(blueprint, other)).toMatchObject({ kind: 'stuck', reason: expect.stringContaining(COIN) })
    expect(nextStep(blueprint, { ...withCore, stablecoin: null })).toMatchObject({ kind: 'stuck' })
  })
})

test('the remaining steps are listed in order', () => {
  expect(remainingWork(blueprint, bare)).toEqual(['stablecoin', 'core', 'settlement'])
  expect(remainingWork(blueprint, withCoin)).toEqual(['core', 'settlement'])
  expect(remainingWork(blueprint, withAll)).toEqual([])
})

test('the addresses are known before anything is sent, and stay the same from step to step', () => {
  const whole = {
    stablecoinAddress: addressAt(DEPLOYER, 5),
    coreAddress: addressAt(DEPLOYER, 6),
    settlementAddress: addressAt(DEPLOYER, 7),
  }
  expect(predict(blueprint, bare)).toEqual(whole)
  const coin = addressAt(DEPLOYER, 5)
  expect(predict(blueprint, { ...withCoin, stablecoin: coin })).toEqual(whole)
  expect(predict(blueprint, { ...withCore, stablecoin: coin })).toEqual(whole)
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
