import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock.ts'

const START = Date.UTC(2026, 0, 1)
const DAY = 86_400_000

beforeEach(() => void vi.useFakeTimers({ now: START, toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

describe('the system clock', () => {
  it('tells Unix milliseconds, whole ones', () => {
    const clock = createSystemClock()
    expect(clock.now()).toBe(START)
    vi.advanceTimersByTime(1_234)
    expect(clock.now()).toBe(START + 1_234)
  })

  it('goes on when the wall clock is set back, and follows it when it leaps ahead', () => {
    const clock = createSystemClock()
    vi.setSystemTime(START - 3_600_000)
    expect(clock.now()).toBe(START)
    vi.advanceTimersByTime(500)
    expect(clock.now()).toBe(START + 500)
    vi.setSystemTime(START + 7_200_000)
    expect(clock.now()).toBe(START + 7_200_000)
  })

  it('runs a timer once, at its time and not before', () => {
    const clock = createSystemClock()
    const ran: number[] = []
    clock.schedule(START + 1_000, () => ran.push(clock.now()))
    vi.advanceTimersByTime(999)
    expect(ran).toEqual([])
    vi.advanceTimersByTime(5_000)
    expect(ran).toEqual([START + 1_000])
  })

  it('runs a timer of the past in the next turn', () => {
    const clock = createSystemClock()
    const run = vi.fn()
    clock.schedule(START - 1, run)
    expect(run).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(run).toHaveBeenCalledOnce()
  })

  it('waits for months, which a timer of the system cannot', () => {
    const clock = createSystemClock()
    const run = vi.fn()
    clock.schedule(START + 60 * DAY, run)
    vi.advanceTimersByTime(60 * DAY - 1)
    expect(run).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(run).toHaveBeenCalledOnce()
  })

  it('forgets a timer that was stopped, also one that was put off', () => {
    const clock = createSystemClock()
    const run = vi.fn()
    const stop = clock.schedule(START + 60 * DAY, run)
    vi.advanceTimersByTime(40 * DAY)
    stop()
    vi.advanceTimersByTime(40 * DAY)
    expect(run).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })
})
