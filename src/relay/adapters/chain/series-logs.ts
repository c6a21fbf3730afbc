import { serviceCoreAbi } from '@rfqctl/protocol/contracts/abi'
import { registeredTerms } from '@rfqctl/protocol/contracts/registered-terms'
import type { Series, SeriesId } from '@rfqctl/protocol/domain/series'
import type { Address, Hex, ResolutionBps } from '@rfqctl/protocol/domain/units'
import { formatLog, type GetLogsReturnType, getAbiItem, parseEventLogs, toEventSelector, toHex } from 'viem'
import { inChainOrder } from './log-follower.ts'
import { type ProvenLogs, readLogs } from './log-reader.ts'
import type { Rpc } from './rpc.ts'

const SERIES_CREATED = getAbiItem({ abi: serviceCoreAbi, name: 'SeriesCreated' })

const PACKAGE_CREATED = getAbiItem({ abi: serviceCoreAbi, name: 'PackageCreated' })

const REGISTRATIONS = [SERIES_CREATED, PACKAGE_CREATED] as const

const SERIES_EVENTS = [
  ...REGISTRATIONS,
  getAbiItem({ abi: serviceCoreAbi, name: 'SeriesSettled' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'PriceVoided' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'SeriesHaltChanged' }),
] as const

/** Includes the event that shows that a series has a holder. */
const ALL_EVENTS = [...SERIES_EVENTS, getAbiItem({ abi: serviceCoreAbi, name: 'OptionsWritten' })] as const

export type SeriesLog = GetLogsReturnType<undefined, typeof ALL_EVENTS, true>[number]

type CreatedLog = GetLogsReturnType<undefined, typeof REGISTRATIONS, true>[number]

/** Applies events in chain order; returns the same map when nothing changes. */
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
  // A series is registered once, so a known one is at least as new.
  if (log.eventName === 'SeriesCreated' || log.eventName === 'PackageCreated') return before ?? registeredBy(log)
  if (before === undefined || log.eventName === 'OptionsWritten') return null
  if (log.eventName === 'SeriesHaltChanged') return { ...before, halted: log.args.halted }
  const { finalAt: _, ...unpriced } = before
  if (log.eventName === 'PriceVoided') return { ...unpriced, resolutionBps: null, vetoed: true }
  const { resolutionBps, finalAt } = log.args
  return { ...unpriced, resolutionBps: resolutionBps as ResolutionBps, finalAt: Number(finalAt) }
}

/** Collateral written per series, micro-dollars. */
export function writtenIn(logs: readonly SeriesLog[]): ReadonlyMap<SeriesId, bigint> {
  const written = new Map<SeriesId, bigint>()
  for (const log of logs) {
    if (log.eventName !== 'OptionsWritten') continue
    const seriesId = log.args.seriesId.toString()
    written.set(seriesId, (written.get(seriesId) ?? 0n) + log.args.collateral)
  }
  return written
}

export const registeredBy = (log: CreatedLog): Series => ({
  ...registeredTerms(log),
  halted: false,
  resolutionBps: null,
})

/** Reads events of a core; fails with `chain_unavailable`. `chunkBlocks` bounds the blocks of one request for all events. */
export function createSeriesLogs(parts: { rpc: Rpc; coreAddress: Address; chunkBlocks: bigint }) {
  const { rpc, coreAddress, chunkBlocks } = parts
  return {
    /**
     * The events of a range of blocks. `provenTo` is less than its end when the answering node lags. Writes are included
     * only where one request spans the range: trades of years are too many to read.
     */
    read: (from: bigint, to: bigint): Promise<ProvenLogs<SeriesLog>> =>
      readLogs(rpc, { from, to, span: chunkBlocks }, (client, fromBlock, toBlock) =>
        client.getLogs({
          address: coreAddress,
          events: (to - from < chunkBlocks ? ALL_EVENTS : SERIES_EVENTS) as typeof ALL_EVENTS,
          strict: true,
          fromBlock,
          toBlock,
        }),
      ),
    /** Finds one registration by its id, which is an indexed field of the event. */
    async findCreated(seriesId: SeriesId, from: bigint, to: bigint): Promise<CreatedLog | null> {
      const topics: [Hex[], Hex] = [REGISTRATIONS.map(toEventSelector), toHex(BigInt(seriesId), { size: 32 })]
      const { logs } = await readLogs(rpc, { from, to, span: to - from + 1n }, async (client, fromBlock, toBlock) => {
        const range = { address: coreAddress, fromBlock: toHex(fromBlock), toBlock: toHex(toBlock), topics }
        const found = await client.request({ method: 'eth_getLogs', params: [range] })
        return parseEventLogs({ abi: REGISTRATIONS, logs: found.map((log) => formatLog(log)) }) as CreatedLog[]
      })
      return logs[0] ?? null
    },
  }
}
