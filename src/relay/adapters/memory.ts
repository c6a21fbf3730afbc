import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { Memory } from '../core/ports/runtime.ts'

/** What V8 counts in its limit for objects that are new, in bytes; the others must do with the rest, and it ends where they do not. */
const NEW_OBJECTS = 3 * 16 * 2 ** 20

/** What a quote takes with all that is kept beside it, in bytes, and the part of the heap that quotes may have. */
const QUOTE_BYTES = 1_024
const FOR_QUOTES = 0.5

const roomForOld = (): number => Math.max(getHeapStatistics().heap_size_limit - NEW_OBJECTS, NEW_OBJECTS)

/** How many quotes the heap of this process has room for. */
export const quotesThatFit = (): number => Math.floor((FOR_QUOTES * roomForOld()) / QUOTE_BYTES)

/** The heap of this process, as V8 tells of it. */
export function createMemory(): Memory & { stop: () => void } {
  const observers = new Set<PerformanceObserver>()
  return {
    stop: () => {
      for (const observer of observers) observer.disconnect()
    },
    onCollected: (listener) => {
      const observer = new PerformanceObserver((list) => {
        const isFull = list.getEntries().some((entry) => kindOf(entry) === constants.NODE_PERFORMANCE_GC_MAJOR)
        if (isFull) listener(getHeapStatistics().used_heap_size / roomForOld())
      })
      observer.observe({ entryTypes: ['gc'] })
      observers.add(observer)
    },
  }
}

/** What kind of collection an entry tells of; Node's types do not say that it does. */
const kindOf = (entry: object): unknown => (entry as { detail?: { kind?: unknown } }).detail?.kind
