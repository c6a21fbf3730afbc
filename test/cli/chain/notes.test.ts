import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keptPairs } from '../../../src/cli/chain/deployment/notes.ts'
import { addressAt } from '../../../src/onchain/deploy/blueprint.ts'
import type { Address } from '../../../src/protocol/domain/units.ts'
import { temporaryDir } from '../support.ts'

const DEPLOYER: Address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const [CORE, SETTLEMENT] = [addressAt(DEPLOYER, 40), addressAt(DEPLOYER, 41)]

/** A data directory with notes by their names. */
function withNotes(notes: Record<string, unknown>): string {
  const dataDir = temporaryDir()
  mkdirSync(join(dataDir, 'deployments'))
  for (const [name, note] of Object.entries(notes)) {
    writeFileSync(join(dataDir, 'deployments', name), JSON.stringify(note))
  }
  return dataDir
}

const blueprint = { chainId: 137, deployer: DEPLOYER }

test('a note says which pair it is of', () => {
  const deployment = { coreAddress: CORE, settlementAddress: SETTLEMENT }
  const dataDir = withNotes({ 'a.json': { version: 3, blueprint, deployment, sent: [] } })
  expect(keptPairs(dataDir, 137)).toEqual([deployment])
  expect(keptPairs(dataDir, 80_002)).toEqual([])
})

test('in notes of 0.2.0 and 0.3.0 it follows from the nonce of the core, which may have been sent several times', () => {
  const sent = [
    { nonce: 6, work: 'stablecoin' },
    { nonce: 7, work: 'core' },
    { nonce: 7, work: 'core' },
    { nonce: 8, work: 'settlement' },
  ]
  const pair = { coreAddress: addressAt(DEPLOYER, 7), settlementAddress: addressAt(DEPLOYER, 8) }
  for (const version of [1, 2]) {
    expect(keptPairs(withNotes({ 'a.json': { version, blueprint, fromNonce: 6, sent } }), 137)).toEqual([pair])
  }
})

test('notes that say nothing are passed over', () => {
  const dataDir = withNotes({
    'a.json': {},
    'b.json': { blueprint, deployment: { coreAddress: 'core', settlementAddress: 7 } },
    'c.json': { blueprint: { chainId: 137, deployer: 'no address' }, sent: [{ nonce: 1, work: 'core' }] },
    'd.json': { blueprint, sent: [{ nonce: 'first', work: 'core' }] },
    'e.json.old': { blueprint, sent: [{ nonce: 1, work: 'core' }] },
  })
  expect(keptPairs(dataDir, 137)).toEqual([])
  expect(keptPairs(temporaryDir(), 137)).toEqual([])
})
