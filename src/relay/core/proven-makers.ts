import type { Context } from './context.ts'
import { type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'

/** A proven maker has confirmed an order within `MAKER_RECORD_MS`. */
export type ProvenMakers = ReturnType<typeof createProvenMakers>

/** Milliseconds until the next look-up of a proven maker, and of one that another node may have seen confirm. */
const PROVEN_KNOWN_MS = 3_600_000
const UNPROVEN_KNOWN_MS = 10_000

/** Beyond this number the maker looked up longest ago is dropped. */
const MAKERS_KEPT = 10_000

/** The store's executions are durable. Results are remembered, so that a commit among known makers costs no read. */
export function createProvenMakers({ store, clock, settings }: Pick<Context, 'store' | 'clock' | 'settings'>) {
  /** The maker looked up longest ago comes first. */
  const known = new Map<string, { isProven: boolean; until: number }>()

  function remember(makerId: string, isProven: boolean): void {
    const knownMs = isProven ? Math.min(PROVEN_KNOWN_MS, settings.makerRecordMs) : UNPROVEN_KNOWN_MS
    known.delete(makerId)
    known.set(makerId, { isProven, until: clock.now() + knownMs })
    for (const oldest of known.keys()) {
      if (known.size <= MAKERS_KEPT) return
      known.delete(oldest)
    }
  }

  return {
    /** A confirmation on another node counts within 10 s. Fails with `store_unavailable`. */
    among: (makerIds: readonly string[]): MaybePromise<ReadonlySet<string>> => {
      const now = clock.now()
      const proven = new Set<string>()
      const unknown: string[] = []
      for (const makerId of makerIds) {
        const maker = known.get(makerId)
        if (maker === undefined || maker.until <= now) unknown.push(makerId)
        else if (maker.isProven) proven.add(makerId)
      }
      if (unknown.length === 0) return proven
      return thenMaybe(store.executions.confirmedBy(unknown, now - settings.makerRecordMs), (found) => {
        for (const makerId of unknown) remember(makerId, found.has(makerId))
        return new Set([...proven, ...found])
      })
    },
    noteConfirmed: (makerId: string): void => remember(makerId, true),
  }
}
