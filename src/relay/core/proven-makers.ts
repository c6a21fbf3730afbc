import type { Context } from './context.ts'
import { type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'

/** Which makers are proven: they have confirmed an order within `MAKER_RECORD_MS`. */
export type ProvenMakers = {
  /** Those of the makers that are, as of 10 s ago at most. Fails with `store_unavailable` when no one can tell. */
  among: (makerIds: readonly string[]) => MaybePromise<ReadonlySet<string>>
  /** A maker has confirmed an order here. */
  noteConfirmed: (makerId: string) => void
}

/** How long a maker that is proven is not looked up again, and one that is not: another node may have seen its confirmation. */
const PROVEN_KNOWN_MS = 3_600_000
const UNPROVEN_KNOWN_MS = 10_000

/** Beyond this many makers the one that was looked up longest ago is looked up again. */
const MAKERS_KEPT = 10_000

/**
 * Over the store's executions, which are durable. What was looked up is remembered, so that a commit among makers that
 * are known costs no question.
 */
export function createProvenMakers({
  store,
  clock,
  settings,
}: Pick<Context, 'store' | 'clock' | 'settings'>): ProvenMakers {
  /** The maker that was looked up longest ago comes first. */
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
    among: (makerIds) => {
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
    noteConfirmed: (makerId) => remember(makerId, true),
  }
}
