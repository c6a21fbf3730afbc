import { describe, expect, it, test } from 'vitest'
import { addressAt, type Blueprint, differences, roleFaults } from '../../src/deploy/blueprint.ts'
import { nextStep, predict, remainingWork, type Site } from '../../src/deploy/plan.ts'
import type { Address } from '../../src/domain/units.ts'

const address = (digit: string): Address => `0x${digit.repeat(40)}`
const DEPLOYER = address('1')
const OWNER = address('2')
const COIN = address('9')

const blueprint: Blueprint = {
  chainId: 80_002,
  deployer: DEPLOYER,
  owner: OWNER,
  resolutionSigner: address('3'),
  stablecoin: { kind: 'test', minter: address('4') },
  tokenUri: '',
}

const bare: Site = { nonce: 5, waiting: 0, stablecoin: null, core: null, settlement: null }
const withCoin: Site = { ...bare, nonce: 6, stablecoin: COIN }
const core = { address: address('a'), nonce: 6, stablecoin: COIN, owner: DEPLOYER, pendingOwner: null }
const withCore: Site = { ...withCoin, nonce: 7, core }
const withAll: Site = { ...withCore, nonce: 8, settlement: address('b') }

describe('the next step of a deployment', () => {
  it.each([
    ['begins with the stablecoin, at the nonce that the deployer really has', bare, 'stablecoin', 5],
    ['goes on with the core', withCoin, 'core', 6],
    ['then with the settlement, the very next transaction', withCore, 'settlement', 7],
    ['then hands the core over', withAll, 'handover', 8],
    ['goes on with the core also when the deployer did other things meanwhile', { ...withCoin, nonce: 40 }, 'core', 40],
  ] as const)('%s', (_, site, work, nonce) => {
    expect(nextStep(blueprint, site)).toEqual({ kind: 'work', work, nonce })
  })

  it('leaves a stablecoin alone that exists already', () => {
    const existing: Blueprint = { ...blueprint, stablecoin: { kind: 'existing', address: COIN } }
    expect(nextStep(existing, { ...bare, stablecoin: COIN })).toEqual({ kind: 'work', work: 'core', nonce: 5 })
  })

  it('is none when the core is on its way to its owner, or there, or further on', () => {
    const ownedBy = (owner: Address, pendingOwner: Address | null = null): Site => ({
      ...withAll,
      core: { ...core, owner, pendingOwner },
    })
    expect(nextStep(blueprint, ownedBy(DEPLOYER, OWNER))).toEqual({ kind: 'done' })
    expect(nextStep(blueprint, ownedBy(OWNER))).toEqual({ kind: 'done' })
    expect(nextStep(blueprint, ownedBy(address('f')))).toEqual({ kind: 'done' })
    expect(nextStep(blueprint, ownedBy(DEPLOYER, address('f')))).toMatchObject({ work: 'handover' })
    expect(nextStep({ ...blueprint, owner: DEPLOYER }, withAll)).toEqual({ kind: 'done' })
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

test('what remains is told in order, for an owner who deploys without a handover', () => {
  expect(remainingWork(blueprint, bare)).toEqual(['stablecoin', 'core', 'settlement', 'handover'])
  expect(remainingWork({ ...blueprint, owner: DEPLOYER }, withCoin)).toEqual(['core', 'settlement'])
  expect(remainingWork(blueprint, withAll)).toEqual(['handover'])
  expect(remainingWork({ ...blueprint, owner: DEPLOYER }, withAll)).toEqual([])
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

  it('may be four keys, or three where the deployer stays the owner', () => {
    expect(roleFaults(blueprint, [])).toEqual([])
    expect(roleFaults({ ...blueprint, owner: DEPLOYER }, [])).toEqual([])
    expect(roleFaults({ ...blueprint, stablecoin: { kind: 'existing', address: signer } }, [])).toEqual([])
  })

  it.each([
    [{ resolutionSigner: DEPLOYER }, 'deployer and resolution signer'],
    [{ stablecoin: { kind: 'test', minter: DEPLOYER } }, 'deployer and faucet'],
    [{ stablecoin: { kind: 'test', minter: signer } }, 'resolution signer and faucet'],
    [{ owner: signer }, 'resolution signer and owner'],
    [{ owner: address('4') }, 'faucet and owner'],
  ] as const)('may not be one key: %o', (change, words) => {
    expect(roleFaults({ ...blueprint, ...change }, [])).toEqual([expect.stringContaining(words)])
  })

  it('may not be held by keys that everybody knows', () => {
    expect(roleFaults(blueprint, [signer, OWNER])).toEqual([
      expect.stringContaining(`resolution signer ${signer} is public`),
      expect.stringContaining(`owner ${OWNER} is public`),
    ])
  })
})

test('what was chosen otherwise before is told', () => {
  expect(differences(blueprint, blueprint)).toEqual([])
  expect(differences(blueprint, { ...blueprint, owner: DEPLOYER, tokenUri: 'https://a.example/{id}' })).toEqual([
    `the owner was ${OWNER} and is now ${DEPLOYER}`,
    'the token URI was none and is now https://a.example/{id}',
  ])
  const existing: Blueprint = { ...blueprint, stablecoin: { kind: 'existing', address: COIN } }
  expect(differences(existing, blueprint)).toEqual([
    `the stablecoin was ${COIN} and is now a TestUSD minted by ${address('4')}`,
  ])
})
