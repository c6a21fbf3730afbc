import type { LocalAccount } from 'viem'
import { serviceCoreAbi } from '../domain/contract-abi.ts'
import { maxPayoff, payoff } from '../domain/option.ts'
import type { Position } from '../domain/position.ts'
import type { SeriesId } from '../domain/series.ts'
import type { Address, Contracts, Hex, ResolutionBps, Usd6 } from '../domain/units.ts'
import type { ListedSeries } from '../wire/discovery.ts'
import { backoffMs } from './backoff.ts'
import { pause } from './clock.ts'
import { createPublicActions } from './discovery.ts'
import { RelayError } from './errors.ts'
import { type CallOptions, createHttp } from './http.ts'
import { TIMING, type Timing } from './link.ts'
import { type Claim, claimHolderPayout, claimWriterCollateral, readPositions } from './positions.ts'
import { createPushingWallet, type Push } from './pushing-wallet.ts'
import { settleWithAttestation } from './settle.ts'
import type { ChainSetup, Wallet } from './wallet.ts'

/** What a keeper did, or could not do yet. `retryInMs` is when it tries again at the earliest. */
export type KeeperNews =
  | { kind: 'settled'; seriesId: SeriesId; resolutionBps: ResolutionBps; hash: Hex }
  | { kind: 'settlement_postponed'; seriesId: SeriesId; error: Error; retryInMs: number }
  | {
      kind: 'claimed'
      wallet: Address
      seriesId: SeriesId
      side: 'payout' | 'collateral'
      amount: Contracts
      paid: Usd6
      hash: Hex
    }
  | { kind: 'claim_postponed'; wallet: Address; seriesId: SeriesId; error: Error; retryInMs: number }
  | { kind: 'round_failed'; error: Error; retryInMs: number }

/** How a keeper is set up. */
export type KeeperOptions = {
  /** The relay's HTTP address. */
  url: string
  chain: ChainSetup
  /** Pays for settlements. It must not be used for anything else while the keeper runs. */
  account: LocalAccount
  /** Wallets whose payouts and collateral are claimed, each by a transaction of its own. */
  claimants?: readonly LocalAccount[]
  /** Where the relay demands one to prepare settlements. */
  settlementKey?: string
  onNews?: (news: KeeperNews) => void
  fetch?: typeof globalThis.fetch
  timing?: Partial<Timing>
  push?: Push
}

/**
 * Settles what has expired and claims what is owed. Any number of keepers may run, also of one account: the chain takes
 * each settlement and each claim once.
 */
export type Keeper = {
  /** Does once what there is to do. Rejects when relay or chain cannot be reached; what concerns one series does not. */
  round: (options?: CallOptions) => Promise<void>
  /** Goes on, a round after each `everyMs`, until the signal aborts; rejects with its reason, or when the relay bars us. */
  run: (options: { everyMs: number; signal: AbortSignal }) => Promise<void>
}

/** Pauses before a series is tried again: its source may take minutes, a person hours. */
const RETRY = { firstMs: 2_000, mostMs: 300_000 }

