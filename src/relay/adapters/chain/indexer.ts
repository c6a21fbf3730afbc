import { isPackage } from '@rfqctl/protocol/domain/option'
import { fixingKey, type Series, type SeriesId } from '@rfqctl/protocol/domain/series'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { SeriesIndex, SeriesState } from '../../core/ports/chain.ts'
import { CHUNK_BLOCKS, coalesce, createLogFollower, OVERLAP_BLOCKS, type ReadFrom } from './log-follower.ts'
import { createPackageStakes } from './package-stakes.ts'
import type { Rpc } from './rpc.ts'
import {
  applyLogs,
  createPricing,
  createSeriesLogs,
  namedBeside,
  type Registry,
  registeredBy,
  writtenIn,
} from './series-logs.ts'
import { createLookUp } from './series-look-up.ts'
import { readSeriesState, readStake } from './viem.ts'

/** All series and prices up to a final block; `hash` is null before the first one. */
export type Checkpoint = ReadFrom &
  Registry & {
    /** When all events were last read from the start, Unix milliseconds. */
    readAt: number
  }

/** Lets a checkpoint outlive the process, so that the next one does not read from the start again. */
export type CheckpointKeeper = {
  load: () => Promise<Checkpoint | null>
  save: (checkpoint: Checkpoint) => Promise<void>
}

/** A checkpoint without news is saved again only after this many blocks: they are quickly read again. */
const KEEP_EVERY_BLOCKS = 10_000n

/** Interval of reading all events from the start, and the delay after a failed attempt. Milliseconds. */
const REREAD_AFTER_MS = 86_400_000
const REREAD_RETRY_MS = 3_600_000

/** Bound on packages without a holder: anyone registers them, for the cost of a transaction. */
const MAX_PACKAGES = 1_000
/** Bound on packages with a holder, most collateral first: holding one costs little more than registering it. */
const MAX_HELD = 10_000

/** Dropped packages that one refresh looks for after new options of them were written. */
const MAX_RECALLED = 16

/**
 * The series of a core, from its events since `startBlock`. A price is kept once for each market and expiry, since the
 * event of one series is for all of them. Each refresh reads on from a checkpoint some way behind the
 * last final block, so events that a reorganisation dropped are gone after the next refresh. When a final block is no
 * longer on the chain it reads from the start.
 *
 * Several nodes may answer at one address, some of them lagging. So nothing counts as read beyond the block that the
 * node which gave the logs has itself shown to have, and an event once seen in a final block stays, whatever a later
 * answer leaves out. The index keeps the packages that someone holds and the newest of the others; it finds an older
 * one again once someone writes it or asks for its id, or a price event names it. `now`, Unix milliseconds, `sleep`, milliseconds, and the sizes
 * are for tests.
 */
