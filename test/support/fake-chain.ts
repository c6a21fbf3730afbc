import { RfqError } from '../../src/domain/errors.ts'
import type { Position } from '../../src/domain/position.ts'
import type { Funds } from '../../src/domain/reservation.ts'
import type { Series, SeriesId } from '../../src/domain/series.ts'
import { type Address, usd6 } from '../../src/domain/units.ts'
import type { Chain, Freshness, SeriesIndex } from '../../src/relay/ports/chain.ts'
import type { Clock } from '../../src/relay/ports/runtime.ts'

/** A chain whose funds, series and nonces a test sets, and that can be down. */
export type FakeChain = Chain & {
  registered: Map<SeriesId, Series>
  wallets: Map<Address, Partial<Record<'settlement' | 'core', Funds>>>
  used: Set<string>
  /** By wallet. */
  held: Map<Address, readonly Position[]>
  reads: { wallet: Address; freshness: Freshness }[]
  /** Seconds that chain time is ahead of the clock. */
  aheadS: number
  /** Seconds since the last block. */
  behindS: number
  down: boolean
  /** Whose attestations the core believes. */
  signer: Address | null
}

const RICH: Funds = { balance: usd6(10n ** 15n), allowance: usd6(10n ** 15n) }

/** Wallets that were not named are rich. */
export function createFakeChain({ clock, mode = 'onchain' }: { clock: Clock; mode?: Chain['mode'] }): FakeChain {
  const answer = <T>(value: T): Promise<T> =>
    chain.down ? Promise.reject(new RfqError('chain_unavailable')) : Promise.resolve(value)
  const chain: FakeChain = {
    mode,
    environment: {
      chainId: 80002,
      settlementAddress: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      coreAddress: '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512',
      stablecoinAddress: '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0',
    },
    registered: new Map(),
    wallets: new Map(),
    used: new Set(),
    held: new Map(),
    reads: [],
    aheadS: 0,
    behindS: 0,
    down: false,
    signer: null,
    time: () => answer(Math.floor(clock.now() / 1_000) + chain.aheadS),
    head: () =>
      answer(mode === 'simulated' ? null : { block: 7, time: Math.floor(clock.now() / 1_000) - chain.behindS }),
    series: (seriesId) => answer(chain.registered.get(seriesId) ?? null),
    funds: (wallet, spender, freshness) => {
      chain.reads.push({ wallet, freshness })
      return answer(chain.wallets.get(wallet)?.[spender] ?? RICH)
    },
    usedNonces: (maker, nonces) => answer(new Set(nonces.filter((nonce) => chain.used.has(`${maker}:${nonce}`)))),
    resolutionSigner: () => answer(chain.signer),
    positions: (wallet, seriesIds) =>
      answer((chain.held.get(wallet) ?? []).filter(({ seriesId }) => seriesIds.includes(seriesId))),
  }
  return chain
}

/** The index of all that the fake chain has registered. */
export const createFakeSeriesIndex = ({ registered }: FakeChain): SeriesIndex => ({
  list: async () => [...registered.values()],
  find: async (seriesId) => registered.get(seriesId) ?? null,
  lookUp: async (seriesId) => registered.get(seriesId) ?? null,
  refresh: async () => {},
})
