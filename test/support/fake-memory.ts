import type { Memory } from '../../src/relay/core/ports/runtime.ts'

/** A memory whose collections a test makes up. */
export function createFakeMemory(): Memory & { collected: (used: number) => void } {
  const listeners = new Set<(used: number) => void>()
  return {
    onCollected: (listener) => void listeners.add(listener),
    collected: (used) => {
      for (const listener of listeners) listener(used)
    },
  }
}
