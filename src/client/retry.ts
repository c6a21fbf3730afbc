import { pause } from '@rfqctl/lib/clock'
import { type Backoff, backoffMs, withRetry } from '@rfqctl/lib/retry'
import type { Timing } from './connection.ts'
import { isLost, RelayError } from './errors.ts'

/** Short enough to find a relay that comes back within 2 s, long enough not to hammer one that does not. */
export const BACKOFF: Backoff = { firstMs: 100, mostMs: 1_600 }

/**
 * Repeats a call that is safe to repeat until it is answered: a lost call is made again after a jittered pause, until `until` (Unix
 * milliseconds). Any answer ends it, even a refusal.
 */
export function retryUntilAnswered<Answer>(
  call: () => Promise<Answer>,
  { timing, until, signal }: { timing: Timing; until: number; signal: AbortSignal | undefined },
): Promise<Answer> {
  const { clock, random, backoff } = timing
  return withRetry(call, {
    backoff,
    isRetryable: (error) => isLost(error) && clock.now() < until,
    random,
    sleep: (ms) => pause(ms, { clock, signal }),
  })
}

/** The pauses of a keeper: a source may take minutes, a person hours. */
export const KEEPER_BACKOFF: Backoff = { firstMs: 2_000, mostMs: 300_000 }

/** A backoff as it is made. */
export type KeyedBackoff = ReturnType<typeof createKeyedBackoff>

/** Separate backoff per key: pauses grow with each failure, and last as long as the relay asked. */
export function createKeyedBackoff({ clock, random }: Pick<Timing, 'clock' | 'random'>) {
  const waits = new Map<string, { attempt: number; until: number }>()
  return {
    /** Whether the pause of a key is over. */
    isDue: (key: string): boolean => clock.now() >= (waits.get(key)?.until ?? 0),
    /** Begins the next pause of a key; returns its milliseconds. */
    postpone: (key: string, error: Error): number => {
      const attempt = waits.get(key)?.attempt ?? 0
      const asked = error instanceof RelayError ? (error.retryAfterMs ?? 0) : 0
      const ms = Math.max(asked, backoffMs(attempt, random(), KEEPER_BACKOFF))
      waits.set(key, { attempt: attempt + 1, until: clock.now() + ms })
      return ms
    },
  }
}

/** Fault that a later attempt can overcome. Throws any other: an abort, and a relay that refuses our key. */
export function assertRetryable(fault: unknown, signal: AbortSignal | undefined): Error {
  if (signal?.aborted) throw signal.reason
  if (fault instanceof RelayError && fault.status === 401) throw fault
  return fault instanceof Error ? fault : new Error(String(fault))
}
