import { type GetLogsReturnType, getAbiItem } from 'viem'
import { serviceCoreAbi } from '../../contracts/abi.ts'
import type { Series, SeriesId } from '../../domain/series.ts'
import type { Address, ResolutionBps, StrikeBps } from '../../domain/units.ts'
import { inChainOrder } from './log-follower.ts'
import { type ProvenLogs, readLogs } from './log-reader.ts'
import type { Rpc } from './rpc.ts'

/** The event that registers a series. */
const SERIES_CREATED = getAbiItem({ abi: serviceCoreAbi, name: 'SeriesCreated' })

/** All events that tell of series. */
const SERIES_EVENTS = [
  SERIES_CREATED,
  getAbiItem({ abi: serviceCoreAbi, name: 'SeriesSettled' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'SeriesHaltChanged' }),
] as const

/** One of these events with its place on the chain. */
export type SeriesLog = GetLogsReturnType<undefined, typeof SERIES_EVENTS, true>[number]

/** The registration of a series with its place on the chain. */
type CreatedLog = Extract<SeriesLog, { eventName: 'SeriesCreated' }>

/** All series after some events, in the order of the chain; the same map when there are none. */
export function applyLogs(
  before: ReadonlyMap<SeriesId, Series>,
  logs: readonly SeriesLog[],
): ReadonlyMap<SeriesId, Series> {
  if (logs.length === 0) return before
  const after = new Map(before)
  for (const log of logs.toSorted(inChainOrder)) {
    const seriesId = log.args.seriesId.toString()
    const series = seriesAfter(after.get(seriesId), log)
    if (series !== null) after.set(seriesId, series)
  }
  return after
}

function seriesAfter(before: Series | undefined, log: SeriesLog): Series | null {
  // A series is registered once: whoever knows it already knows at least as much.
  if (log.eventName === 'SeriesCreated') return before ?? registeredBy(log.args)
  if (before === undefined) return null
  return log.eventName === 'SeriesSettled'
    ? { ...before, resolutionBps: log.args.resolutionBps as ResolutionBps }
    : { ...before, halted: log.args.halted }
}

/** The series that an event has registered, neither halted nor settled. */
export function registeredBy(args: CreatedLog['args']): Series {
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

/** Reads events of a core. Fails with `chain_unavailable`. */
export type SeriesLogs = {
  /** All events of a range of blocks. `provenTo` is less than its end when the node that answers has not come so far. */
  read: (from: bigint, to: bigint) => Promise<ProvenLogs<SeriesLog>>
  /** The registration of one series in a range, found by its id, which the event is indexed by. */
  findCreated: (seriesId: SeriesId, from: bigint, to: bigint) => Promise<CreatedLog | null>
}

/** Events of a core through a node; `chunkBlocks` is how many blocks one request for all events spans at most. */
export function createSeriesLogs({
  rpc,
  coreAddress,
  chunkBlocks,
}: {
  rpc: Rpc
  coreAddress: Address
  chunkBlocks: bigint
}): SeriesLogs {
  return {
    read: (from, to) =>
      readLogs(rpc, { from, to, span: chunkBlocks }, (client, fromBlock, toBlock) =>
        client.getLogs({ address: coreAddress, events: SERIES_EVENTS, strict: true, fromBlock, toBlock }),
      ),
    async findCreated(seriesId, from, to) {
      const args = { seriesId: BigInt(seriesId) }
      const { logs } = await readLogs(rpc, { from, to, span: to - from + 1n }, (client, fromBlock, toBlock) =>
        client.getLogs({ address: coreAddress, event: SERIES_CREATED, args, strict: true, fromBlock, toBlock }),
      )
      return logs[0] ?? null
    },
  }
}
