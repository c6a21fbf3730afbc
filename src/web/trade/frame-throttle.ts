import type { TradeState } from './state.ts'
import type { Store } from './store.ts'

export type FrameThrottledStore = ReturnType<typeof createFrameThrottledStore>

/**
 * A store that changes at most once a frame, however often its source does: quotes race faster than a screen redraws.
 * `requestFrame` calls back before the next frame. A person's input is flushed, so that a field has its letter at once.
 */
export function createFrameThrottledStore(source: Store<TradeState>, requestFrame: (run: () => void) => void) {
  const listeners = new Set<() => void>()
  let shown = source.getState()
  let isWaiting = false
  let stop: (() => void) | null = null
  const flush = (): void => {
    const now = source.getState()
    if (now === shown) return
    shown = now
    for (const hear of [...listeners]) hear()
  }
  const wait = (): void => {
    if (isWaiting) return
    isWaiting = true
    requestFrame(() => {
      isWaiting = false
      if (listeners.size > 0) flush()
    })
  }
  return {
    getState: () => shown,
    subscribe: (hear: () => void) => {
      listeners.add(hear)
      stop ??= source.subscribe(wait)
      // Changes between the first read and the subscription.
      wait()
      return () => {
        listeners.delete(hear)
        if (listeners.size > 0) return
        stop?.()
        stop = null
      }
    },
    flush,
  }
}
