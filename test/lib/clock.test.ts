import { describe, expect, test } from 'vitest'
import { pause, systemClock } from '../../src/lib/clock.ts'
import { createFakeClock } from '../support/fake-clock.ts'

describe('a pause', () => {
  test('lasts as long as it should', async () => {
    const clock = createFakeClock()
    let over = false
    const pausing = pause(100, { clock }).then(() => {
      over = true
    })
    await clock.advance(99)
    expect(over).toBe(false)
    await clock.advance(1)
    await pausing
    expect(over).toBe(true)
  })

  test('ends with the signal’s reason and leaves no timer', async () => {
    const clock = createFakeClock()
    const abort = new AbortController()
    const pausing = pause(100, { clock, signal: abort.signal })
    abort.abort(new Error('enough'))
    await expect(pausing).rejects.toThrow('enough')
    expect(clock.pending()).toBe(0)
    await expect(pause(100, { clock, signal: abort.signal })).rejects.toThrow('enough')
    expect(clock.pending()).toBe(0)
  })
})

describe('the machine’s clock', () => {
  test('runs what is due, and not what was stopped', async () => {
    const ran: string[] = []
    const stop = systemClock.schedule(systemClock.now(), () => ran.push('stopped'))
    stop()
    await new Promise<void>((resolve) => systemClock.schedule(systemClock.now() - 5, resolve))
    expect(ran).toEqual([])
  })
})
