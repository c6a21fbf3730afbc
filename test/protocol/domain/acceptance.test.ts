import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AcceptanceFacts, decideAcceptance, UNGUARDED } from '../../../src/protocol/domain/acceptance.ts'
import {
  NO_PROTECTIONS,
  type ProtectionTrip,
  type ProtectionWindow,
  usedWindow,
} from '../../../src/protocol/domain/maker-protections.ts'
import type { Suspension } from '../../../src/protocol/domain/maker-record.ts'
import type { Order } from '../../../src/protocol/domain/order.ts'
import { contracts, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'

const NOW = 1_000
const ORDER = { optionAmount: contracts(10n), premiumAmount: usd6(1_200_000n), makerSelling: false } as Order
const OPTION = { optionType: 'call', strikeBps: 4_500 as StrikeBps, expiryMs: 0 } as const
const PROVEN = { order: ORDER, option: OPTION, proven: true }
const UNPROVEN = { order: ORDER, option: OPTION }
const UNSEEN = { owed: null, protections: null }
const WINDOW: ProtectionWindow = {
  ms: 100,
  maxAccepted: 4,
  maxContracts: null,
  maxNotional: null,
  maxCollateral: null,
}
const FREE: AcceptanceFacts = {
  now: NOW,
  isFree: true,
  owed: 3,
  protections: null,
  used: [],
  usedVersion: 0,
  suspension: null,
}
const suspendedUntil = (until: number): Suspension => ({ strikes: 1, cleanInARow: 0, since: 0, until, because: [] })
const heldUntil = (until: number | null): ProtectionTrip => {
  const { window, all } = usedWindow(WINDOW, [], 0)
  return { at: 0, until, window, used: all, withNext: all }
}

/** A maker with one window, in which so many orders of takers with a proof, and without one, count. */
function guarded({ proven = 0, unproven = 0, trip = null as ProtectionTrip | null } = {}): AcceptanceFacts {
  const use = { at: NOW - 1, contracts: contracts(10n), notional: usd6(1n), collateral: usd6(0n) }
  const counted = [
    ...Array.from({ length: proven }, () => ({ ...use, isProven: true })),
    ...Array.from({ length: unproven }, () => ({ ...use, isProven: false })),
  ]
  const protections = { ...NO_PROTECTIONS, windows: [WINDOW], freezeMs: 50 }
  return {
    ...FREE,
    protections: { makerId: 'ada', version: 7, protections, trip },
    used: [usedWindow(WINDOW, counted, NOW)],
    usedVersion: 5,
  }
}

const refused = (reason: string) => ({ kind: 'refused', reason })

describe('an acceptance', () => {
  it('rests on the absence of protections and suspensions, and on the debt that was seen, of a plain maker', () => {
    expect(decideAcceptance(FREE, UNPROVEN, UNSEEN)).toEqual({ kind: 'accepted', restsOn: UNGUARDED })
    const restsOn = { ...UNGUARDED, owed: 3 }
    expect(decideAcceptance(FREE, PROVEN, { owed: 3, protections: 0 })).toEqual({ kind: 'accepted', restsOn })
  })

  it('is refused for a request that is not free, whatever else there is (invariant V1)', () => {
    const facts = { ...guarded({ proven: 4 }), isFree: false, suspension: suspendedUntil(NOW + 1) }
    expect(decideAcceptance(facts, PROVEN, { owed: 1, protections: 1 })).toEqual(refused('closed'))
  })

  it('is refused as outdated where its wallet may owe more than was seen', () => {
    expect(decideAcceptance(FREE, PROVEN, { owed: 2, protections: null })).toEqual(refused('outdated'))
  })

  it('is refused while its maker is suspended, and rests on the end of the last suspension after that (invariant V12)', () => {
    const facts = (until: number) => ({ ...FREE, suspension: suspendedUntil(until) })
    expect(decideAcceptance(facts(NOW + 1), PROVEN, UNSEEN)).toEqual(refused('suspended'))
    const restsOn = { ...UNGUARDED, suspendedUntil: NOW }
    expect(decideAcceptance(facts(NOW), PROVEN, UNSEEN)).toEqual({ kind: 'accepted', restsOn })
  })

  it('is refused where the protections are others than were seen, and while they are tripped (invariant V11)', () => {
    const seeing = (protections: number | null) => ({ owed: null, protections })
    expect(decideAcceptance(FREE, PROVEN, seeing(7))).toEqual(refused('protected'))
    expect(decideAcceptance(guarded(), PROVEN, seeing(0))).toEqual(refused('protected'))
    for (const until of [null, NOW + 1]) {
      expect(decideAcceptance(guarded({ trip: heldUntil(until) }), PROVEN, seeing(7))).toEqual(refused('protected'))
    }
    expect(decideAcceptance(guarded({ trip: heldUntil(NOW) }), PROVEN, seeing(7))).toMatchObject({ kind: 'accepted' })
  })

  it('is counted in the windows of its maker, and rests on their use', () => {
    const restsOn = { ...UNGUARDED, protections: 7, used: 5 }
    expect(decideAcceptance(guarded({ proven: 3 }), PROVEN, UNSEEN)).toEqual({ kind: 'accepted', restsOn })
    const { protections } = guarded()
    const unlimited = { ...FREE, protections }
    expect(decideAcceptance(unlimited, PROVEN, UNSEEN)).toEqual({
      kind: 'accepted',
      restsOn: { ...UNGUARDED, protections: 7 },
    })
  })

  it('that would exceed a window trips it, or is refused where its taker has proved no wallet', () => {
    expect(decideAcceptance(guarded({ proven: 4 }), PROVEN, UNSEEN)).toMatchObject({
      kind: 'tripped',
      trip: { at: NOW, until: NOW + 50, window: WINDOW, used: { accepted: 4 }, withNext: { accepted: 5 } },
      restsOn: { protections: 7, used: 5 },
    })
    expect(decideAcceptance(guarded({ unproven: 1 }), UNPROVEN, UNSEEN)).toEqual(refused('unproven'))
  })

  it('that is accepted at a moment would be at each later one, as long as all versions hold', () => {
    const facts = fc.record({
      trip: fc.option(fc.integer({ min: NOW - 9, max: NOW + 9 })),
      until: fc.option(fc.integer({ min: NOW - 9, max: NOW + 9 })),
      counted: fc.array(fc.record({ at: fc.integer({ min: NOW - 110, max: NOW }), isProven: fc.boolean() }), {
        maxLength: 6,
      }),
      proven: fc.boolean(),
      later: fc.nat(20),
    })
    const amounts = { contracts: contracts(10n), notional: usd6(1n), collateral: usd6(0n) }
    fc.assert(
      fc.property(facts, ({ trip, until, counted, proven, later }) => {
        const at = (now: number): AcceptanceFacts => ({
          ...guarded({ trip: trip === null ? null : heldUntil(trip) }),
          now,
          suspension: until === null ? null : suspendedUntil(until),
          used: [
            usedWindow(
              WINDOW,
              counted.map((one) => ({ ...one, ...amounts })),
              now,
            ),
          ],
        })
        const decision = decideAcceptance(at(NOW), { ...UNPROVEN, proven }, UNSEEN)
        if (decision.kind === 'accepted')
          expect(decideAcceptance(at(NOW + later), { ...UNPROVEN, proven }, UNSEEN)).toEqual(decision)
      }),
    )
  })
})
