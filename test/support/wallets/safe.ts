import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  type Hex,
  hashTypedData,
  parseAbi,
  parseEventLogs,
  size,
  zeroAddress,
} from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { type DevClient, devnetChain } from '../../../src/onchain/devnet/client.ts'
import type { Address } from '../../../src/protocol/domain/units.ts'
import { type Call, makeKey, sendFrom, signDigest, type TestWallet } from './wallet.ts'

const FACTORY_ABI = parseAbi([
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address proxy)',
  'event ProxyCreation(address indexed proxy, address singleton)',
])
/** What the tests call of a Safe. */
export const SAFE_ABI = parseAbi([
  'function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) returns (bool)',
  'function nonce() view returns (uint256)',
  'function addOwnerWithThreshold(address owner, uint256 threshold)',
  'function removeOwner(address prevOwner, address owner, uint256 threshold)',
  'function setFallbackHandler(address handler)',
])
const MULTI_SEND_ABI = parseAbi(['function multiSend(bytes transactions)'])
const DELEGATE_CALL = 1

const SAFE_TX = [
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'data', type: 'bytes' },
  { name: 'operation', type: 'uint8' },
  { name: 'safeTxGas', type: 'uint256' },
  { name: 'baseGas', type: 'uint256' },
  { name: 'gasPrice', type: 'uint256' },
  { name: 'gasToken', type: 'address' },
  { name: 'refundReceiver', type: 'address' },
  { name: 'nonce', type: 'uint256' },
] as const

/** What every Safe is made of. */
export type SafeContracts = { singleton: Address; factory: Address; handler: Address; multiSend: Address }

type Owner = PrivateKeyAccount & { key: Hex }

/** A Safe with its owners, in the order of their addresses, as its signatures must be. */
export type SafeWallet = TestWallet & {
  owners: readonly Owner[]
  /** The same as `signHash`, by owners of choice. */
  signHashBy: (signers: readonly Owner[], digest: Hex) => Promise<Hex>
}

/** A Safe of some owners, of whom as many as its threshold sign; `handler` is what answers ERC-1271 and receives options. */
export async function makeSafe(
  dev: DevClient,
  { name, contracts, owners, threshold }: { name: string; contracts: SafeContracts; owners: number; threshold: number },
): Promise<SafeWallet> {
  const names = Array.from({ length: owners }, (_, index) => `${name}, owner ${index}`)
  const people = (await Promise.all(names.map((owner) => makeKey(dev, owner)))).toSorted((a, b) =>
    a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1,
  )
  const signers = people.slice(0, threshold)
  const sender = people[0] as Owner
  const address = await createProxy(dev, { sender, contracts, people, threshold })
  const signAll = async (digest: Hex, by: readonly Owner[] = signers) =>
    concatHex(await Promise.all(by.map(({ key }) => signDigest(key, digest))))
  const domain = { chainId: devnetChain.id, verifyingContract: address }
  const signHashBy = (by: readonly Owner[], digest: Hex) => {
    const message = encodeAbiParameters([{ type: 'bytes32' }], [digest])
    const types = { SafeMessage: [{ name: 'message', type: 'bytes' }] } as const
    return signAll(hashTypedData({ domain, types, primaryType: 'SafeMessage', message: { message } }), by)
  }
  return {
    address,
    owners: people,
    signHashBy,
    signHash: (digest) => signHashBy(signers, digest),
    async send(calls) {
      const { to, data, operation } = bundle(calls, contracts.multiSend)
      const nonce = await dev.readContract({ address, abi: SAFE_ABI, functionName: 'nonce' })
      const free = [0n, 0n, 0n, zeroAddress, zeroAddress] as const
      const [safeTxGas, baseGas, gasPrice, gasToken, refundReceiver] = free
      const terms = { to, value: 0n, data, operation, safeTxGas, baseGas, gasPrice, gasToken, refundReceiver, nonce }
      const types = { SafeTx: SAFE_TX } as const
      const signatures = await signAll(hashTypedData({ domain, types, primaryType: 'SafeTx', message: terms }))
      const args = [to, 0n, data, operation, ...free, signatures] as const
      const data2 = encodeFunctionData({ abi: SAFE_ABI, functionName: 'execTransaction', args })
      return sendFrom(dev, sender, { to: address, data: data2 })
    },
  }
}

async function createProxy(
  dev: DevClient,
  {
    sender,
    contracts,
    people,
    threshold,
  }: { sender: Owner; contracts: SafeContracts; people: readonly Owner[]; threshold: number },
): Promise<Address> {
  const { singleton, factory, handler } = contracts
  const initializer = encodeFunctionData({
    abi: SAFE_ABI,
    functionName: 'setup',
    args: [
      people.map(({ address }) => address),
      BigInt(threshold),
      zeroAddress,
      '0x',
      handler,
      zeroAddress,
      0n,
      zeroAddress,
    ],
  })
  const hash = await dev.writeContract({
    account: sender,
    chain: devnetChain,
    address: factory,
    abi: FACTORY_ABI,
    functionName: 'createProxyWithNonce',
    args: [singleton, initializer, 0n],
  })
  const { logs } = await dev.waitForTransactionReceipt({ hash })
  const [created] = parseEventLogs({ abi: FACTORY_ABI, eventName: 'ProxyCreation', logs })
  if (created === undefined) throw new Error('the Safe was not created')
  return created.args.proxy
}

/** One call as it is, several through the contract that makes them all or none. */
function bundle(calls: readonly Call[], multiSend: Address): Call & { operation: number } {
  const [only] = calls
  if (only !== undefined && calls.length === 1) return { ...only, operation: 0 }
  const packed = calls.map(({ to, data }) =>
    encodePacked(['uint8', 'address', 'uint256', 'uint256', 'bytes'], [0, to, 0n, BigInt(size(data)), data]),
  )
  const data = encodeFunctionData({ abi: MULTI_SEND_ABI, functionName: 'multiSend', args: [concatHex(packed)] })
  return { to: multiSend, data, operation: DELEGATE_CALL }
}
