import { concatHex, encodeAbiParameters, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { type DevClient, devnetChain } from '../../../src/onchain/devnet/client.ts'
import type { Address } from '../../../src/protocol/domain/units.ts'
import { type Call, makeKey, sendFrom, signDigest, type TestWallet } from './wallet.ts'

/** A wallet of one key: an externally owned account. */
export async function makeKeyWallet(dev: DevClient, name: string): Promise<TestWallet & { key: Hex }> {
  const account = await makeKey(dev, name)
  return {
    address: account.address,
    key: account.key,
    signHash: (digest) => signDigest(account.key, digest),
    async send(calls) {
      let last: Hex = '0x'
      for (const one of calls) last = await sendFrom(dev, account, one)
      return last
    },
  }
}

/** How a delegate takes several calls at once. */
export type BatchCall = (calls: readonly Call[]) => Hex

const SIMPLE_ABI = parseAbi([
  'struct Call { address target; uint256 value; bytes data; }',
  'function executeBatch(Call[] calls)',
])

/** `executeBatch` of the reference account of ERC-4337. */
export const simpleBatch: BatchCall = (calls) =>
  encodeFunctionData({
    abi: SIMPLE_ABI,
    functionName: 'executeBatch',
    args: [calls.map(({ to, data }) => ({ target: to, value: 0n, data }))],
  })

const ERC7579_ABI = parseAbi(['function execute(bytes32 mode, bytes executionCalldata)'])
/** A batch, all or none. */
const BATCH_MODE: Hex = `0x01${'0'.repeat(62)}`
const EXECUTIONS = [
  {
    type: 'tuple[]',
    components: [
      { name: 'target', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'callData', type: 'bytes' },
    ],
  },
] as const

/** `execute` of ERC-7579. */
export const erc7579Batch: BatchCall = (calls) => {
  const executions = calls.map(({ to, data }) => ({ target: to, value: 0n, callData: data }))
  return encodeFunctionData({
    abi: ERC7579_ABI,
    functionName: 'execute',
    args: [BATCH_MODE, encodeAbiParameters(EXECUTIONS, [executions])],
  })
}

/** An account whose key delegated its code (EIP-7702); it may delegate to something else later. */
export type DelegatedWallet = TestWallet & { key: Hex; delegateTo: (implementation: Address) => Promise<void> }

/** A key that delegates its code to an implementation; its calls are batches of that code, sent to itself. */
export async function makeDelegatedWallet(
  dev: DevClient,
  { name, implementation, batch }: { name: string; implementation: Address; batch: BatchCall },
): Promise<DelegatedWallet> {
  const account = await makeKey(dev, name)
  const { address, key } = account
  const delegateTo = async (to: Address) => {
    // Of its own account the nonce is counted up by the transaction before the authorization is looked at.
    const nonce = (await dev.getTransactionCount({ address })) + 1
    const authorization = await account.signAuthorization({ contractAddress: to, chainId: devnetChain.id, nonce })
    const hash = await dev.sendTransaction({
      account,
      chain: devnetChain,
      to: address,
      authorizationList: [authorization],
      gas: 200_000n,
    })
    await dev.waitForTransactionReceipt({ hash })
    const code = await dev.getCode({ address })
    if (code !== concatHex(['0xef0100', to]).toLowerCase()) throw new Error(`${name} did not delegate its code`)
  }
  await delegateTo(implementation)
  return {
    address,
    key,
    delegateTo,
    signHash: (digest) => signDigest(key, digest),
    send: (calls) => sendFrom(dev, account, { to: address, data: batch(calls) }),
  }
}
