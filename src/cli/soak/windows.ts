import { percentile } from '../../domain/reliability.ts'

/** What one window of a soak came to. Times in milliseconds; the heap is the least that was seen, which garbage is not in. */
export type Window = {
  traded: number
  cancelled: number
  skipped: number
  p50Ms: number
  p99Ms: number
  heapBytes: number
  descriptors: number
}

/** Clients keep the connections of a busy moment for a while, some hundred of them; a leak has one for each request. */
const MORE_DESCRIPTORS = 500

/**
 * What a relay remembers of a request that is over: its tombstone for 15 minutes (ruling Q8) and where its record lies in
 * the journal. That is no leak, but it fills up for a quarter of an hour.
 */
const REMEMBERED_BYTES = 12 * 1024

/** Beside what is remembered. */
const MORE_HEAP_BYTES = 24 * 1024 * 1024

/** A p99 may be so much slower than in the first window: half a minute of a busy machine is no trend. */
const SLOWER = 2
const SLOWER_MS = 20

/** How many windows the end is judged by: a busy moment of the machine is no trend. */
const LAST = 3

/** What was not flat from the first window to the last ones, as sentences; empty when all was. */
export function unevenness(windows: readonly Window[]): string[] {
  const [first, ...later] = windows
  const last = later.slice(-LAST)
  if (first === undefined || last.length === 0) return []
  const requests = later.reduce((sum, { traded, cancelled }) => sum + traded + cancelled, 0)
  const heapBytes = Math.min(...last.map((window) => window.heapBytes))
  const descriptors = Math.min(...last.map((window) => window.descriptors))
  const p99Ms = percentile(
    last.map((window) => window.p99Ms),
    0.5,
  ) as number
  const heapLimit = first.heapBytes + MORE_HEAP_BYTES + requests * REMEMBERED_BYTES
  const p99Limit = Math.max(first.p99Ms * SLOWER, first.p99Ms + SLOWER_MS)
  const faults = [
    {
      isFlat: windows.every(({ skipped }) => skipped === 0),
      words: 'rounds were skipped: the machine did not keep up',
    },
    {
      isFlat: descriptors <= first.descriptors + MORE_DESCRIPTORS,
      words: `descriptors rose from ${first.descriptors} to ${descriptors}`,
    },
    {
      isFlat: heapBytes <= heapLimit,
      words: `the heap rose from ${mib(first.heapBytes)} to ${mib(heapBytes)} MiB over ${requests} requests`,
    },
    {
      isFlat: p99Ms <= p99Limit,
      words: `the p99 of a commit rose from ${first.p99Ms.toFixed(1)} to ${p99Ms.toFixed(1)} ms`,
    },
  ]
  return faults.filter(({ isFlat }) => !isFlat).map(({ words }) => words)
}

/** Bytes as whole MiB. */
export const mib = (bytes: number): string => String(Math.round(bytes / 2 ** 20))
