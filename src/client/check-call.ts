import type { Address } from '@rfqctl/protocol/domain/units'
import { createPublicClient } from 'viem'
import { abiOf, type ContractCall } from './contract-calls.ts'
import { contractRefusal } from './contract-refusal.ts'
import { ClientSetupError, type ContractRefusedError } from './errors.ts'
import type { ChainSetup } from './wallet.ts'

/**
 * Asks the chain whether a call would succeed now, without sending it.
 * @param input.chain - The chain, with a transport.
 * @param input.call - The call.
 * @param input.from - Account that would send it.
 * @returns The refusal of the contract; null when the call would succeed.
 * @throws ClientSetupError without a transport; viem's error where the node fails.
 * @example
 * import { checkCall, createContractCalls } from 'rfqctl/client'
 * import { http } from 'viem'
 *
 * const chain = {
 *   chainId: 31_337,
 *   settlementAddress: '0x1000000000000000000000000000000000000001',
 *   coreAddress: '0x1000000000000000000000000000000000000002',
 *   transport: http('http://127.0.0.1:8545'),
 * } as const
 * const refusal = await checkCall({ chain, call: createContractCalls(chain).acceptRole({ role: 'signer' }), from: wallet })
 * if (refusal !== null) console.log(refusal.message)
 */
export async function checkCall(input: {
  chain: ChainSetup
  call: ContractCall
  from: Address
}): Promise<ContractRefusedError | null> {
  const { chain, call, from } = input
  const { transport } = chain
  if (transport === undefined) throw new ClientSetupError('The chain was set up without a transport.')
  const { to: address, functionName, args } = call
  try {
    await createPublicClient({ transport }).simulateContract({
      address,
      abi: abiOf(call),
      functionName,
      args,
      account: from,
    } as never)
    return null
  } catch (fault) {
    const refusal = contractRefusal(fault)
    if (refusal !== null) return refusal
    throw fault
  }
}
