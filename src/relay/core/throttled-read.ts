import { LruMap } from 'toad-cache'
import type { Clock } from './ports/runtime.ts'

/**
 * Reads at most once in `everyMs`, milliseconds: all callers within that time share an answer, a failure, or the
 * running read. For reads that strangers can trigger at will.
 */
export function createThrottledRead<Value>({ now }: Pick<Clock, 'now'>, everyMs: number, read: () => Promise<Value>) {
  let startedAt = Number.NEGATIVE_INFINITY
  let answer: Promise<Value> | null = null
  return () => {
    if (answer !== null && now() - startedAt < everyMs) return answer
    startedAt = now()
    answer = read()
    return answer
  }
}

/**
 * Reads what a key stands for at most once in `everyMs`, milliseconds: all callers within that time share an answer, or the running read.
 * A failure reaches its waiting callers, and no later ones. `most` answers are kept.
 */
export function createKeyedRead<Value>(
  { now }: Pick<Clock, 'now'>,
  { everyMs, most }: { everyMs: number; most: number },
) {
  const answers = new LruMap<{ startedAt: number; value: Promise<Value> }>(most)
  return (key: string, read: () => Promise<Value>): Promise<Value> => {
    const former = answers.get(key)
    if (former !== undefined && now() - former.startedAt < everyMs) return former.value
    const answer = { startedAt: now(), value: read() }
    answer.value.catch(() => answers.delete(key))
    answers.set(key, answer)
    return answer.value
  }
}

/**
 * The last known answer, null before the first and after a failure. No caller waits: a call starts a read if the last
 * one began `everyMs` ago, milliseconds, and is over.
 */
export function createLastRead<Value>({ now }: Pick<Clock, 'now'>, everyMs: number, read: () => Promise<Value>) {
  let startedAt = Number.NEGATIVE_INFINITY
  let isReading = false
  let last: Value | null = null
  return () => {
    if (isReading || now() - startedAt < everyMs) return last
    startedAt = now()
    isReading = true
    void read()
      .catch(() => null)
      .then((value) => {
        last = value
        isReading = false
      })
    return last
  }
}
