/** A stretch of a soak, short enough that one stop of the machine spoils no more than this. Times in milliseconds. */
export type Interval = {
  /** From the start to its end. */
  atMs: number
  traded: number
  wentOn: number
  cancelled: number
  expired: number
  displaced: number
  refused: number
  skipped: number
  p50Ms: number
  p99Ms: number
  /** Those beside the connections of the load, as of half of the looks at least. */
  spareDescriptors: number
  connections: number
  residentBytes: number
  /** Shares of one core. */
  relayCpu: number
  loadCpu: number
  /** What everything else on the machine took: what it slows down is not the relay's fault. */
  othersCpu: number
}

/** What a heap held after a collection, and how many requests had ended by then. */
export type HeapSample = { atMs: number; ended: number; liveBytes: number }

/** All that was measured. */
export type SoakRun = { slices: readonly Interval[]; heap: readonly HeapSample[] }