export function createSeriesIndexer(parts: {
  rpc: Rpc
  coreAddress: Address
  startBlock: bigint
  chunkBlocks?: bigint
  overlapBlocks?: bigint
  maxPackages?: number
  maxHeld?: number
  keeper?: CheckpointKeeper
  now?: () => number
  sleep?: (ms: number) => Promise<unknown>
}): SeriesIndex {
  const {
    rpc,
    coreAddress,
    startBlock,
    chunkBlocks = CHUNK_BLOCKS,
    overlapBlocks = OVERLAP_BLOCKS,
    maxPackages = MAX_PACKAGES,
    maxHeld = MAX_HELD,
    keeper,
    now = Date.now,
    sleep,
  } = parts
  const source = createSeriesLogs({ rpc, coreAddress, chunkBlocks })
  const beginning: Checkpoint = { block: startBlock - 1n, hash: null, ...NONE, readAt: 0 }
  const follower = createLogFollower({
    rpc,
    read: source.read,
    startBlock,
    overlapBlocks,
    resume: async () => {
      kept = (await keeper?.load()) ?? beginning
      return kept
    },
    begin: () => beginning,
  })
  let checkpoint: Checkpoint | null = null
  let kept = beginning
  /** Series and prices of final blocks that refreshes missed and other reads found. */
  let missed = NONE
  const price = createPricing()
  let shown = NONE
  let series = price(shown)
  let listed: readonly Series[] = []
  let rereadAt = 0
  /** Series that price events name and that were registered before `startBlock`. */
  const unregistered = new Set<SeriesId>()
  /** Packages asked for by their ids, the newest last. */
  const recalled = new Set<SeriesId>()
  const stakes = createPackageStakes({
    read: (ids) => rpc.read(({ view }) => Promise.all(ids.map((id) => readStake(view, coreAddress, id)))),
    maxHeld,
    maxUnheld: maxPackages,
  })
  /** Series outside the index that were written lately and already looked for. */
  let sought: ReadonlySet<SeriesId> = new Set()

  /** Packages that the bounds apply to, oldest first. */
  const packagesOf = (all: Registry): SeriesId[] =>
    [...all.series.values()].flatMap((one) => (isPackage(one) && !recalled.has(one.seriesId) ? [one.seriesId] : []))

  /** Drops the packages least worth keeping beyond the bounds; returns the same registry when within them. */
  function withinBounds(all: Registry): Registry {
    const packages = packagesOf(all)
    if (packages.length <= Math.min(maxPackages, maxHeld)) return all
    const dropped = stakes.dropped(packages)
    if (dropped.size === 0) return all
    return { ...all, series: new Map([...all.series].filter(([seriesId]) => !dropped.has(seriesId))) }
  }

  /** Learns which of the surplus packages have a holder. After a fault the next refresh asks again. */
  async function weigh(all: Registry, written: ReadonlyMap<SeriesId, bigint>): Promise<void> {
    for (const [seriesId, collateral] of written) if (all.series.has(seriesId)) stakes.hear(seriesId, collateral)
    const packages = packagesOf(all)
    stakes.keepOnly(new Set([...packages, ...recalled]))
    await stakes.learn(stakes.surplus(packages)).catch(() => {})
  }

  /** Restores packages that someone wrote after the index dropped them. */
  async function recallWritten(written: ReadonlyMap<SeriesId, bigint>): Promise<void> {
    const lost = [...written.keys()].filter((seriesId) => !series.has(seriesId))
    const wanted = lost.filter((seriesId) => !sought.has(seriesId)).slice(0, MAX_RECALLED)
    sought = new Set([...lost.filter((seriesId) => sought.has(seriesId)), ...wanted])
    const states = await readStates(wanted).catch(() => [])
    for (const [index, state] of states.entries()) {
      const seriesId = wanted[index] as SeriesId
      if (state === null) continue
      stakes.hear(seriesId, written.get(seriesId) ?? 0n)
      await recall(seriesId, state).catch(() => {})
    }
  }

  async function refresh(): Promise<void> {
    const { isRestarted, readFrom } = await follower.read()
    if (isRestarted) {
      missed = NONE
      unregistered.clear()
    }
    const from = isRestarted ? beginning : (checkpoint ?? kept)
    const readAt = readFrom.hash === null ? now() : from.readAt
    checkpoint = { ...from, ...readFrom, readAt }
    await recallNamed(adopt(from, missed))
    const { readFrom: moved, passed } = await follower.advance()
    const final = () => applyLogs(adopt(from, missed), passed)
    const written = writtenIn([...passed, ...follower.recent()])
    await weigh(applyLogs(final(), follower.recent()), written)
    checkpoint = { ...checkpoint, ...moved, ...withinBounds(final()) }
    missed = NONE
    show()
    await recallWritten(written)
    await keep(checkpoint)
    if (now() >= Math.max(rereadAt, checkpoint.readAt + REREAD_AFTER_MS)) void reread(checkpoint.block)
  }

  function show(): void {
    const known = adopt(checkpoint ?? beginning, missed)
    shown = withinBounds(applyLogs(known, follower.recent()))
    series = price(shown)
    listed = [...series.values()]
  }

  async function keep(current: Checkpoint): Promise<void> {
    if (keeper === undefined || current.hash === null) return
    const hasChanged = current.series !== kept.series || current.fixings !== kept.fixings
    const isNews = hasChanged || current.block >= kept.block + KEEP_EVERY_BLOCKS
    if (!isNews) return
    await keeper.save(current)
    kept = current
  }

  /** Reads all again, beside the refreshes. Nothing waits for it; a failure is retried later. */
  async function reread(to: bigint): Promise<void> {
    const startedAt = now()
    rereadAt = startedAt + REREAD_RETRY_MS
    const { logs, provenTo } = await source.read(startBlock, to).catch(() => NOTHING)
    if (provenTo < to || checkpoint === null) return
    const all = applyLogs(missed, logs)
    await stakes.learnAgain(packagesOf(all)).catch(() => {})
    missed = withinBounds(adopt(all, missed))
    checkpoint = { ...checkpoint, readAt: startedAt }
    show()
  }

  /** Finds the registration of a series that refreshes have missed or let go; null if there is none. */
  async function register(seriesId: SeriesId, halted = false): Promise<Series | null> {
    const { number: head } = await rpc.read((client) => client.getBlock({ blockTag: 'latest' }))
    const log = await source.findCreated(seriesId, startBlock, head)
    if (log === null) return null
    recalled.add(seriesId)
    const [oldest] = recalled
    if (recalled.size > maxPackages && oldest !== undefined) recalled.delete(oldest)
    const final = follower.final()
    const isFinal = final !== null && log.blockNumber <= final.block
    const found = { ...registeredBy(log), halted }
    if (isFinal) missed = { ...missed, series: new Map(missed.series).set(seriesId, found) }
    else follower.add(log)
    return found
  }

  /** Its state gives a price where no event has: those events were missed, too. */
  async function recall(seriesId: SeriesId, { expiry: _, halted, ...price }: SeriesState): Promise<void> {
    const found = await register(seriesId, halted)
    if (found === null) return
    show()
    const hasPrice = price.resolutionBps !== null || price.vetoed === true
    if (!hasPrice || !missed.series.has(seriesId) || shown.fixings.has(fixingKey(found))) return
    const fixing = { ...price, asOf: UNSEEN, isRevocable: true }
    missed = { ...missed, fixings: new Map(missed.fixings).set(fixingKey(found), fixing) }
    show()
  }

  /** Finds the packages that price events name, if the index has let them go: their fixings have other series. */
  async function recallNamed(known: Registry): Promise<void> {
    for (const seriesId of namedBeside(known, follower.recent())) {
      if (!unregistered.has(seriesId) && (await register(seriesId)) === null) unregistered.add(seriesId)
    }
  }

  const readStates = (ids: readonly SeriesId[]) =>
    rpc.read(({ view }) => Promise.all(ids.map((id) => readSeriesState(view, coreAddress, id))))
  const refreshCoalesced = coalesce(refresh)
  return {
    list: async () => listed,
    find: async (seriesId) => series.get(seriesId) ?? null,
    refresh: refreshCoalesced,
    held: async (seriesIds) => {
      await stakes.learn(seriesIds)
      return new Set(seriesIds.filter(stakes.isHeld))
    },
    lookUp: createLookUp({
      find: (seriesId) => series.get(seriesId) ?? null,
      refresh: refreshCoalesced,
      readStates,
      recall,
      now,
      ...(sleep === undefined ? {} : { sleep }),
    }),
  }
}

const NONE: Registry = { series: new Map(), fixings: new Map() }
const NOTHING = { logs: [], provenTo: -1n }

/** Before the block of any event. */
const UNSEEN = -1

/** Adds series that the registry lacks, and fixings that it knows of an earlier block. */
const adopt = ({ series, fixings }: Registry, found: Registry): Registry => ({
  series: merge(series, found.series, (known) => known === undefined),
  fixings: merge(fixings, found.fixings, (known, other) => known === undefined || known.asOf < other.asOf),
})

/** Returns the same map when there is no news. */
function merge<Item>(
  known: ReadonlyMap<string, Item>,
  found: ReadonlyMap<string, Item>,
  isNews: (known: Item | undefined, found: Item) => boolean,
): ReadonlyMap<string, Item> {
  const news = [...found].filter(([name, item]) => isNews(known.get(name), item))
  return news.length === 0 ? known : new Map([...known, ...news])
}
