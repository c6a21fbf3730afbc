import { RfqError } from '@rfqctl/protocol/domain/errors'

/** Runs work when its turn comes, or refuses it with `chain_unavailable`. */
export type Limiter = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Calls that run and calls that wait, at most, and how long one waits, milliseconds. */
export type Limits = { atWork: number; waiting: number; waitMs: number }

type Waiting = { start: () => void; stopTimer: () => void }

/** Seconds: by then everything that waited has been answered or refused, too. */
const RETRY_AFTER_S = 2

/** Bounds the concurrent calls to the chain, so that a slow node costs refusals and not memory. */
export function createLimiter({ atWork, waiting, waitMs }: Limits): Limiter {
  const line: Waiting[] = []
  let working = 0

  const waitForTurn = () =>
    new Promise<void>((start, reject) => {
      const timer = setTimeout(() => {
        line.splice(line.indexOf(entry), 1)
        reject(overloaded())
      }, waitMs)
      const entry = { start, stopTimer: () => clearTimeout(timer) }
      line.push(entry)
    })

  function handOn(): void {
    const next = line.shift()
    if (next === undefined) {
      working -= 1
      return
    }
    next.stopTimer()
    next.start()
  }

  async function run<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } finally {
      handOn()
    }
  }

  return (work) => {
    if (working < atWork) {
      working += 1
      return run(work)
    }
    if (line.length >= waiting) return Promise.reject(overloaded())
    return waitForTurn().then(() => run(work))
  }
}

const overloaded = (): RfqError =>
  new RfqError('chain_unavailable', {
    detail: 'The chain does not answer calls as fast as they are made.',
    data: { retryAfterS: RETRY_AFTER_S },
  })
