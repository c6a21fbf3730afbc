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

/** Where a checkpoint outlives the process, so that the next one does not read from the start again. */
export type CheckpointKeeper = {
  /** Null when there is none that can be gone on from. */
  load: () => Promise<Checkpoint | null>
  save: (checkpoint: Checkpoint) => Promise<void>
}

/** A checkpoint without news is kept again only this many blocks later: so much is quickly read again. */
const KEEP_EVERY_BLOCKS = 10_000n

/** How often all events are read from the start again, and when after an attempt that failed. Milliseconds. */
const REREAD_AFTER_MS = 86_400_000
const REREAD_RETRY_MS = 3_600_000

/** How many packages are kept that no one holds: anyone registers them, for what a transaction costs. */
const MAX_PACKAGES = 1_000
/** How many that someone holds, those with the most collateral: to hold one costs little more, so that even they need a bound. */
const MAX_HELD = 10_000

/** How many packages a refresh looks for that were written and that the index has let go. */
const MAX_RECALLED = 16

/**
 * The series of a core, from its events since `startBlock`. Each refresh reads on from a checkpoint some way
 * behind the last final block, so what a reorganisation dropped is gone after the next one; and from the start when a final
 * block is not on the chain any more.
 *
 * Behind one address may stand several nodes, of which some lag. So nothing counts as read beyond the block that the node
 * which gave the logs has itself shown to have; and what was once seen in a final block stays, whatever a later answer
 * leaves out. Of packages those are kept that someone holds, and the newest of the others; an older one is found again once someone
 * writes it or asks for its id. `now`, Unix milliseconds, and `sleep`, milliseconds, are for tests, as are the sizes.
 */
export function createSeriesIndexer({
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
}: {
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
  /** Final series that refreshes have missed and others found. */
  let missed = NONE
  let series: ReadonlyMap<SeriesId, Series> = beginning.series
  let listed: readonly Series[] = []
  let rereadAt = 0
  /** Packages that were asked for by their ids, the newest last. */
  const recalled = new Set<SeriesId>()
  const stakes = createPackageStakes({
    read: (ids) => rpc.read(({ view }) => Promise.all(ids.map((id) => readStake(view, coreAddress, id)))),
    maxHeld,
    maxUnheld: maxPackages,
  })
  /** What was written lately of series that are not the index's, and that was looked for already. */
  let sought: ReadonlySet<SeriesId> = new Set()

  /** Packages that there may be too many of, oldest first. */
  const packagesOf = (all: ReadonlyMap<SeriesId, Series>): SeriesId[] =>
    [...all.values()].flatMap((one) => (isPackage(one) && !recalled.has(one.seriesId) ? [one.seriesId] : []))

  /** Series without the packages that are least worth keeping, where there are too many; the same map where there are not. */
  function withinBounds(all: ReadonlyMap<SeriesId, Series>): ReadonlyMap<SeriesId, Series> {
    const packages = packagesOf(all)
    if (packages.length <= Math.min(maxPackages, maxHeld)) return all
    const dropped = stakes.dropped(packages)
    return dropped.size === 0 ? all : new Map([...all].filter(([seriesId]) => !dropped.has(seriesId)))
  }

  /** Learns which of the packages that would go someone holds. A node that cannot tell is asked again by the next refresh. */
  async function weigh(all: ReadonlyMap<SeriesId, Series>, written: ReadonlyMap<SeriesId, bigint>): Promise<void> {
    for (const [seriesId, collateral] of written) if (all.has(seriesId)) stakes.hear(seriesId, collateral)
    const packages = packagesOf(all)
    stakes.keepOnly(new Set([...packages, ...recalled]))
    await stakes.learn(stakes.surplus(packages)).catch(() => {})
  }

  /** Finds packages again that someone wrote after the index let go of them. */
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

  /** Reads all again, beside the refreshes. What fails is tried again later: no one waits for it. */
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

  /** Looks for the registration of a series that is on the chain, and that refreshes have missed. */
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

/** How far a series has come: it gets a price, may lose it once, and gets another. */
const stageOf = ({ resolutionBps, vetoed }: Series): number => (vetoed ? 2 : 0) + (resolutionBps === null ? 0 : 1)

/** Series with those that they lack, and with prices and vetoes that they do not know of; the same map when there are none. */
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
  for (const one of news) {
    merged.set(one.seriesId, { ...one, halted: merged.get(one.seriesId)?.halted ?? one.halted })
  }
  return merged
}
