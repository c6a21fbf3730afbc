import { formatUsd6 } from '@rfqctl/protocol/domain/decimal'
import type { Order, TakerApproval } from '@rfqctl/protocol/domain/order'
import { MAX_PARTNER_BPS, type PartnerFee, partnerShare } from '@rfqctl/protocol/domain/partner-fee'
import { type Usd6, usd6 } from '@rfqctl/protocol/domain/units'
import { ClientSetupError, PaymentError } from './errors.ts'
import type { Wallet } from './wallet.ts'

/**
 * A partner's share of an order, micro-dollars. Throws `ClientSetupError` for a partner or a share that the settlement contract refuses,
 * before anything is signed.
 */
export function shareOf({ setup }: Pick<Wallet, 'setup'>, order: Order, fee: PartnerFee | null): Usd6 {
  if (fee === null) return usd6(0n)
  const { recipient, bps } = fee
  if (!Number.isInteger(bps) || bps < 1 || bps > MAX_PARTNER_BPS)
    throw new ClientSetupError(`A partner takes 1 to ${MAX_PARTNER_BPS} basis points of the premium.`)
  const lost = [setup.settlementAddress, setup.coreAddress].map((address) => address.toLowerCase())
  if (BigInt(recipient) === 0n || lost.includes(recipient.toLowerCase()))
    throw new ClientSetupError('The partner is the zero address or a contract of the service, which take no fee.')
  return partnerShare(order.premiumAmount, fee)
}

/** Money that a taker needs: a buyer pays its fees, micro-dollars, on top of the premium, a seller out of it. */
export const withFees = <Due extends Pick<TakerApproval, 'spender' | 'amount'>>(
  due: Due,
  { makerSelling }: Pick<Order, 'makerSelling'>,
  fees: bigint,
): Due => (makerSelling ? { ...due, amount: usd6(due.amount + fees) } : due)

/** Rejects with `PaymentError` where the wallet holds less than is due, before anything is signed. */
export async function assertHolds(wallet: Pick<Wallet, 'balance'>, amount: Usd6): Promise<void> {
  const balance = await wallet.balance()
  if (balance >= amount) return
  throw new PaymentError(`The wallet holds $${formatUsd6(balance)}, and the fill takes $${formatUsd6(amount)}.`, {
    code: 'payment_unavailable',
    hint: 'Fund it before the order expires.',
  })
}
