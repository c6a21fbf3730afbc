import { serviceCoreAbi } from '@rfqctl/protocol/contracts/abi'
import { registeredTerms } from '@rfqctl/protocol/contracts/registered-terms'
import { ROLES } from '@rfqctl/protocol/domain/authority'
import { fixingKey, type Series, type SeriesId } from '@rfqctl/protocol/domain/series'
import type { Address, Hex, ResolutionBps } from '@rfqctl/protocol/domain/units'
import {
  formatLog,
  type GetLogsReturnType,
  getAbiItem,
  type PublicClient,
  parseEventLogs,
  toEventSelector,
  toHex,
} from 'viem'
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
  getAbiItem({ abi: serviceCoreAbi, name: 'RoleChanged' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'RoleRevoked' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'SeriesHaltChanged' }),
] as const

/** Includes the event that shows that a series has a holder. */
const ALL_EVENTS = [...SERIES_EVENTS, getAbiItem({ abi: serviceCoreAbi, name: 'OptionsWritten' })] as const

type CoreLog = GetLogsReturnType<undefined, typeof ALL_EVENTS, true>[number]

type LogOf<Name extends CoreLog['eventName']> = Extract<CoreLog, { eventName: Name }>

/** `time` is that of its block, Unix seconds. */
type RevokedLog = LogOf<'RoleRevoked'> & { time: number }

export type SeriesLog = Exclude<CoreLog, { eventName: 'RoleRevoked' }> | RevokedLog

type CreatedLog = GetLogsReturnType<undefined, typeof REGISTRATIONS, true>[number]

/** The one price of a market and expiry; `resolutionBps` is null while it has none. */
export type Fixing = Pick<Series, 'resolutionBps' | 'finalAt' | 'vetoed'> & {
  /** Block of the last event that changed it; of two readings of a fixing the later one has missed less. */
  asOf: number
  /** Whether a revocation of the signer in office can void it. */
  isRevocable: boolean
}

/** Series without prices, and by `fixingKey` the prices that they share. */
export type Registry = { series: ReadonlyMap<SeriesId, Series>; fixings: ReadonlyMap<string, Fixing> }

const RESOLUTION_SIGNER = ROLES.indexOf('resolution_signer')

/** Applies events in chain order; returns the same registry when there are none. */
export function applyLogs(before: Registry, logs: readonly SeriesLog[]): Registry {
  if (logs.length === 0) return before
  const series = new Map(before.series)
  const fixings = new Map(before.fixings)
  for (const log of logs.toSorted(inChainOrder)) {
    if (log.eventName === 'RoleChanged' || log.eventName === 'RoleRevoked') {
      if (isEndOfTerm(log)) endTerm(fixings, log)
      continue
    }
    if (log.eventName === 'OptionsWritten') continue
    const seriesId = log.args.seriesId.toString()
    const known = series.get(seriesId)
    if (isRegistration(log)) {
      // A series is registered once, so a known one is at least as new.
      if (known === undefined) series.set(seriesId, registeredBy(log))
    } else if (known !== undefined) {
      if (log.eventName === 'SeriesHaltChanged') series.set(seriesId, { ...known, halted: log.args.halted })
      else fixings.set(fixingKey(known), fixingAfter(fixings.get(fixingKey(known)), log))
    }
  }
  return { series, fixings }
}

const isRegistration = (log: SeriesLog): log is LogOf<'SeriesCreated' | 'PackageCreated'> =>
  log.eventName === 'SeriesCreated' || log.eventName === 'PackageCreated'

const isEndOfTerm = ({ args }: LogOf<'RoleChanged'> | RevokedLog): boolean =>
  args.role === RESOLUTION_SIGNER && (!('inOffice' in args) || args.inOffice)

/** Prices of a signer that is replaced stay; a revocation voids those that are not final by then. */
function endTerm(fixings: Map<string, Fixing>, log: LogOf<'RoleChanged'> | RevokedLog): void {
  for (const [key, fixing] of fixings) {
    if (!fixing.isRevocable) continue
    const { finalAt = 0, ...unpriced } = fixing
    const isVoid = log.eventName === 'RoleRevoked' && log.time < finalAt
    const left = isVoid ? { ...unpriced, resolutionBps: null } : fixing
    fixings.set(key, { ...left, isRevocable: false, asOf: Number(log.blockNumber) })
  }
}

function fixingAfter(before: Fixing | undefined, log: LogOf<'SeriesSettled' | 'PriceVoided'>): Fixing {
  const asOf = Number(log.blockNumber)
  if (log.eventName === 'PriceVoided') return { resolutionBps: null, vetoed: true, asOf, isRevocable: false }
  const { resolutionBps, finalAt } = log.args
  const vetoed = before?.vetoed === true ? { vetoed: true } : {}
  // The owner's prices and the market's are final at once, so that no revocation voids them.
  return {
    resolutionBps: resolutionBps as ResolutionBps,
    finalAt: Number(finalAt),
    ...vetoed,
    asOf,
    isRevocable: true,
  }
}

/** Series that price events name and that are not among these; such an event is for all series of the fixing. */
export function namedBeside({ series }: Registry, logs: readonly SeriesLog[]): readonly SeriesId[] {
  const named = logs.flatMap((log) =>
    log.eventName === 'SeriesSettled' || log.eventName === 'PriceVoided' ? [log.args.seriesId.toString()] : [],
  )
  if (named.length === 0) return []
  const registered = new Set(logs.filter(isRegistration).map(({ args }) => args.seriesId.toString()))
  return [...new Set(named)].filter((seriesId) => !series.has(seriesId) && !registered.has(seriesId))
}

/**
 * Gives each series the price of its fixing. As long as neither changes that is the same object, which encoded lists are
 * kept by.
 */
export function createPricing(): (registry: Registry) => ReadonlyMap<SeriesId, Series> {
  const known = new WeakMap<Series, { key: string; fixing: Fixing | undefined; priced: Series }>()

  function pricedBy(fixings: Registry['fixings'], series: Series): Series {
    const former = known.get(series)
    const key = former?.key ?? fixingKey(series)
    const fixing = fixings.get(key)
    if (former !== undefined && former.fixing === fixing) return former.priced
    const { asOf: _, isRevocable: __, ...price } = fixing ?? NO_PRICE
    const priced = { ...series, ...price }
    known.set(series, { key, fixing, priced })
    return priced
  }

  return ({ series, fixings }) => new Map([...series].map(([seriesId, one]) => [seriesId, pricedBy(fixings, one)]))
}

const NO_PRICE: Fixing = { resolutionBps: null, asOf: 0, isRevocable: false }

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
      readLogs(rpc, { from, to, span: chunkBlocks }, async (client, fromBlock, toBlock) => {
        const logs = await client.getLogs({
          address: coreAddress,
          events: (to - from < chunkBlocks ? ALL_EVENTS : SERIES_EVENTS) as typeof ALL_EVENTS,
          strict: true,
          fromBlock,
          toBlock,
        })
        return Promise.all(logs.map((log) => (log.eventName === 'RoleRevoked' ? withTime(client, log) : log)))
      }),
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

/** Few nodes give the time of a block with its events. */
async function withTime(client: PublicClient, log: LogOf<'RoleRevoked'>): Promise<RevokedLog> {
  const { timestamp } = await client.getBlock({ blockHash: log.blockHash })
  return { ...log, time: Number(timestamp) }
}
