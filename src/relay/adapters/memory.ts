import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { Memory } from '../core/ports/runtime.ts'

/** V8 includes this many bytes for new objects in its limit; old ones have only the rest, or the process ends. */
const NEW_OBJECTS = 3 * 16 * 2 ** 20

/** The bytes of a quote with all that is kept beside it, and the share of the heap for quotes. */
const QUOTE_BYTES = 1_024
const FOR_QUOTES = 0.5

const roomForOld = (): number => Math.max(getHeapStatistics().heap_size_limit - NEW_OBJECTS, NEW_OBJECTS)

export const quotesThatFit = (): number => Math.floor((FOR_QUOTES * roomForOld()) / QUOTE_BYTES)

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

/** Node's types lack the kind of a collection. */
const kindOf = (entry: object): unknown => (entry as { detail?: { kind?: unknown } }).detail?.kind
