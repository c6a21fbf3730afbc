import type { WinCounts } from '@rfqctl/protocol/domain/maker-record'
import type { HistoryQuery, Outcome } from '../../../core/ports/store.ts'
import type { JournalRow, RowOf } from './rows.ts'

/**
 * Outcomes in the order of their times, as columns: each holds an entry as a number of eight bytes, where an object
 * with its quoteId took 200. A `hash` is a digest of the quoteId, enough to find it by.
 */
type OutcomeColumn<Location> = { ats: number[]; hashes: number[]; locations: Location[] }

type Found<Location> = { at: number; hash: number; location: Location }

const newColumn = <Location>(): OutcomeColumn<Location> => ({ ats: [], hashes: [], locations: [] })

/** Never appends a lower time than the last, even if the clock went back: a column is searched by time. */
function addToColumn<Location>(
  { ats, hashes, locations }: OutcomeColumn<Location>,
  { at, hash, location }: Found<Location>,
): void {
  ats.push(Math.max(at, ats.at(-1) ?? at))
  hashes.push(hash)
  locations.push(location)
}

/** The first entry at a moment or later; the length of the column where there is none. */
function indexFrom({ ats }: Pick<OutcomeColumn<unknown>, 'ats'>, at: number): number {
  let [low, high] = [0, ats.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ats[middle] as number) < at) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the same column where nothing is older. */
function columnSince<Location>(column: OutcomeColumn<Location>, from: number): OutcomeColumn<Location> {
  const start = indexFrom(column, from)
  if (start === 0) return column
  const { ats, hashes, locations } = column
  return { ats: ats.slice(start), hashes: hashes.slice(start), locations: locations.slice(start) }
}

/** 30 bits: the engine stores such a number inline. */
const HASH_BITS = 0x3fffffff

function hashOf(quoteId: string): number {
  let hash = 0
  for (let i = 0; i < quoteId.length; i += 1) hash = (Math.imul(hash, 31) + quoteId.charCodeAt(i)) & HASH_BITS
  return hash
}

export type OutcomeEntry<Location> = { at: number; quoteId: string; status: Outcome['status']; location: Location }

export type OutcomeRow = RowOf<'executed'> | RowOf<'rejected'>

/** As many as the files of the family hold: there is nothing to find beyond. */
const MAX_REJECTED = 500_000

/** Rejections are dropped in this many steps, because each step searches the columns of all makers. */
const STEPS = 50

type Starts = { [Status in Outcome['status']]: number }

type OfMaker<Location> = { [Status in Outcome['status']]: OutcomeColumn<Location> }

