import { type GetLogsReturnType, getAbiItem, type PublicClient } from 'viem'
import { serviceCoreAbi } from '../../contracts/abi.ts'
import type { Series, SeriesId } from '../../domain/series.ts'
import type { Address, ResolutionBps, StrikeBps } from '../../domain/units.ts'
import { isRefusedByNode, type Rpc } from './rpc.ts'

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

/** The logs of both, each once. */
export function mergeLogs(some: readonly SeriesLog[], others: readonly SeriesLog[]): readonly SeriesLog[] {
  if (some.length === 0) return others
  const byPlace = new Map([...some, ...others].map((log) => [`${log.blockNumber} ${log.logIndex}`, log]))
  return [...byPlace.values()]
}

function inChainOrder(a: SeriesLog, b: SeriesLog): number {
  return a.blockNumber === b.blockNumber ? a.logIndex - b.logIndex : Number(a.blockNumber - b.blockNumber)
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

/** Logs up to a block that the answering node has shown to have; there may be more beyond it. */
export type ProvenLogs<Log> = { logs: readonly Log[]; provenTo: bigint }

/** Reads events of a core. Fails with `chain_unavailable`. */
export type SeriesLogs = {
  /** All events of a range of blocks. `provenTo` is less than its end when the node that answers has not come so far. */
  read: (from: bigint, to: bigint) => Promise<ProvenLogs<SeriesLog>>
  /** The registration of one series in a range, found by its id, which the event is indexed by. */
  findCreated: (seriesId: SeriesId, from: bigint, to: bigint) => Promise<CreatedLog | null>
}

/**
 * Events through a node, or several behind one address: each part of a range is asked for together with the head of the
 * node that answers, because one that lags behind gives the logs that it has and does not say that there are more.
 * `chunkBlocks` is how many blocks one request for all events spans at most.
 */
export function createSeriesLogs({
  rpc,
  coreAddress,
  chunkBlocks,
}: {
  rpc: Rpc
  coreAddress: Address
  chunkBlocks: bigint
}): SeriesLogs {
  async function readParts<Log>(
    range: { from: bigint; to: bigint; span: bigint },
    getLogs: (client: PublicClient, fromBlock: bigint, toBlock: bigint) => Promise<readonly Log[]>,
  ): Promise<ProvenLogs<Log>> {
    const logs: Log[] = []
    let { from: fromBlock, to: end, span } = range
    while (fromBlock <= end) {
      const last = fromBlock + span - 1n
      const toBlock = last < end ? last : end
      const part = await rpc.read(async (client) => {
        // In one request, which one node answers, and in this order: a block that comes in between is read twice.
        const [{ number: head }, found] = await Promise.all([
          client.getBlock({ blockTag: 'latest' }),
          getLogs(client, fromBlock, toBlock).catch(asRefusal),
        ])
        const isLeast = fromBlock === toBlock && toBlock <= head
        if ('refusal' in found && isLeast) throw found.refusal
        return { head, found }
      })
      if (part.head < end) end = part.head
      if ('refusal' in part.found) {
        // Too much for it, or more than it has.
        span = (toBlock - fromBlock + 1n) / 2n
        continue
      }
      logs.push(...part.found)
      fromBlock = toBlock + 1n
    }
    return { logs, provenTo: end }
  }

  return {
    read: (from, to) =>
      readParts({ from, to, span: chunkBlocks }, (client, fromBlock, toBlock) =>
        client.getLogs({ address: coreAddress, events: SERIES_EVENTS, strict: true, fromBlock, toBlock }),
      ),
    async findCreated(seriesId, from, to) {
      const args = { seriesId: BigInt(seriesId) }
      const { logs } = await readParts({ from, to, span: to - from + 1n }, (client, fromBlock, toBlock) =>
        client.getLogs({ address: coreAddress, event: SERIES_CREATED, args, strict: true, fromBlock, toBlock }),
      )
      return logs[0] ?? null
    },
  }
}

/** What the node itself says no to, as to a range that is too much for it. */
function asRefusal(fault: unknown): { refusal: unknown } {
  if (isRefusedByNode(fault)) return { refusal: fault }
  throw fault
}
