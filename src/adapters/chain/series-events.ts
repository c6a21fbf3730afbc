import { type GetLogsReturnType, getAbiItem } from 'viem'
import { serviceCoreAbi } from '../../contracts/abi.ts'
import type { Series, SeriesId } from '../../domain/series.ts'
import type { ResolutionBps, StrikeBps } from '../../domain/units.ts'

/** The event that registers a series. */
export const SERIES_CREATED = getAbiItem({ abi: serviceCoreAbi, name: 'SeriesCreated' })

/** All events that tell of series. */
export const SERIES_EVENTS = [
  SERIES_CREATED,
  getAbiItem({ abi: serviceCoreAbi, name: 'SeriesSettled' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'SeriesHaltChanged' }),
] as const

/** One of these events with its place on the chain. */
export type SeriesLog = GetLogsReturnType<undefined, typeof SERIES_EVENTS, true>[number]

/** The registration of a series with its place on the chain. */
export type CreatedLog = Extract<SeriesLog, { eventName: 'SeriesCreated' }>

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
