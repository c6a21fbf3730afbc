import { RfqError } from '@rfqctl/protocol/domain/errors'

/** Per key. */
export type QueueBounds = { atWork: number; waiting: number }

/** In order per key; refuses with `too_many_requests` if too much work of the key waits. */
export type KeyedQueue = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>

const RETRY_AFTER_S = 1

/** Keys do not wait for one another. */
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
      // The longest waiting work starts next.
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
