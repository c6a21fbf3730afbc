import { setTimeout as wait } from 'node:timers/promises'
import { PATIENCE_MS } from './inbox.ts'

const PAUSE_MS = 20

/** Asks again and again until the answer meets the condition, and returns it; for what no event tells. */
export async function eventually<Answer>(
  ask: () => Promise<Answer> | Answer,
  condition: (answer: Answer) => boolean,
): Promise<Answer> {
  const end = Date.now() + PATIENCE_MS
  for (let answer = await ask(); ; answer = await ask()) {
    if (condition(answer)) return answer
    if (Date.now() > end) throw new Error(`it did not come true; the last answer was ${JSON.stringify(answer)}`)
    await wait(PAUSE_MS)
  }
}
