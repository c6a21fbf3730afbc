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
