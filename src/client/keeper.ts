import { pause } from '@rfqctl/lib/clock'
import { groupBy } from '@rfqctl/lib/group-by'
import { backoffMs } from '@rfqctl/lib/retry'
import { serviceCoreAbi } from '@rfqctl/protocol/contracts/abi'
import { isPackage } from '@rfqctl/protocol/domain/option'
import { fixingKey, isDisputable, type ListedSeries, type SeriesId } from '@rfqctl/protocol/domain/series'
import type { Hex, ResolutionBps } from '@rfqctl/protocol/domain/units'
import { encodeEventTopics, isAddressEqual, numberToHex } from 'viem'
import { type ClaimNews, createClaimer, type SettledSeries } from './claimer.ts'
import { TIMING, type Timing } from './connection.ts'
import { createPublicActions } from './discovery.ts'
import { ClientSetupError, ContractRefusedError, RelayError } from './errors.ts'
import { createFeeBumpingWallet, type FeeBumping } from './fee-bumping-wallet.ts'
import { type CallOptions, createHttp } from './http.ts'
import { once } from './once.ts'
import { assertRetryable, createKeyedBackoff, KEEPER_BACKOFF } from './retry.ts'
import { SERIES_BATCH_BYTES } from './series-batch.ts'
import { settleWithAttestation } from './settlement.ts'
import { connectSigner, reachesChain, type Signer } from './signer.ts'
import type { ChainSetup } from './wallet.ts'

/** Action of a keeper, or its failure. */
export type KeeperNews =
  /** The price is `resolutionBps`, the transaction `hash`. */
  | { kind: 'settled'; seriesId: SeriesId; resolutionBps: ResolutionBps; hash: Hex }
  /** It is tried again after `retryInMs` at the earliest, with its market and expiry. */
  | { kind: 'settlement_postponed'; seriesId: SeriesId; error: Error; retryInMs: number }
  | ClaimNews
  /** The next round begins after `retryInMs`. */
  | { kind: 'round_failed'; error: Error; retryInMs: number }

/** The relay, the chain and the wallet that settles and pays gas. */
export type KeeperOptions = {
  /** The relay's HTTP address. */
  url: string
  /** The chain and contracts that settle trades; the transport is required. */
  chain: ChainSetup
  /** Account that pays for settlements. It must not be used for anything else while the keeper runs. */
  account: Signer
  /** Wallets whose payouts and collateral are claimed, each by a transaction of its own. */
  claimants?: readonly Signer[]
  /** Key for a relay that demands one to prepare settlements. */
  settlementKey?: string
  /** Milliseconds for which an expired series is left to others, from when the keeper first sees it expired; none when absent. */
  settleAfterMs?: number
  /** Receives each action and failure of the keeper. */
  onNews?: (news: KeeperNews) => void
  /** Replacement for the global `fetch`. */
  fetch?: typeof globalThis.fetch
  /** Replacement for the machine's clock and the usual pauses. */
  timing?: Partial<Timing>
  /** Wait for a transaction that is not mined, and the number of times it is sent. */
  feeBumping?: FeeBumping
}

/**
 * Settles expired series and claims what they owe. Any number of keepers may run, also of one account: the chain takes each settlement
 * and each claim once.
 */
export type Keeper = {
  /**
   * Runs one round. `onNews` receives each action, and each failure for one series.
   * @param options - May carry a signal.
   * @returns Nothing, at the end of the round.
   * @throws RelayError or RelayUnreachableError when the relay cannot be asked, and viem's error when the chain cannot be read.
   * @example await keeper.runRound({ signal })
   */
  runRound: (options?: CallOptions) => Promise<void>
  /**
   * Runs rounds, each `everyMs` after the last, until the signal aborts.
   * @param options.everyMs - Milliseconds between rounds.
   * @param options.signal - Ends it.
   * @returns Nothing: it ends by rejecting.
   * @throws The signal's reason, or RelayError `settlement_unauthorized`.
   * @example
   * await keeper.runRounds({ everyMs: 30_000, signal }).catch((error: unknown) => {
   *   if (!signal.aborted) throw error
   * })
   */
  runRounds: (options: { everyMs: number; signal: AbortSignal }) => Promise<void>
}

