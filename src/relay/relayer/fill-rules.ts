import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { GaslessFill } from '@rfqctl/protocol/domain/gasless-fill'
import { isSamePartner } from '@rfqctl/protocol/domain/partner-fee'
import type { Address, Hex, Usd6 } from '@rfqctl/protocol/domain/units'

/** Least time before a fill's deadline: its turn in the queue, then a block or two. */
const MARGIN_S = 10

/** Wei in a coin. */
const COIN = 10n ** 18n

/**
 * Checks the fill itself, without the chain: throws `authorization_mismatch`, `fee_too_low` or `fill_too_late`.
 * `orderHash` is the digest of its order, `chainTime` Unix seconds.
 */
export function assertFill(
  fill: GaslessFill,
  { orderHash, feeRecipient, fee, chainTime }: { orderHash: Hex; feeRecipient: Address; fee: Usd6; chainTime: number },
): void {
  const { authorization } = fill
  if (authorization.orderHash !== orderHash) {
    throw new RfqError('authorization_mismatch', { detail: 'authorization.orderHash is not the hash of the order.' })
  }
  if (authorization.feeRecipient !== feeRecipient) {
    throw new RfqError('authorization_mismatch', {
      detail: `authorization.feeRecipient is ${authorization.feeRecipient}; the relayer is paid at ${feeRecipient}.`,
    })
  }
  if (authorization.maxFee < fee) throw new RfqError('fee_too_low', { data: { fee: `${fee}` } })
  const [what, deadline] = firstDeadline(fill)
  if (deadline < chainTime + MARGIN_S) {
    throw new RfqError('fill_too_late', {
      detail: `${what} ends at ${deadline}; chain time is ${chainTime}, and a fill needs ${MARGIN_S} s.`,
    })
  }
}

/** Unix seconds. */
function firstDeadline({ order, payment, authorization }: GaslessFill): [string, number] {
  const deadlines: [string, number][] = [
    ['order.validUntil', order.validUntil],
    ['authorization.deadline', authorization.deadline],
  ]
  if (payment.method !== 'allowance') deadlines.push(['payment.deadline', payment.deadline])
  return deadlines.reduce((first, other) => (other[1] < first[1] ? other : first))
}

/** Micro-dollars, rounded up; `gasPrice` is in wei, `coinPrice` in micro-dollars per coin. */
export const gasCost = (gas: bigint, gasPrice: bigint, coinPrice: Usd6): Usd6 =>
  ((gas * gasPrice * coinPrice + COIN - 1n) / COIN) as Usd6

export const isSameFill = (a: GaslessFill, b: GaslessFill): boolean =>
  a.takerSignature === b.takerSignature &&
  a.makerSignature === b.makerSignature &&
  a.payment.signature === b.payment.signature &&
  a.payment.method === b.payment.method &&
  a.authorization.maxFee === b.authorization.maxFee &&
  a.authorization.deadline === b.authorization.deadline &&
  isSamePartner(a.authorization.partnerFee, b.authorization.partnerFee)
