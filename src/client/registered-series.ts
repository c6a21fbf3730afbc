import { serviceCoreAbi } from '@rfqctl/protocol/contracts/abi'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import type { Address } from '@rfqctl/protocol/domain/units'
import { createPublicClient } from 'viem'
import { abiOf, type ContractCall } from './contract-calls.ts'
import { contractRefusal, refusalOr } from './contract-refusal.ts'
import { ClientSetupError } from './errors.ts'
import { SERIES_BATCH_BYTES } from './series-batch.ts'
import type { ChainSetup } from './wallet.ts'

/** Series of the core, with the fields that listing needs; `expiry` in Unix seconds. */
export type RegisteredSeries = { expiry: number; isHalted: boolean; isSettled: boolean }

/** Series of a list that the core knows. Throws viem's error when the node fails, and `ClientSetupError` without a transport. */
export async function readRegisteredSeries(
  chain: Pick<ChainSetup, 'coreAddress' | 'transport'>,
  seriesIds: readonly SeriesId[],
): Promise<ReadonlyMap<SeriesId, RegisteredSeries>> {
  const contracts = seriesIds.map((seriesId) => ({
    address: chain.coreAddress,
    abi: serviceCoreAbi,
    functionName: 'getSeries' as const,
    args: [BigInt(seriesId)] as const,
  }))
  const answers = await readerOf(chain).multicall({ contracts, deployless: true, batchSize: SERIES_BATCH_BYTES })
  const found = new Map<SeriesId, RegisteredSeries>()
  for (const [index, { result, error }] of answers.entries()) {
    if (result === undefined) assertUnknown(error)
    else {
      const { expiry, halted: isHalted, settled: isSettled } = result
      found.set(seriesIds[index] as SeriesId, { expiry: Number(expiry), isHalted, isSettled })
    }
  }
  return found
}

/** A node that fails must not look like a core that knows none of them. */
function assertUnknown(fault: unknown): void {
  if (contractRefusal(fault)?.errorName !== 'SeriesUnknown') throw refusalOr(fault)
}

/** The gas that a call would take now. Throws `ContractRefusedError` where the contract would refuse it. */
export async function estimateCallGas(chain: ChainSetup, call: ContractCall, from: Address): Promise<bigint> {
  const { to: address, functionName, args } = call
  try {
    const input = { address, abi: abiOf(call), functionName, args, account: from }
    return await readerOf(chain).estimateContractGas(input as never)
  } catch (fault) {
    throw refusalOr(fault)
  }
}

function readerOf({ transport }: Pick<ChainSetup, 'transport'>) {
  if (transport === undefined) throw new ClientSetupError('The chain was set up without a transport.')
  return createPublicClient({ transport })
}
