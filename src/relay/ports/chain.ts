import type { SettlementAttestation } from '../../domain/attestation.ts'
import type { TypedDataDomain } from '../../domain/order.ts'
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
  /** Which of the maker's order nonces are used or cancelled on chain. */
  usedNonces: (maker: Address, nonces: readonly number[]) => Promise<ReadonlySet<number>>
  /** What a wallet has in some series, a few seconds old at most; those of which it has nothing are left out. */
  positions: (wallet: Address, seriesIds: readonly SeriesId[]) => MaybePromise<readonly Position[]>
  /** Whose attestations the core believes; null without a chain. */
  resolutionSigner: (freshness: Freshness) => MaybePromise<Address | null>
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
