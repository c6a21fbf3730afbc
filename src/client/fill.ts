import { serviceRfqSettlementAbi } from '@rfqctl/protocol/contracts/abi'
import { ORDER_REFUSALS, ORDER_STATUSES, type OrderStatus } from '@rfqctl/protocol/contracts/order-status'
import { type ContractValue, contractUnit } from '@rfqctl/protocol/contracts/values'
import type { Protections } from '@rfqctl/protocol/domain/commit'
import { contractPartnerFee, contractPayment, type PaymentMethod } from '@rfqctl/protocol/domain/gasless-fill'
import { contractOrder, type Order, orderDomain, takerApproval } from '@rfqctl/protocol/domain/order'
import type { PartnerFee } from '@rfqctl/protocol/domain/partner-fee'
import type { OneSidedTerms, RequestTerms } from '@rfqctl/protocol/domain/request'
import type { Hex, Usd6 } from '@rfqctl/protocol/domain/units'
import type { OnchainTrade, SignedTrade } from '@rfqctl/protocol/wire/commit'
import type { TransactionReceipt } from 'viem'
import { takerFaults } from './check-order.ts'
import { ClientSetupError, ContractRefusedError, OrderMismatchError } from './errors.ts'
import { adjustInventoryUse, type InventoryUse, inventoryUseOf } from './fill-inventory.ts'
import { type OrderSigner, readOrderSigner, unsignedFault } from './order-signature.ts'
import { assertHolds, shareOf, withFees } from './partner-share.ts'
import { permitPayment, type SignedMethod, signPayment } from './payment.ts'
import { signPermit } from './permit.ts'
import type { Wallet } from './wallet.ts'

/** Signed trade with its terms, against which it is checked before money moves. */
export type CommittedTrade = SignedTrade & {
  /** The request's terms, on the side that was committed to. */
  terms: OneSidedTerms
  /** The protections of the commit. */
  protections: Pick<Protections, 'limitPrice' | 'minContracts'>
}

/**
 * Payment of a fill: an approval in a transaction before it, or a signature inside it: a permit (EIP-2612), an authorization
 * (EIP-3009), or a transfer by Permit2, which the wallet has approved once.
 */
export type ApprovalMethod = 'approve' | 'permit' | 'authorization' | 'permit2'

/** Result of a fill on the chain. */
export type Fill = {
  /** Null when it was not a transaction. */
  approval: TransactionReceipt | null
  /** Whether the approval went with the fill, as a signed permit. */
  usedPermit: boolean
  /** Payment method; an allowance where nothing was signed for it. */
  payment: PaymentMethod
  fill: TransactionReceipt
  /** Signer of the order: its maker, or a key that the maker has authorised. */
  signedBy: OrderSigner
  /** Paid to the partner, micro-dollars: by a buyer on top of the premium, by a seller out of it. */
  partnerFee: Usd6
}

/**
 * Checks a signed trade, makes the one approval it needs, of exactly its amount, and fills it. With a signature both are one transaction,
 * where nothing is taken from inventory or closed; a stablecoin without permits is approved instead. Before anything is sent it rejects
 * with `OrderMismatchError` when the order is not what was agreed, with `ContractRefusedError` when it could not be filled, and with
 * `PaymentError` when it cannot be paid that way. A partner's share is paid in the same transaction.
 */
export async function fillOrder(input: {
  wallet: Wallet
  commitment: CommittedTrade
  approval?: ApprovalMethod | undefined
  partnerFee?: PartnerFee | null | undefined
  signal?: AbortSignal | undefined
}): Promise<Fill> {
  const { wallet, commitment, approval: method = 'approve', partnerFee = null, signal } = input
  const { terms } = commitment
  const { onchain, order, makerSignature, signedBy } = await agreedOrder(wallet, commitment)
  const share = shareOf(wallet, order, partnerFee)
  const { partner, partnerBps } = contractPartnerFee(partnerFee)
  signal?.throwIfAborted()
  const use = inventoryUseOf(onchain, terms)
  const paid = { signedBy, partnerFee: share }
  if (use !== null) {
    const signed = { order, makerSignature, terms, use, partnerFee, share, signal }
    return { ...(await fillFromInventory(wallet, signed)), ...paid }
  }
  const checked = await checkFill(wallet, { order, makerSignature })
  const { spender, amount } = withFees(takerApproval(order, terms.option), order, share)
  const needsApproval = checked.needsApproval || (share > 0n && (await wallet.allowance(spender)) < amount)
  if (order.makerSelling && share > 0n) await assertHolds(wallet, amount)
  signal?.throwIfAborted()
  const due = { spender, amount, deadline: order.validUntil }
  const permit = needsApproval && method === 'permit' ? await signPermit(wallet, due) : null
  const settlement = { address: wallet.setup.settlementAddress, abi: serviceRfqSettlementAbi } as const
  const args = [contractOrder(order), makerSignature] as const
  if (permit !== null && partnerFee === null) {
    const call = { ...settlement, functionName: 'fillWithPermit', args: [...args, permit] } as const
    return { approval: null, usedPermit: true, payment: 'permit', fill: await wallet.write(call, signal), ...paid }
  }
  if (permit !== null || (needsApproval && (method === 'authorization' || method === 'permit2'))) {
    const payment = permit === null ? await signPayment(wallet, method as SignedMethod, due) : permitPayment(permit)
    const signed = [...args, contractPayment(payment), partner, partnerBps] as const
    const call = { ...settlement, functionName: 'fillWithPayment', args: signed } as const
    const fill = await wallet.write(call, signal)
    return { approval: null, usedPermit: permit !== null, payment: payment.method, fill, ...paid }
  }
  const approval = needsApproval ? await wallet.approve({ spender, amount, signal }) : null
  const fill = await wallet.write(
    partnerFee === null
      ? { ...settlement, functionName: 'fill', args }
      : { ...settlement, functionName: 'fillWithPartnerFee', args: [...args, partner, partnerBps] },
    signal,
  )
  return { approval, usedPermit: false, payment: 'allowance', fill, ...paid }
}

