import { readFileSync } from 'node:fs'
import { concat, getAddress, type Hex } from 'viem'
import type { DevAccount } from '../../../src/onchain/devnet/accounts.ts'
import type { DevClient } from '../../../src/onchain/devnet/client.ts'
import type { Address } from '../../../src/protocol/domain/units.ts'

/** What others published, as it is in an npm package of theirs: the tests of wallets run on this and not on imitations. */
export type Published = {
  contract: string
  /** The npm package, its version, what npm knows it by, and the file in it. */
  package: string
  version: string
  licence: string
  integrity: string
  file: string
  /** Where it is on every chain: address and code prove one another. Null when it has no such address. */
  create2: { deployer: Address; salt: Hex; address: Address } | null
  /** keccak256 of the init code. */
  hash: Hex
  initCode: Hex
}

export const PUBLISHED = [
  'CompatibilityFallbackHandler',
  'EIP7702StatelessDeleGator',
  'ERC1967Proxy',
  'EntryPoint',
  'FiatTokenV2_2',
  'HybridDeleGator',
  'MultiSendCallOnly',
  'Permit2',
  'SCL_RIP7212',
  'Safe',
  'SafeProxyFactory',
  'SignatureChecker',
  'Simple7702Account',
  'SimpleAccount',
] as const
export type PublishedName = (typeof PUBLISHED)[number]

export const readPublished = (name: PublishedName): Published =>
  JSON.parse(readFileSync(new URL(`./bytecode/${name}.json`, import.meta.url), 'utf8'))

/** The deployer that most chains have, and every Anvil: it creates what it is sent, at an address of CREATE2. */
const DETERMINISTIC_DEPLOYER: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const NO_SALT: Hex = `0x${'0'.repeat(64)}`

/**
 * Deploys a published contract: at its own address where the deployer of every chain put it there, else wherever that
 * puts it. `args` are the words of its constructor.
 */
export async function deployPublished(
  dev: DevClient,
  { name, from, args = [] }: { name: PublishedName; from: Pick<DevAccount, 'address'>; args?: readonly Hex[] },
): Promise<Address> {
  const { initCode, create2 } = readPublished(name)
  const salt = create2?.deployer === DETERMINISTIC_DEPLOYER ? create2.salt : NO_SALT
  const data = concat([salt, initCode, ...args])
  const to = DETERMINISTIC_DEPLOYER
  const { data: address } = await dev.call({ account: from.address, to, data })
  if (address === undefined) throw new Error(`${name} is there already, or cannot be created`)
  const hash = await dev.sendTransaction({ account: from.address, chain: null, to, data })
  const { status } = await dev.waitForTransactionReceipt({ hash })
  if (status !== 'success') throw new Error(`${name} was not created`)
  return getAddress(address)
}
