import { RfqError } from '../domain/errors.ts'

/** Where the server stands between its first and its last request. */
export type Shutdown = {
  isClosing: () => boolean
  /** From now on new requests are refused with `shutting_down`. */
  begin: () => void
  /** From now on nothing is waited for any longer. */
  giveUp: () => void
  /** Resolves when no long call is waited for, however each ended. */
  finished: () => Promise<void>
  /** The outcome of a long call, or `shutting_down` when it takes too long; the call itself goes on. */
  race: <T>(call: Promise<T>) => Promise<T>
}

/** A server that is not closing yet. */
export function createShutdown(): Shutdown {
  let closing = false
  const waiting = new Set<(refusal: RfqError) => void>()
  const watchers: (() => void)[] = []

  function leave(reject: (refusal: RfqError) => void): void {
    waiting.delete(reject)
    if (waiting.size === 0) for (const tell of watchers.splice(0)) tell()
  }

  return {
    isClosing: () => closing,
    begin: () => {
      closing = true
    },
    giveUp: () => {
      for (const reject of waiting) {
        reject(new RfqError('shutting_down'))
        leave(reject)
      }
    },
    finished: () =>
      new Promise((resolve) => {
        if (waiting.size === 0) resolve()
        else watchers.push(resolve)
      }),
    race: <T>(call: Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        waiting.add(reject)
        call.then(resolve, reject).finally(() => leave(reject))
      }),
  }
}
