import { describe, expect, it } from 'vitest'
import {
  activeTrip,
  type CountedAcceptance,
  countOrder,
  disconnectedSince,
  graceEndOf,
  judgeWindows,
  NO_PROTECTIONS,
  nextVersion,
  type ProtectionWindow,
  type ReferencePrice,
  refusalOf,
  tripFigures,
  usedWindow,
} from '../../../src/protocol/domain/maker-protections.ts'
import type { Order } from '../../../src/protocol/domain/order.ts'
import { contracts, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'
import { CALL_BUY } from '../../support/test-relay.ts'

const WINDOW: ProtectionWindow = {
  ms: 1_000,
  maxAccepted: null,
  maxContracts: null,
  maxNotional: null,
  maxCollateral: null,
}

const one = (at: number, isProven = true): CountedAcceptance => ({
  at,
  contracts: contracts(10n),
  notional: usd6(3n),
  collateral: usd6(7n),
  isProven,
})

function judged(bounds: Partial<ProtectionWindow>, before: readonly CountedAcceptance[], next: CountedAcceptance) {
  const window = { ...WINDOW, ...bounds }
  return judgeWindows([usedWindow(window, before, next.at)], { freezeMs: 50 }, next)
}

const trips = (bounds: Partial<ProtectionWindow>, before: readonly number[], at: number) => {
  const verdict = judged(
    bounds,
    before.map((then) => one(then)),
    one(at),
  )
  return verdict.kind === 'tripped' ? verdict.trip : null
}

it('a version of protections rises, and is one that no restored store has given before', () => {
  const [first, second] = [nextVersion(0, 1_000), nextVersion(1_000, 1_000)]
  expect([first, second, nextVersion(second, 900)]).toEqual([1_000, 1_001, 1_002])
  const afterRestore = nextVersion(first, 60_000)
  expect(afterRestore).toBe(60_000)
})

describe('a window', () => {
  it('trips on the acceptance that would exceed one of its bounds, and not on one that fills it', () => {
    expect(trips({ maxAccepted: 2 }, [0], 1)).toBeNull()
    expect(trips({ maxAccepted: 2 }, [0, 1], 2)).toMatchObject({ at: 2, until: 52, used: { accepted: 2 } })
    expect(trips({ maxContracts: contracts(20n) }, [0], 1)).toBeNull()
    expect(trips({ maxContracts: contracts(19n) }, [0], 1)).toMatchObject({ withNext: { contracts: 20n } })
    expect(trips({ maxNotional: usd6(5n) }, [0], 1)).toMatchObject({ withNext: { notional: 6n } })
    expect(trips({ maxCollateral: usd6(13n) }, [0], 1)).toMatchObject({ withNext: { collateral: 14n } })
    expect(trips({ maxContracts: contracts(9n) }, [], 1)).toMatchObject({ used: { accepted: 0 } })
  })

  it('counts what was accepted within its length, to the millisecond', () => {
    expect(trips({ maxAccepted: 1 }, [0], 999)).not.toBeNull()
    expect(trips({ maxAccepted: 1 }, [0], 1_000)).toBeNull()
  })

  it('is one of several, of which the first that would be exceeded is named', () => {
    const windows = [
      { ...WINDOW, maxAccepted: 9 },
      { ...WINDOW, ms: 10, maxAccepted: 1 },
    ]
    const used = windows.map((window) => usedWindow(window, [one(5)], 6))
    const verdict = judgeWindows(used, { freezeMs: null }, one(6))
    expect(verdict).toMatchObject({ kind: 'tripped', trip: { until: null, window: { ms: 10 } } })
  })

  it('has a quarter, rounded down, for takers without a proof, who never trip it', () => {
    const unproven = (bounds: Partial<ProtectionWindow>, before: readonly CountedAcceptance[]) =>
      judged(bounds, before, one(9, false)).kind
    expect(unproven({ maxAccepted: 3 }, [])).toBe('unproven')
    expect(unproven({ maxAccepted: 4 }, [])).toBe('within')
    expect(unproven({ maxAccepted: 7 }, [one(1, false)])).toBe('unproven')
    expect(unproven({ maxAccepted: 8 }, [one(1, false)])).toBe('within')
    expect(unproven({ maxAccepted: 8 }, [one(1, false), one(2), one(3), one(4), one(5), one(6)])).toBe('within')
    expect(unproven({ maxContracts: contracts(40n) }, [])).toBe('within')
    expect(unproven({ maxContracts: contracts(39n) }, [])).toBe('unproven')
    expect(unproven({ maxNotional: usd6(11n) }, [])).toBe('unproven')
    expect(unproven({ maxCollateral: usd6(27n) }, [])).toBe('unproven')
    // What a window lacks for all it lacks for them, too.
    const full = [1, 2, 3, 4].map((at) => one(at))
    expect(unproven({ maxAccepted: 4 }, full)).toBe('unproven')
    expect(judged({ maxAccepted: 4 }, full, one(9)).kind).toBe('tripped')
  })
})

it('a trip holds until its freeze is over, or for good, and has figures for programs', () => {
  const trip = trips({ maxAccepted: 1 }, [0], 1)
  if (trip === null) throw new Error('it did not trip')
  expect(activeTrip({ trip }, 50)).toBe(trip)
  expect(activeTrip({ trip }, 51)).toBeNull()
  expect(activeTrip({ trip: { ...trip, until: null } }, 1e15)).not.toBeNull()
  expect(activeTrip({ trip: null }, 0)).toBeNull()
  expect(tripFigures(trip)).toEqual({
    at: '1970-01-01T00:00:00.001Z',
    until: '1970-01-01T00:00:00.051Z',
    window: { ...WINDOW, maxAccepted: 1 },
    used: { accepted: 1, contracts: 10, notional: 0.000003, collateral: 0.000007 },
    withNext: { accepted: 2, contracts: 20, notional: 0.000006, collateral: 0.000014 },
  })
})

describe('a single quote', () => {
  const request = { seriesId: '7', market: CALL_BUY.market }
  const quote = { price: usd6(100n), size: contracts(10n) }
  const reference: ReferencePrice = {
    scope: 'series',
    id: '7',
    price: usd6(110n),
    maxDeviation: usd6(10n),
    expiresAt: 5,
  }
  const refused = (references: readonly ReferencePrice[], price = 100n, now = 0) =>
    refusalOf({ maxQuoteSize: null, references }, request, { ...quote, price: usd6(price) }, now)?.detail ?? null

  it('is refused above the largest size', () => {
    expect(refusalOf(NO_PROTECTIONS, request, quote, 0)).toBeNull()
    expect(refusalOf({ ...NO_PROTECTIONS, maxQuoteSize: contracts(10n) }, request, quote, 0)).toBeNull()
    expect(refusalOf({ ...NO_PROTECTIONS, maxQuoteSize: contracts(9n) }, request, quote, 0)).toMatchObject({
      code: 'outside_protections',
      detail: expect.stringContaining('maxQuoteSize 9'),
    })
  })

  it('is refused far from the reference price of its series, else of its market, and when that has expired', () => {
    expect(refused([reference])).toBeNull()
    expect(refused([reference], 120n)).toBeNull()
    expect(refused([reference], 99n)).toContain('maxDeviation')
    expect(refused([reference], 121n)).toContain('maxDeviation')
    expect(refused([reference], 100n, 5)).toContain('expired')
    expect(refused([{ ...reference, id: '8' }], 500n)).toBeNull()
    const market: ReferencePrice = { ...reference, scope: 'market', id: CALL_BUY.market.conditionId, price: usd6(500n) }
    expect(refused([market])).toContain('maxDeviation')
    expect(refused([market, reference])).toBeNull()
  })
})

it('a maker is disconnected from any channel when one is gone, and from all when both are', () => {
  expect(disconnectedSince({ stream: null, socket: null }, 'any')).toBeNull()
  expect(disconnectedSince({ stream: 3, socket: null }, 'any')).toBe(3)
  expect(disconnectedSince({ stream: 3, socket: 5 }, 'any')).toBe(3)
  expect(disconnectedSince({ stream: 3, socket: null }, 'all')).toBeNull()
  expect(disconnectedSince({ stream: 3, socket: 5 }, 'all')).toBe(5)
})

it('an order counts its options and premium, and what it locks when its maker writes', () => {
  const option = { optionType: 'call', strikeBps: 4_500 as StrikeBps, expiryMs: 0 } as const
  const order = { optionAmount: contracts(10n), premiumAmount: usd6(1_200_000n), makerSelling: true } as Order
  const counted = { at: 7, contracts: 10n, notional: 1_200_000n, isProven: false }
  expect(countOrder({ order, option }, 7)).toEqual({ ...counted, collateral: 5_500_000n })
  expect(countOrder({ order: { ...order, makerSelling: false }, option }, 7)).toEqual({ ...counted, collateral: 0n })
  expect(countOrder({ order, option, proven: true }, 7).isProven).toBe(true)
})

it('figures of a trip are dollars, options and ISO times, and null where there is no bound or no end', () => {
  const use = { accepted: 1, contracts: contracts(10n), notional: usd6(1_200_000n), collateral: usd6(0n) }
  const bounds = {
    maxAccepted: 2,
    maxContracts: contracts(3n),
    maxNotional: usd6(4_000_000n),
    maxCollateral: usd6(5_000_000n),
  }
  const trip = { at: 0, until: 1_000, window: { ms: 1_000, ...bounds }, used: use, withNext: use }
  expect(tripFigures(trip)).toMatchObject({
    at: '1970-01-01T00:00:00.000Z',
    until: '1970-01-01T00:00:01.000Z',
    window: { ms: 1_000, maxAccepted: 2, maxContracts: 3, maxNotional: 4, maxCollateral: 5 },
    used: { accepted: 1, contracts: 10, notional: 1.2, collateral: 0 },
  })
  const unbounded = { ms: 1, maxAccepted: null, maxContracts: null, maxNotional: null, maxCollateral: null }
  expect(tripFigures({ ...trip, until: null, window: unbounded })).toMatchObject({ until: null, window: unbounded })
})

it('the grace of a maker ends so long after it disconnected, and does not run while it is connected', () => {
  const away = { stream: 3, socket: 5 }
  expect(graceEndOf(away, { graceMs: 10, channels: 'all' })).toBe(15)
  expect(graceEndOf(away, { graceMs: 10, channels: 'any' })).toBe(13)
  expect(graceEndOf({ stream: null, socket: 5 }, { graceMs: 10, channels: 'all' })).toBeNull()
})