/** A fill from inventory: what is needed besides the signed order. */
type InventoryFill = SignedOrder & {
  terms: RequestTerms
  use: InventoryUse
  partnerFee: PartnerFee | null
  share: Usd6
  signal: AbortSignal | undefined
}

/** Options sold from inventory take no collateral, and closed options return theirs. */
async function fillFromInventory(
  wallet: Wallet,
  { signal, use, partnerFee, share, ...signed }: InventoryFill,
): Promise<Omit<Fill, 'signedBy' | 'partnerFee'>> {
  const { order, makerSignature, terms } = signed
  const { makerShortfall } = await checkFill(wallet, { ...signed, isFromInventory: true })
  const adjusted = await adjustInventoryUse(wallet, { order, terms, makerShortfall, use })
  signal?.throwIfAborted()
  const { fromInventory, closeAfter } = adjusted
  const { spender, amount } = withFees(takerApproval(order, terms.option, fromInventory), order, share)
  if (order.makerSelling && share > 0n) await assertHolds(wallet, amount)
  const approval = amount === 0n ? null : await wallet.approve({ spender, amount, signal })
  const { partner, partnerBps } = contractPartnerFee(partnerFee)
  const call = {
    address: wallet.setup.settlementAddress,
    abi: serviceRfqSettlementAbi,
    functionName: 'fillFromInventory',
    args: [contractOrder(order), makerSignature, fromInventory, closeAfter, partner, partnerBps],
  } as const
  return { approval, usedPermit: false, payment: 'allowance', fill: await wallet.write(call, signal) }
}

type SignedOrder = { order: Order; makerSignature: Hex }

/** The order of a trade, when it is the one that was agreed on the contract that the wallet trusts. */
export async function agreedOrder(
  wallet: Wallet,
  { onchain, terms, protections }: CommittedTrade,
): Promise<SignedOrder & { onchain: OnchainTrade; signedBy: OrderSigner }> {
  if (onchain === null) throw new ClientSetupError('The trade is simulated: there is nothing to fill on a chain.')
  const { order, makerSignature, domain } = onchain
  const expectedDomain = orderDomain(wallet.setup.chainId, wallet.setup.settlementAddress)
  const faults = takerFaults({ order, domain, expectedDomain, terms, wallet: wallet.address, protections })
  // The chain is not asked about an order that is not what was agreed.
  if (faults.length > 0) throw new OrderMismatchError(faults)
  const signedBy = await readOrderSigner(wallet, { order, domain: expectedDomain, signature: makerSignature })
  if (signedBy === null) throw new OrderMismatchError([unsignedFault(makerSignature)])
  return { onchain, order, makerSignature, signedBy }
}

/** The fields of an order that explain why it cannot be filled. */
const SHOWN_FIELDS: Readonly<Record<OrderStatus, readonly (keyof Order)[]>> = {
  Fillable: [],
  Expired: ['validUntil'],
  AmountZero: [],
  SelfTrade: ['taker'],
  NonceUsed: ['maker', 'nonce'],
  SeriesUnknown: ['seriesId'],
  SeriesSettled: ['seriesId'],
  SeriesExpired: ['seriesId'],
  SeriesHalted: ['seriesId'],
  AmountTooLarge: ['optionAmount'],
  PremiumAboveCollateral: ['premiumAmount'],
  MakerBalanceLow: ['maker'],
  MakerAllowanceLow: ['maker'],
  SignatureInvalid: ['maker'],
  TakerBalanceLow: ['taker'],
  TakerAllowanceLow: ['taker'],
}

/**
 * Asks the settlement contract, in one call, whether its taker could fill an order now. Rejects with `ContractRefusedError` for every
 * reason but the taker's own approval, which it can still make: before it pays for one. A fill from inventory needs less money of the
 * seller than this call assumes, so the caller judges a maker's shortfall.
 */
export async function checkFill(
  { publicClient, setup }: Pick<Wallet, 'publicClient' | 'setup'>,
  { order, makerSignature, isFromInventory = false }: SignedOrder & { isFromInventory?: boolean },
): Promise<{ needsApproval: boolean; makerShortfall: bigint }> {
  const [number, makerShortfall, takerShortfall] = await publicClient.readContract({
    address: setup.settlementAddress,
    abi: serviceRfqSettlementAbi,
    functionName: 'checkOrder',
    args: [contractOrder(order), makerSignature],
  })
  const status = ORDER_STATUSES[number] ?? 'Fillable'
  const refusal = ORDER_REFUSALS[status]
  const isSellersMoney = status.startsWith(order.makerSelling ? 'Maker' : 'Taker')
  if (refusal === null || status === 'TakerAllowanceLow' || (isFromInventory && isSellersMoney))
    return { needsApproval: refusal !== null, makerShortfall: order.makerSelling ? makerShortfall : 0n }
  const values: ContractValue[] = SHOWN_FIELDS[status].map((name) => ({
    name,
    unit: contractUnit('settlement', name),
    value: order[name],
  }))
  const shortfall = status.startsWith('Maker') ? makerShortfall : status.startsWith('Taker') ? takerShortfall : 0n
  if (shortfall > 0n) values.push({ name: 'shortfall', unit: 'usd', value: shortfall })
  throw new ContractRefusedError({ ...refusal, errorName: status, values })
}
