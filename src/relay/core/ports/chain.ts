import type { SigningRequest } from '@rfqctl/protocol/domain/attestation'
import type { AuthorityEvent, AuthorityRecord } from '@rfqctl/protocol/domain/authority'
import type { Order, TypedDataDomain } from '@rfqctl/protocol/domain/order'
import type { NonceUse } from '@rfqctl/protocol/domain/order-end'
import type { Position } from '@rfqctl/protocol/domain/position'
import type { Funds, Inventory } from '@rfqctl/protocol/domain/reservation'
import type { Series, SeriesId } from '@rfqctl/protocol/domain/series'
import type { Address, Contracts, Hex, Usd6 } from '@rfqctl/protocol/domain/units'
import type { MaybePromise } from './maybe-promise.ts'

/** The addresses of a deployment. In simulated mode all are the zero address (decision C12). */
export type ChainEnvironment = {
  chainId: number
  settlementAddress: Address
  coreAddress: Address
  stablecoinAddress: Address
}

/** The age of an answer: a few seconds at most, with concurrent reads as one, or read now. */
export type Freshness = 'cached' | 'latest'

/** The part of a series that changes, and its expiry in Unix seconds; `resolutionBps` is null while it is unsettled. */
export type SeriesState = Pick<Series, 'expiry' | 'halted' | 'resolutionBps' | 'finalAt' | 'vetoed'>

/** A series as it is traded: `room` is how many options more may be open in it while no other of its market
 * and expiry grows; absent where no chain bounds that. */
export type TradedSeries = SeriesState & { room?: Contracts }

/** A block; `time` in Unix seconds. */
export type ChainHead = { block: number; time: number }

/** The chain as the relay reads it. Any read may fail with `chain_unavailable`. */
export type Chain = {
  mode: 'onchain' | 'simulated'
  environment: ChainEnvironment
  /** Seconds before its expiry at which the core ends the trading of a series. */
  tradingCutoffS: number
  /** Whether people move its time, as in a sandbox. */
  isMovable?: boolean
  /** Unix seconds, the time of rights (decision U7). */
  time: (freshness: Freshness) => MaybePromise<number>
  /** The last block and its time in Unix seconds, read now; null without a chain. */
  head: () => Promise<ChainHead | null>
  /** A series as the chain has it, never from the index; null when it is not registered. */
  series: (seriesId: SeriesId, freshness: Freshness) => MaybePromise<TradedSeries | null>
  /** Funds that a wallet holds and has approved to a spender. */
  funds: (wallet: Address, spender: 'settlement' | 'core', freshness: Freshness) => MaybePromise<Funds>
  /** The same of several wallets in one block; fails when that is not on the chain of the node that answers. */
  fundsAt: (wallets: readonly WalletSpender[], block: BlockMark) => Promise<readonly Funds[]>
  /** Position of a wallet in a series; a read in the same turn as its funds is of the same block. */
  inventory: (wallet: Address, seriesId: SeriesId, freshness: Freshness) => MaybePromise<Inventory>
  /** The same of several wallets in one block, as `fundsAt`. */
  inventoryAt: (wallets: readonly WalletSeries[], block: BlockMark) => Promise<readonly Inventory[]>
  /** Positions of a wallet in some series as of the newest block; series without one are left out. */
  positions: (wallet: Address, seriesIds: readonly SeriesId[]) => MaybePromise<readonly Position[]>
  /** Whether a nonce of a maker was filled or cancelled, read now: then no order with it can be filled. */
  isNonceUsed: (maker: Address, nonce: number) => MaybePromise<boolean>
  /** Address whose attestations the core believes; null without a chain. */
  resolutionSigner: (freshness: Freshness) => MaybePromise<Address | null>
  /**
   * Whether a contract accepts a signature as its own (ERC-1271), read now; false without such a contract. The
   * contract's code runs within bounds, and affects no other read.
   */
  takesSignature: (claim: { contract: Address; digest: Hex; signature: Hex }) => MaybePromise<boolean>
  /** The keys that sign together for a contract, as it names them; null for any other account, and without a chain. */
  quorumOf: (contract: Address, freshness: Freshness) => MaybePromise<Quorum | null>
  /** The last second, Unix, in which a key signs for a wallet that has authorised it, read now; 0 for any other key. */
  authorizedUntil: (wallet: Address, key: Address) => MaybePromise<bigint>
  /**
   * The last second, Unix, in which the settlement counts a signature of an order as its maker's, read now: 2^256-1 for
   * the maker's own, by key or contract, the end of the authorisation for a key that it has delegated to, 0 for anyone
   * else's. Without a chain always 0. The wallet's code runs within bounds, and affects no other read.
   */
  signedUntil: (order: Order, signature: Hex) => MaybePromise<bigint>
}

