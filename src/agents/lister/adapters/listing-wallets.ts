import { abiOf, type ContractCall, createContractCalls } from '@rfqctl/client/contract-calls'
import { contractRefusal } from '@rfqctl/client/contract-refusal'
import { createFeeBumpingWallet, type FeeBumping } from '@rfqctl/client/fee-bumping-wallet'
import type { ChainSetup } from '@rfqctl/client/wallet'
import { systemClock } from '@rfqctl/lib/clock'
import type { Address, LocalAccount } from 'viem'
import { HALT_GAS } from '../lister.ts'
import type { Halter, Registrar, SentCall } from '../ports.ts'

/** One wallet that registers and halts, used by no one else. `feeBumping` is for tests. */
export function createListingWallet(parts: {
  account: LocalAccount
  chain: ChainSetup
  /** Per unit of gas, wei. */
  maxGasPrice: bigint
  /** Token by which the markets' positions are collateralised; null where the core has no conditional-token contract. */
  collateral?: Address | null
  feeBumping?: FeeBumping
}): Registrar & Halter {
  const { account, chain, maxGasPrice, collateral = null, feeBumping } = parts
  let isSent = false
  const wallet = createFeeBumpingWallet({
    account,
    setup: chain,
    clock: systemClock,
    ...(feeBumping === undefined ? {} : { feeBumping }),
    bounds: {
      maxGas: HALT_GAS,
      maxFeePerGas: maxGasPrice,
      onSent: () => {
        isSent = true
      },
    },
  })
  const calls = createContractCalls(chain)

  async function send(call: ContractCall, signal: AbortSignal): Promise<SentCall> {
    const { to: address, functionName, args } = call
    isSent = false
    try {
      const input = { address, abi: abiOf(call), functionName, args } as never
      const { transactionHash, gasUsed, effectiveGasPrice } = await wallet.write(input, signal)
      return { kind: 'mined', hash: transactionHash, cost: gasUsed * effectiveGasPrice }
    } catch (fault) {
      const refusal = contractRefusal(fault)
      const error = refusal ?? (fault instanceof Error ? fault : new Error(String(fault)))
      return { kind: 'failed', error, wasSent: isSent, isRefusal: refusal !== null }
    }
  }

  return {
    gasPrice: async () => (await wallet.publicClient.estimateFeesPerGas()).maxFeePerGas,
    register: (terms, signal) => send(calls.createSeries({ terms, collateral }), signal),
    halt: (seriesIds, signal) => send(calls.setHalted({ seriesIds, isHalted: true }), signal),
  }
}
