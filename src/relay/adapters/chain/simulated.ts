import { type Series, type SeriesTerms, seriesIdOf } from '@rfqctl/protocol/domain/series'
import { contracts, usd6 } from '@rfqctl/protocol/domain/units'
import { zeroAddress } from 'viem'
import type { Chain, SeriesIndex } from '../../core/ports/chain.ts'
import type { Clock } from '../../core/ports/runtime.ts'

const MINUTE_S = 60

/** Ample for settlement; a chain would keep them for good. */
const KEPT_AFTER_EXPIRY_S = 7 * 86_400

/** Simulated mode skips solvency (decision C12). */
const UNLIMITED = usd6(2n ** 255n)
const NOTHING_HELD = { long: contracts(0n), short: contracts(0n), isApproved: false }

/**
 * Simulated mode: zero addresses, the relay's clock as chain time, and the series that `seriesAt` gives for that time,
 * with earlier ones included, for discovery and settlement. The relay does not look a series up on commit, so that any
 * well-formed one may be committed (decision C12).
 */
export function createSimulatedChain(parts: {
  chainId: number
  seriesAt: (time: number) => readonly SeriesTerms[]
  clock: Pick<Clock, 'now'>
}): { chain: Chain; seriesIndex: SeriesIndex } {
  const { chainId, seriesAt, clock } = parts
  const byId = new Map<string, Series>()
  let listed: readonly Series[] = []
  let listedUntil = Number.NEGATIVE_INFINITY

  const time = () => Math.floor(clock.now() / 1_000)

  /** All series listed up to now. Expiries fall on whole minutes, so new ones are looked for once a minute. */
  function series(): ReadonlyMap<string, Series> {
    const now = time()
    if (now < listedUntil) return byId
    for (const terms of seriesAt(now)) {
      const seriesId = seriesIdOf(terms)
      if (!byId.has(seriesId)) byId.set(seriesId, { ...terms, seriesId, halted: false, resolutionBps: null })
    }
    for (const [seriesId, { expiry }] of byId) if (expiry < now - KEPT_AFTER_EXPIRY_S) byId.delete(seriesId)
    listed = [...byId.values()]
    listedUntil = (Math.floor(now / MINUTE_S) + 1) * MINUTE_S
    return byId
  }

  function list(): readonly Series[] {
    series()
    return listed
  }

  return {
    chain: {
      mode: 'simulated',
      tradingCutoffS: 0,
      environment: {
        chainId,
        settlementAddress: zeroAddress,
        coreAddress: zeroAddress,
        stablecoinAddress: zeroAddress,
      },
      time,
      head: async () => null,
      series: async (seriesId) => series().get(seriesId) ?? null,
      funds: () => ({ balance: UNLIMITED, allowance: UNLIMITED }),
      fundsAt: async (wallets) => wallets.map(() => ({ balance: UNLIMITED, allowance: UNLIMITED })),
      inventory: () => NOTHING_HELD,
      inventoryAt: async (wallets) => wallets.map(() => NOTHING_HELD),
      positions: async () => [],
      isNonceUsed: () => false,
      resolutionSigner: async () => null,
      takesSignature: async () => false,
      quorumOf: () => null,
      authorizedUntil: () => 0n,
      signedUntil: () => 0n,
    },
    seriesIndex: {
      list: async () => list(),
      find: async (seriesId) => series().get(seriesId) ?? null,
      lookUp: async (seriesId) => series().get(seriesId) ?? null,
      // No chain counts holdings here, so any series may be held.
      held: async (seriesIds) => new Set(seriesIds),
      refresh: async () => {},
    },
  }
}
