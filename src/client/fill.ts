import type { TransactionReceipt } from 'viem'
import { serviceRfqSettlementAbi } from '../contracts/abi.ts'
import type { Protections } from '../domain/commit.ts'
import { contractOrder, type Order, orderDomain, takerApproval } from '../domain/order.ts'
import type { RequestTerms } from '../domain/request.ts'
import type { Hex } from '../domain/units.ts'
import type { SignedTrade } from '../wire/commit.ts'
import { checkTakerOrder } from './check-order.ts'
import { ClientSetupError, OrderMismatchError } from './errors.ts'
import { signPermit } from './permit.ts'
import { checkFill } from './preflight.ts'
import type { Wallet } from './wallet.ts'

/** A signed trade together with what its taker had asked for, against which it is checked before money moves. */
export type Commitment = SignedTrade & {
  /** What was asked for. */
  terms: RequestTerms
  /** What was insisted on. */
  protections: Pick<Protections, 'limitPrice' | 'minContracts'>
}

/** How a fill is approved: by a transaction before it, or by a signature inside it, where the stablecoin takes permits. */
export type ApprovalMethod = 'approve' | 'permit'

/** What a fill did on the chain. */
export type Fill = {
  /** The receipt of the approval; null when none was made by a transaction. */
  approval: TransactionReceipt | null
  /** Whether the approval went with the fill, as a signed permit. */
  usedPermit: boolean
  /** The receipt of the fill. */
  fill: TransactionReceipt
}

/**
 * Checks a signed trade, makes the one approval it needs, of exactly its amount, and fills it. With `permit` both are one
 * transaction where the stablecoin can do that. Before anything is sent it rejects with `OrderMismatchError` when the
 * order is not what was agreed, and with `ContractRefusedError` when it could not be filled.
 */
export async function fillOrder({
  wallet,
  commitment,
  approval: method = 'approve',
  signal,
}: {
  wallet: Wallet
  commitment: Commitment
  approval?: ApprovalMethod | undefined
  signal?: AbortSignal | undefined
}): Promise<Fill> {
  const { terms } = commitment
  const { order, makerSignature } = await agreedOrder(wallet, commitment)
  signal?.throwIfAborted()
  const { needsApproval } = await checkFill(wallet, { order, makerSignature })
  signal?.throwIfAborted()
  const { spender, amount } = takerApproval(order, terms.option)
  const wantsPermit = needsApproval && method === 'permit'
  const permit = wantsPermit ? await signPermit(wallet, { spender, amount, deadline: order.validUntil }) : null
  const settlement = { address: wallet.setup.settlementAddress, abi: serviceRfqSettlementAbi } as const
  const args = [contractOrder(order), makerSignature] as const
  if (permit !== null) {
    const call = { ...settlement, functionName: 'fillWithPermit', args: [...args, permit] } as const
    return { approval: null, usedPermit: true, fill: await wallet.write(call, signal) }
  }
  const approval = needsApproval ? await wallet.approve({ spender, amount, signal }) : null
  const fill = await wallet.write({ ...settlement, functionName: 'fill', args }, signal)
  return { approval, usedPermit: false, fill }
}

/** The order of a trade, when it is the one that was agreed on the contract that the wallet trusts. */
async function agreedOrder(
  { setup, address }: Wallet,
  { onchain, terms, protections }: Commitment,
): Promise<{ order: Order; makerSignature: Hex }> {
  if (onchain === null) throw new ClientSetupError('The trade is simulated: there is nothing to fill on a chain.')
  const { order, makerSignature, domain } = onchain
  const faults = await checkTakerOrder({
    order,
    domain,
    expectedDomain: orderDomain(setup.chainId, setup.settlementAddress),
    signature: makerSignature,
    terms,
    wallet: address,
    protections,
  })
  if (faults.length > 0) throw new OrderMismatchError(faults)
  return { order, makerSignature }
}
