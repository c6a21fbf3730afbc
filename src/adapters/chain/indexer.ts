import { type GetLogsReturnType, getAbiItem, type PublicClient } from 'viem'
import { serviceCoreAbi } from '../../domain/contract-abi.ts'
import type { Series, SeriesId } from '../../domain/series.ts'
import type { Address, Hex, ResolutionBps, StrikeBps } from '../../domain/units.ts'
import type { SeriesIndex } from '../../relay/ports/chain.ts'
import { isRefusedByNode, nullIfNoBlock, type Rpc } from './rpc.ts'
import { createSharedRun } from './shared-run.ts'

const EVENTS = [
  getAbiItem({ abi: serviceCoreAbi, name: 'SeriesCreated' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'SeriesSettled' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'SeriesHaltChanged' }),
] as const

type SeriesLog = GetLogsReturnType<undefined, typeof EVENTS, true>[number]

/** All series up to a final block; `hash` is null before the first one. */
export type Checkpoint = { block: bigint; hash: Hex | null; series: ReadonlyMap<SeriesId, Series> }

/** Where a checkpoint outlives the process, so that the next one does not read from the start again. */
export type CheckpointKeeper = {
  /** Null when there is none that can be gone on from. */
  load: () => Promise<Checkpoint | null>
  save: (checkpoint: Checkpoint) => Promise<void>
}

/** Public nodes commonly refuse wider ranges of logs; one that refuses this is asked for less. */
const CHUNK_BLOCKS = 10_000n

/** A checkpoint without news is kept again only this many blocks later: so much is quickly read again. */
const KEEP_EVERY_BLOCKS = 10_000n

/**
 * The series of a core, from its events since `startBlock` (ruling S5). Each refresh reads on from the last block that
 * was final, so what a reorganisation dropped is gone after the next one; and from the start when even that block is not
 * on the chain any more. `chunkBlocks` is how many blocks one request for logs spans at most.
 */
export function createSeriesIndexer({
  rpc,
  coreAddress,
  startBlock,
  chunkBlocks = CHUNK_BLOCKS,
  keeper,
}: {
  rpc: Rpc
  coreAddress: Address
  startBlock: bigint
  chunkBlocks?: bigint
  keeper?: CheckpointKeeper
}): SeriesIndex {
  const beginning: Checkpoint = { block: startBlock - 1n, hash: null, series: new Map() }
  let checkpoint: Checkpoint | null = null
  let kept = beginning
  let series: ReadonlyMap<SeriesId, Series> = beginning.series
  let listed: readonly Series[] = []

  async function refresh(): Promise<void> {
    if (checkpoint === null) kept = (await keeper?.load()) ?? beginning
    const known = checkpoint ?? kept
    const { head, final, knownHash } = await rpc.read((client) => readHeads(client, known))
    const from = knownHash === known.hash ? known : beginning
    const logs = await readLogs(from.block + 1n, head)
    const isFinal = ({ blockNumber }: SeriesLog) => final !== null && blockNumber <= final.block
    checkpoint =
      final !== null && final.block > from.block
        ? { ...final, series: applyLogs(from.series, logs.filter(isFinal)) }
        : from
    const { block } = checkpoint
    series = applyLogs(
      checkpoint.series,
      logs.filter(({ blockNumber }) => blockNumber > block),
    )
    listed = [...series.values()]
    await keep(checkpoint)
  }

  async function readLogs(from: bigint, to: bigint): Promise<SeriesLog[]> {
    const logs: SeriesLog[] = []
    let span = chunkBlocks
    for (let fromBlock = from; fromBlock <= to; ) {
      const last = fromBlock + span - 1n
      const toBlock = last < to ? last : to
      const found = await readRange(fromBlock, toBlock)
      if (found === null) {
        span = (toBlock - fromBlock + 1n) / 2n
        continue
      }
      logs.push(...found)
      fromBlock = toBlock + 1n
    }
    return logs
  }

  /** Null when the range is too much for the node. */
  function readRange(fromBlock: bigint, toBlock: bigint): Promise<SeriesLog[] | null> {
    return rpc.read((client) =>
      client
        .getLogs({ address: coreAddress, events: EVENTS, strict: true, fromBlock, toBlock })
        .catch((fault: unknown) => {
          if (toBlock > fromBlock && isRefusedByNode(fault)) return null
          throw fault
        }),
    )
  }

  async function keep(current: Checkpoint): Promise<void> {
    if (keeper === undefined || current.hash === null) return
    const isNews = current.series !== kept.series || current.block >= kept.block + KEEP_EVERY_BLOCKS
    if (!isNews) return
    await keeper.save(current)
    kept = current
  }

  return {
    list: async () => listed,
    find: async (seriesId) => series.get(seriesId) ?? null,
    refresh: createSharedRun(refresh),
  }
}

async function readHeads(client: PublicClient, known: Checkpoint) {
  const [head, final, same] = await Promise.all([
    client.getBlock({ blockTag: 'latest' }),
    client.getBlock({ blockTag: 'finalized' }).catch(nullIfNoBlock),
    known.hash === null ? null : client.getBlock({ blockNumber: known.block }).catch(nullIfNoBlock),
  ])
  return {
    head: head.number,
    final: final === null ? null : { block: final.number, hash: final.hash },
    knownHash: same === null ? null : same.hash,
  }
}

/** All series after some events, in the order of the chain; the same map when there are none. */
function applyLogs(before: ReadonlyMap<SeriesId, Series>, logs: readonly SeriesLog[]): ReadonlyMap<SeriesId, Series> {
  if (logs.length === 0) return before
  const after = new Map(before)
  for (const log of logs) {
    const seriesId = log.args.seriesId.toString()
    const series = seriesAfter(after.get(seriesId), log)
    if (series !== null) after.set(seriesId, series)
  }
  return after
}

function seriesAfter(before: Series | undefined, log: SeriesLog): Series | null {
  if (log.eventName === 'SeriesCreated') return createdBy(log.args)
  if (before === undefined) return null
  return log.eventName === 'SeriesSettled'
    ? { ...before, resolutionBps: log.args.resolutionBps as ResolutionBps }
    : { ...before, halted: log.args.halted }
}

function createdBy(args: Extract<SeriesLog, { eventName: 'SeriesCreated' }>['args']): Series {
  return {
    seriesId: args.seriesId.toString(),
    conditionId: args.conditionId,
    yesTokenId: args.yesClobTokenId.toString(),
    strikeBps: args.strikeBps as StrikeBps,
    expiry: Number(args.expiry),
    optionType: args.optionType === 0 ? 'call' : 'put',
    halted: false,
    resolutionBps: null,
  }
}
