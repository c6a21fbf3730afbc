import {
  activeSuspension,
  type RecordedOutcome,
  reinstated,
  type Suspension,
  suspensionAfter,
} from '@rfqctl/protocol/domain/maker-record'
import type { Store } from '../../core/ports/store.ts'
import type { StoreBase } from './db.ts'
import type { Draft } from './tables.ts'

/** Beyond this the suspension that ended first is dropped. */
const SUSPENSIONS_KEPT = 1_000

/** Outcomes are in the journal and in memory at once; suspensions in a table. */
export function createMakerRecords({ clock, db }: StoreBase): Store['makerRecords'] {
  const { recorded } = db.journal
  const lastOf = (makerId: string) => db.tables().suspensions.get(makerId) ?? null

  function put(draft: Draft, makerId: string, suspension: Suspension): void {
    draft.set('suspensions', makerId, suspension)
    const all = [...draft.rows('suspensions')]
    if (all.length <= SUSPENSIONS_KEPT) return
    const [first] = all.filter(([name]) => name !== makerId).sort(([, a], [, b]) => a.until - b.until)
    if (first !== undefined) draft.delete('suspensions', first[0])
  }

  return {
    note: async (makerId, fact, rule) => {
      const outcome: RecordedOutcome = { ...fact, at: clock.now() }
      if (!recorded.add(makerId, outcome, rule.incidentMs)) return null
      const append = (draft: Draft) => draft.append({ kind: 'noted', makerId, outcome })
      const decide = (former: Suspension | null) =>
        suspensionAfter({ outcomes: recorded.of(makerId), suspension: former }, outcome, rule)
      if (decide(lastOf(makerId)) === lastOf(makerId)) {
        db.changeLater(append)
        return null
      }
      return db.change((draft) => {
        append(draft)
        const former = draft.get('suspensions', makerId) ?? null
        const suspension = decide(former)
        if (suspension !== null && suspension !== former) put(draft, makerId, suspension)
        return suspension?.until === former?.until ? null : suspension
      })
    },
    find: async (makerId) => ({ outcomes: recorded.of(makerId), suspension: lastOf(makerId) }),
    suspended: async () => {
      const now = clock.now()
      return [...db.tables().suspensions].flatMap(([makerId, suspension]) =>
        activeSuspension(suspension, now) === null ? [] : [{ makerId, suspension }],
      )
    },
    reinstate: (makerId) =>
      db.change((draft) => {
        const suspension = activeSuspension(draft.get('suspensions', makerId) ?? null, clock.now())
        if (suspension === null) return false
        draft.set('suspensions', makerId, reinstated(suspension, clock.now()))
        return true
      }),
  }
}
