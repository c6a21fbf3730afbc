import { describe, expect, it } from 'vitest'
import { createDashboardStore } from '../../src/web/dashboard/state.ts'
import { createFakeClock } from '../support/fake-clock.ts'

function createFixture() {
  const clock = createFakeClock(1_000_000)
  const store = createDashboardStore({ clock, pace: { relayMs: 200, keyMs: 100 } })
  const told: number[] = []
  const stop = store.subscribe(() => told.push(clock.now() - 1_000_000))
  const tick = () => store.dispatch({ kind: 'tick', at: clock.now() })
  const key = () => store.dispatch({ kind: 'pause' })
  return { clock, store, told, stop, tick, key }
}

describe('the store', () => {
  it('tells of a change at once when it was quiet', () => {
    const { store, told, tick } = createFixture()
    tick()
    expect(told).toEqual([0])
    expect(store.get().localNow).toBe(1_000_000)
  })

  it('tells of what the relay does at most five times a second, and always of the last', async () => {
    const { clock, told, tick } = createFixture()
    for (let i = 0; i < 100; i += 1) {
      tick()
      await clock.advance(10)
    }
    await clock.advance(1_000)
    expect(told).toEqual([0, 200, 400, 600, 800, 1_000])
  })

  it('tells of a key sooner, and never more than ten times a second', async () => {
    const { clock, told, tick, key } = createFixture()
    tick()
    tick()
    await clock.advance(20)
    key()
    await clock.advance(20)
    tick()
    await clock.advance(1_000)
    expect(told).toEqual([0, 100])
    for (let i = 0; i < 100; i += 1) {
      key()
      tick()
      await clock.advance(10)
    }
    const gaps = told.slice(1).map((at, i) => at - (told[i] as number))
    expect(Math.min(...gaps)).toBe(100)
  })

  it('tells of a link that changed as soon as of a key, and of nothing when nothing changed', async () => {
    const { store, clock, told, tick } = createFixture()
    store.dispatch({ kind: 'link', state: { kind: 'open' }, at: clock.now() })
    expect(told).toEqual([])
    tick()
    store.dispatch({ kind: 'events', events: [], at: clock.now() })
    await clock.advance(1_000)
    expect(told).toEqual([0, 100])
  })

  it('leaves no timer behind without listeners', async () => {
    const { clock, stop, tick } = createFixture()
    tick()
    tick()
    stop()
    expect(clock.pending()).toBe(0)
  })
})
