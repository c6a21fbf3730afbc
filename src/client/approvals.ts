import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '@rfqctl/protocol/contracts/abi'
import { type Address, type Usd6, usd6 } from '@rfqctl/protocol/domain/units'
import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  createPublicClient,
  encodeFunctionData,
  getAbiItem,
  type PublicClient,
  type Transport,
} from 'viem'
import { type ContractCall, createContractCalls } from './contract-calls.ts'

/** A settlement contract of any version, and the contracts that it names. */
export type Pair = { settlementAddress: Address; coreAddress: Address; stablecoinAddress: Address }

/** Rights that a wallet has given to a pair of contracts. */
export type Approvals = {
  /** Micro-dollars that each contract may draw. */
  core: Usd6
  settlement: Usd6
  /** Whether fills may move options that the wallet holds. */
  inventory: boolean
  /** Keys that sign orders for the wallet; null where the node does not show the events. */
  signers: readonly Address[] | null
}

/** Keys of one wallet beyond these are not looked at. */
const MAX_KEYS = 64

const SIGNER_AUTHORIZED = getAbiItem({ abi: serviceRfqSettlementAbi, name: 'SignerAuthorized' })

/** Asks a settlement contract which core and stablecoin it has; null where none is at the address. */
export async function readPair(transport: Transport, settlementAddress: Address): Promise<Pair | null> {
  const client = createPublicClient({ transport })
  const settlement = { address: settlementAddress, abi: serviceRfqSettlementAbi } as const
  try {
    const [coreAddress, stablecoinAddress] = await Promise.all([
      client.readContract({ ...settlement, functionName: 'core' }),
      client.readContract({ ...settlement, functionName: 'stablecoin' }),
    ])
    return { settlementAddress, coreAddress, stablecoinAddress }
  } catch (fault) {
    if (isAnswer(fault)) return null
    throw fault
  }
}

/** A contract of another kind, or none, has no such function. Every other fault is the node's. */
const isAnswer = (fault: unknown): boolean =>
  fault instanceof BaseError &&
  fault.walk(
    (cause) => cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError,
  ) !== null

/** Reads what a wallet still lets a pair do. */
export async function readApprovals(
  transport: Transport,
  { pair, wallet }: { pair: Pair; wallet: Address },
): Promise<Approvals> {
  const client = createPublicClient({ transport })
  const { settlementAddress, coreAddress, stablecoinAddress } = pair
  const allowance = (spender: Address) =>
    client.readContract({
      address: stablecoinAddress,
      abi: testUsdAbi,
      functionName: 'allowance',
      args: [wallet, spender],
    })
  const [core, settlement, inventory, signers] = await Promise.all([
    allowance(coreAddress),
    allowance(settlementAddress),
    client.readContract({
      address: coreAddress,
      abi: serviceCoreAbi,
      functionName: 'isApprovedForAll',
      args: [wallet, settlementAddress],
    }),
    readSigners(client, pair, wallet),
  ])
  return { core: usd6(core), settlement: usd6(settlement), inventory, signers }
}

async function readSigners(
  client: PublicClient,
  { settlementAddress }: Pair,
  wallet: Address,
): Promise<readonly Address[] | null> {
  const filter = {
    address: settlementAddress,
    event: SIGNER_AUTHORIZED,
    args: { maker: wallet },
    strict: true,
  } as const
  // Many nodes refuse to look through all blocks at once.
  const logs = await client.getLogs({ ...filter, fromBlock: 0n, toBlock: 'latest' }).catch(() => null)
  if (logs === null) return null
  const keys = [...new Set(logs.map(({ args }) => args.signer))].slice(-MAX_KEYS)
  const { timestamp } = await client.getBlock({ blockTag: 'latest' })
  const until = await Promise.all(
    keys.map((key) =>
      client.readContract({
        address: settlementAddress,
        abi: serviceRfqSettlementAbi,
        functionName: 'signerUntil',
        args: [wallet, key],
      }),
    ),
  )
  return keys.filter((_, index) => (until[index] ?? 0n) >= timestamp)
}

/** Whether a wallet lets a pair do anything. A key alone moves nothing, but would again once something is approved. */
export const hasApprovals = ({ core, settlement, inventory, signers }: Approvals): boolean =>
  core > 0n || settlement > 0n || inventory || (signers ?? []).length > 0

/** Calls by which the wallet withdraws all of it. */
export function withdrawalCalls(pair: Pair, { core, settlement, inventory, signers }: Approvals): ContractCall[] {
  const calls = createContractCalls(pair)
  return [
    ...(core > 0n ? [withdrawal(pair, pair.coreAddress)] : []),
    ...(settlement > 0n ? [withdrawal(pair, pair.settlementAddress)] : []),
    ...(inventory ? [calls.setInventoryApproval({ isApproved: false })] : []),
    // One by one: former contracts cannot revoke all at once.
    ...(signers ?? []).map((signer) => calls.revokeSigner({ signer })),
  ]
}

function withdrawal({ stablecoinAddress }: Pair, spender: Address): ContractCall {
  const [functionName, args] = ['approve', [spender, 0n]] as const
  return {
    contract: 'stablecoin',
    to: stablecoinAddress,
    functionName,
    args,
    data: encodeFunctionData({ abi: testUsdAbi, functionName, args }),
  }
}
