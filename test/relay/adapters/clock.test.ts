import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSystemClock } from '../../../src/relay/adapters/clock.ts'

const START = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000
const DAY = 24 * HOUR

beforeEach(() => void vi.useFakeTimers({ now: START, toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A clock that somebody looks at once a second, and a wall clock to set. */
function watched() {
  const leaps: number[] = []
  const clock = createSystemClock({ onLeap: (byMs) => leaps.push(byMs) })
  return {
    clock,
    leaps,
    wallIsOff: (byMs: number) => void vi.setSystemTime(Date.now() + byMs),
    pass: (ms: number) => {
      for (let passed = 0; passed < ms; passed += 1_000) {
        vi.advanceTimersByTime(Math.min(1_000, ms - passed))
        clock.now()
      }
    },
  }
}

describe('the system clock', () => {
  it('tells Unix milliseconds, whole ones', () => {
    const clock = createSystemClock()
    expect(clock.now()).toBe(START)
    vi.advanceTimersByTime(1_234)
    expect(clock.now()).toBe(START + 1_234)
  })

  it('takes no notice of a wall clock that is wrong for less than a minute', () => {
    const { clock, leaps, wallIsOff, pass } = watched()
    for (const byMs of [HOUR, -HOUR, 30_000, -30_000]) {
      wallIsOff(byMs)
      pass(59_000)
      wallIsOff(-byMs)
      pass(2_000)
    }
    expect(clock.now()).toBe(START + 4 * 61_000)
    expect(leaps).toEqual([])
  })

  it('takes no notice of single bad readings, however often they come', () => {
    const { clock, leaps, wallIsOff, pass } = watched()
    for (let n = 0; n < 100; n += 1) {
      wallIsOff(HOUR)
      pass(1_000)
      wallIsOff(-HOUR)
      pass(1_000)
    }
    expect(clock.now()).toBe(START + 200_000)
    expect(leaps).toEqual([])
  })

  it('follows a wall clock that was set ahead a minute ago, by as much as it has been all the time', () => {
    const { clock, leaps, wallIsOff, pass } = watched()
    wallIsOff(5_000)
    pass(30_000)
    wallIsOff(HOUR)
    pass(1_000)
    wallIsOff(-HOUR)
    pass(29_000)
    expect(clock.now()).toBe(START + 60_000)
    pass(1_000)
    expect(clock.now()).toBe(START + 61_000 + 5_000)
    expect(leaps).toEqual([5_000])
  })

  it('follows a machine that slept for a night, and is right from then on', () => {
    const { clock, leaps, wallIsOff, pass } = watched()
    wallIsOff(8 * HOUR)
    pass(61_000)
    expect(clock.now()).toBe(Date.now())
    pass(DAY)
    expect(clock.now()).toBe(Date.now())
    expect(leaps).toEqual([8 * HOUR])
  })

  it('runs at half its speed, and never back, until a wall clock that was set back has come up to it', () => {
    const { clock, leaps, wallIsOff, pass } = watched()
    wallIsOff(-HOUR)
    pass(61_000)
    const before = clock.now()
    pass(10_000)
    expect(clock.now() - before).toBe(5_000)
    for (let last = clock.now(), n = 0; n < 1_000; n += 1) {
      pass(9_000)
      expect(clock.now()).toBeGreaterThan(last)
      last = clock.now()
    }
    expect(clock.now()).toBe(Date.now())
    expect(leaps).toEqual([-HOUR])
  })

  it('comes back when the wall clock was wrong for long and is set right', () => {
    const { clock, leaps, wallIsOff, pass } = watched()
    wallIsOff(HOUR)
    pass(600_000)
    wallIsOff(-HOUR)
    pass(2 * HOUR + 120_000)
    expect(clock.now()).toBe(Date.now())
    expect(leaps).toEqual([HOUR, -HOUR])
  })

  it('follows a wall clock that drifts, without a word of it', () => {
    const { clock, leaps, wallIsOff, pass } = watched()
    for (let minute = 0; minute < 600; minute += 1) {
      wallIsOff(10)
      pass(60_000)
    }
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(100)
    expect(leaps).toEqual([])
  })

  it('keeps a deadline where it was while it runs slowly: it comes late by no more than it was long, and never early', () => {
    const { clock, wallIsOff, pass } = watched()
    wallIsOff(-HOUR)
    pass(61_000)
    const at = clock.now() + 10_000
    let ranAt = 0
    clock.schedule(at, () => {
      ranAt = clock.now()
    })
    pass(19_000)
    expect(ranAt).toBe(0)
    pass(1_100)
    expect(ranAt).toBeGreaterThanOrEqual(at)
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
