import { type LinkedAbort, linkAbort } from './abort.ts'
import { BACKOFF, type Backoff, backoffMs } from './backoff.ts'
import { type Clock, pause } from './clock.ts'
import { isPassing } from './errors.ts'

/** News of a connection: open, or lost and tried again in `retryInMs`. */
export type LinkState = { kind: 'open' } | { kind: 'lost'; error: Error; retryInMs: number }

/** How connections are kept up. The defaults suit everyone but tests. */
export type LinkSettings = {
  clock: Clock
  random: () => number
  backoff?: Backoff
  /** Silence after which a connection counts as dead, milliseconds. */
  watchdogMs?: number
  onLink?: ((state: LinkState) => void) | undefined
}

/** The relay sends something every 25 s, if only a ping; after 40 s of silence the connection is dead. */
export const WATCHDOG_MS = 40_000

/** A connection that lasted this long was a good one: the next pause starts short again. */
const STEADY_MS = 5_000

/**
 * What comes over a connection, for ever: `connect` opens one and yields until it is lost, which it says by throwing an
 * error that may pass; then it is opened again after a jittered pause.
 * Ends only by a refusal that stands (rejects with it), or by the signal (rejects with its reason).
 */
export async function* followLink<Value>({
  connect,
  signal,
  settings: { clock, random, backoff = BACKOFF, onLink },
}: {
  connect: (connection: LinkedAbort) => AsyncGenerator<Value, never>
  signal: AbortSignal | undefined
  settings: LinkSettings
}): AsyncGenerator<Value, never> {
  for (let attempt = 0; ; attempt += 1) {
    const connection = linkAbort(signal)
    const openedAt = clock.now()
    let error: Error
    try {
      error = yield* untilLost(connect(connection))
    } finally {
      connection.abort()
      connection.release()
    }
    signal?.throwIfAborted()
    if (!isPassing(error)) throw error
    if (clock.now() - openedAt >= STEADY_MS) attempt = 0
    const retryInMs = backoffMs(attempt, random(), backoff)
    onLink?.({ kind: 'lost', error, retryInMs })
    await pause(retryInMs, { clock, signal })
  }
}

/** Passes values on and returns the error that ended them. */
async function* untilLost<Value>(values: AsyncGenerator<Value, never>): AsyncGenerator<Value, Error> {
  try {
    for await (const value of values) yield value
  } catch (error) {
    return error as Error
  }
  throw new Error('A connection ended without saying why.')
}
