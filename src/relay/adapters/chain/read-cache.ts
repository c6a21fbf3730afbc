import type { Freshness } from '../../core/ports/chain.ts'
import type { MaybePromise } from '../../core/ports/maybe-promise.ts'

type Entry = { startedAt: number; answer: MaybePromise<unknown>; isOfThisMoment: boolean }

/** From this many keys on, each new one first removes the expired ones. */
const SWEEP_AT = 1_000
/** Hard bound: the oldest is dropped first. */
const MAX_KEPT = 10_000

/**
 * Keeps answers for `lifetimeMs` by `now`, Unix milliseconds, and merges concurrent reads of one key. A failed read is
 * not kept.
 */
export function createReadCache({ lifetimeMs, now }: { lifetimeMs: number; now: () => number }) {
  const entries = new Map<string, Entry>()
  let sweepAt = SWEEP_AT

  const isLive = ({ startedAt }: Entry) => now() - startedAt < lifetimeMs

  function sweep(): void {
    for (const [key, entry] of entries) if (!isLive(entry)) entries.delete(key)
    sweepAt = Math.min(MAX_KEPT, Math.max(SWEEP_AT, entries.size * 2))
  }

  return {
    /**
     * `cached` returns an answer, or joins a read, that began within the lifetime. `latest` reads now and stores the
     * answer; it joins only a read that began a moment ago in the same run of code, and so is as new as its own. A
     * settled answer is returned synchronously.
     */
    read<T>(key: string, freshness: Freshness, load: () => Promise<T>): MaybePromise<T> {
      const held = entries.get(key)
      const isGood = held !== undefined && (held.isOfThisMoment || (freshness === 'cached' && isLive(held)))
      if (isGood) return held.answer as MaybePromise<T>
      if (entries.size >= sweepAt) sweep()
      if (entries.size >= MAX_KEPT) entries.delete(entries.keys().next().value as string)
      const answer = load()
      const entry: Entry = { startedAt: now(), answer, isOfThisMoment: true }
      queueMicrotask(() => {
        entry.isOfThisMoment = false
      })
      entries.set(key, entry)
      answer.then(
        (value) => {
          entry.answer = value
        },
        () => {
          if (entries.get(key) === entry) entries.delete(key)
        },
      )
      return answer
    },
  }
}
