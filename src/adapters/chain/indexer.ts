import type { PublicClient } from 'viem'
import { RfqError } from '../../domain/errors.ts'
import type { Series, SeriesId } from '../../domain/series.ts'
import type { Address, Hex } from '../../domain/units.ts'
import type { SeriesIndex, SeriesState } from '../../relay/ports/chain.ts'
import { coalesce } from './coalesce.ts'
import { nullIfNoBlock, type Rpc } from './rpc.ts'
import { applyLogs, createSeriesLogs, mergeLogs, registeredBy, type SeriesLog } from './series-logs.ts'
import { createLookUp } from './series-look-up.ts'
import { readSeriesState } from './viem.ts'

/** All series up to a final block; `hash` is null before the first one. */
export type Checkpoint = {
  block: bigint
  hash: Hex | null
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

type BlockRef = { block: bigint; hash: Hex }

/** Public nodes commonly refuse wider ranges of logs; one that refuses this is asked for less. */
const CHUNK_BLOCKS = 10_000n

/** How far a checkpoint stays behind what is final: so much is read again by each refresh, for a node may have kept silent. */
const OVERLAP_BLOCKS = 512n

/** A checkpoint without news is kept again only this many blocks later: so much is quickly read again. */
const KEEP_EVERY_BLOCKS = 10_000n

/** How often all events are read from the start again, and when after an attempt that failed. Milliseconds. */
const REREAD_AFTER_MS = 86_400_000
const REREAD_RETRY_MS = 3_600_000

/**
 * The series of a core, from its events since `startBlock`. Each refresh reads on from a checkpoint some way
 * behind the last final block, so what a reorganisation dropped is gone after the next one; and from the start when a final
 * block is not on the chain any more.
 *
 * Behind one address may stand several nodes, of which some lag. So nothing counts as read beyond the block that the node
 * which gave the logs has itself shown to have; and what was once seen in a final block stays, whatever a later answer
 * leaves out. `now`, Unix milliseconds, and `sleep`, milliseconds, are for tests, as are the sizes.
 */
export function createSeriesIndexer({
  rpc,
  coreAddress,
  startBlock,
  chunkBlocks = CHUNK_BLOCKS,
  overlapBlocks = OVERLAP_BLOCKS,
  keeper,
  now = Date.now,
  sleep,
}: {
  rpc: Rpc
  coreAddress: Address
  startBlock: bigint
  chunkBlocks?: bigint
  overlapBlocks?: bigint
  keeper?: CheckpointKeeper
  now?: () => number
  sleep?: (ms: number) => Promise<unknown>
}): SeriesIndex {
  const source = createSeriesLogs({ rpc, coreAddress, chunkBlocks })
  const beginning: Checkpoint = { block: startBlock - 1n, hash: null, series: new Map(), readAt: 0 }
  let checkpoint: Checkpoint | null = null
  let kept = beginning
  /** The newest final block that was read, and the hash of the first block: by them the chain is known again. */
  let final: BlockRef | null = null
  let firstHash: Hex | null = null
  /** Events after the checkpoint. */
  let recent: readonly SeriesLog[] = []
  /** Final series that refreshes have missed and others found. */
  let missed = NONE
  let series: ReadonlyMap<SeriesId, Series> = beginning.series
  let listed: readonly Series[] = []
  let rereadAt = 0

  async function refresh(): Promise<void> {
    if (checkpoint === null) kept = (await keeper?.load()) ?? beginning
    const known = final ?? blockOf(checkpoint ?? kept)
    const heads = await rpc.read((client) => readHeads(client, { known, startBlock }))
    const from = isSameChain(heads, known) ? (checkpoint ?? kept) : startOver()
    const { logs, provenTo } = await source.read(from.block + 1n, heads.head)
    if (provenTo <= from.block && heads.head > from.block) throw lagging()
    firstHash = heads.firstHash
    const sure = final?.block ?? from.block
    recent = mergeLogs(
      recent.filter(({ blockNumber }) => blockNumber <= sure || blockNumber > provenTo),
      logs,
    )
    // What is final may lie beyond what this node, or the one that gave the logs, has.
    if (heads.final !== null && heads.final.block > sure && heads.final.block <= provenTo) final = heads.final
    const moved = await moveOn(from)
    const isFromStart = from.hash === null
    checkpoint = { ...moved, series: adopt(moved.series, missed), readAt: isFromStart ? now() : moved.readAt }
    missed = NONE
    show()
    await keep(checkpoint)
    if (now() >= Math.max(rereadAt, checkpoint.readAt + REREAD_AFTER_MS)) void reread(checkpoint.block)
  }

  /** Whether what is known is of the chain that answers. Refuses when the node has not come far enough to tell. */
  function isSameChain(heads: Heads, known: BlockRef | null): boolean {
    if (known === null || heads.knownHash === known.hash) return true
    if (heads.knownHash !== null) return false
    // In a fresh process nothing is lost by reading all, and what was kept may be of a chain that began again.
    if (checkpoint === null || (heads.firstHash !== null && heads.firstHash !== firstHash)) return false
    throw lagging()
  }

  function startOver(): Checkpoint {
    final = null
    recent = []
    missed = NONE
    return beginning
  }

  /** The checkpoint, once what is final has come far enough beyond it. */
  async function moveOn(from: Checkpoint): Promise<Checkpoint> {
    if (final === null) return from
    const block = final.block - overlapBlocks
    if (block <= from.block + overlapBlocks) return from
    const hash =
      block === final.block ? final.hash : ((await rpc.read((client) => blockAt(client, block)))?.hash ?? null)
    if (hash === null) return from
    const isBefore = ({ blockNumber }: SeriesLog) => blockNumber <= block
    const moved = { ...from, block, hash, series: applyLogs(from.series, recent.filter(isBefore)) }
    recent = recent.filter((log) => !isBefore(log))
    return moved
  }

  function show(): void {
    series = applyLogs(adopt(checkpoint?.series ?? beginning.series, missed), recent)
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
    missed = applyLogs(missed, logs)
    checkpoint = { ...checkpoint, readAt: startedAt }
    show()
  }

  /** Looks for the registration of a series that is on the chain, and that refreshes have missed. */
  async function recall(seriesId: SeriesId, state: SeriesState): Promise<void> {
    const { head } = await rpc.read((client) => readHeads(client, { known: null, startBlock }))
    const log = await source.findCreated(seriesId, startBlock, head)
    if (log === null) return
    const isFinal = final !== null && log.blockNumber <= final.block
    if (isFinal) missed = new Map(missed).set(seriesId, { ...registeredBy(log.args), ...state })
    else recent = mergeLogs(recent, [log])
    show()
  }

  const refreshCoalesced = coalesce(refresh)
  return {
    list: async () => listed,
    find: async (seriesId) => series.get(seriesId) ?? null,
    refresh: refreshCoalesced,
    lookUp: createLookUp({
      find: (seriesId) => series.get(seriesId) ?? null,
      refresh: refreshCoalesced,
      readStates: (ids) => rpc.read(({ view }) => Promise.all(ids.map((id) => readSeriesState(view, coreAddress, id)))),
      recall,
      now,
      ...(sleep === undefined ? {} : { sleep }),
    }),
  }
}

type Heads = { head: bigint; final: BlockRef | null; knownHash: Hex | null; firstHash: Hex | null }

const NONE: ReadonlyMap<SeriesId, Series> = new Map()
const NOTHING = { logs: [], provenTo: -1n }

const lagging = () => new RfqError('chain_unavailable', { detail: 'The node is behind a block that it showed before.' })

const blockOf = ({ block, hash }: Checkpoint): BlockRef | null => (hash === null ? null : { block, hash })

const blockAt = (client: PublicClient, blockNumber: bigint) => client.getBlock({ blockNumber }).catch(nullIfNoBlock)

async function readHeads(
  client: PublicClient,
  { known, startBlock }: { known: BlockRef | null; startBlock: bigint },
): Promise<Heads> {
  const [latest, finalized, same, first] = await Promise.all([
    client.getBlock({ blockTag: 'latest' }),
    client.getBlock({ blockTag: 'finalized' }).catch(nullIfNoBlock),
    known === null ? null : blockAt(client, known.block),
    blockAt(client, startBlock),
  ])
  return {
    head: latest.number,
    final: finalized === null ? null : { block: finalized.number, hash: finalized.hash },
    knownHash: same?.hash ?? null,
    firstHash: first?.hash ?? null,
  }
}

/** Series with those that they lack, and with settlements that they do not know of; the same map when there are none. */
function adopt(
  series: ReadonlyMap<SeriesId, Series>,
  found: ReadonlyMap<SeriesId, Series>,
): ReadonlyMap<SeriesId, Series> {
  const news = [...found.values()].filter(({ seriesId, resolutionBps }) => {
    const known = series.get(seriesId)
    return known === undefined || (known.resolutionBps === null && resolutionBps !== null)
  })
  if (news.length === 0) return series
  const merged = new Map(series)
  for (const one of news) {
    merged.set(one.seriesId, { ...one, ...merged.get(one.seriesId), resolutionBps: one.resolutionBps })
  }
  return merged
}
