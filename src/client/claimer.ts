import { maxPayoff, payoff } from '@rfqctl/protocol/domain/option'
import type { Position } from '@rfqctl/protocol/domain/position'
import type { ListedSeries, SeriesId } from '@rfqctl/protocol/domain/series'
import type { Address, Contracts, Hex, ResolutionBps, Usd6 } from '@rfqctl/protocol/domain/units'
import { assertRetryable, type KeyedBackoff } from './retry.ts'
import { type Claim, claimHolderPayout, claimWriterCollateral, readPositions } from './settlement.ts'
import type { Wallet } from './wallet.ts'

/** Outcome of claiming for a wallet. */
export type ClaimNews =
  /** `wallet` got `paid` for `amount` options, by the transaction `hash`. */
  | {
      kind: 'claimed'
      wallet: Address
      seriesId: SeriesId
      side: 'payout' | 'collateral'
      amount: Contracts
      paid: Usd6
      hash: Hex
    }
  /** It is tried again after `retryInMs` at the earliest. */
  | { kind: 'claim_postponed'; wallet: Address; seriesId: SeriesId; error: Error; retryInMs: number }

/** A series that the chain has settled. */
export type SettledSeries = ListedSeries & { resolutionBps: ResolutionBps }

/** Claims what settled series owe a wallet, each once. */
export type Claimer = (settled: readonly SettledSeries[], signal: AbortSignal | undefined) => Promise<void>

/** Claim of a position that no longer exists. */
const NOTHING = { payout: 0n, collateral: 0n }

/** A claimer for a wallet. */
export function createClaimer(input: {
  wallet: Wallet
  backoff: KeyedBackoff
  onNews: (news: ClaimNews) => void
}): Claimer {
  const { wallet, backoff, onNews } = input
  const { address } = wallet
  const done = new Set<SeriesId>()
  const keyOf = (seriesId: SeriesId) => `${address} ${seriesId}`

  function report(seriesId: SeriesId, side: 'payout' | 'collateral', claim: Claim | null): void {
    if (claim === null) return
    const { amount, paid, receipt } = claim
    onNews({ kind: 'claimed', wallet: address, seriesId, side, amount, paid, hash: receipt.transactionHash })
  }

  async function claim(series: SettledSeries, position: Position, signal: AbortSignal | undefined): Promise<void> {
    const { seriesId } = series
    try {
      const { payout, collateral } = owedTo(series, position)
      if (payout > 0n) report(seriesId, 'payout', await claimHolderPayout(wallet, { seriesId, signal }))
      if (collateral > 0n) report(seriesId, 'collateral', await claimWriterCollateral(wallet, { seriesId, signal }))
      done.add(seriesId)
    } catch (fault) {
      await postpone(series, assertRetryable(fault, signal))
    }
  }

  /** Nothing is retried where another keeper, or the wallet's owner, was faster. */
  async function postpone(series: SettledSeries, error: Error): Promise<void> {
    const { seriesId } = series
    const [left] = await readPositions(wallet, [seriesId])
    const { payout, collateral } = left === undefined ? NOTHING : owedTo(series, left)
    if (payout + collateral > 0n) {
      const retryInMs = backoff.postpone(keyOf(seriesId), error)
      onNews({ kind: 'claim_postponed', wallet: address, seriesId, error, retryInMs })
    } else {
      done.add(seriesId)
    }
  }

  return async (settled, signal) => {
    const open = settled.filter(({ seriesId }) => !done.has(seriesId) && backoff.isDue(keyOf(seriesId)))
    const positions = await readPositions(
      wallet,
      open.map(({ seriesId }) => seriesId),
    )
    const held = new Map(positions.map((position) => [position.seriesId, position]))
    for (const series of open) {
      const position = held.get(series.seriesId)
      if (position === undefined) done.add(series.seriesId)
      else await claim(series, position, signal)
    }
  }
}

/** Claimable amounts of a position, micro-dollars. A side that pays nothing is not claimed, since that would only cost gas. */
function owedTo(series: SettledSeries, { long, short }: Position) {
  const each = payoff(series, series.resolutionBps)
  return { payout: long * each, collateral: short * (maxPayoff(series) - each) }
}
