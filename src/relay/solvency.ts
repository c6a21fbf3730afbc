import { formatUsd6 } from '../domain/decimal.ts'
import { RfqError } from '../domain/errors.ts'
import { fillContracts, premiumOf } from '../domain/fill.ts'
import { makerObligation, takerApproval } from '../domain/order.ts'
import type { QuoteSubmission } from '../domain/quote.ts'
import type { QuoteRequest } from '../domain/request.ts'
import { checkFunds, type Funds, type Reservation, reservedFor } from '../domain/reservation.ts'
import type { Address, Usd6 } from '../domain/units.ts'
import type { Context } from './context.ts'
import type { ChainEnvironment, Freshness } from './ports/chain.ts'
import type { Soon } from './ports/soon.ts'
import type { Acceptance } from './ports/store.ts'
import { andThen, together } from './soon.ts'

/** The quote whose maker must be able to pay. */
type Offer = Pick<QuoteSubmission, 'maker' | 'price' | 'size'> & { makerId: string }

/**
 * Why a maker's wallet cannot stand behind a quote, or null when it can: it must hold and have approved what the fill
 * takes on top of what the wallet owes already (ruling C13). Fails with `chain_unavailable` when that cannot be read.
 * All that does not need an earlier answer is asked in one turn, so that it reaches the node as one batch.
 * @see spec "Solvency check"
 */
export function findShortfall(
  context: Context,
  request: QuoteRequest,
  offer: Offer,
  freshness: Freshness,
): Soon<RfqError | null> {
  const { chain } = context
  if (chain.mode === 'simulated') return null
  const { spender, amount } = obligationOf(request, offer)
  // Chain time does not go back: what was owed a few seconds ago holds all that is owed now.
  const recently = chain.time('cached')
  const answers = together([
    chain.funds(offer.maker, spender, freshness),
    freshness === 'cached' ? recently : chain.time(freshness),
    readReservations(context, offer.maker, recently),
  ])
  return andThen(answers, ([funds, chainTime, reservations]) => {
    const owed = reservedFor(reservations, { makerId: offer.makerId, spender, chainTime })
    const code = checkFunds(funds, amount, owed)
    return code === null
      ? null
      : shortfall(code, { offer, spender, amount, funds, owed, environment: chain.environment })
  })
}

function obligationOf({ trade, option }: QuoteRequest, { price, size }: Offer) {
  const optionAmount = fillContracts(trade, { price, size })
  const makerSelling = trade.side === 'buy'
  return makerObligation({ makerSelling, optionAmount, premiumAmount: premiumOf(optionAmount, price) }, option)
}

function readReservations(context: Context, maker: Address, chainTime: Soon<number>): Soon<readonly Reservation[]> {
  const owed = andThen(chainTime, (time) => context.store.acceptances.owedBy(maker, time))
  return andThen(owed, (list) => (list.length === 0 ? [] : reserve(context, maker, list)))
}

async function reserve({ chain }: Context, maker: Address, owed: readonly Acceptance[]): Promise<Reservation[]> {
  const nonces = owed.map(({ order }) => order.nonce)
  const [used, takersCanPay] = await Promise.all([
    chain.usedNonces(maker, nonces),
    Promise.all(owed.map((acceptance) => canTakerPay(chain, acceptance))),
  ])
  return owed.map(({ order, option, makerId, state }, index) => ({
    ...makerObligation(order, option),
    state: state === 'pending' ? 'pending' : 'confirmed',
    makerId,
    validUntil: order.validUntil,
    nonceUsed: used.has(order.nonce),
    takerCanPay: takersCanPay[index] === true,
  }))
}

/** A pending order counts whatever its taker holds. */
async function canTakerPay(chain: Context['chain'], { order, option, state }: Acceptance): Promise<boolean> {
  if (state === 'pending') return true
  const { spender, amount } = takerApproval(order, option)
  return (await chain.funds(order.taker, spender, 'cached')).balance >= amount
}

function shortfall(
  code: NonNullable<ReturnType<typeof checkFunds>>,
  figures: {
    offer: Offer
    spender: 'settlement' | 'core'
    amount: Usd6
    funds: Funds
    owed: { total: Usd6; viaSpender: Usd6 }
    environment: ChainEnvironment
  },
): RfqError {
  const { offer, spender, amount, funds, owed, environment } = figures
  const address = spender === 'core' ? environment.coreAddress : environment.settlementAddress
  const usd = (value: Usd6) => `${formatUsd6(value)} USD`
  const detail =
    code === 'maker_insufficient_balance'
      ? `Wallet ${offer.maker} holds ${usd(funds.balance)}; this fill needs ${usd(amount)} and ${usd(owed.total)} is already promised.`
      : `Wallet ${offer.maker} has approved ${usd(funds.allowance)} to ${address} (${spender}); this fill needs ${usd(amount)} and ${usd(owed.viaSpender)} is already promised. Approve more to ${address}.`
  return new RfqError(code, { detail })
}