/** Keys of which `threshold` sign together. */
export type Quorum = { keys: readonly Address[]; threshold: number }

/** A wallet, and the contract that draws from it. */
export type WalletSpender = { wallet: Address; spender: 'settlement' | 'core' }

export type WalletSeries = { wallet: Address; seriesId: SeriesId }

/** A block by its number, and by its hash, which differs from that of a block that a reorganisation puts in its place. */
export type BlockMark = { block: number; hash: Hex }

/** A block that no reorganisation takes back; `time` in Unix seconds. */
export type FinalBlock = BlockMark & ChainHead

/** The settlement contract's events of used nonces, in the blocks after the checkpoint. */
export type OrderEventsRead = {
  /** The newest block. */
  head: ChainHead
  /** The block up to which all is known; null when it is gone already. */
  readTo: BlockMark | null
  /** The newest final block; null when the node reports none. Events of later blocks may be taken back. */
  final: FinalBlock | null
  /** By maker wallet in lower case, oldest first; all of the 512 blocks before the final one at the least. */
  uses: ReadonlyMap<string, readonly NonceUse[]>
}

/** The settlement contract's events, read on from a checkpoint. Reads fail with `chain_unavailable`. */
export type OrderEvents = {
  /** Sets the block from which the first read continues; null: it reads recent blocks. */
  resume: (from: BlockMark | null) => void
  /** Reads on to the newest block, once for all that ask meanwhile; the cost does not depend on how many orders there are. */
  read: (freshness: Freshness) => Promise<OrderEventsRead>
  /** Moves the checkpoint on, once all ends up to a final block are kept; where it is now, null before the first time. */
  advance: (advancedTo: number) => Promise<BlockMark | null>
  /** The final block that was last given to `advance`. */
  advancedTo: () => number | null
}

/** The roles of the core, and their events. Reads fail with `chain_unavailable`. */
export type Authority = {
  /** Current roles, and the events since the last read; none of the first read, which looks back a day. */
  read: () => Promise<{ standing: AuthorityRecord; news: readonly AuthorityEvent[] }>
  /** Roles at the last read; null before the first. */
  last: () => AuthorityRecord | null
}

/** All registered series, as of the last refresh. */
export type SeriesIndex = {
  list: () => Promise<readonly Series[]>
  find: (seriesId: SeriesId) => Promise<Series | null>
  /**
   * A series, looked for on the chain when the index does not have it: at most once a second for all who ask, so that
   * ids that do not exist cost next to nothing. Finds every series that was registered before the call.
   */
  lookUp: (seriesId: SeriesId) => Promise<Series | null>
  /** The packages of a list that someone holds, or held lately. May fail with `chain_unavailable`. */
  held: (seriesIds: readonly SeriesId[]) => Promise<ReadonlySet<SeriesId>>
  /** Reads what was registered or settled since. */
  refresh: () => Promise<void>
}

/** The test stablecoin's dispenser. */
export type Faucet = {
  /** Sends micro-dollars to a wallet and returns the transaction hash once it is accepted. */
  send: (wallet: Address, amount: Usd6) => Promise<Hex>
  /** Balance of the faucet's wallet; null if it mints. Fails with `chain_unavailable`. */
  balance: () => Promise<Usd6 | null>
}

/**
 * Signs resolutions; the key never leaves it. Refuses with `signer_unavailable` and `signer_refused`, and where several
 * keys sign with `signer_not_in_office`, too.
 */
export type ResolutionSigner = {
  /** The address of its key; where several keys sign, of their contract when this program started. */
  address: Address
  /** Whether several keys sign together. They sign for whichever contract is active: it decides whether that counts. */
  isQuorum?: boolean
  sign: (request: SigningRequest) => Promise<Hex>
  /** Signs the attestation to nothing, `PROBE_ATTESTATION`. */
  probe: (domain: TypedDataDomain) => Promise<Hex>
}

/** Recovers who signed a digest; a signature of the normalised 65-byte form. Null when it recovers to no one. */
export type Signatures = { recover: (digest: Hex, signature: Hex) => Promise<Address | null> }
