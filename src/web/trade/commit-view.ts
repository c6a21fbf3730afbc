import {
  type Contracts,
  contracts,
  type OneSidedTrade,
  type Protections,
  type ShownQuote,
  type Usd6,
  usd6,
} from '@rfqctl/client/index'
import { exactUsd } from '@rfqctl/lib/format'
import { premiumOf, wantedAt } from '@rfqctl/protocol/domain/quote'
import { readCount, readDollars, readFee } from './amounts.ts'
import type { TradeState } from './state.ts'
import type { PayBy, TradeRecord } from './trade-record.ts'
import { dueOf, partnerFeeOf, partnerSums, quoteToTake, raceOn, tradeOf } from './trade-view.ts'

export type CommitPreview = NonNullable<ReturnType<typeof commitPreview>>

export type CommitProblem = {
  kind: 'no-quote' | 'no-wallet' | 'wrong-chain' | 'no-gas' | 'funds' | 'limits' | 'relay'
  text: string
}

/** Null where nothing can be taken yet: a request for both sides without a choice included. */
export function commitPreview(state: TradeState, record: TradeRecord) {
  if (record.stage.kind !== 'quoting') return null
  const trade = tradeOf(record)
  if (trade === null) return null
  const race = state.races[record.request.requestId]
  const shown = race === undefined ? null : quoteToTake(raceOn(race, record), trade)
  const amount = shown?.fillContracts ?? contracts(0n)
  const price = shown?.price ?? usd6(0n)
  const typed = typedLimits(state, { price, amount })
  const { limitPrice, minContracts } = typed
  const premium = premiumOf(amount, price)
  const partnerFee = partnerFeeOf(state, record.stage)
  const worst = boundOf(trade, { limitPrice: limitPrice ?? price, minContracts: minContracts ?? contracts(1n) })
  const preview = {
    shown,
    amount,
    premium,
    /** The partner's share, and the sum with it; null without a partner. */
    partner: partnerFee === null ? null : partnerSums(partnerFee, { trade, premium }),
    /** The worst price and the fewest options accepted: those shown, or those typed (decision C1). */
    limitPrice,
    minContracts,
    /** The highest cost or the lowest proceeds with a partner's share, whichever maker signs. */
    bound: partnerFee === null ? worst : partnerSums(partnerFee, { trade, premium: worst }).total,
    isPartial: shown !== null && amount < wantedAt(trade, shown.price),
    /** Taken from the wallet: premium and share or the collateral, and the relayer's fee at most. */
    due: usd6((dueOf(record, { amount, premium, partnerFee }) ?? 0n) + feeOf(state, trade)),
  }
  return { ...preview, problem: commitProblem(state, { ...preview, limits: typed.problem }) }
}

/** The typed limits, else those of the shown price: at least half of its options (decision C1). */
function typedLimits(
  { ticket }: Pick<TradeState, 'ticket'>,
  { price, amount }: { price: Usd6; amount: Contracts },
): Pick<Protections, 'limitPrice' | 'minContracts'> & { problem: string | null } {
  const limit = ticket.limitText === null ? { value: price } : readDollars(ticket.limitText)
  const least = ticket.minText === null ? { value: halfOf(amount) } : readCount(ticket.minText)
  const problem = 'problem' in limit ? `Limit: ${limit.problem}` : 'problem' in least ? `Least: ${least.problem}` : null
  return {
    limitPrice: 'value' in limit ? limit.value : null,
    minContracts: 'value' in least ? least.value : null,
    problem,
  }
}

const halfOf = (amount: Contracts): Contracts => contracts(amount / 2n < 1n ? 1n : amount / 2n)

/** A purchase costs no more than its budget, and a sale brings no less than its limit. */
function boundOf(
  trade: OneSidedTrade,
  { limitPrice, minContracts }: { limitPrice: Usd6; minContracts: Contracts },
): Usd6 {
  if (trade.side === 'sell') return premiumOf(minContracts, limitPrice)
  const all = trade.most === undefined ? null : premiumOf(trade.most, limitPrice)
  return all !== null && all < trade.budget ? all : trade.budget
}

/** A buyer pays a relayer on top of the premium, a seller out of it. */
function feeOf({ ticket }: TradeState, trade: OneSidedTrade): bigint {
  if (ticket.payBy !== 'relayer' || trade.side === 'sell') return 0n
  const fee = readFee(ticket.maxFeeText)
  return 'value' in fee ? fee.value : 0n
}

function commitProblem(
  state: TradeState,
  { shown, due, limits }: { shown: ShownQuote | null; due: Usd6; limits: string | null },
): CommitProblem | null {
  if (state.link.kind !== 'live') return { kind: 'relay', text: 'The relay does not answer now.' }
  if (shown === null) return { kind: 'no-quote', text: 'No maker quoted yet.' }
  if (limits !== null) return { kind: 'limits', text: limits }
  return walletProblem(state, { due, payBy: state.ticket.payBy })
}

export function walletProblem(
  { wallet, environment }: TradeState,
  { due, payBy }: { due: Usd6; payBy: PayBy },
): CommitProblem | null {
  const { standing, funds } = wallet
  if (standing.kind !== 'connected') return { kind: 'no-wallet', text: 'Connect a wallet to trade.' }
  if (environment === null || environment.mode === 'simulated') return null
  if (standing.chainId !== null && standing.chainId !== environment.chainId) {
    const text = `The wallet is on chain ${standing.chainId}, the relay settles on chain ${environment.chainId}.`
    return { kind: 'wrong-chain', text }
  }
  if (funds === null) return null
  if (funds.coin === 0n && payBy !== 'relayer') {
    return { kind: 'no-gas', text: 'The wallet has no coin to pay for gas.' }
  }
  if (funds.stablecoin < due)
    return { kind: 'funds', text: `The wallet holds ${exactUsd(funds.stablecoin)}, and this takes ${exactUsd(due)}.` }
  return null
}
