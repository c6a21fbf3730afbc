import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import { PATIENCE_MS } from './inbox.ts'

/** What is near comes within some turns of the event loop; what is not is asked for less often, in milliseconds. */
const NEAR_MS = 50
const PAUSE_MS = 20

/** Asks again and again until the answer meets the condition, else is true, and returns it; for what no event tells. */
export async function eventually<Answer>(
  ask: () => Promise<Answer> | Answer,
  condition: (answer: Answer) => boolean = Boolean,
): Promise<Answer> {
  const begun = performance.now()
  for (let answer = await ask(); ; answer = await ask()) {
    if (condition(answer)) return answer
    const waited = performance.now() - begun
    if (waited > PATIENCE_MS) throw new Error(`it did not come true; the last answer was ${inspect(answer)}`)
    await (waited < NEAR_MS ? turns(1) : wait(PAUSE_MS))
  }
}

/** Lets the event loop turn so many times. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}
