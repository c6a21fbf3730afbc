import { type LinkedAbort, linkAbort } from '@rfqctl/lib/abort'
import { type Clock, pause, systemClock } from '@rfqctl/lib/clock'
import { type Backoff, backoffMs } from '@rfqctl/lib/retry'
import { isPassing } from './errors.ts'
import { BACKOFF } from './retry.ts'

/** State of a connection that is opened again whenever it is lost. */
export type ConnectionState =
  | { kind: 'open' }
  /** It is opened again in `retryInMs`. */
  | { kind: 'lost'; error: Error; retryInMs: number }
  /** It is open, and skipped a message that this version cannot read. */
  | { kind: 'unreadable'; error: Error }

/** Clock, randomness and pauses of a client, which only tests change. */
export type Timing = {
  /** Time and timers. */
  clock: Clock
  /**
   * Source of jitter, so that clients do not reconnect together.
   * @returns A number in [0, 1).
   */
  random: () => number
  /** Pauses before a connection is opened again. */
  backoff: Backoff
  /** Silence after which a connection counts as dead, milliseconds. */
  watchdogMs: number
}

/**
 * Receives each change of a connection.
 * @param state - The new state.
 */
export type OnConnectionState = (state: ConnectionState) => void

/** The machine's time; the relay sends something every 25 s, so that 40 s of silence mean a dead connection. */
export const TIMING: Timing = { clock: systemClock, random: Math.random, backoff: BACKOFF, watchdogMs: 40_000 }

/** Longest pause that a relay can ask for. */
const MAX_ASKED_MS = 30_000

/** After a connection that lasted this long, pauses start short again. */
const STEADY_MS = 5_000

/**
 * Values of a connection, without end: `connect` opens one and yields until it is lost, when it throws a passing error; the connection is
 * then opened again, after the pause that the relay asked for or a jittered one. Ends only by a lasting refusal (rejects with it), or by
 * the signal (rejects with its reason).
 */
export async function* reconnecting<Value>(input: {
  connect: (connection: LinkedAbort) => AsyncGenerator<Value, never>
  signal: AbortSignal | undefined
  timing: Timing
  onConnectionState: OnConnectionState | undefined
}): AsyncGenerator<Value, never> {
  const { connect, signal, onConnectionState } = input
  const { clock, random, backoff } = input.timing
  for (let attempt = 0; ; attempt += 1) {
    const connection = linkAbort(signal)
    const openedAt = clock.now()
    let error: Error
    try {
      error = yield* untilLost(connect(connection))
    } finally {
      connection.release()
    }
    signal?.throwIfAborted()
    if (!isPassing(error)) throw error
    if (clock.now() - openedAt >= STEADY_MS) attempt = 0
    const ownMs = backoffMs(attempt, random(), backoff)
    const retryInMs = error.retryAfterMs === null ? ownMs : Math.min(error.retryAfterMs, MAX_ASKED_MS)
    onConnectionState?.({ kind: 'lost', error, retryInMs })
    await pause(retryInMs, { clock, signal })
  }
}

/**
 * Values that can be read; the others are skipped, so that one event of a newer relay does not end the stream. `decode` returns null for
 * an unknown value and throws for an unreadable one.
 */
export async function* decodeEach<Raw, Value>(
  raws: AsyncGenerator<Raw, never>,
  decode: (raw: Raw) => Value | null,
  onConnectionState: OnConnectionState | undefined,
): AsyncGenerator<Value, void> {
  for await (const raw of raws) {
    let value: Value | null = null
    try {
      value = decode(raw)
    } catch (error) {
      onConnectionState?.({ kind: 'unreadable', error: error as Error })
    }
    if (value !== null) yield value
  }
}

/** Passes values on and returns the error that ended them. */
async function* untilLost<Value>(values: AsyncGenerator<Value, never>): AsyncGenerator<Value, Error> {
  try {
    for await (const value of values) yield value
  } catch (error) {
    return error as Error
  }
  throw new Error('A connection ended without a reason.')
}
