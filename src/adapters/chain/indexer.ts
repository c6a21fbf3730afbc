import { type GetLogsReturnType, getAbiItem, type PublicClient } from 'viem'
import { serviceCoreAbi } from '../../domain/contract-abi.ts'
import type { Series, SeriesId } from '../../domain/series.ts'
import type { Address, Hex, ResolutionBps, StrikeBps } from '../../domain/units.ts'
import type { SeriesIndex } from '../../relay/ports.ts'
import { nullIfNoBlock, type Rpc } from './rpc.ts'
import { createSharedRun } from './shared-run.ts'

const EVENTS = [
  getAbiItem({ abi: serviceCoreAbi, name: 'SeriesCreated' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'SeriesSettled' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'SeriesHaltChanged' }),
] as const

type SeriesLog = GetLogsReturnType<undefined, typeof EVENTS, true>[number]

/** All series up to a final block; `hash` is null before the first one. */
type Checkpoint = { block: bigint; hash: Hex | null; series: ReadonlyMap<SeriesId, Series> }

/** Public nodes commonly refuse wider ranges of logs. */
const CHUNK_BLOCKS = 10_000n

/**
 * The series of a core, from its events since `startBlock` (ruling S5). Each refresh reads on from the last block that
 * was final, so what a reorganisation dropped is gone after the next one; and from the start when even that block is not
 * on the chain any more. `chunkBlocks` is how many blocks one request for logs spans.
 */
export function createSeriesIndexer({
  rpc,
  coreAddress,
  startBlock,
  chunkBlocks = CHUNK_BLOCKS,
}: {
  rpc: Rpc
  coreAddress: Address
  startBlock: bigint
  chunkBlocks?: bigint
}): SeriesIndex {
  const beginning: Checkpoint = { block: startBlock - 1n, hash: null, series: new Map() }
  let checkpoint = beginning
  let series: ReadonlyMap<SeriesId, Series> = beginning.series
  let listed: readonly Series[] = []

  async function refresh(): Promise<void> {
    const { head, final, checkpointHash } = await rpc.read((client) => readHeads(client, checkpoint))
    if (checkpointHash !== checkpoint.hash) checkpoint = beginning
    const logs = await readLogs(checkpoint.block + 1n, head)
    if (final !== null && final.block > checkpoint.block) {
      const isFinal = (log: SeriesLog) => log.blockNumber <= final.block
      checkpoint = { ...final, series: applyLogs(checkpoint.series, logs.filter(isFinal)) }
    }
    series = applyLogs(
      checkpoint.series,
      logs.filter(({ blockNumber }) => blockNumber > checkpoint.block),
    )
    listed = [...series.values()]
  }

  async function readLogs(from: bigint, to: bigint): Promise<SeriesLog[]> {
    const logs: SeriesLog[] = []
    for (let fromBlock = from; fromBlock <= to; fromBlock += chunkBlocks) {
      const last = fromBlock + chunkBlocks - 1n
      const range = { fromBlock, toBlock: last < to ? last : to }
      const found = await rpc.read((client) =>
        client.getLogs({ address: coreAddress, events: EVENTS, strict: true, ...range }),
      )
      logs.push(...found)
    }
    return logs
  }

  return {
    list: async () => listed,
    find: async (seriesId) => series.get(seriesId) ?? null,
    refresh: createSharedRun(refresh),
  }
}

async function readHeads(client: PublicClient, checkpoint: Checkpoint) {
  const [head, final, same] = await Promise.all([
    client.getBlock({ blockTag: 'latest' }),
    client.getBlock({ blockTag: 'finalized' }).catch(nullIfNoBlock),
    checkpoint.hash === null ? null : client.getBlock({ blockNumber: checkpoint.block }).catch(nullIfNoBlock),
  ])
  return {
    head: head.number,
    final: final === null ? null : { block: final.number, hash: final.hash },
    checkpointHash: same === null ? null : same.hash,
  }
}

/** All series after some events, in the order of the chain. */
function applyLogs(before: ReadonlyMap<SeriesId, Series>, logs: readonly SeriesLog[]): ReadonlyMap<SeriesId, Series> {
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
