import { type Backoff, backoffMs } from './backoff.ts'
import { RelayError } from './errors.ts'
import type { Timing } from './link.ts'

/** Pauses before a keeper tries again: a source may take minutes, a person hours. */
export const RETRY: Backoff = { firstMs: 2_000, mostMs: 300_000 }

/** How long each thing that failed is left alone: longer every time, and as long as the relay asked. */
export type Patience = {
  isOver: (key: string) => boolean
  /** Begins the next pause of a thing; returns its milliseconds. */
  begin: (key: string, error: Error) => number
}

/** Patience with nothing yet. */
export function createPatience({ clock, random }: Pick<Timing, 'clock' | 'random'>): Patience {
  const waits = new Map<string, { attempt: number; until: number }>()
  return {
    isOver: (key) => clock.now() >= (waits.get(key)?.until ?? 0),
    begin: (key, error) => {
      const attempt = waits.get(key)?.attempt ?? 0
      const asked = error instanceof RelayError ? (error.retryAfterMs ?? 0) : 0
      const ms = Math.max(asked, backoffMs(attempt, random(), RETRY))
      waits.set(key, { attempt: attempt + 1, until: clock.now() + ms })
      return ms
    },
  }
}

/** A fault that a later try can mend. Throws the others: an abort, and a relay that bars us. */
export function passingFault(fault: unknown, signal: AbortSignal | undefined): Error {
  if (signal?.aborted) throw signal.reason
  if (fault instanceof RelayError && fault.status === 401) throw fault
  return fault instanceof Error ? fault : new Error(String(fault))
}
