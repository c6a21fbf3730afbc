import { toHex } from 'viem'
import { RfqError } from '../../src/protocol/domain/errors.ts'
import { type Order, orderDigest, orderDomain } from '../../src/protocol/domain/order.ts'
import { maskOf, type NonceUse } from '../../src/protocol/domain/order-end.ts'
import type { Position } from '../../src/protocol/domain/position.ts'
import type { Funds, Inventory } from '../../src/protocol/domain/reservation.ts'
import type { Series, SeriesId } from '../../src/protocol/domain/series.ts'
import { normaliseSignature } from '../../src/protocol/domain/signature.ts'
import { type Address, type Contracts, contracts, type Hex, usd6 } from '../../src/protocol/domain/units.ts'
import type { Chain, ChainHead, Freshness, OrderEvents, Quorum, SeriesIndex } from '../../src/relay/core/ports/chain.ts'
import type { Clock } from '../../src/relay/core/ports/runtime.ts'
import { recover as recoverSigner } from './recover.ts'

/** A chain whose funds, series and nonces a test sets, and that can be down. */
export type FakeChain = Chain & {
  registered: Map<SeriesId, Series & { room?: Contracts }>
  /** Packages that no one holds. */
  unheld: Set<SeriesId>
  wallets: Map<Address, Partial<Record<'settlement' | 'core', Funds>>>
  /** The newest block, and how many of the newest are not final; a test mines, or drops, by setting it. */
  block: number
  unfinal: number
  /** What was used of makers' nonces. */
  uses: NonceUse[]
  /** Uses the nonce of an order in a new block: it is filled, or cancelled by its maker. */
  use: (order: Order, how?: 'filled' | 'cancelled') => void
  /** Gives a wallet other funds in a new block; those of earlier blocks stay known. */
  move: (wallet: Address, funds: Partial<Record<'settlement' | 'core', Funds>>) => void
  /** By wallet, then by series; a wallet that was not named has nothing. */
  inventories: Map<Address, ReadonlyMap<SeriesId, Inventory>>
  /** By wallet. */
  held: Map<Address, readonly Position[]>
  reads: { wallet: Address; freshness: Freshness }[]
  /** Seconds that chain time is ahead of the clock. */
  aheadS: number
  /** Seconds since the last block. */
  behindS: number
  /** Blocks that events which were read before are behind the newest. */
  eventsBehind: number
  down: boolean
  /** Whose attestations the core believes. */
  signer: Address | null
  /** Whose signatures that one takes for its own, when it is a contract. */
  signerKey: Address | null
  /** Keys that sign together for contracts, by contract. */
  quorums: Map<Address, Quorum>
  /** Whose signatures wallets that are contracts take for their own, by wallet. */
  contracts: Map<Address, (signature: Hex, digest: Hex) => boolean | Promise<boolean>>
  /** Until when keys are authorised to sign for a wallet, Unix seconds, by wallet and key. */
  authorised: Map<Address, Map<Address, number>>
  /** What the settlement, or a wallet that is a contract, was asked about. */
  checked: Hex[]
}

const RICH: Funds = { balance: usd6(10n ** 15n), allowance: usd6(10n ** 15n) }

