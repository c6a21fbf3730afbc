import { describe, expect, it } from 'vitest'
import { repeat } from '../../src/lib/repeat.ts'
import { forEachLimited } from '../../src/relay/core/for-each-limited.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { createFakeLog } from '../support/fake-log.ts'

describe('repeated work', () => {
  function repeated(work: () => Promise<void>) {
    const [clock, log] = [createFakeClock(), createFakeLog()]
    const stop = repeat({ clock, log }, { event: 'work_failed', pauseMs: 1_000, work })
    return { clock, log, stop }
  }

  it('is done at once, and again a pause after each round has ended', async () => {
    const ends: (() => void)[] = []
    const { clock } = repeated(() => new Promise((resolve) => ends.push(resolve)))
    await clock.advance(5_000)
    expect(ends).toHaveLength(1)
    ends[0]?.()
    await clock.advance(999)
    expect(ends).toHaveLength(1)
    await clock.advance(1)
    expect(ends).toHaveLength(2)
  })

  it('continues after a fault, which is logged', async () => {
    let rounds = 0
    const { clock, log } = repeated(async () => {
      rounds += 1
      throw new Error('down')
    })
    await clock.advance(2_000)
    expect(rounds).toBe(3)
    expect(log.lines.map(({ event }) => event)).toEqual(['work_failed', 'work_failed', 'work_failed'])
  })

  it('ends when it is stopped, also in the middle of a round, whose fault is then ignored', async () => {
    let fail = () => {}
    const { clock, log, stop } = repeated(
      () =>
        new Promise((_, reject) => {
          fail = () => reject(new Error('the store is closed'))
        }),
    )
    stop()
    fail()
    await clock.advance(10_000)
    expect(clock.pending()).toBe(0)
    expect(log.lines).toEqual([])
  })

  it('is not done again once stopped between two rounds', async () => {
    let rounds = 0
    const { clock, stop } = repeated(async () => {
      rounds += 1
    })
    await clock.advance(1_500)
    stop()
    await clock.advance(10_000)
    expect(rounds).toBe(2)
  })
})

describe('working through items', () => {
  it('does each once, never more at a time than allowed', async () => {
    const seen: number[] = []
    let [running, most] = [0, 0]
    await forEachLimited([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((resolve) => setImmediate(resolve))
      seen.push(item)
      running -= 1
    })
    expect(seen.sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(most).toBe(3)
  })

  it('rejects with the first fault and begins nothing after it', async () => {
    const begun: number[] = []
    const work = forEachLimited([1, 2, 3, 4, 5], 2, async (item) => {
      begun.push(item)
      await new Promise<void>((resolve) => setImmediate(resolve))
      if (item === 1) throw new Error('one')
    })
    await expect(work).rejects.toThrow('one')
    await new Promise<void>((resolve) => setImmediate(resolve))
    expect(begun).toEqual([1, 2])
  })
})
