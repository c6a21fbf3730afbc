import { RfqError } from '@rfqctl/protocol/domain/errors'
import { type QuoteRequest, seriesTermsOf } from '@rfqctl/protocol/domain/request'
import { legIdsOf } from '@rfqctl/protocol/domain/series'
import type { Address, Contracts } from '@rfqctl/protocol/domain/units'
import type { Context } from './context.ts'
import type { Chain, ChainHead, Freshness } from './ports/chain.ts'

/** The second from which a series is no longer traded, Unix: its expiry, or earlier by the cut-off of the core. */
export const tradingEnd = ({ chain }: { chain: Pick<Chain, 'tradingCutoffS'> }, expiry: number): number =>
  expiry - chain.tradingCutoffS

/**
 * Returns how many more options may be open in a series; null if unbounded. Refuses a series that is not registered,
 * halted or no longer traded on chain, and a package with a halted leg (decision K5); refuses every trade on a chain whose head
 * is stale (fault E5), with `chain_unavailable`. In simulated mode everything is tradable.
 */
export async function assertTradable(
  context: Pick<Context, 'chain' | 'clock' | 'settings'>,
  request: Pick<QuoteRequest, 'seriesId' | 'market' | 'option'>,
  freshness: Freshness,
): Promise<Contracts | null> {
  const { chain } = context
  if (chain.mode === 'simulated') return null
  const [series, legs, chainTime] = await Promise.all([
    chain.series(request.seriesId, freshness),
    // Batched with the series itself in one call of the node.
    Promise.all(legIdsOf(seriesTermsOf(request)).map((legId) => chain.series(legId, freshness))),
    chain.time(freshness),
    assertHeadMoves(context),
  ])
  if (series === null) throw new RfqError('series_not_registered')
  if (series.halted || legs.some((leg) => leg?.halted === true)) throw new RfqError('series_halted')
  if (chainTime >= tradingEnd(context, series.expiry)) throw new RfqError('request_expired')
  return series.room ?? null
}

/**
 * Options that are handed over are open already. New ones need room in their series, which the core counts when they
 * are written.
 */
export function capRefusal(
  room: Contracts | null,
  amount: Contracts,
  ...sellers: { fromInventory: Contracts }[]
): RfqError | null {
  const written = sellers.reduce((left, { fromInventory }) => left - fromInventory, amount as bigint)
  if (room === null || written <= room) return null
  return new RfqError('amount_too_large', {
    detail: `The series can hold ${room} options more; this fill writes ${written}.`,
  })
}

async function assertHeadMoves({ chain, clock, settings }: Pick<Context, 'chain' | 'clock' | 'settings'>) {
  if (settings.headStaleMs === 0) return
  const head = await chain.head()
  if (head === null) return
  const ageMs = headAgeMs(head, clock.now())
  if (ageMs <= settings.headStaleMs) return
  throw new RfqError('chain_unavailable', {
    detail: `The chain is stale: its last block is ${Math.round(ageMs / 1_000)} s old.`,
  })
}

/** Milliseconds at `now`; a chain whose time was moved ahead has a young head. */
export const headAgeMs = ({ time }: ChainHead, now: number): number => Math.max(0, now - time * 1_000)

/** No one signs or pays from one of the contracts. */
export function assertWallet({ chain }: Pick<Context, 'chain'>, field: string, wallet: Address): void {
  const { settlementAddress, coreAddress, stablecoinAddress } = chain.environment
  if (![settlementAddress, coreAddress, stablecoinAddress].includes(wallet)) return
  throw new RfqError('invalid_request', { detail: `${field} must be a wallet, got the contract ${wallet}` })
}
