import { zeroAddress } from 'viem'
import { type Series, type SeriesTerms, seriesIdOf } from '../../domain/series.ts'
import { usd6 } from '../../domain/units.ts'
import type { Chain, SeriesIndex } from '../../relay/ports/chain.ts'
import type { Clock } from '../../relay/ports/clock.ts'

/** A wallet of the simulation: solvency is skipped there (ruling C12). */
const UNLIMITED = usd6(2n ** 255n)

/**
 * No chain at all: zero addresses, the relay's clock as chain time, and the given series for discovery and settlement. The
 * relay asks it for no series on commit, so that any well-formed one may be committed (ruling C12).
 */
export function createSimulatedChain({
  chainId,
  series,
  clock,
}: {
  chainId: number
  series: readonly SeriesTerms[]
  clock: Pick<Clock, 'now'>
}): { chain: Chain; seriesIndex: SeriesIndex } {
  const listed: readonly Series[] = series.map((terms) => ({
    ...terms,
    seriesId: seriesIdOf(terms),
    halted: false,
    resolutionBps: null,
  }))
  const byId = new Map(listed.map((entry) => [entry.seriesId, entry]))

  return {
    chain: {
      mode: 'simulated',
      environment: {
        chainId,
        settlementAddress: zeroAddress,
        coreAddress: zeroAddress,
        stablecoinAddress: zeroAddress,
      },
      time: () => Math.floor(clock.now() / 1_000),
      head: async () => null,
      series: async (seriesId) => byId.get(seriesId) ?? null,
      funds: () => ({ balance: UNLIMITED, allowance: UNLIMITED }),
      usedNonces: async () => new Set(),
      positions: async () => [],
    },
    seriesIndex: {
      list: async () => listed,
      find: async (seriesId) => byId.get(seriesId) ?? null,
      refresh: async () => {},
    },
  }
}
