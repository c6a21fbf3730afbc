import { percentile } from '../../src/protocol/domain/reliability.ts'
import type { HeapSample, Interval, SoakRun } from './intervals.ts'
import { trendOf } from './trend.ts'

/** Whether one figure of a soak stayed as it was. `words` say what was found, and against what. */
export type Finding = { figure: 'heap' | 'descriptors' | 'p99'; isFlat: boolean; words: string }

/**
 * What a relay on a file store keeps in memory of each request that is over, and a fifth more for tables that double their
 * room: docs/internals/performance.md has the sum. Most of it is the tombstone that decision Q8 asks for, which goes after 15 minutes.
 */
const REMEMBERED_BYTES = 1_500

/** What a relay keeps of the newest only, and fills first: 10,000 events, two of each request, and half a million outcomes. */
const FULL_FROM_REQUESTS = 5_000
const FULL_FROM_QUOTES = 510_000

/** Files that the store may have open at the moment of a look: Node opens them on four threads. */
const FILES = 4

/** What P7 allows a cost to grow by. */
const MOST_GROWTH = 0.2

/** The part of a soak that is the measure of the rest. */
const FIRST_SHARE = 0.1

/** Checks each figure of a soak by the rules of docs/internals/performance.md; of one that is too short for a figure, nothing. */
export const findDrift = ({ slices, heap }: SoakRun, quotesPerRequest: number): Finding[] => [
  ...heapDrift(heap, quotesPerRequest),
  ...descriptorDrift(slices),
  ...latencyDrift(slices),
]

/** Live bytes for each request that ended must be what the design says, at the least that the looks allow for. */
function heapDrift(looks: readonly HeapSample[], quotesPerRequest: number): Finding[] {
  const fullFrom = Math.max(FULL_FROM_REQUESTS, FULL_FROM_QUOTES / quotesPerRequest)
  const trend = trendOf(
    looks.filter(({ ended }) => ended >= fullFrom).map(({ ended, liveBytes }) => [ended, liveBytes]),
  )
  if (trend === null) return []
  const [slope, low, high] = [trend.slope, trend.low, trend.high].map((bytes) => Math.round(bytes))
  const words = `${slope} bytes for each request (${low} to ${high}); ${REMEMBERED_BYTES} are accounted for`
  return [{ figure: 'heap', isFlat: trend.low <= REMEMBERED_BYTES, words }]
}

/** One that nobody uses stays open: beside the connections of the load there must be as many at the end as at first. */
function descriptorDrift(slices: readonly Interval[]): Finding[] {
  const trend = trendOf(slices.map(({ spareDescriptors }, i) => [i, spareDescriptors]))
  if (trend === null) return []
  const risen = (slope: number) => Math.round(slope * (slices.length - 1))
  const words = `${signed(risen(trend.slope))} beside the connections (${signed(risen(trend.low))} to ${signed(risen(trend.high))}); +${FILES} may be files`
  return [{ figure: 'descriptors', isFlat: risen(trend.slope) <= FILES || trend.low <= 0, words }]
}

/** The p99 must not have grown by more than a fifth, unless chance may have done it. */
function latencyDrift(slices: readonly Interval[]): Finding[] {
  const trend = trendOf(slices.map(({ p99Ms }, i) => [i, p99Ms]))
  const first = percentile(
    firstOf(slices).map(({ p99Ms }) => p99Ms),
    0.5,
  )
  if (trend === null || first === null) return []
  const grown = (slope: number) => (slope * (slices.length - 1)) / first
  const percent = (share: number) => `${signed(Math.round(share * 100))} %`
  const words = `${percent(grown(trend.slope))} over ${first.toFixed(1)} ms (${percent(grown(trend.low))} to ${percent(grown(trend.high))}); +20 % are allowed`
  return [{ figure: 'p99', isFlat: grown(trend.slope) <= MOST_GROWTH || trend.low <= 0, words }]
}

const signed = (value: number): string => (value < 0 ? String(value) : `+${value}`)

const firstOf = (slices: readonly Interval[]): readonly Interval[] =>
  slices.slice(0, Math.max(1, Math.round(slices.length * FIRST_SHARE)))