/**
 * Makes a keeper over a relay and a chain. Nothing is sent until it runs.
 * @param options - The relay, the chain, the account that pays, and the wallets to claim for.
 * @returns The keeper.
 * @throws ClientSetupError when the chain was set up without a transport.
 * @example
 * import { createKeeper } from 'rfqctl/client'
 * import { http } from 'viem'
 * import { privateKeyToAccount } from 'viem/accounts'
 *
 * const keeper = createKeeper({
 *   url: 'http://127.0.0.1:8787',
 *   account: privateKeyToAccount('0x0303030303030303030303030303030303030303030303030303030303030303'),
 *   chain: {
 *     chainId: 31_337,
 *     settlementAddress: '0x1000000000000000000000000000000000000001',
 *     coreAddress: '0x1000000000000000000000000000000000000002',
 *     transport: http('http://127.0.0.1:8545'),
 *   },
 *   onNews: ({ kind }) => console.log(kind),
 * })
 */
export function createKeeper(options: KeeperOptions): Keeper {
  const { url, chain, settlementKey, fetch, feeBumping, settleAfterMs = 0, onNews = () => {} } = options
  const timing = { ...TIMING, ...options.timing }
  const { clock, random } = timing
  const relay = createPublicActions(createHttp({ url, clock, ...(fetch === undefined ? {} : { fetch }) }))
  const backoff = createKeyedBackoff(timing)
  /** When each series was first seen to have expired, those that need a price. */
  let expiredAt = new Map<SeriesId, number>()
  if (!reachesChain(options.account, chain)) throw new ClientSetupError('The chain was set up without a transport.')

  /** Wallets are connected when the keeper first runs, and then used one after the other. */
  const openWallets = once(async () => {
    const walletOf = async (signer: Signer) => {
      const account = await connectSigner(signer, chain)
      return createFeeBumpingWallet({
        account,
        setup: chain,
        clock,
        ...(feeBumping === undefined ? {} : { feeBumping }),
      })
    }
    const settler = await walletOf(options.account)
    const claimers = await Promise.all(
      (options.claimants ?? []).map(async (signer) => {
        const own = await walletOf(signer)
        // Two wallets of one account would take each other's nonces.
        const wallet = own.address === settler.address ? settler : own
        return createClaimer({ wallet, backoff, onNews })
      }),
    )
    return { settler, claimers }
  })

  async function runRound({ signal }: CallOptions = {}): Promise<void> {
    const { settler, claimers } = await openWallets()
    const { timestamp, number } = await settler.publicClient.getBlock({ blockTag: 'latest' })
    const listed = await relay.listSeries({ packages: true, signal })
    const expired = await upToDate(listed.filter(({ expiry }) => BigInt(expiry) <= timestamp))
    const settled = expired.filter(isSettled)
    const seenAt = ({ seriesId }: ListedSeries) => expiredAt.get(seriesId) ?? clock.now()
    expiredAt = new Map(
      expired.filter((series) => !isSettled(series)).map((series) => [series.seriesId, seenAt(series)]),
    )
    // One price settles all series of a market and expiry.
    const unsettled = expired.filter((series) => !isSettled(series))
    for (const [key, group] of shuffled([...groupBy(unsettled, fixingKey)], random)) {
      signal?.throwIfAborted()
      if (!backoff.isDue(key) || group.every((series) => clock.now() < seenAt(series) + settleAfterMs)) continue
      settled.push(...(await settle(shuffled(group, random), { key, sinceBlock: number, signal })))
    }
    if (claimers.length === 0) return
    const { timestamp: now } = await settler.publicClient.getBlock({ blockTag: 'latest' })
    const final = settled.filter((series) => !isDisputable(series, Number(now)))
    await Promise.all(claimers.map((claim) => claim(final, signal)))
  }

  /** Series that need a price or have one, as the chain has them: the relay may show a settlement minutes later. */
  async function upToDate(series: readonly ListedSeries[]): Promise<ListedSeries[]> {
    const { settler } = await openWallets()
    const open = series.filter(({ resolutionBps }) => resolutionBps === null)
    const states = await settler.publicClient.multicall({
      contracts: open.map(({ seriesId }) => ({
        address: chain.coreAddress,
        abi: serviceCoreAbi,
        functionName: 'getSeries' as const,
        args: [BigInt(seriesId)] as const,
      })),
      allowFailure: false,
      deployless: true,
      batchSize: SERIES_BATCH_BYTES,
    })
    const current = open.flatMap((entry, i) => {
      const state = states[i]
      // Anyone can register packages, and a price costs gas, so a package that no one holds is not settled.
      if (isPackage(entry) && state?.openInterest === 0n) return []
      if (state?.settled !== true) return [entry]
      return [{ ...entry, resolutionBps: state.resolutionBps as ResolutionBps, finalAt: Number(state.finalAt) }]
    })
    return [...series.filter(isSettled), ...current]
  }

  /** Sends a resolution for series of one market and expiry, and returns those that are settled then. */
  async function settle(
    group: readonly ListedSeries[],
    { key, sinceBlock, signal }: CallOptions & { key: string; sinceBlock: bigint },
  ): Promise<SettledSeries[]> {
    const [named] = group
    if (named === undefined) return []
    const { seriesId } = named
    const tell = (settled: readonly SettledSeries[], hash: Hex | null) => {
      if (hash === null) return
      for (const { seriesId, resolutionBps } of settled) onNews({ kind: 'settled', seriesId, resolutionBps, hash })
    }
    try {
      const { settler } = await openWallets()
      const prepared = await relay.prepareSettlement({ seriesId, settlementKey, signal })
      const { transactionHash: hash } = await settleWithAttestation(settler, { prepared, signal })
      const settled = (await upToDate(group)).filter(isSettled)
      tell(settled, hash)
      return settled
    } catch (fault) {
      const error = assertRetryable(fault, signal)
      const settled = (await upToDate(group)).filter(isSettled)
      if (settled.length > 0) {
        const wasSent = !(fault instanceof RelayError || fault instanceof ContractRefusedError)
        tell(settled, wasSent ? await ownSettlement(settled, sinceBlock) : null)
        return settled
      }
      const retryInMs = backoff.postpone(key, error)
      for (const { seriesId } of group) onNews({ kind: 'settlement_postponed', seriesId, error, retryInMs })
      return []
    }
  }

  /**
   * Transaction by which this keeper's account settled one of the series of a market and expiry, whose answer may have
   * been lost: an earlier attempt may have named another of them.
   */
  async function ownSettlement(group: readonly SettledSeries[], fromBlock: bigint): Promise<Hex | null> {
    const { settler } = await openWallets()
    const events = await settler.publicClient.request({
      method: 'eth_getLogs',
      params: [
        {
          address: chain.coreAddress,
          topics: encodeEventTopics({
            abi: serviceCoreAbi,
            eventName: 'SeriesSettled',
            args: { seriesId: group.map(({ seriesId }) => BigInt(seriesId)) },
          }),
          fromBlock: numberToHex(fromBlock),
        },
      ],
    })
    for (const { transactionHash: hash } of events) {
      if (hash === null) continue
      const { from } = await settler.publicClient.getTransaction({ hash })
      if (isAddressEqual(from, settler.address)) return hash
    }
    return null
  }

  async function runRounds({ everyMs, signal }: { everyMs: number; signal: AbortSignal }): Promise<void> {
    for (let failures = 0; ; ) {
      try {
        await runRound({ signal })
        failures = 0
        await pause(everyMs, { clock, signal })
      } catch (fault) {
        const error = assertRetryable(fault, signal)
        const retryInMs = Math.max(everyMs, backoffMs(failures, random(), KEEPER_BACKOFF))
        failures += 1
        onNews({ kind: 'round_failed', error, retryInMs })
        await pause(retryInMs, { clock, signal })
      }
    }
  }

  return { runRound, runRounds }
}

const isSettled = (series: ListedSeries): series is SettledSeries => series.resolutionBps !== null

/** Random order for each keeper, so that two of them seldom work on the same series. */
function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
