import { type Clock, systemClock } from '@rfqctl/lib/clock'

/** Runs due work just before the browser draws; nothing while the page is out of sight. */
export const frameClock: Clock = {
  now: systemClock.now,
  schedule: (at, run) => {
    let frame = 0
    const stop = systemClock.schedule(at, () => {
      frame = requestAnimationFrame(run)
    })
    return () => {
      stop()
      cancelAnimationFrame(frame)
    }
  },
}
