import { describe, expect, it } from 'vitest'
import { createFakeClock } from './fake-clock.ts'

describe('the fake clock', () => {
  it('does not move by itself', async () => {
    const clock = createFakeClock(100)
    expect(clock.now()).toBe(100)
    await clock.advance(5)
    expect(clock.now()).toBe(105)
  })

  it('runs due timers in the order of time, of one time in the order in which they were set', async () => {
    const clock = createFakeClock(0)
    const ran: string[] = []
    const at = (time: number, name: string) => clock.schedule(time, () => ran.push(`${name}@${clock.now()}`))
    at(30, 'c')
    at(10, 'a')
    at(10, 'b')
    at(31, 'late')
    await clock.advance(30)
    expect(ran).toEqual(['a@10', 'b@10', 'c@30'])
    expect(clock.pending()).toBe(1)
  })

  it('lets promises settle between timers, also those that set further timers', async () => {
    const clock = createFakeClock(0)
    const ran: number[] = []
    const waitAndGoOn = async () => {
      await Promise.resolve()
      await Promise.resolve()
      clock.schedule(clock.now() + 5, () => ran.push(clock.now()))
    }
    clock.schedule(10, () => void waitAndGoOn())
    clock.schedule(20, () => ran.push(clock.now()))
    await clock.advance(20)
    expect(ran).toEqual([15, 20])
  })

  it('runs a timer of the past at once, without going back', async () => {
    const clock = createFakeClock(100)
    const ran: number[] = []
    clock.schedule(50, () => ran.push(clock.now()))
    await clock.advance(0)
    expect(ran).toEqual([100])
  })

  it('forgets a timer that was stopped', async () => {
    const clock = createFakeClock(0)
    const ran: number[] = []
    const stop = clock.schedule(10, () => ran.push(clock.now()))
    stop()
    await clock.advance(100)
    expect(ran).toEqual([])
  })
})
