import { quorumSignerAbi, serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '@rfqctl/protocol/contracts/abi'
import { contractOrder } from '@rfqctl/protocol/domain/order'
import type { Position } from '@rfqctl/protocol/domain/position'
import type { Funds, Inventory, Spender } from '@rfqctl/protocol/domain/reservation'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import { type Address, contracts, type Hex, type ResolutionBps, usd6 } from '@rfqctl/protocol/domain/units'
import {
  encodeFunctionData,
  getAbiItem,
  getAddress,
  type PublicClient,
  parseAbi,
  toFunctionSelector,
  toHex,
} from 'viem'
import type { Chain, ChainEnvironment, Quorum, SeriesState, TradedSeries } from '../../core/ports/chain.ts'
import { createLimiter, type Limits } from './limiter.ts'
import { createReadCache } from './read-cache.ts'
import { nullIfNoBlock, type Rpc, revertName } from './rpc.ts'
import { encodeView, type View, ViewRevertedError } from './views.ts'

const USD_BALANCE_OF = toFunctionSelector(getAbiItem({ abi: testUsdAbi, name: 'balanceOf' }))
const ALLOWANCE = toFunctionSelector(getAbiItem({ abi: testUsdAbi, name: 'allowance' }))
const RESOLUTION_SIGNER = toFunctionSelector(getAbiItem({ abi: serviceCoreAbi, name: 'resolutionSigner' }))
const OPTION_BALANCE_OF = toFunctionSelector(getAbiItem({ abi: serviceCoreAbi, name: 'balanceOf' }))
const IS_APPROVED = toFunctionSelector(getAbiItem({ abi: serviceCoreAbi, name: 'isApprovedForAll' }))
const SHORT_OF = toFunctionSelector(getAbiItem({ abi: serviceCoreAbi, name: 'shortOf' }))
const GET_SERIES = toFunctionSelector(getAbiItem({ abi: serviceCoreAbi, name: 'getSeries' }))
const TRADING_CUTOFF = toFunctionSelector(getAbiItem({ abi: serviceCoreAbi, name: 'TRADING_CUTOFF' }))
const SIGNER_UNTIL = toFunctionSelector(getAbiItem({ abi: serviceRfqSettlementAbi, name: 'signerUntil' }))
const IS_NONCE_USED = toFunctionSelector(getAbiItem({ abi: serviceRfqSettlementAbi, name: 'isNonceUsed' }))
const SERIES_UNKNOWN = toFunctionSelector('SeriesUnknown(uint256)')

const ERC_1271 = parseAbi(['function isValidSignature(bytes32 digest, bytes signature) view returns (bytes4)'])
/** The ERC-1271 answer for a valid signature: the function's own selector. */
const TAKEN = BigInt(toFunctionSelector('isValidSignature(bytes32,bytes)')) << 224n

/**
 * Gas for a wallet's signature check, with the call around it: a passkey in Solidity takes a third of it, fifteen
 * owners of a Safe a tenth (decision C15).
 */
const SIGNATURE_GAS = 1_000_000n

/** Position reads at a time and waiting: anyone may ask, and each costs two reads a series. */
const POSITION_LIMITS: Limits = { atWork: 4, waiting: 32, waitMs: 2_000 }

/** A `cached` answer is at most `cacheMs` old by `now`, Unix milliseconds. `tradingCutoffS` is the core's, in seconds. */
export function createViemChain(parts: {
  rpc: Rpc
  environment: ChainEnvironment
  tradingCutoffS: number
  cacheMs: number
  now: () => number
}): Chain {
  const { rpc, environment, tradingCutoffS, cacheMs, now } = parts
  const { coreAddress, settlementAddress, stablecoinAddress } = environment
  const openCache = () => createReadCache({ lifetimeMs: cacheMs, now })
  const cache = openCache()
  const states = openCache()
  // One cache each, so that a quote needs no combined key: building and hashing one took 0.3 µs.
  const funds = { settlement: openCache(), core: openCache() }
  const atBlocks = openCache()
  const inventories = openCache()
  const limitPositions = createLimiter(POSITION_LIMITS)

  async function readFunds(view: View, wallet: Address, spender: Spender, blockHash?: Hex): Promise<Funds> {
    const spenderAddress = spender === 'core' ? coreAddress : settlementAddress
    const [[balance = 0n], [allowance = 0n]] = await Promise.all([
      view(stablecoinAddress, encodeView(USD_BALANCE_OF, wallet), 1, blockHash),
      view(stablecoinAddress, encodeView(ALLOWANCE, wallet, spenderAddress), 1, blockHash),
    ])
    return { balance: usd6(balance), allowance: usd6(allowance) }
  }

  async function readInventory(view: View, wallet: Address, seriesId: SeriesId, blockHash?: Hex): Promise<Inventory> {
    const id = BigInt(seriesId)
    const [[long = 0n], [short = 0n], [isApproved = 0n]] = await Promise.all([
      view(coreAddress, encodeView(OPTION_BALANCE_OF, wallet, id), 1, blockHash),
      view(coreAddress, encodeView(SHORT_OF, id, wallet), 1, blockHash),
      view(coreAddress, encodeView(IS_APPROVED, wallet, settlementAddress), 1, blockHash),
    ])
    return { long: contracts(long), short: contracts(short), isApproved: isApproved !== 0n }
  }

  /** The word that a call to a stranger's code returns; 0 where it returns none. */
  const readOfStranger = (contract: Address, data: Hex): Promise<bigint> =>
    rpc.read(({ boundedView }) =>
      boundedView(contract, data, SIGNATURE_GAS).catch((fault) => nothingIfReverted(fault)[0] ?? 0n),
    )

  return {
    mode: 'onchain',
    environment,
    tradingCutoffS,

    time: (freshness) => cache.read('time', freshness, () => rpc.read(readTime)),

    head: () =>
      rpc.read(async (client) => {
        const { number, timestamp } = await client.getBlock({ blockTag: 'latest' })
        return { block: Number(number), time: Number(timestamp) }
      }),

    series: (seriesId, freshness) =>
      states.read(seriesId, freshness, () => rpc.read(({ view }) => readTradedSeries(view, coreAddress, seriesId))),

    funds: (wallet, spender, freshness) =>
      funds[spender].read(wallet, freshness, () => rpc.read(({ view }) => readFunds(view, wallet, spender))),

    fundsAt: (wallets, { hash }) =>
      Promise.all(
        wallets.map(({ wallet, spender }) =>
          atBlocks.read(`${hash} ${spender} ${wallet}`, 'cached', () =>
            rpc.read(({ view }) => readFunds(view, wallet, spender, hash)),
          ),
        ),
      ),

    inventory: (wallet, seriesId, freshness) =>
      inventories.read(`${seriesId} ${wallet}`, freshness, () =>
        rpc.read(({ view }) => readInventory(view, wallet, seriesId)),
      ),

    inventoryAt: (wallets, { hash }) =>
      Promise.all(
        wallets.map(({ wallet, seriesId }) =>
          atBlocks.read(`${hash} ${seriesId} ${wallet}`, 'cached', () =>
            rpc.read(({ view }) => readInventory(view, wallet, seriesId, hash)),
          ),
        ),
      ),

    // At the newest block: after a fill or claim the wallet must see what it has now.
    positions: async (wallet, seriesIds) => {
      const hash = await cache.read('newest block', 'latest', () => rpc.read(readNewestHash))
      return atBlocks.read(`${hash} ${wallet} ${seriesIds.length}`, 'cached', () =>
        limitPositions(() => readPositions(rpc, { coreAddress, wallet, seriesIds })),
      )
    },

    isNonceUsed: (maker, nonce) =>
      rpc.read(async ({ view }) => {
        const [isUsed] = await view(settlementAddress, encodeView(IS_NONCE_USED, maker, BigInt(nonce)))
        return isUsed !== 0n
      }),

    resolutionSigner: (freshness) =>
      cache.read('resolution signer', freshness, () =>
        rpc.read(async ({ view }) => toAddress(await view(coreAddress, encodeView(RESOLUTION_SIGNER)))),
      ),

    takesSignature: async ({ contract, digest, signature }) =>
      (await readOfStranger(contract, encodeFunctionData({ abi: ERC_1271, args: [digest, signature] }))) === TAKEN,

    quorumOf: (contract, freshness) =>
      cache.read(`keys of ${contract}`, freshness, () => rpc.read((client) => readQuorum(client, contract))),

    authorizedUntil: (wallet, key) =>
      rpc.read(async ({ view }) => {
        const [until = 0n] = await view(settlementAddress, encodeView(SIGNER_UNTIL, wallet, key))
        return until
      }),

    signedUntil: (order, signature) => {
      const args = [contractOrder(order), signature] as const
      const data = encodeFunctionData({ abi: serviceRfqSettlementAbi, functionName: 'signedUntil', args })
      return readOfStranger(settlementAddress, data)
    },
  }
}

/** More keys than a contract of ours has; a longer list is no answer. */
const MOST_KEYS = 64

/** A call of its own, since it runs a stranger's code. Null for one that names no keys, or fewer than have to sign. */
async function readQuorum(client: PublicClient, address: Address): Promise<Quorum | null> {
  const contract = { address, abi: quorumSignerAbi } as const
  try {
    const [keys, threshold] = await Promise.all([
      client.readContract({ ...contract, functionName: 'getOwners' }),
      client.readContract({ ...contract, functionName: 'getThreshold' }),
    ])
    const isUsable = keys.length <= MOST_KEYS && threshold > 0n && threshold <= BigInt(keys.length)
    return isUsable ? { keys, threshold: Number(threshold) } : null
  } catch (fault) {
    if (revertName(fault) !== null) return null
    throw fault
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

const readNewestHash = async (client: PublicClient): Promise<Hex> =>
  (await client.getBlock({ blockTag: 'latest' })).hash

/** Series per read, one part after the other: a bound on one wallet's query, however many series there are. */
const PART_SIZE = 512

/** Leaves out the series in which the wallet has nothing. */
async function readPositions(
  rpc: Rpc,
  { coreAddress, wallet, seriesIds }: { coreAddress: Address; wallet: Address; seriesIds: readonly SeriesId[] },
): Promise<Position[]> {
  const positions: Position[] = []
  for (let at = 0; at < seriesIds.length; at += PART_SIZE) {
    const part = seriesIds.slice(at, at + PART_SIZE)
    const words = await rpc.read(({ view }) =>
      Promise.all(
        part.flatMap((seriesId) => {
          const id = BigInt(seriesId)
          return [
            view(coreAddress, encodeView(OPTION_BALANCE_OF, wallet, id)),
            view(coreAddress, encodeView(SHORT_OF, id, wallet)),
          ]
        }),
      ),
    )
    for (const [index, seriesId] of part.entries()) {
      const [long, short] = [words[2 * index]?.[0] ?? 0n, words[2 * index + 1]?.[0] ?? 0n]
      if (long > 0n || short > 0n) positions.push({ seriesId, long: contracts(long), short: contracts(short) })
    }
  }
  return positions
}

/** expiry, strikeBps, optionType, resolutionBps, settled, halted, openInterest, maxPayoff, payoff, finalAt, vetoed, its cap. */
const WORDS = 12

/** Null when the core does not know the series. */
export async function readSeriesState(view: View, core: Address, seriesId: SeriesId): Promise<SeriesState | null> {
  const words = await readSeries(view, core, seriesId)
  return words === null ? null : stateOf(words)
}

async function readTradedSeries(view: View, core: Address, seriesId: SeriesId): Promise<TradedSeries | null> {
  const words = await readSeries(view, core, seriesId)
  if (words === null) return null
  const [openInterest = 0n, cap = 0n] = [words[6], words[11]]
  return { ...stateOf(words), room: contracts(cap - openInterest) }
}

const readSeries = (view: View, core: Address, seriesId: SeriesId): Promise<readonly bigint[] | null> =>
  view(core, encodeView(GET_SERIES, BigInt(seriesId)), WORDS).catch(nullIfUnknown)

function stateOf(words: readonly bigint[]): SeriesState {
  const [expiry, , , resolutionBps, settled, halted, , , , finalAt, vetoed] = words
  return {
    expiry: Number(expiry),
    halted: halted !== 0n,
    ...(settled === 0n
      ? { resolutionBps: null }
      : { resolutionBps: Number(resolutionBps) as ResolutionBps, finalAt: Number(finalAt) }),
    ...(vetoed === 0n ? {} : { vetoed: true }),
  }
}

/** The collateral locked for a series, micro-dollars; 0 for one that the core does not know. */
export async function readStake(view: View, core: Address, seriesId: SeriesId): Promise<bigint> {
  const words = await view(core, encodeView(GET_SERIES, BigInt(seriesId)), WORDS).catch(nullIfUnknown)
  const [, , , , , , openInterest = 0n, maxPayoff = 0n] = words ?? []
  return openInterest * maxPayoff
}

/** Seconds; never changes. Cores of former versions have no cut-off. */
export const readTradingCutoff = (rpc: Rpc, core: Address): Promise<number> =>
  rpc.read(async ({ view }) => {
    const [seconds = 0n] = await view(core, encodeView(TRADING_CUTOFF)).catch(nothingIfReverted)
    return Number(seconds)
  })

/** For a contract that refuses, and for an address without one. */
function nothingIfReverted(fault: unknown): readonly bigint[] {
  if (fault instanceof ViewRevertedError) return []
  throw fault
}

function nullIfUnknown(fault: unknown): null {
  if (fault instanceof ViewRevertedError && fault.data.startsWith(SERIES_UNKNOWN)) return null
  throw fault
}
