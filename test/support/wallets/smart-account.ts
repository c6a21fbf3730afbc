import { type Address, encodeAbiParameters, encodeFunctionData, type Hex, parseAbi, parseEventLogs } from 'viem'
import { entryPoint07Abi } from 'viem/account-abstraction'
import { type DevClient, devnetChain } from '../../../src/onchain/devnet/client.ts'
import { readPublished } from './bytecode.ts'
import { erc7579Batch, simpleBatch } from './key-wallet.ts'
import { type Call, deployFrom, makeKey, sendFrom, signDigest, type TestWallet } from './wallet.ts'

const HYBRID_ABI = parseAbi([
  'struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function initialize(address owner, string[] keyIds, uint256[] xValues, uint256[] yValues)',
  'function getPackedUserOperationTypedDataHash(PackedUserOperation userOp) view returns (bytes32)',
  'function getNonce() view returns (uint256)',
])
const SIMPLE_ABI = parseAbi(['function initialize(address owner)'])

/** What an operation may use to be checked, and to be carried out. */
const GAS_LIMITS: Hex = `0x${1_000_000n.toString(16).padStart(32, '0')}${3_000_000n.toString(16).padStart(32, '0')}`
/** Its bundler pays the gas. */
const NO_FEES: Hex = `0x${'0'.repeat(64)}`

/** A proxy of an implementation, set up by its first call. */
async function makeProxy(
  dev: DevClient,
  { sender, implementation, setup }: { sender: Owner; implementation: Address; setup: Hex },
): Promise<Address> {
  const words = encodeAbiParameters([{ type: 'address' }, { type: 'bytes' }], [implementation, setup])
  return deployFrom(dev, sender, [readPublished('ERC1967Proxy').initCode, words])
}

type Owner = Awaited<ReturnType<typeof makeKey>>

/** MetaMask's smart account of one key, which acts by user operations of ERC-4337; this key is its own bundler. */
export async function makeHybrid(
  dev: DevClient,
  { name, implementation, entryPoint }: { name: string; implementation: Address; entryPoint: Address },
): Promise<TestWallet> {
  const owner = await makeKey(dev, `${name}, owner`)
  const setup = encodeFunctionData({
    abi: HYBRID_ABI,
    functionName: 'initialize',
    args: [owner.address, [], [], []],
  })
  const address = await makeProxy(dev, { sender: owner, implementation, setup })
  const read = { address, abi: HYBRID_ABI } as const
  return {
    address,
    signHash: (digest) => signDigest(owner.key, digest),
    async send(calls: readonly Call[]) {
      const operation = {
        sender: address,
        nonce: await dev.readContract({ ...read, functionName: 'getNonce' }),
        initCode: '0x' as Hex,
        callData: erc7579Batch(calls),
        accountGasLimits: GAS_LIMITS,
        preVerificationGas: 0n,
        gasFees: NO_FEES,
        paymasterAndData: '0x' as Hex,
        signature: '0x' as Hex,
      }
      const functionName = 'getPackedUserOperationTypedDataHash'
      const digest = await dev.readContract({ ...read, functionName, args: [operation] })
      const signature = await signDigest(owner.key, digest)
      const hash = await dev.writeContract({
        account: owner,
        chain: devnetChain,
        address: entryPoint,
        abi: entryPoint07Abi,
        functionName: 'handleOps',
        args: [[{ ...operation, signature }], owner.address],
      })
      const { status, logs } = await dev.waitForTransactionReceipt({ hash })
      const [done] = parseEventLogs({ abi: entryPoint07Abi, eventName: 'UserOperationEvent', logs })
      // The bundler's transaction succeeds where the account's calls did not.
      if (status !== 'success' || done?.args.success !== true) throw new Error(`the operation ${hash} reverted`)
      return hash
    },
  }
}

/** The reference account of ERC-4337, which checks no signatures for others: its owner calls it. */
export async function makeSimpleAccount(
  dev: DevClient,
  { name, implementation }: { name: string; implementation: Address },
): Promise<TestWallet> {
  const owner = await makeKey(dev, `${name}, owner`)
  const setup = encodeFunctionData({ abi: SIMPLE_ABI, functionName: 'initialize', args: [owner.address] })
  const address = await makeProxy(dev, { sender: owner, implementation, setup })
  return {
    address,
    signHash: (digest) => signDigest(owner.key, digest),
    send: (calls) => sendFrom(dev, owner, { to: address, data: simpleBatch(calls) }),
  }
}
