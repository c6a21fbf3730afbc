import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Hex } from '@rfqctl/protocol/domain/units'
import type { PublicClient } from 'viem'
import type { ProvenLogs } from './log-reader.ts'
import { nullIfNoBlock, type Rpc } from './rpc.ts'

/** All events up to the block are known; `hash` is null before the first one. */
export type ReadFrom = { block: bigint; hash: Hex | null }

/** `time` is in Unix seconds. */
export type BlockRef = { block: bigint; hash: Hex; time: number }

type PlacedLog = { blockNumber: bigint; logIndex: number }

/** `isRestarted`: all events known before are void. `head`: the newest block of the node. */
type Reading = { readFrom: ReadFrom; isRestarted: boolean; head: BlockRef; provenTo: bigint }

/** Public nodes commonly refuse wider ranges of logs; a node that refuses this one is asked for less. */
export const CHUNK_BLOCKS = 10_000n

/** Blocks between the checkpoint and the final block, read again by each read: a node may have left out events. */
export const OVERLAP_BLOCKS = 512n

/**
 * Follows the events of a contract. Each read continues from a checkpoint some way behind the last final block, so
 * events that a reorganisation dropped are gone after the next read. When a final block is no longer on the chain it
 * reads from the beginning. Reads fail with `chain_unavailable`.
 *
 * Several nodes may answer at one address, some of them lagging. So nothing counts as read beyond the block that the
 * node which gave the logs has itself shown to have, and an event once seen in a final block stays, whatever a later
 * answer leaves out. `resume` is where a fresh process continues, null for the beginning; `begin` is called with the
 * newest block.
 */
export function createLogFollower<Log extends PlacedLog>(parts: {
  rpc: Rpc
  read: (from: bigint, to: bigint) => Promise<ProvenLogs<Log>>
  startBlock: bigint
  overlapBlocks: bigint
  resume: () => Promise<ReadFrom | null>
  begin: (heads: Pick<Heads, 'head' | 'final'>) => ReadFrom
}) {
  const { rpc, read: readRange, startBlock, overlapBlocks, resume, begin } = parts
  let readFrom: ReadFrom | null = null
  let final: BlockRef | null = null
  /** The hash of the first block identifies the chain. */
  let firstHash: Hex | null = null
  let recent: readonly Log[] = []

  /** Reads from the checkpoint to the head. */
  async function read(): Promise<Reading> {
    const isFresh = readFrom === null
    const resumed = readFrom ?? (await resume())
    const known = final ?? knownOf(resumed)
    const heads = await rpc.read((client) => readHeads(client, { known, startBlock }))
    const isSame = isSameChain(heads, known, isFresh)
    if (!isSame) {
      final = null
      recent = []
    }
    const from = isSame && resumed !== null ? resumed : begin(heads)
    const { logs, provenTo } = await readRange(from.block + 1n, heads.head.block)
    if (provenTo <= from.block && heads.head.block > from.block) throw lagging()
    firstHash = heads.firstHash
    const sure = final?.block ?? from.block
    recent = mergeLogs(
      recent.filter(({ blockNumber }) => blockNumber <= sure || blockNumber > provenTo),
      logs,
    )
    // The final block may lie beyond what this node, or the one that gave the logs, has.
    if (heads.final !== null && heads.final.block > sure && heads.final.block <= provenTo) final = heads.final
    readFrom = from
    return { readFrom: from, isRestarted: !isSame, head: heads.head, provenTo }
  }

  /** Refuses when the node lags too far behind to decide. */
  function isSameChain(heads: Heads, known: KnownBlock | null, isFresh: boolean): boolean {
    if (known === null || heads.knownHash === known.hash) return true
    if (heads.knownHash !== null) return false
    // A fresh process loses nothing by reading all, and its checkpoint may be of a chain that began again.
    if (isFresh || (heads.firstHash !== null && heads.firstHash !== firstHash)) return false
    throw lagging()
  }

  /** Moves the checkpoint, never past `limit`, once the final block is far enough ahead; returns the events passed. */
  async function advance(limit?: bigint): Promise<{ readFrom: ReadFrom; passed: readonly Log[] }> {
    if (readFrom === null) throw new Error('nothing was read yet')
    const stay = { readFrom, passed: [] }
    if (final === null) return stay
    const to = limit === undefined || limit > final.block ? final.block : limit
    const block = to - overlapBlocks
    if (block <= readFrom.block + overlapBlocks) return stay
    const hash =
      block === final.block ? final.hash : ((await rpc.read((client) => blockAt(client, block)))?.hash ?? null)
    if (hash === null) return stay
    const isBefore = ({ blockNumber }: Log) => blockNumber <= block
    const passed = recent.filter(isBefore)
    recent = recent.filter((log) => !isBefore(log))
    readFrom = { block, hash }
    return { readFrom, passed }
  }

  return {
    read,
    /** Events after the checkpoint, as the chain has them now. */
    recent: () => recent,
    /** The newest final block that was read; null while there is none. */
    final: () => final,
    advance,
    /** Adds an event that reads have missed. */
    add: (log: Log): void => {
      recent = mergeLogs(recent, [log])
    },
  }
}

export function inChainOrder(a: PlacedLog, b: PlacedLog): number {
  return a.blockNumber === b.blockNumber ? a.logIndex - b.logIndex : Number(a.blockNumber - b.blockNumber)
}

function mergeLogs<Log extends PlacedLog>(some: readonly Log[], others: readonly Log[]): readonly Log[] {
  if (some.length === 0) return others
  const byPlace = new Map([...some, ...others].map((log) => [`${log.blockNumber} ${log.logIndex}`, log]))
  return [...byPlace.values()]
}

type KnownBlock = Pick<BlockRef, 'block' | 'hash'>

type Heads = { head: BlockRef; final: BlockRef | null; knownHash: Hex | null; firstHash: Hex | null }

const lagging = () => new RfqError('chain_unavailable', { detail: 'The node is behind a block that it showed before.' })

const knownOf = (readFrom: ReadFrom | null): KnownBlock | null =>
  readFrom === null || readFrom.hash === null ? null : { block: readFrom.block, hash: readFrom.hash }

const blockAt = (client: PublicClient, blockNumber: bigint) => client.getBlock({ blockNumber }).catch(nullIfNoBlock)

async function readHeads(
  client: PublicClient,
  { known, startBlock }: { known: KnownBlock | null; startBlock: bigint },
): Promise<Heads> {
  const [latest, finalized, same, first] = await Promise.all([
    client.getBlock({ blockTag: 'latest' }),
    client.getBlock({ blockTag: 'finalized' }).catch(nullIfNoBlock),
    known === null ? null : blockAt(client, known.block),
    blockAt(client, startBlock),
  ])
  return {
    head: refOf(latest),
    final: finalized === null ? null : refOf(finalized),
    knownHash: same?.hash ?? null,
    firstHash: first?.hash ?? null,
  }
}

export const refAt = (client: PublicClient, blockNumber: bigint): Promise<BlockRef | null> =>
  blockAt(client, blockNumber).then((found) => (found === null ? null : refOf(found)))

const refOf = ({ number, hash, timestamp }: { number: bigint; hash: Hex; timestamp: bigint }): BlockRef => ({
  block: number,
  hash,
  time: Number(timestamp),
})

/**
 * Runs one at a time. All calls during a run share the next one, because the running one may have read past what they
 * want to see.
 */
export function coalesce(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null

  function start(): Promise<void> {
    running = run().finally(() => {
      running = null
    })
    return running
  }

  return () => {
    if (running === null) return start()
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null
        return start()
      })
    return next
  }
}
