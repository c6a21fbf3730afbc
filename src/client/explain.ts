import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '@rfqctl/protocol/contracts/abi'
import { type ContractKind, type ContractValue, namedValues } from '@rfqctl/protocol/contracts/values'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import {
  type Abi,
  BaseError,
  createPublicClient,
  decodeFunctionData,
  ExecutionRevertedError,
  getContractError,
  type Log,
  type PublicClient,
  parseEventLogs,
  type Transaction,
  TransactionNotFoundError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { contractRefusal } from './contract-refusal.ts'
import { ClientSetupError, type ContractRefusedError } from './errors.ts'
import type { ChainSetup } from './wallet.ts'

/** Call or event of a contract, with its values. `contract` is null where it is not one of ours. */
export type ContractFact = { contract: ContractKind | null; name: string; values: readonly ContractValue[] }

/** Outcome of a transaction. Gas in units, the fee in wei of the chain's coin, times in Unix seconds. */
export type Explanation = {
  hash: Hex
  from: Address
  /** Null for one that creates a contract. */
  to: Address | null
  /** Null for an unknown function. */
  call: ContractFact | null
  gasLimit: bigint
} & ({ status: 'waiting' } | Mined)

type Mined = {
  status: 'success' | 'reverted'
  block: bigint
  time: number
  gasUsed: bigint
  fee: bigint
  created: Address | null
  events: readonly ContractFact[]
  /** Reason for a revert; null without one, or when it can no longer be found out. */
  refusal: ContractRefusedError | null
}

const ABIS: Record<ContractKind, Abi> = {
  settlement: serviceRfqSettlementAbi,
  core: serviceCoreAbi,
  stablecoin: testUsdAbi,
}

/** Percent of its gas limit from which a transaction that failed for no other reason counts as out of gas. */
const ALL_GAS_PERCENT = 98n

/** Effects of a transaction, or the reason for its failure; null when the chain does not know it. A reverted one is simulated again. */
export async function explainTransaction(setup: ChainSetup, hash: Hex): Promise<Explanation | null> {
  if (setup.transport === undefined) throw new ClientSetupError('The chain was set up without a transport.')
  const client = createPublicClient({ transport: setup.transport })
  const [transaction, receipt, addresses] = await Promise.all([
    client.getTransaction({ hash }).catch(nullIfUnknown),
    client.getTransactionReceipt({ hash }).catch(nullIfUnknown),
    readAddresses(client, setup),
  ])
  if (transaction === null) return null
  const { from, to, input, gas: gasLimit } = transaction
  const known = { hash, from, to, call: to === null ? null : decodeCall(kindOf(addresses, to), input), gasLimit }
  if (receipt === null) return { ...known, status: 'waiting' }
  const { timestamp } = await client.getBlock({ blockNumber: receipt.blockNumber })
  return {
    ...known,
    status: receipt.status,
    block: receipt.blockNumber,
    time: Number(timestamp),
    gasUsed: receipt.gasUsed,
    fee: receipt.gasUsed * receipt.effectiveGasPrice,
    created: receipt.contractAddress ?? null,
    events: receipt.logs.flatMap((log) => decodeEvent(kindOf(addresses, log.address), log)),
    refusal: receipt.status === 'success' ? null : await findRefusal(client, { transaction, receipt }),
  }
}

/** Whether a transaction failed because its gas limit was too low. */
export const ranOutOfGas = ({ gasUsed, gasLimit, refusal }: Mined & { gasLimit: bigint }): boolean =>
  refusal === null && gasUsed * 100n >= gasLimit * ALL_GAS_PERCENT

type Addresses = readonly (readonly [ContractKind, Address])[]

async function readAddresses(client: PublicClient, { coreAddress, settlementAddress }: ChainSetup): Promise<Addresses> {
  const stablecoin = await client.readContract({
    address: coreAddress,
    abi: serviceCoreAbi,
    functionName: 'stablecoin',
  })
  return [
    ['settlement', settlementAddress],
    ['core', coreAddress],
    ['stablecoin', stablecoin],
  ]
}

const kindOf = (addresses: Addresses, address: Address): ContractKind | null =>
  addresses.find(([, known]) => known.toLowerCase() === address.toLowerCase())?.[0] ?? null

/** A call of another contract is read like one of ours where the function is the same: most have an `approve`. */
function decodeCall(contract: ContractKind | null, data: Hex): ContractFact | null {
  const kinds = contract === null ? (['stablecoin', 'settlement', 'core'] as const) : [contract]
  for (const kind of kinds) {
    const abi = ABIS[kind]
    const found = attempt(() => decodeFunctionData({ abi, data }))
    if (found === null) continue
    const item = abi.find((candidate) => candidate.type === 'function' && candidate.name === found.functionName)
    const inputs = item?.type === 'function' ? item.inputs : []
    return { contract, name: found.functionName, values: namedValues(kind, inputs, found.args ?? []) }
  }
  return null
}

function decodeEvent(contract: ContractKind | null, log: Log): ContractFact[] {
  if (contract === null) return []
  const abi = ABIS[contract]
  return parseEventLogs({ abi, logs: [log] }).map(({ eventName, args }) => {
    const item = abi.find((candidate) => candidate.type === 'event' && candidate.name === eventName)
    const inputs = item?.type === 'event' ? item.inputs : []
    const values = inputs.map(({ name = '' }) => (args as Readonly<Record<string, unknown>>)[name])
    return { contract, name: eventName, values: namedValues(contract, inputs, values) }
  })
}

/**
 * Simulates a failed transaction on the state before its block, and then on the state after it: the cause may have come in the same
 * block, or with its time.
 */
async function findRefusal(
  client: PublicClient,
  { transaction, receipt }: { transaction: Transaction; receipt: TransactionReceipt },
): Promise<ContractRefusedError | null> {
  for (const blockNumber of [receipt.blockNumber - 1n, receipt.blockNumber]) {
    const refusal = await tryAgain(client, transaction, blockNumber)
    if (refusal !== null) return refusal
  }
  return null
}

/** Refusal of the call in a block; null without one, or when the node has forgotten that block. */
async function tryAgain(
  client: PublicClient,
  { from, to, input, value }: Transaction,
  blockNumber: bigint,
): Promise<ContractRefusedError | null> {
  try {
    await client.call({ account: from, to, data: input, value, blockNumber })
    return null
  } catch (fault) {
    const reverted =
      fault instanceof BaseError && fault.walk((error) => error instanceof ExecutionRevertedError) !== null
    return reverted ? contractRefusal(getContractError(fault, { abi: ALL, functionName: '', args: [] })) : null
  }
}

/** Functions and errors of all our contracts, since one contract passes on the refusal of another. */
const ALL: Abi = [...serviceRfqSettlementAbi, ...serviceCoreAbi, ...testUsdAbi]

function attempt<Value>(run: () => Value): Value | null {
  try {
    return run()
  } catch {
    return null
  }
}

function nullIfUnknown(fault: unknown): null {
  if (fault instanceof TransactionNotFoundError || fault instanceof TransactionReceiptNotFoundError) return null
  throw fault
}
