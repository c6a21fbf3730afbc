import type { TransactionReceipt } from 'viem'
import type { Protections } from '../domain/commit.ts'
import { serviceRfqSettlementAbi } from '../domain/contract-abi.ts'
import { orderDomain, takerApproval } from '../domain/order.ts'
import type { RequestTerms } from '../domain/request.ts'
import type { SignedTrade } from '../wire/commit.ts'
import { takerFaults } from './check-order.ts'
import { ClientSetupError, OrderMismatchError } from './errors.ts'
import type { Wallet } from './wallet.ts'

/** A signed trade together with what its taker had asked for, against which it is checked before money moves. */
export type Commitment = SignedTrade & {
  terms: RequestTerms
  protections: Pick<Protections, 'limitPrice' | 'minContracts'>
}

/** A trade on the chain. `approval` is null when enough was approved already. */
export type Fill = { approval: TransactionReceipt | null; fill: TransactionReceipt }

/**
 * Checks a signed trade, makes the one approval it needs, of exactly its amount, and fills it.
 * Rejects with `OrderMismatchError` before anything is sent when the order is not what was agreed.
 * @see spec "Taker approval rule"
 */
export async function fillOrder({
  wallet,
  commitment,
  signal,
}: {
  wallet: Wallet
  commitment: Commitment
  signal?: AbortSignal | undefined
}): Promise<Fill> {
  const { onchain, terms, protections } = commitment
  if (onchain === null) throw new ClientSetupError('The trade is simulated: there is nothing to fill on a chain.')
  const { chainId, settlementAddress } = wallet.setup
  const { order, makerSignature, domain } = onchain
  const expectedDomain = orderDomain(chainId, settlementAddress)
  const faults = await takerFaults({
    order,
    domain,
    expectedDomain,
    signature: makerSignature,
    terms,
    wallet: wallet.address,
    protections,
  })
  if (faults.length > 0) throw new OrderMismatchError(faults)
  const { spender, amount } = takerApproval(order, terms.option)
  const approval = await wallet.approve({ spender, amount, signal })
  const onchainOrder = {
    ...order,
    seriesId: BigInt(order.seriesId),
    validUntil: BigInt(order.validUntil),
    nonce: BigInt(order.nonce),
  }
  const fill = await wallet.write(
    {
      address: settlementAddress,
      abi: serviceRfqSettlementAbi,
      functionName: 'fill',
      args: [onchainOrder, makerSignature],
    },
    signal,
  )
  return { approval, fill }
}
