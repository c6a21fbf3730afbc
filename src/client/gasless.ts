import { serviceRfqSettlementAbi } from '@rfqctl/protocol/contracts/abi'
import { formatUsd6 } from '@rfqctl/protocol/domain/decimal'
import type { RelayerTerms } from '@rfqctl/protocol/domain/gasless-fill'
import {
  ALLOWANCE_PAYMENT,
  type FillAuthorization,
  fillAuthorizationTypedData,
  type GaslessFill,
  type Payment,
  type PaymentMethod,
} from '@rfqctl/protocol/domain/gasless-fill'
import { orderDigest, orderDomain, takerApproval } from '@rfqctl/protocol/domain/order'
import type { PartnerFee } from '@rfqctl/protocol/domain/partner-fee'
import { type Hex, type Usd6, usd6 } from '@rfqctl/protocol/domain/units'
import { parseEventLogs, type TransactionReceipt } from 'viem'
import { ClientSetupError, PaymentError, TransactionRevertedError, TransactionUnminedError } from './errors.ts'
import { agreedOrder, type CommittedTrade, checkFill } from './fill.ts'
import { assertHolds, shareOf, withFees } from './partner-share.ts'
import { type Due, signPayment } from './payment.ts'
import type { Wallet } from './wallet.ts'

/** Terms of a fill that a relayer sends. */
export type GaslessInput = {
  /** Result of the commit. */
  commitment: CommittedTrade
  /** From `getTerms` of the relayer's client. */
  terms: Pick<RelayerTerms, 'chainId' | 'settlementAddress' | 'feeRecipient' | 'fee'>
  /** No signature for a relayer that asks for more. */
  maxFee: Usd6
  /** A share of the premium for a partner; the relayer charges nothing for it. */
  partnerFee?: PartnerFee | null
  /** When absent, the first that works of an allowance, a permit, EIP-3009, Permit2. */
  payment?: PaymentMethod
}

/**
 * Seconds that a relayer has to bring a fill to the chain: no more than it needs, since one that waits could fill only orders that turn
 * out badly for the taker.
 */
const RELAY_S = 60

/**
 * Checks a signed trade as `fillOrder` does, and signs what a relayer needs to fill it: this order only, for at most the fee shown, and a
 * payment of exactly the amount due. Nothing is sent. Rejects before anything is signed with `OrderMismatchError`, `ContractRefusedError`
 * or `PaymentError`.
 */
export async function prepareGaslessFill(
  wallet: Wallet,
  {
    commitment,
    terms,
    maxFee,
    partnerFee = null,
    payment: method,
    signal,
  }: GaslessInput & { signal?: AbortSignal | undefined },
): Promise<GaslessFill> {
  assertTerms(wallet, { terms, maxFee })
  const { option, trade } = commitment.terms
  if (trade.reduceOnly === true)
    throw new ClientSetupError('A trade that reduces a position is filled by its own wallet.')
  const { order, makerSignature } = await agreedOrder(wallet, commitment)
  const { fee, feeRecipient } = terms
  const fees = fee + shareOf(wallet, order, partnerFee)
  if (!order.makerSelling && fees > order.premiumAmount) {
    const premium = formatUsd6(order.premiumAmount)
    throw tooHigh(`The fees are $${formatUsd6(usd6(fees))}, more than the premium of $${premium}.`)
  }
  await checkFill(wallet, { order, makerSignature })
  const { spender, amount } = withFees(takerApproval(order, option), order, fees)
  const [{ timestamp }] = await Promise.all([wallet.publicClient.getBlock(), assertHolds(wallet, amount)])
  const deadline = Math.min(order.validUntil, Number(timestamp) + RELAY_S)
  signal?.throwIfAborted()
  const payment = await payFor(wallet, method, { spender, amount, deadline })
  signal?.throwIfAborted()
  const domain = orderDomain(wallet.setup.chainId, wallet.setup.settlementAddress)
  const authorization: FillAuthorization = {
    orderHash: orderDigest(order, domain),
    maxFee: fee,
    feeRecipient,
    deadline,
    partnerFee,
  }
  const takerSignature = await wallet.sign(fillAuthorizationTypedData(authorization, domain))
  return { order, makerSignature, payment, authorization, takerSignature }
}

/** Rejects a relayer of another deployment, or one that asks for too much, before anything is signed. */
function assertTerms({ setup }: Wallet, { terms, maxFee }: Pick<GaslessInput, 'terms' | 'maxFee'>): void {
  const isOurs =
    terms.chainId === setup.chainId && terms.settlementAddress.toLowerCase() === setup.settlementAddress.toLowerCase()
  if (!isOurs) {
    const place = `${terms.settlementAddress} on chain ${terms.chainId}`
    throw new PaymentError(
      `The relayer fills on ${place}, not on ${setup.settlementAddress} on chain ${setup.chainId}.`,
      {
        code: 'relayer_mismatch',
        hint: 'Use a relayer of the deployment that the order is for.',
      },
    )
  }
  if (terms.fee > maxFee) {
    throw tooHigh(`The relayer asks $${formatUsd6(terms.fee)}, above the limit of $${formatUsd6(maxFee)}.`)
  }
}

/** Pays in the way that is named, or else in the first one that works. */
async function payFor(wallet: Wallet, method: PaymentMethod | undefined, due: Due): Promise<Payment> {
  if (method === 'allowance' || method === undefined) {
    const allowance = await wallet.allowance(due.spender)
    if (allowance >= due.amount) return ALLOWANCE_PAYMENT
    if (method === 'allowance') {
      throw new PaymentError(
        `The wallet has approved $${formatUsd6(allowance)}, and the fill takes $${formatUsd6(due.amount)}.`,
        {
          code: 'payment_unavailable',
          hint: 'Approve that much, or pay in another way.',
        },
      )
    }
  }
  if (method !== undefined) return signPayment(wallet, method, due)
  for (const candidate of ['permit', 'authorization'] as const) {
    try {
      return await signPayment(wallet, candidate, due)
    } catch (error) {
      if (!(error instanceof PaymentError)) throw error
    }
  }
  return signPayment(wallet, 'permit2', due)
}

/**
 * Receipt of a fill that a relayer says it has sent, read from the chain. Rejects with `TransactionRevertedError` where it failed, and
 * with `TransactionUnminedError` where it did not fill this order.
 */
export async function confirmRelayedFill(
  { publicClient, setup }: Pick<Wallet, 'publicClient' | 'setup'>,
  { commitment, transactionHash: hash }: { commitment: CommittedTrade; transactionHash: Hex },
): Promise<TransactionReceipt> {
  const { onchain } = commitment
  if (onchain === null) throw new ClientSetupError('The trade is simulated: there is nothing to fill on a chain.')
  const { maker, nonce } = onchain.order
  const receipt = await publicClient.waitForTransactionReceipt({ hash })
  if (receipt.status === 'reverted') throw new TransactionRevertedError(hash)
  const logs = parseEventLogs({ abi: serviceRfqSettlementAbi, eventName: 'OrderFilled', logs: receipt.logs })
  const isFilled = logs.some(
    ({ address, args }) =>
      address.toLowerCase() === setup.settlementAddress.toLowerCase() &&
      args.maker.toLowerCase() === maker.toLowerCase() &&
      args.nonce === BigInt(nonce),
  )
  if (!isFilled) throw new TransactionUnminedError([hash])
  return receipt
}

const tooHigh = (message: string): PaymentError =>
  new PaymentError(message, { code: 'fee_above_limit', hint: 'Allow a higher fee, or fill from the wallet itself.' })
