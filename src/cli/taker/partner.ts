import type { Order, PartnerFee, Usd6 } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { exactUsd } from '@rfqctl/lib/format'
import { usd6ToNumber } from '@rfqctl/protocol/domain/decimal'
import { MAX_PARTNER_BPS, parsePartnerFee, partnerShare } from '@rfqctl/protocol/domain/partner-fee'
import { usd6 } from '@rfqctl/protocol/domain/units'

/** Flag that pays a share of the premium beside it. */
export type PartnerOptions = { partnerFee?: string }

/** Null without the flag. */
export function partnerIn({ partnerFee: text }: PartnerOptions): PartnerFee | null {
  const partner = text === undefined ? null : parsePartnerFee(text)
  if (text === undefined || partner !== null) return partner
  throw new CliError('--partner-fee is not an address and basis points', {
    why: [`it has an address with the right checksum and 1 to ${MAX_PARTNER_BPS} basis points, such as 0x…:25`],
  })
}

type Sums = Pick<Order, 'premiumAmount' | 'makerSelling'>

type Fees = { partnerFee: PartnerFee | null; relayerFee: Usd6 | null }

/** A buyer pays premium and fees, a seller gets the premium less them. */
function totalOf({ premiumAmount, makerSelling }: Sums, { partnerFee, relayerFee }: Fees): Usd6 {
  const fees = partnerShare(premiumAmount, partnerFee) + (relayerFee ?? 0n)
  return usd6(makerSelling ? premiumAmount + fees : premiumAmount - fees)
}

/** Premium, fees and total, shown before anything is signed; null without a partner. */
export function dueLine(sums: Sums, { partnerFee, relayerFee }: Fees): string | null {
  if (partnerFee === null) return null
  const { premiumAmount, makerSelling } = sums
  const parts = [
    `premium ${exactUsd(premiumAmount)}`,
    `partner fee ${exactUsd(partnerShare(premiumAmount, partnerFee))} to ${partnerFee.recipient}`,
    ...(relayerFee === null ? [] : [`relayer's fee ${exactUsd(relayerFee)}`]),
  ]
  return `${parts.join(', ')}; you ${makerSelling ? 'pay' : 'get'} ${exactUsd(totalOf(sums, { partnerFee, relayerFee }))} in all`
}

/** The same for programs; empty without a partner. */
export const dueJson = (sums: Sums, { partnerFee, relayerFee }: Fees): Readonly<Record<string, unknown>> =>
  partnerFee === null
    ? {}
    : {
        premium: usd6ToNumber(sums.premiumAmount),
        partner: partnerFee.recipient,
        partnerFee: usd6ToNumber(partnerShare(sums.premiumAmount, partnerFee)),
        ...(relayerFee === null ? {} : { fee: usd6ToNumber(relayerFee) }),
        total: usd6ToNumber(totalOf(sums, { partnerFee, relayerFee })),
      }
