import { RfqError } from '@rfqctl/protocol/domain/errors'

/** How many of one key run at a time, and how many of it wait for their turn. */
export type QueueBounds = { atWork: number; waiting: number }

/** Runs work of a key when its turn has come, in order; refuses with `too_many_requests` where too much of that key waits. */
export type KeyedQueue = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>

/** When who is refused may try again, seconds. */
const RETRY_AFTER_S = 1

/** A line for each key that has work, so that no one waits for another's. */
export function createKeyedQueue({ atWork, waiting }: QueueBounds): KeyedQueue {
  const lines = new Map<string, { working: number; starts: (() => void)[] }>()

  return async (key, work) => {
    const line = lines.get(key) ?? { working: 0, starts: [] }
    lines.set(key, line)
    if (line.working < atWork) line.working += 1
    else if (line.starts.length < waiting) await new Promise<void>((start) => line.starts.push(start))
    else throw overfull(waiting)
    try {
      return await work()
    } finally {
      const start = line.starts.shift()
      // The turn goes to who waits longest.
      if (start !== undefined) start()
      else line.working -= 1
      if (line.working === 0) lines.delete(key)
    }
  }
}

const overfull = (waiting: number): RfqError =>
  new RfqError('too_many_requests', {
    detail: `More than ${waiting} of these wait for their turn.`,
    data: { retryAfterS: RETRY_AFTER_S },
  })