/** Confirmed outcomes forever; rejections are dropped after `keptMs`, or when there are more than `maxRejected`. */
export function createOutcomes<Location>(parts: {
  now: () => number
  keptMs: number
  load: (location: Location) => Promise<JournalRow | null>
  maxRejected?: number
}) {
  const { now, keptMs, load, maxRejected = MAX_REJECTED } = parts
  const makers = new Map<string, OfMaker<Location>>()
  const stepSize = Math.ceil(maxRejected / STEPS)
  /** The time of the last rejection of each step, oldest first. */
  const steps: number[] = []
  let inStep = 0

  function countRejection(at: number): void {
    inStep += 1
    if (inStep < stepSize) return
    inStep = 0
    const oldest = steps.length === STEPS ? steps.shift() : undefined
    steps.push(at)
    const from = Math.max(oldest ?? 0, now() - keptMs) + 1
    for (const ofMaker of makers.values()) ofMaker.rejected = columnSince(ofMaker.rejected, from)
  }

  const loadOutcome = (location: Location) => load(location) as Promise<OutcomeRow | null>

  /** The index of a quote's entry in a column, from `start` on; the rows distinguish quotes with the same hash. */
  async function indexOf(
    { hashes, locations }: OutcomeColumn<Location>,
    quoteId: string,
    start: number,
  ): Promise<number> {
    const hash = hashOf(quoteId)
    for (let index = hashes.indexOf(hash, start); index !== -1; index = hashes.indexOf(hash, index + 1)) {
      if (quoteIdOf(await loadOutcome(locations[index] as Location)) === quoteId) return index
    }
    return -1
  }

  /** Continues each column after a quote; null when it is in neither. At one moment trades precede rejections. */
  async function startsAfter(
    { confirmed, rejected }: OfMaker<Location>,
    quoteId: string,
    oldest: number,
  ): Promise<Starts | null> {
    const ofTrade = await indexOf(confirmed, quoteId, 0)
    if (ofTrade !== -1) {
      return {
        confirmed: ofTrade + 1,
        rejected: Math.max(oldest, indexFrom(rejected, confirmed.ats[ofTrade] as number)),
      }
    }
    const ofRejection = await indexOf(rejected, quoteId, oldest)
    if (ofRejection === -1) return null
    return { confirmed: indexFrom(confirmed, (rejected.ats[ofRejection] as number) + 1), rejected: ofRejection + 1 }
  }

  /** The rows of two columns, merged by time from their starts; dropped rows are skipped. */
  async function page(
    { confirmed, rejected }: OfMaker<Location>,
    starts: Starts,
    limit: number,
  ): Promise<OutcomeRow[]> {
    const at = { ...starts }
    const next = (): Location | null => {
      const [ofTrade = Infinity, ofRejection = Infinity] = [confirmed.ats[at.confirmed], rejected.ats[at.rejected]]
      if (ofTrade === Infinity && ofRejection === Infinity) return null
      if (ofTrade > ofRejection) return rejected.locations[at.rejected++] as Location
      return confirmed.locations[at.confirmed++] as Location
    }
    const rows: OutcomeRow[] = []
    for (;;) {
      const locations: Location[] = []
      for (let location = next(); location !== null; location = locations.length + rows.length < limit ? next() : null)
        locations.push(location)
      for (const row of await Promise.all(locations.map(loadOutcome))) if (row !== null) rows.push(row)
      if (locations.length === 0 || rows.length === limit) return rows
    }
  }

  return {
    /** Unix milliseconds; null when the maker never confirmed. */
    lastConfirmedAt: (makerId: string): number | null => makers.get(makerId)?.confirmed.ats.at(-1) ?? null,
    /** The outcomes and trades of a maker from a moment on, Unix milliseconds. */
    countWins: (makerId: string, since: number): WinCounts => {
      const ofMaker = makers.get(makerId)
      if (ofMaker === undefined) return { requests: 0, won: 0 }
      const countOf = (column: OutcomeColumn<Location>) => column.ats.length - indexFrom(column, since)
      const won = countOf(ofMaker.confirmed)
      return { requests: won + countOf(ofMaker.rejected), won }
    },
    add: (makerId: string, { status, at, quoteId, location }: OutcomeEntry<Location>): void => {
      const ofMaker = makers.get(makerId) ?? { confirmed: newColumn<Location>(), rejected: newColumn<Location>() }
      makers.set(makerId, ofMaker)
      addToColumn(ofMaker[status], { at, hash: hashOf(quoteId), location })
      if (status === 'rejected') countRejection(at)
    },
    /** Their rows, oldest first; null when `after` is not one of the maker's. */
    list: async ({ makerId, after, since, status, limit }: HistoryQuery): Promise<readonly OutcomeRow[] | null> => {
      const ofMaker = makers.get(makerId)
      if (ofMaker === undefined) return after === null ? [] : null
      const oldest = indexFrom(ofMaker.rejected, now() - keptMs + 1)
      const starts = after === null ? { confirmed: 0, rejected: oldest } : await startsAfter(ofMaker, after, oldest)
      if (starts === null) return null
      const startOf = (column: Outcome['status']) => {
        if (status !== null && status !== column) return Infinity
        return since === null ? starts[column] : Math.max(starts[column], indexFrom(ofMaker[column], since))
      }
      return page(ofMaker, { confirmed: startOf('confirmed'), rejected: startOf('rejected') }, limit)
    },
  }
}

function quoteIdOf(row: OutcomeRow | null): string | null {
  if (row === null) return null
  return row.kind === 'executed' ? row.execution.acceptance.quoteId : row.rejection.quoteId
}
