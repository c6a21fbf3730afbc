import { type Abi, concatHex, encodeFunctionData, type Hex, keccak256, parseEther, stringToHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount, sign } from 'viem/accounts'
import { type DevClient, devnetChain } from '../../../src/onchain/devnet/client.ts'
import { sendAll } from '../../../src/onchain/devnet/send.ts'
import type { Address } from '../../../src/protocol/domain/units.ts'

/** What a wallet has done on the chain. */
export type Call = { to: Address; data: Hex }

/** A wallet of a person or a company: it signs as itself, and its calls come from its own address. */
export type TestWallet = {
  address: Address
  /** Its signature over a digest: what it says yes to by its key, or by ERC-1271. */
  signHash: (digest: Hex) => Promise<Hex>
  /**
   * Makes calls from the wallet's address, all or none where it can, and returns the last transaction; throws when they are
   * refused.
   */
  send: (calls: readonly Call[]) => Promise<Hex>
}

/** Call data of a function. */
export const call = (to: Address, abi: Abi, functionName: string, args: readonly unknown[] = []): Call => ({
  to,
  data: encodeFunctionData({ abi, functionName, args }),
})

/** Makes calls of an account that Anvil has unlocked. */
export async function sendCalls(dev: DevClient, from: Address, calls: readonly Call[]): Promise<void> {
  const named = calls.map((one) => ({ ...one, does: one.to }))
  await sendAll(dev, from, named)
}

/** A key that no one else has, with gas money. */
export async function makeKey(dev: DevClient, name: string): Promise<PrivateKeyAccount & { key: Hex }> {
  const key = keccak256(stringToHex(name))
  const account = privateKeyToAccount(key)
  await dev.setBalance({ address: account.address, value: parseEther('10') })
  return { ...account, key }
}

/** Signs a digest as it is, without the prefix of messages. */
export const signDigest = (key: Hex, digest: Hex): Promise<Hex> => sign({ hash: digest, privateKey: key, to: 'hex' })

/** Sends a transaction of a key and waits for it; throws when it is refused. */
export async function sendFrom(dev: DevClient, account: PrivateKeyAccount, { to, data }: Call): Promise<Hex> {
  const hash = await dev.sendTransaction({ account, chain: devnetChain, to, data })
  const { status } = await dev.waitForTransactionReceipt({ hash })
  if (status !== 'success') throw new Error(`the transaction ${hash} reverted`)
  return hash
}

/** Deploys what no one published, or what takes part once, from a key. */
export async function deployFrom(dev: DevClient, account: PrivateKeyAccount, parts: readonly Hex[]): Promise<Address> {
  const hash = await dev.sendTransaction({ account, chain: devnetChain, data: concatHex(parts) })
  const { status, contractAddress } = await dev.waitForTransactionReceipt({ hash })
  if (status !== 'success' || !contractAddress) throw new Error('the contract was not created')
  return contractAddress
}
