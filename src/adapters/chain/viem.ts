import { getAbiItem, getAddress, type PublicClient, toFunctionSelector, toHex } from 'viem'
import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '../../contracts/abi.ts'
import { type Address, usd6 } from '../../domain/units.ts'
import type { Chain, ChainEnvironment } from '../../relay/ports/chain.ts'
import { createLimiter, type Limits } from './limiter.ts'
import { readPositions } from './positions.ts'
import { createReadCache } from './read-cache.ts'
import { nullIfNoBlock, type Rpc } from './rpc.ts'
import { readSeriesState } from './series-state.ts'
import { encodeView } from './views.ts'

const BALANCE_OF = toFunctionSelector(getAbiItem({ abi: testUsdAbi, name: 'balanceOf' }))
const ALLOWANCE = toFunctionSelector(getAbiItem({ abi: testUsdAbi, name: 'allowance' }))
const IS_NONCE_USED = toFunctionSelector(getAbiItem({ abi: serviceRfqSettlementAbi, name: 'isNonceUsed' }))
const RESOLUTION_SIGNER = toFunctionSelector(getAbiItem({ abi: serviceCoreAbi, name: 'resolutionSigner' }))

/** Wallets whose positions are read at the same time, and that wait: anyone may ask, and each costs two reads a series. */
const POSITION_LIMITS: Limits = { atWork: 4, waiting: 32, waitMs: 2_000 }

/** The chain behind a node. `cacheMs` is how old a `cached` answer may be by `now`, Unix milliseconds. */
export function createViemChain({
  rpc,
  environment,
  cacheMs,
  now,
}: {
  rpc: Rpc
  environment: ChainEnvironment
  cacheMs: number
  now: () => number
}): Chain {
  const { coreAddress, settlementAddress, stablecoinAddress } = environment
  const openCache = () => createReadCache({ lifetimeMs: cacheMs, now })
  const cache = openCache()
  const states = openCache()
  // One each, so that a quote needs no name made for what it asks: a text and its hash took 0.3 µs of it.
  const funds = { settlement: openCache(), core: openCache() }
  const limitPositions = createLimiter(POSITION_LIMITS)

  return {
    mode: 'onchain',
    environment,

    time: (freshness) => cache.read('time', freshness, () => rpc.read(readTime)),

    head: () =>
      rpc.read(async (client) => {
        const { number, timestamp } = await client.getBlock({ blockTag: 'latest' })
        return { block: Number(number), time: Number(timestamp) }
      }),

    series: (seriesId, freshness) =>
      states.read(seriesId, freshness, () => rpc.read(({ view }) => readSeriesState(view, coreAddress, seriesId))),

    funds: (wallet, spender, freshness) =>
      funds[spender].read(wallet, freshness, () =>
        rpc.read(async ({ view }) => {
          const spenderAddress = spender === 'core' ? coreAddress : settlementAddress
          const [[balance = 0n], [allowance = 0n]] = await Promise.all([
            view(stablecoinAddress, encodeView(BALANCE_OF, wallet)),
            view(stablecoinAddress, encodeView(ALLOWANCE, wallet, spenderAddress)),
          ])
          return { balance: usd6(balance), allowance: usd6(allowance) }
        }),
      ),

    usedNonces: (maker, nonces) =>
      rpc.read(async ({ view }) => {
        const used = await Promise.all(
          nonces.map((nonce) => view(settlementAddress, encodeView(IS_NONCE_USED, maker, BigInt(nonce)))),
        )
        return new Set(nonces.filter((_, index) => used[index]?.[0] !== 0n))
      }),

    positions: (wallet, seriesIds) =>
      cache.read(`positions ${wallet} ${seriesIds.length}`, 'cached', () =>
        limitPositions(() => readPositions(rpc, { coreAddress, wallet, seriesIds })),
      ),

    resolutionSigner: (freshness) =>
      cache.read('resolution signer', freshness, () =>
        rpc.read(async ({ view }) => toAddress(await view(coreAddress, encodeView(RESOLUTION_SIGNER)))),
      ),
  }
}

const toAddress = ([word = 0n]: readonly bigint[]): Address => getAddress(toHex(word, { size: 20 }))

/** The later of the last block's and the next one's time (decision U7); some nodes know no next one. */
async function readTime(client: PublicClient): Promise<number> {
  const [latest, pending] = await Promise.all([
    client.getBlock({ blockTag: 'latest' }),
    client.getBlock({ blockTag: 'pending' }).catch(nullIfNoBlock),
  ])
  return Math.max(Number(latest.timestamp), Number(pending?.timestamp ?? 0))
}
