import type { FakeClock } from './fake-clock.ts'

/** A clock whose timers end with the process that has set them. */
export function createMortalClock(clock: FakeClock): { clock: FakeClock; isAlive: () => boolean; die: () => void } {
  let alive = true
  const whileAlive = (run: () => void) => () => {
    if (alive) run()
  }
  const schedule: FakeClock['schedule'] = (at, run) => clock.schedule(at, whileAlive(run))
  const afterTurn: FakeClock['afterTurn'] = (run) => clock.afterTurn(whileAlive(run))
  return {
    clock: { ...clock, schedule, afterTurn },
    isAlive: () => alive,
    die: () => {
      alive = false
    },
  }
}
