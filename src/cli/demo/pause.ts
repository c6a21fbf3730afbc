import { setTimeout as delay } from 'node:timers/promises'

/** How long each step is left to its readers at half speed, in milliseconds. */
const READING_MS = 1_500

/** How a story waits for its readers: not at all at speed 1, and the slower the longer. `wait` in milliseconds is for tests. */
export function createPause(
  speed: number,
  stop: AbortSignal,
  wait = (ms: number): Promise<void> => delay(ms, undefined, { signal: stop }),
): () => Promise<void> {
  const ms = Math.round(READING_MS * (1 / speed - 1))
  return async () => {
    if (ms > 0) await wait(ms)
  }
}