/** A keeper over a relay and a chain. */
export function createKeeper(options: KeeperOptions): Keeper {
  const { url, chain, settlementKey, fetch, push, onNews = () => {} } = options
  const timing = { ...TIMING, ...options.timing }
  const { clock, random } = timing
  const relay = createPublicActions(createHttp({ url, clock, ...(fetch === undefined ? {} : { fetch }) }))
  const walletOf = (account: LocalAccount) =>
    createPushingWallet({ account, setup: chain, clock, ...(push === undefined ? {} : { push }) })
  const settler = walletOf(options.account)
  const claimants = (options.claimants ?? []).map((account) =>
    account.address === settler.address ? settler : walletOf(account),
  )
  const patience = createPatience(timing)
  /** What the chain has settled, which the relay may show minutes later. */
  const resolutions = new Map<SeriesId, ResolutionBps>()
  const claimed = new Set<string>()

  async function round({ signal }: CallOptions = {}): Promise<void> {
    const { timestamp } = await settler.publicClient.getBlock({ blockTag: 'latest' })
    const expired = (await relay.listSeries({ signal })).filter(({ expiry }) => BigInt(expiry) <= timestamp)
    await readResolutions(expired)
    for (const series of shuffled(expired, random)) {
      signal?.throwIfAborted()
      if (!resolutions.has(series.seriesId) && patience.isOver(series.seriesId)) await settle(series, signal)
    }
    const settled = expired.filter(({ seriesId }) => resolutions.has(seriesId))
    await Promise.all(claimants.map((wallet) => claimAll(wallet, settled, signal)))
  }

  /** What the chain says of series, whatever the relay does. */
  async function readResolutions(series: readonly ListedSeries[]): Promise<void> {
    const unknown = series.filter(({ seriesId }) => !resolutions.has(seriesId))
    const states = await settler.publicClient.multicall({
      contracts: unknown.map(({ seriesId }) => ({
        address: chain.coreAddress,
        abi: serviceCoreAbi,
        functionName: 'getSeries' as const,
        args: [BigInt(seriesId)] as const,
      })),
      allowFailure: false,
      deployless: true,
    })
    unknown.forEach(({ seriesId }, i) => {
      const state = states[i]
      if (state?.settled) resolutions.set(seriesId, state.resolutionBps as ResolutionBps)
    })
  }

  async function settle(series: ListedSeries, signal: AbortSignal | undefined): Promise<void> {
    const { seriesId } = series
    try {
      const prepared = await relay.prepareSettlement({ seriesId, settlementKey, signal })
      const { transactionHash: hash } = await settleWithAttestation(settler, { prepared, signal })
      const { resolutionBps } = prepared.attestation
      resolutions.set(seriesId, resolutionBps)
      onNews({ kind: 'settled', seriesId, resolutionBps, hash })
    } catch (fault) {
      const error = faultOf(fault, signal)
      await readResolutions([series])
      if (!resolutions.has(seriesId)) {
        onNews({ kind: 'settlement_postponed', seriesId, error, retryInMs: patience.begin(seriesId, error) })
      }
    }
  }

  async function claimAll(
    wallet: Wallet,
    settled: readonly ListedSeries[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const open = settled.filter(({ seriesId }) => {
      const key = keyOf(wallet, seriesId)
      return !claimed.has(key) && patience.isOver(key)
    })
    const positions = await readPositions(
      wallet,
      open.map(({ seriesId }) => seriesId),
    )
    for (const series of open) {
      const { seriesId } = series
      const position = positions.find((candidate) => candidate.seriesId === seriesId)
      if (position !== undefined) await claim(wallet, { series, ...position }, signal)
      else claimed.add(keyOf(wallet, seriesId))
    }
  }

  async function claim(
    wallet: Wallet,
    { series, ...position }: { series: ListedSeries } & Position,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { seriesId } = series
    const key = keyOf(wallet, seriesId)
    const tell = (side: 'payout' | 'collateral', made: Claim | null) => {
      if (made === null) return
      const { amount, paid, receipt } = made
      onNews({ kind: 'claimed', wallet: wallet.address, seriesId, side, amount, paid, hash: receipt.transactionHash })
    }
    try {
      const { payout, collateral } = owedTo(series, position)
      if (payout > 0n) tell('payout', await claimHolderPayout(wallet, { seriesId, signal }))
      if (collateral > 0n) tell('collateral', await claimWriterCollateral(wallet, { seriesId, signal }))
      claimed.add(key)
    } catch (fault) {
      const error = faultOf(fault, signal)
      const [left] = await readPositions(wallet, [seriesId])
      const { payout, collateral } = left === undefined ? NOTHING : owedTo(series, left)
      if (payout + collateral === 0n) {
        claimed.add(key)
        return
      }
      const retryInMs = patience.begin(key, error)
      onNews({ kind: 'claim_postponed', wallet: wallet.address, seriesId, error, retryInMs })
    }
  }

  /** What a position can claim, micro-dollars. What pays nothing is left alone: claiming it would only cost. */
  function owedTo({ seriesId, optionType, strikeBps }: ListedSeries, { long, short }: Position) {
    const each = payoff(optionType, strikeBps, resolutions.get(seriesId) as ResolutionBps)
    return { payout: long * each, collateral: short * (maxPayoff(optionType, strikeBps) - each) }
  }

  async function run({ everyMs, signal }: { everyMs: number; signal: AbortSignal }): Promise<void> {
    for (let failures = 0; ; ) {
      try {
        await round({ signal })
        failures = 0
        await pause(everyMs, { clock, signal })
      } catch (fault) {
        const error = faultOf(fault, signal)
        const retryInMs = Math.max(everyMs, backoffMs(failures, random(), RETRY))
        failures += 1
        onNews({ kind: 'round_failed', error, retryInMs })
        await pause(retryInMs, { clock, signal })
      }
    }
  }

  return { round, run }
}

/** What a position that is gone can claim. */
const NOTHING = { payout: 0n, collateral: 0n }

const keyOf = ({ address }: Wallet, seriesId: SeriesId): string => `${address} ${seriesId}`

/** Throws what no later try can mend: an abort, and a relay that bars us. */
function faultOf(fault: unknown, signal: AbortSignal | undefined): Error {
  if (signal?.aborted) throw signal.reason
  if (fault instanceof RelayError && fault.status === 401) throw fault
  return fault instanceof Error ? fault : new Error(String(fault))
}

/** How long each thing that failed is left alone: longer every time, and as long as the relay asked. */
function createPatience({ clock, random }: Timing) {
  const waits = new Map<string, { attempt: number; until: number }>()
  return {
    isOver: (key: string): boolean => clock.now() >= (waits.get(key)?.until ?? 0),
    begin: (key: string, error: Error): number => {
      const attempt = waits.get(key)?.attempt ?? 0
      const asked = error instanceof RelayError ? (error.retryAfterMs ?? 0) : 0
      const ms = Math.max(asked, backoffMs(attempt, random(), RETRY))
      waits.set(key, { attempt: attempt + 1, until: clock.now() + ms })
      return ms
    },
  }
}

/** In another order for each keeper, so that two of them are seldom at the same series. */
function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
