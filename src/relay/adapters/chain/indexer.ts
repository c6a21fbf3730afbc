import { isPackage } from '@rfqctl/protocol/domain/option'
import type { Series, SeriesId } from '@rfqctl/protocol/domain/series'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { SeriesIndex, SeriesState } from '../../core/ports/chain.ts'
import { CHUNK_BLOCKS, coalesce, createLogFollower, OVERLAP_BLOCKS, type ReadFrom } from './log-follower.ts'
import { createPackageStakes } from './package-stakes.ts'
import type { Rpc } from './rpc.ts'
import { applyLogs, createSeriesLogs, registeredBy, writtenIn } from './series-logs.ts'
import { createLookUp } from './series-look-up.ts'
import { readSeriesState, readStake } from './viem.ts'

/** All series up to a final block; `hash` is null before the first one. */
export type Checkpoint = ReadFrom & {
  series: ReadonlyMap<SeriesId, Series>
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
 * The series of a core, from its events since `startBlock`. Each refresh reads on from a checkpoint some way behind the
 * last final block, so events that a reorganisation dropped are gone after the next refresh. When a final block is no
 * longer on the chain it reads from the start.
 *
 * Several nodes may answer at one address, some of them lagging. So nothing counts as read beyond the block that the
 * node which gave the logs has itself shown to have, and an event once seen in a final block stays, whatever a later
 * answer leaves out. The index keeps the packages that someone holds and the newest of the others; it finds an older
 * one again once someone writes it or asks for its id. `now`, Unix milliseconds, `sleep`, milliseconds, and the sizes
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
  const beginning: Checkpoint = { block: startBlock - 1n, hash: null, series: NONE, readAt: 0 }
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
  /** Final series that refreshes missed and other reads found. */
  let missed = NONE
  let series: ReadonlyMap<SeriesId, Series> = beginning.series
  let listed: readonly Series[] = []
  let rereadAt = 0
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
  const packagesOf = (all: ReadonlyMap<SeriesId, Series>): SeriesId[] =>
    [...all.values()].flatMap((one) => (isPackage(one) && !recalled.has(one.seriesId) ? [one.seriesId] : []))

  /** Drops the packages least worth keeping beyond the bounds; returns the same map when within them. */
  function withinBounds(all: ReadonlyMap<SeriesId, Series>): ReadonlyMap<SeriesId, Series> {
    const packages = packagesOf(all)
    if (packages.length <= Math.min(maxPackages, maxHeld)) return all
    const dropped = stakes.dropped(packages)
    return dropped.size === 0 ? all : new Map([...all].filter(([seriesId]) => !dropped.has(seriesId)))
  }

  /** Learns which of the surplus packages have a holder. After a fault the next refresh asks again. */
  async function weigh(all: ReadonlyMap<SeriesId, Series>, written: ReadonlyMap<SeriesId, bigint>): Promise<void> {
    for (const [seriesId, collateral] of written) if (all.has(seriesId)) stakes.hear(seriesId, collateral)
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
    if (isRestarted) missed = NONE
    const from = isRestarted ? beginning : (checkpoint ?? kept)
    const readAt = readFrom.hash === null ? now() : from.readAt
    checkpoint = { ...from, ...readFrom, readAt }
    const { readFrom: moved, passed } = await follower.advance()
    const final = () => adopt(applyLogs(from.series, passed), missed)
    const written = writtenIn([...passed, ...follower.recent()])
    await weigh(applyLogs(final(), follower.recent()), written)
    checkpoint = { ...checkpoint, ...moved, series: withinBounds(final()) }
    missed = NONE
    show()
    await recallWritten(written)
    await keep(checkpoint)
    if (now() >= Math.max(rereadAt, checkpoint.readAt + REREAD_AFTER_MS)) void reread(checkpoint.block)
  }

  function show(): void {
    const known = adopt(checkpoint?.series ?? beginning.series, missed)
    series = withinBounds(applyLogs(known, follower.recent()))
    listed = [...series.values()]
  }

  async function keep(current: Checkpoint): Promise<void> {
    if (keeper === undefined || current.hash === null) return
    const isNews = current.series !== kept.series || current.block >= kept.block + KEEP_EVERY_BLOCKS
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

  /** Finds the registration of a series that is on the chain and that refreshes have missed. */
  async function recall(seriesId: SeriesId, state: SeriesState): Promise<void> {
    const { number: head } = await rpc.read((client) => client.getBlock({ blockTag: 'latest' }))
    const log = await source.findCreated(seriesId, startBlock, head)
    if (log === null) return
    recalled.add(seriesId)
    const [oldest] = recalled
    if (recalled.size > maxPackages && oldest !== undefined) recalled.delete(oldest)
    const final = follower.final()
    const isFinal = final !== null && log.blockNumber <= final.block
    if (isFinal) missed = new Map(missed).set(seriesId, { ...registeredBy(log), ...state })
    else follower.add(log)
    show()
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

const NONE: ReadonlyMap<SeriesId, Series> = new Map()
const NOTHING = { logs: [], provenTo: -1n }

/** The progress of a series: it gets a price, may lose it once, and gets another. */
const stageOf = ({ resolutionBps, vetoed }: Series): number => (vetoed ? 2 : 0) + (resolutionBps === null ? 0 : 1)

/** Adds series, prices and vetoes that the map lacks; returns the same map when there are none. */
function adopt(
  series: ReadonlyMap<SeriesId, Series>,
  found: ReadonlyMap<SeriesId, Series>,
): ReadonlyMap<SeriesId, Series> {
  const news = [...found.values()].filter((one) => {
    const known = series.get(one.seriesId)
    return known === undefined || stageOf(one) > stageOf(known)
  })
  if (news.length === 0) return series
  const merged = new Map(series)
  for (const one of news) merged.set(one.seriesId, { ...one, halted: merged.get(one.seriesId)?.halted ?? one.halted })
  return merged
}
