import type { PublicClient } from 'viem'
import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '../../domain/contract-abi.ts'
import { RfqError } from '../../domain/errors.ts'
import type { SeriesId, SeriesTerms } from '../../domain/series.ts'
import { type ResolutionBps, usd6 } from '../../domain/units.ts'
import type { Chain, ChainEnvironment, SeriesIndex } from '../../relay/ports/chain.ts'
import { readPositions } from './positions.ts'
import { createReadCache } from './read-cache.ts'
import { nullIfNoBlock, type Rpc, revertName } from './rpc.ts'

/**
 * The chain behind a node. `cacheMs` is how old a `cached` answer may be by `now`, Unix milliseconds. The index supplies
 * what a series is about, which never changes and of which the core keeps only the hash.
 */
export function createViemChain({
  rpc,
  environment,
  seriesIndex,
  cacheMs,
  now,
}: {
  rpc: Rpc
  environment: ChainEnvironment
  seriesIndex: SeriesIndex
  cacheMs: number
  now: () => number
}): Chain {
  const core = { address: environment.coreAddress, abi: serviceCoreAbi } as const
  const settlement = { address: environment.settlementAddress, abi: serviceRfqSettlementAbi } as const
  const stablecoin = { address: environment.stablecoinAddress, abi: testUsdAbi } as const
  const openCache = () => createReadCache({ lifetimeMs: cacheMs, now })
  const cache = openCache()
  // One each, so that a quote needs no name made for what it asks: a text and its hash took 0.3 µs of it.
  const funds = { settlement: openCache(), core: openCache() }

  async function termsOf(seriesId: SeriesId): Promise<SeriesTerms> {
    const known = await seriesIndex.find(seriesId)
    if (known !== null) return known
    await seriesIndex.refresh()
    const found = await seriesIndex.find(seriesId)
    if (found !== null) return found
    throw new RfqError('chain_unavailable', { detail: `The registration of series ${seriesId} cannot be read yet.` })
  }

  return {
    mode: 'onchain',
    environment,

    time: (freshness) => cache.read('time', freshness, () => rpc.read(readTime)),

    head: () =>
      rpc.read(async (client) => {
        const { number, timestamp } = await client.getBlock({ blockTag: 'latest' })
        return { block: Number(number), time: Number(timestamp) }
      }),

    async series(seriesId) {
      const state = await rpc.read((client) =>
        client.readContract({ ...core, functionName: 'getSeries', args: [BigInt(seriesId)] }).catch(nullIfUnknown),
      )
      if (state === null) return null
      const { conditionId, yesTokenId, strikeBps, expiry, optionType } = await termsOf(seriesId)
      const resolutionBps = state.settled ? (state.resolutionBps as ResolutionBps) : null
      return { seriesId, conditionId, yesTokenId, strikeBps, expiry, optionType, halted: state.halted, resolutionBps }
    },

    funds: (wallet, spender, freshness) =>
      funds[spender].read(wallet, freshness, () =>
        rpc.read(async (client) => {
          const spenderAddress = spender === 'core' ? core.address : settlement.address
          const [balance, allowance] = await Promise.all([
            client.readContract({ ...stablecoin, functionName: 'balanceOf', args: [wallet] }),
            client.readContract({ ...stablecoin, functionName: 'allowance', args: [wallet, spenderAddress] }),
          ])
          return { balance: usd6(balance), allowance: usd6(allowance) }
        }),
      ),

    usedNonces: (maker, nonces) =>
      rpc.read(async (client) => {
        const used = await Promise.all(
          nonces.map((nonce) =>
            client.readContract({ ...settlement, functionName: 'isNonceUsed', args: [maker, BigInt(nonce)] }),
          ),
        )
        return new Set(nonces.filter((_, index) => used[index]))
      }),

    positions: (wallet, seriesIds) =>
      cache.read(`positions ${wallet} ${seriesIds.length}`, 'cached', () =>
        rpc.read((client) => readPositions(client, { coreAddress: core.address, wallet, seriesIds })),
      ),
  }
}

/** The later of the last block's and the next one's time (ruling U7); some nodes know no next one. */
async function readTime(client: PublicClient): Promise<number> {
  const [latest, pending] = await Promise.all([
    client.getBlock({ blockTag: 'latest' }),
    client.getBlock({ blockTag: 'pending' }).catch(nullIfNoBlock),
  ])
  return Math.max(Number(latest.timestamp), Number(pending?.timestamp ?? 0))
}

function nullIfUnknown(fault: unknown): null {
  if (revertName(fault) === 'SeriesUnknown') return null
  throw fault
}