/** Wallets that were not named are rich. */
export function createFakeChain({
  clock,
  mode = 'onchain',
  recover = recoverKey,
}: {
  clock: Clock
  mode?: Chain['mode']
  recover?: (digest: Hex, signature: Hex) => Promise<Address | null>
}): FakeChain {
  const answer = <T>(value: T): Promise<T> =>
    chain.down ? Promise.reject(new RfqError('chain_unavailable')) : Promise.resolve(value)
  const inventoryOf = (wallet: Address, seriesId: SeriesId): Inventory =>
    chain.inventories.get(wallet)?.get(seriesId) ?? { long: contracts(0n), short: contracts(0n), isApproved: false }
  const moves: { block: number; wallet: Address; former: Partial<Record<'settlement' | 'core', Funds>> }[] = []
  const chain: FakeChain = {
    mode,
    tradingCutoffS: 0,
    environment: {
      chainId: 80002,
      settlementAddress: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      coreAddress: '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512',
      stablecoinAddress: '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0',
    },
    registered: new Map(),
    unheld: new Set(),
    wallets: new Map(),
    block: 7,
    unfinal: 0,
    uses: [],
    use: (order, how = 'filled') => {
      chain.block += 1
      const { maker, nonce, ...fill } = order
      const transactionHash = toHex(chain.block, { size: 32 })
      const place = { maker, transactionHash, blockNumber: chain.block }
      chain.uses.push({ ...place, ...maskOf(BigInt(nonce)), fill: how === 'filled' ? fill : null })
    },
    move: (wallet, funds) => {
      chain.block += 1
      moves.push({ block: chain.block, wallet, former: chain.wallets.get(wallet) ?? {} })
      chain.wallets.set(wallet, funds)
    },
    inventories: new Map(),
    held: new Map(),
    reads: [],
    aheadS: 0,
    behindS: 0,
    eventsBehind: 0,
    down: false,
    signer: null,
    signerKey: null,
    quorums: new Map(),
    contracts: new Map(),
    authorised: new Map(),
    checked: [],
    time: () => answer(Math.floor(clock.now() / 1_000) + chain.aheadS),
    head: () =>
      answer(
        mode === 'simulated' ? null : { block: chain.block, time: Math.floor(clock.now() / 1_000) - chain.behindS },
      ),
    series: (seriesId) => answer(chain.registered.get(seriesId) ?? null),
    funds: (wallet, spender, freshness) => {
      chain.reads.push({ wallet, freshness })
      return answer(chain.wallets.get(wallet)?.[spender] ?? RICH)
    },
    fundsAt: async (wallets, { block }) =>
      answer(
        wallets.map(({ wallet, spender }) => {
          chain.reads.push({ wallet, freshness: 'latest' })
          const later = moves.find((one) => one.wallet === wallet && one.block > block)
          return (later === undefined ? chain.wallets.get(wallet) : later.former)?.[spender] ?? RICH
        }),
      ),
    inventory: (wallet, seriesId) => answer(inventoryOf(wallet, seriesId)),
    inventoryAt: (wallets) => answer(wallets.map(({ wallet, seriesId }) => inventoryOf(wallet, seriesId))),
    isNonceUsed: (maker, nonce) => {
      const { word, mask } = maskOf(BigInt(nonce))
      const isUseOf = (use: NonceUse) => use.maker === maker && use.word === word && (use.mask & mask) !== 0n
      return answer(chain.uses.some(isUseOf))
    },
    resolutionSigner: () => answer(chain.signer),
    quorumOf: (contract) => answer(chain.quorums.get(contract) ?? null),
    takesSignature: async ({ contract, digest, signature }) => {
      if (contract === chain.signer) return answer((await recover(digest, signature)) === chain.signerKey)
      chain.checked.push(signature)
      return answer((await chain.contracts.get(contract)?.(signature, digest)) === true)
    },
    authorizedUntil: (wallet, key) => answer(BigInt(chain.authorised.get(wallet)?.get(key) ?? 0)),
    signedUntil: async (order, signature) => {
      chain.checked.push(signature)
      if (mode === 'simulated') return 0n
      const { chainId, settlementAddress } = chain.environment
      const digest = orderDigest(order, orderDomain(chainId, settlementAddress))
      const signer = await recover(digest, signature)
      const isOwn = signer === order.maker || (await chain.contracts.get(order.maker)?.(signature, digest)) === true
      const until = signer === null ? 0 : (chain.authorised.get(order.maker)?.get(signer) ?? 0)
      return answer(isOwn ? 2n ** 256n - 1n : BigInt(until))
    },
    positions: (wallet, seriesIds) =>
      answer((chain.held.get(wallet) ?? []).filter(({ seriesId }) => seriesIds.includes(seriesId))),
  }
  return chain
}

/** The key of a signature in the one form that the contract takes of keys. */
const recoverKey = async (hash: Hex, signature: Hex): Promise<Address | null> =>
  normaliseSignature(signature) === signature ? recoverSigner(hash, signature) : null

/** The events of the fake chain: all uses of its nonces, up to its newest block. */
export function createFakeOrderEvents(chain: FakeChain): OrderEvents | null {
  if (chain.mode === 'simulated') return null
  return {
    resume: () => {},
    read: async (freshness) => {
      const { time } = (await chain.head()) as ChainHead
      const block = chain.block - (freshness === 'cached' ? chain.eventsBehind : 0)
      const uses = new Map<string, NonceUse[]>()
      for (const use of chain.uses.filter(({ blockNumber }) => blockNumber <= block)) {
        const maker = use.maker.toLowerCase()
        uses.set(maker, [...(uses.get(maker) ?? []), use])
      }
      const { unfinal } = chain
      const markOf = (number: number) => ({ block: number, hash: toHex(number, { size: 32 }) })
      return {
        head: { block, time },
        readTo: markOf(block),
        final: { ...markOf(Math.max(0, block - unfinal)), time: time - unfinal },
        uses,
      }
    },
    advance: async () => null,
    advancedTo: () => null,
  }
}

export const createFakeSeriesIndex = ({ registered, unheld }: FakeChain): SeriesIndex => ({
  list: async () => [...registered.values()],
  find: async (seriesId) => registered.get(seriesId) ?? null,
  lookUp: async (seriesId) => registered.get(seriesId) ?? null,
  held: async (seriesIds) => new Set(seriesIds.filter((seriesId) => !unheld.has(seriesId))),
  refresh: async () => {},
})
