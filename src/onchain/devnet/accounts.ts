import { pbkdf2Sync } from 'node:crypto'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import { bytesToHex } from 'viem'
import { HDKey, privateKeyToAccount } from 'viem/accounts'

/** A sandbox wallet. Its key is public knowledge: it is worth nothing anywhere else. */
export type DevAccount = { address: Address; privateKey: Hex }

/** One wallet per role; no wallet has two (fault K4). */
export type DevAccounts = {
  /** Deploys, and owns the core. */
  deployer: DevAccount
  resolutionSigner: DevAccount
  /** Pays for faucet drips, as the stablecoin's minter. */
  faucet: DevAccount
  makers: readonly DevAccount[]
  takers: readonly DevAccount[]
}

export const listDevAccounts = ({ deployer, resolutionSigner, faucet, makers, takers }: DevAccounts): DevAccount[] => [
  deployer,
  resolutionSigner,
  faucet,
  ...makers,
  ...takers,
]

/** The mnemonic of every Anvil and Hardhat node. */
const MNEMONIC = 'test test test test test test test test test test test junk'
const ACCOUNTS_PATH = "m/44'/60'/0'/0"
const MAKERS = 5
const TAKERS = 2

export function createDevAccounts(): DevAccounts {
  // Node's native PBKDF2 makes the BIP-39 seed: in JavaScript it takes a tenth of a second.
  const seed = pbkdf2Sync(MNEMONIC, 'mnemonic', 2_048, 64, 'sha512')
  const parent = HDKey.fromMasterSeed(seed).derive(ACCOUNTS_PATH)
  const account = (index: number): DevAccount => {
    const privateKey = bytesToHex(parent.deriveChild(index).privateKey ?? new Uint8Array())
    return { address: privateKeyToAccount(privateKey).address, privateKey }
  }
  const accounts = (first: number, count: number) => Array.from({ length: count }, (_, i) => account(first + i))
  return {
    deployer: account(0),
    resolutionSigner: account(1),
    faucet: account(2),
    makers: accounts(3, MAKERS),
    takers: accounts(3 + MAKERS, TAKERS),
  }
}
