import { serviceCoreAbi, serviceRfqSettlementAbi } from '@rfqctl/protocol/contracts/abi'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { PublicClient } from 'viem'
import type { ChainEnvironment } from '../../core/ports/chain.ts'
import { describeFault, type NodeClient, type Rpc, revertName } from './rpc.ts'

/** The configured addresses and the chain do not belong together: the relay must not sign or quote on them. */
export class ChainMismatchError extends Error {
  override readonly name = 'ChainMismatchError'
}

/**
 * Throws a `ChainMismatchError` when the node serves another chain, when an address holds no code, or when the three
 * contracts do not name each other (fault E3); `chain_unavailable` when the node cannot be read.
 */
export async function assertEnvironment(rpc: Rpc, environment: ChainEnvironment): Promise<void> {
  const { chainId, coreAddress, settlementAddress, stablecoinAddress } = environment
  const served = await rpc.read((client) => client.getChainId())
  if (served !== chainId) throw new ChainMismatchError(`The node serves chain ${served}, not chain ${chainId}.`)
  const contracts = Object.entries({ stablecoin: stablecoinAddress, core: coreAddress, settlement: settlementAddress })
  const codes = await rpc.read((client) => Promise.all(contracts.map(([, address]) => client.getCode({ address }))))
  const empty = contracts.filter((_, index) => codes[index] === undefined)
  if (empty.length > 0) {
    const names = empty.map(([name, address]) => `the ${name} address ${address}`).join(' and ')
    throw new ChainMismatchError(`On chain ${chainId} there is no contract at ${names}.`)
  }
  const links = await rpc.read((client) => readLinks(client, environment))
  for (const { says, expected, found } of links) {
    if (found !== expected) throw new ChainMismatchError(`${says} is ${found}, not ${expected}.`)
  }
}

/** The addresses by which the contracts name each other, beside the configured ones. */
async function readLinks(
  client: PublicClient,
  { coreAddress, settlementAddress, stablecoinAddress }: ChainEnvironment,
): Promise<{ says: string; expected: Address; found: Address | string }[]> {
  const core = { address: coreAddress, abi: serviceCoreAbi } as const
  const settlement = { address: settlementAddress, abi: serviceRfqSettlementAbi } as const
  const found = await Promise.all([
    orReverted(client.readContract({ ...core, functionName: 'stablecoin' })),
    orReverted(client.readContract({ ...core, functionName: 'settlement' })),
    orReverted(client.readContract({ ...settlement, functionName: 'core' })),
  ])
  return [
    { says: `The stablecoin of the core ${coreAddress}`, expected: stablecoinAddress, found: found[0] },
    { says: `The settlement of the core ${coreAddress}`, expected: settlementAddress, found: found[1] },
    { says: `The core of the settlement ${settlementAddress}`, expected: coreAddress, found: found[2] },
  ]
}

/** A contract of another kind has no such function, which is an answer too. */
const orReverted = (read: Promise<Address>): Promise<string> =>
  read.catch((fault: unknown) => {
    if (revertName(fault) === null) throw fault
    return `unknown (${describeFault(fault).message})`
  })

/**
 * Reads of a node that was checked before. After a fault another node may answer at its address, so the next read
 * checks it first, once for all that wait. A mismatch is then refused with `chain_unavailable` and its reason (fault
 * E3). `check` throws a `ChainMismatchError`.
 */
export function createCheckedRpc(rpc: Rpc, check: (once: Rpc) => Promise<void>): Rpc {
  let checking: Promise<void> | null = null
  let isChecked = true

  async function checkAgain(client: NodeClient): Promise<void> {
    // Each attempt of a read includes one attempt of its check: both are repeated together.
    checking ??= check({ client, read: (load) => load(client) }).finally(() => {
      checking = null
    })
    try {
      await checking
      isChecked = true
    } catch (fault) {
      throw fault instanceof ChainMismatchError
        ? new RfqError('chain_unavailable', { detail: fault.message, cause: fault })
        : fault
    }
  }

  return {
    client: rpc.client,
    read: (load) =>
      rpc.read(async (client) => {
        if (!isChecked) await checkAgain(client)
        try {
          return await load(client)
        } catch (fault) {
          if (!(fault instanceof RfqError) && revertName(fault) === null) isChecked = false
          throw fault
        }
      }),
  }
}
