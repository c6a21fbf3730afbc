import { backoffMs } from './backoff.ts'
import { pause } from './clock.ts'
import { isLost } from './errors.ts'
import type { Timing } from './link.ts'

/**
 * Makes a call that may be repeated safely until it is answered: a lost one is made again after a jittered pause, as long
 * as it is before `until` (Unix milliseconds). Any answer ends it, also a refusal.
 */
export async function untilAnswered<Answer>(
  call: () => Promise<Answer>,
  { timing, until, signal }: { timing: Timing; until: number; signal: AbortSignal | undefined },
): Promise<Answer> {
  const { clock, random, backoff } = timing
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call()
    } catch (error) {
      if (!isLost(error) || clock.now() >= until) throw error
    }
    await pause(backoffMs(attempt, random(), backoff), { clock, signal })
  }
}
