import {
  type AcceptanceFacts,
  type AcceptanceRefusal,
  decideAcceptance,
  type RestsOn,
} from '@rfqctl/protocol/domain/acceptance'
import type { MaybePromise } from './ports/maybe-promise.ts'
import type { Acceptance, Execution, Stale, Store } from './ports/store.ts'
import { MAX_TRIES } from './solvency.ts'

/** Versions that were looked at before, 0 for a maker without protections; null or absent: none were. */
type Seen = { outstandingVersion?: number | null; protectionsVersion?: number | null }

type Signed = Pick<Execution, 'executionId' | 'signature'>

type Refused = false | Exclude<AcceptanceRefusal, 'closed'>

/** Writes an acceptance if `decideAcceptance` accepts it, as long as the versions hold that were looked at; otherwise the refusal. */
export const admit = (store: Store, acceptance: Acceptance, seen: Seen = {}): Promise<true | Refused> =>
  carryOut(store, acceptance, seen, (restsOn) => store.acceptances.insert(acceptance, restsOn))

/**
 * The same for one that its maker signed beforehand: it is confirmed in the same step, before its deadline only. `hasGone` is asked
 * right before each write, so that nothing is read in between (invariant V11): then it is refused as `gone`.
 */
export const admitSigned = (
  store: Store,
  acceptance: Acceptance,
  { signed, hasGone, ...seen }: Seen & { signed: Signed; hasGone: () => MaybePromise<boolean> },
): Promise<Execution | Refused | 'late' | 'gone'> =>
  carryOut(store, acceptance, seen, async (restsOn) =>
    (await hasGone()) ? 'gone' : store.acceptances.insertSigned(acceptance, signed, restsOn),
  )

/**
 * Decides and writes, and decides again by what stands as long as something of the maker has changed in between. The first decision
 * presumes that a maker without known protections has none, and was never suspended, as most are: then no read comes before the
 * write (benchmark P10).
 */
async function carryOut<Made>(
  store: Store,
  acceptance: Acceptance,
  { outstandingVersion: owed = null, protectionsVersion: protections = null }: Seen,
  write: (restsOn: RestsOn) => Promise<Made | Stale>,
): Promise<Made | Refused> {
  const read = () => store.acceptances.factsOf(acceptance, owed)
  let facts = protections === null || protections === 0 ? presumed(owed) : await read()
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const decision = decideAcceptance(facts, acceptance, { owed, protections })
    if (decision.kind === 'refused') return decision.reason === 'closed' ? false : decision.reason
    if (decision.kind === 'tripped') {
      if (await store.protections.trip(acceptance.makerId, decision.trip, decision.restsOn)) return 'protected'
    } else {
      const made = await write(decision.restsOn)
      if (made !== 'changed') return made
    }
    facts = await read()
  }
  return 'outdated'
}

const presumed = (owed: number | null): AcceptanceFacts => ({
  now: 0,
  isFree: true,
  owed: owed ?? 0,
  protections: null,
  used: [],
  usedVersion: 0,
  suspension: null,
})
