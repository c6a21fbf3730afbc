import { expect, it, vi } from 'vitest'
import { createFrameThrottledStore } from '../../../src/web/trade/frame-throttle.ts'
import { initialState, type TradeState } from '../../../src/web/trade/state.ts'

/** A store that a test changes, and the frames that it draws by hand. */
function open() {
  let state = initialState(0)
  const listeners = new Set<() => void>()
  const frames: (() => void)[] = []
  const source = {
    getState: () => state,
    subscribe: (hear: () => void) => {
      listeners.add(hear)
      return () => void listeners.delete(hear)
    },
  }
  const framed = createFrameThrottledStore(source, (run) => void frames.push(run))
  const change = (now: number) => {
    state = { ...state, now } satisfies TradeState
    for (const hear of listeners) hear()
  }
  const draw = () => {
    for (const run of frames.splice(0)) run()
  }
  return { framed, change, draw, frames, listeners }
}

it('several changes within a frame are shown once, in their last state', () => {
  const { framed, change, draw, frames } = open()
  const hear = vi.fn()
  framed.subscribe(hear)
  draw()
  for (const now of [1, 2, 3]) change(now)
  expect([framed.getState().now, hear.mock.calls.length, frames.length]).toEqual([0, 0, 1])
  draw()
  expect([framed.getState().now, hear.mock.calls.length]).toEqual([3, 1])
})

it('a change by a person is shown at once, and not a second time in the frame', () => {
  const { framed, change, draw } = open()
  const hear = vi.fn()
  framed.subscribe(hear)
  change(5)
  framed.flush()
  expect([framed.getState().now, hear.mock.calls.length]).toEqual([5, 1])
  draw()
  expect(hear).toHaveBeenCalledTimes(1)
})

it('a change before the first subscription is shown with the next frame', () => {
  const { framed, change, draw } = open()
  change(7)
  framed.subscribe(() => {})
  draw()
  expect(framed.getState().now).toBe(7)
})

it('without subscribers it follows its source no longer', () => {
  const { framed, change, draw, listeners } = open()
  framed.subscribe(() => {})()
  expect(listeners.size).toBe(0)
  change(9)
  draw()
  expect(framed.getState().now).toBe(0)
})
