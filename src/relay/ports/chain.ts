import type { SettlementAttestation } from '../../domain/attestation.ts'
import type { TypedDataDomain } from '../../domain/order.ts'
import type { NonceUse } from '../../domain/order-end.ts'
import type { Position } from '../../domain/position.ts'
import type { Funds } from '../../domain/reservation.ts'
import type { Series, SeriesId } from '../../domain/series.ts'
import type { Address, Hex, Usd6 } from '../../domain/units.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** The addresses of a deployment. In simulated mode all are the zero address (decision C12). */
export type ChainEnvironment = {
  chainId: number
  settlementAddress: Address
  coreAddress: Address
  stablecoinAddress: Address
}

/** How old an answer may be: a few seconds at most, with concurrent reads as one, or read now. */
export type Freshness = 'cached' | 'latest'

/** What changes of a series, and its expiry in Unix seconds; `resolutionBps` is null while it is unsettled. */
export type SeriesState = Pick<Series, 'expiry' | 'halted' | 'resolutionBps'>

/** A block; `time` in Unix seconds. */
export type ChainHead = { block: number; time: number }

/** The chain as the relay reads it. Any read may fail with `chain_unavailable`. */
export type Chain = {
  mode: 'onchain' | 'simulated'
  environment: ChainEnvironment
  /** Unix seconds, the time of rights (decision U7). */
  time: (freshness: Freshness) => MaybePromise<number>
  /** The last block and its time in Unix seconds, read now; null without a chain. */
  head: () => Promise<ChainHead | null>
  /** A series as the chain has it, never from the index; null when it is not registered. */
  series: (seriesId: SeriesId, freshness: Freshness) => MaybePromise<SeriesState | null>
  /** What a wallet holds and has approved to a spender. */
  funds: (wallet: Address, spender: 'settlement' | 'core', freshness: Freshness) => MaybePromise<Funds>
  /** The same of several wallets in one block; fails when that is not on the chain of the node that answers. */
  fundsAt: (wallets: readonly WalletSpender[], block: BlockMark) => Promise<readonly Funds[]>
  /** What a wallet has in some series, a few seconds old at most; those of which it has nothing are left out. */
  positions: (wallet: Address, seriesIds: readonly SeriesId[]) => MaybePromise<readonly Position[]>
  /** Whose attestations the core believes; null without a chain. */
  resolutionSigner: (freshness: Freshness) => MaybePromise<Address | null>
}

/** A wallet, and the contract that draws from it. */
export type WalletSpender = { wallet: Address; spender: 'settlement' | 'core' }

/** A block by its number, and by its hash, which tells it from one that a reorganisation has put in its place. */
export type BlockMark = { block: number; hash: Hex }

/** A block that no reorganisation takes back; `time` in Unix seconds. */
export type FinalBlock = BlockMark & ChainHead

/** What the settlement contract has told of nonces that were used, in the blocks after the checkpoint. */
export type OrderEventsRead = {
  /** The newest block. */
  head: ChainHead
  /** The block up to which all is known; null when it is gone already. */
  readTo: BlockMark | null
  /** The newest final block; null when the node tells none. What is in a later one may be taken back. */
  final: FinalBlock | null
  /** By maker wallet in lower case, oldest first; all of the 512 blocks before the final one at the least. */
  uses: ReadonlyMap<string, readonly NonceUse[]>
}

/** The settlement contract's events, read on from a checkpoint. Reads fail with `chain_unavailable`. */
export type OrderEvents = {
  /** Where the first read goes on from; null: what is recent is read. */
  resume: (from: BlockMark | null) => void
  /** Reads on to the newest block, once for all that ask meanwhile; the cost does not depend on how many orders there are. */
  read: (freshness: Freshness) => Promise<OrderEventsRead>
  /** Moves the checkpoint on, once all ends up to a final block are kept; where it is now, null before the first time. */
  advance: (advancedTo: number) => Promise<BlockMark | null>
  /** The final block that was last given to `advance`. */
  advancedTo: () => number | null
}

/** All registered series, as of the last refresh. */
export type SeriesIndex = {
  list: () => Promise<readonly Series[]>
  find: (seriesId: SeriesId) => Promise<Series | null>
  /**
   * A series, looked for on the chain when the index does not have it: at most once a second for all who ask, so that ids
   * that do not exist cost next to nothing. What was registered before the call is found.
   */
  lookUp: (seriesId: SeriesId) => Promise<Series | null>
  /** Reads what was registered or settled since. */
  refresh: () => Promise<void>
}

/** The test stablecoin's dispenser. */
export type Faucet = {
  /** Sends micro-dollars to a wallet and returns the transaction hash once it is accepted. */
  send: (wallet: Address, amount: Usd6) => Promise<Hex>
  /** What its wallet holds; null where it mints what it gives. Fails with `chain_unavailable`. */
  balance: () => Promise<Usd6 | null>
}

/** Signs resolutions; the key never leaves it. */
export type ResolutionSigner = {
  address: Address
  sign: (attestation: SettlementAttestation, domain: TypedDataDomain) => Promise<Hex>
}

/** Recovers who signed a digest; a signature of the normalised 65-byte form. Null when it recovers to no one. */
export type Signatures = { recover: (digest: Hex, signature: Hex) => Promise<Address | null> }
