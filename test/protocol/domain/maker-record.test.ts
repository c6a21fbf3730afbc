import { describe, expect, it } from 'vitest'
import {
  activeSuspension,
  type MakerOutcomeKind,
  type MakerRecord,
  outcomeFigures,
  outcomesWithin,
  type RecordedOutcome,
  reinstated,
  scoreOf,
  standingOf,
  suspensionAfter,
  waitPercentile,
  withOutcome,
} from '../../../src/protocol/domain/maker-record.ts'

const RULE = {
  windowMs: 1_000_000,
  suspensionMs: 1_000,
  maxSuspensionMs: 3_500,
  minOutcomes: 3,
  below: 50,
  cleanPerStrike: 2,
  incidentMs: 0,
}

const outcome = (kind: MakerOutcomeKind, at: number): RecordedOutcome => ({
  at,
  kind,
  requestId: `request ${at}`,
  quoteId: `quote ${at}`,
})

const NOTHING: MakerRecord = { outcomes: [], suspension: null }

function after(record: MakerRecord, one: RecordedOutcome, rule = RULE): MakerRecord {
  const outcomes = withOutcome(record.outcomes, one)
  if (outcomes === null) return record
  return { outcomes, suspension: suspensionAfter({ ...record, outcomes }, one, rule) }
}

/** One outcome of a kind at each moment. */
const play = (kind: MakerOutcomeKind, moments: readonly number[], from = NOTHING, rule = RULE) =>
  moments.reduce((record, at) => after(record, outcome(kind, at), rule), from)

describe('a score', () => {
  it('is absent before the first outcome, and is not ruined by one miss', () => {
    expect(scoreOf([])).toBeNull()
    expect(scoreOf([outcome('missed', 1)])).toBe(67)
    expect(scoreOf(play('confirmed', [1, 2, 3]).outcomes)).toBe(100)
    expect(scoreOf(play('declined', [1, 2, 3, 4, 5, 6]).outcomes)).toBe(25)
  })
})

it.each(['missed', 'insolvent'] as const)(
  'outcomes that are %s within the time of an incident are one, and others are not',
  (kind) => {
    const first = [outcome(kind, 1)]
    expect(withOutcome(first, outcome(kind, 10), 10)).toBeNull()
    expect(withOutcome(first, outcome(kind, 11), 10)).toHaveLength(2)
    expect(withOutcome(first, outcome('declined', 2), 10)).toHaveLength(2)
    expect(withOutcome([outcome('declined', 1)], outcome(kind, 2), 10)).toHaveLength(2)
  },
)

describe('a breaker', () => {
  it('suspends below the bound, and not before there are enough outcomes', () => {
    expect(play('missed', [1, 2]).suspension).toBeNull()
    const { outcomes, suspension } = play('missed', [1, 2, 3])
    expect(suspension).toEqual({ strikes: 1, cleanInARow: 0, since: 3, until: 1_003, because: outcomes })
    expect(activeSuspension(suspension, 1_002)).toBe(suspension)
    expect(activeSuspension(suspension, 1_003)).toBeNull()
    expect(play('missed', [5, 6, 7], play('confirmed', [1, 2, 3])).suspension).toBeNull()
  })

  it('is off at a length of 0, and counts only what is within the window', () => {
    expect(play('missed', [1, 2, 3, 4], NOTHING, { ...RULE, suspensionMs: 0 }).suspension).toBeNull()
    expect(play('missed', [1, 20, 40], NOTHING, { ...RULE, windowMs: 30 }).suspension).toBeNull()
  })

  it('does not begin again while it lasts, nor afterwards for what came before', () => {
    const first = play('missed', [1, 2, 3])
    expect(play('missed', [4, 5, 6, 7], first).suspension).toEqual(first.suspension)
    expect(play('missed', [2_000, 2_001], first).suspension).toEqual(first.suspension)
  })

  it('does not begin for what was noted while the former lasted, or soon after a short one began', () => {
    const long = { ...RULE, suspensionMs: 60_000, maxSuspensionMs: 60_000 }
    const first = play('missed', [1, 2, 3], NOTHING, long)
    const stragglers = play('missed', [4, 30_000, 60_003], first, long)
    expect(play('missed', [60_004, 60_005], stragglers, long).suspension).toEqual(first.suspension)
    expect(play('missed', [60_004, 60_005, 60_006], stragglers, long).suspension).toMatchObject({ strikes: 2 })
    const short = play('missed', [1, 2, 3])
    expect(play('missed', [40_001, 40_002, 40_003], short).suspension).toEqual(short.suspension)
    expect(play('missed', [40_004, 40_005, 40_006], short).suspension).toMatchObject({ strikes: 2 })
  })

  it('lasts twice as long each time, up to its bound', () => {
    let record = NOTHING
    const lengths: number[] = []
    for (let round = 0; round < 4; round += 1) {
      record = play(
        'missed',
        [1, 2, 3].map((i) => round * 100_000 + i),
        record,
      )
      lengths.push((record.suspension?.until ?? 0) - (record.suspension?.since ?? 0))
    }
    expect(lengths).toEqual([1_000, 2_000, 3_500, 3_500])
    expect(record.suspension?.because).toHaveLength(3)
  })

  it('decays by confirmations in a row, never by time', () => {
    const twice = play('missed', [100_001, 100_002, 100_003], play('missed', [1, 2, 3]))
    expect(twice.suspension?.strikes).toBe(2)
    const one = play('confirmed', [900_000, 900_001], twice)
    expect(one.suspension).toMatchObject({ strikes: 1, cleanInARow: 0 })
    const interrupted = play('confirmed', [900_004], play('declined', [900_003], play('confirmed', [900_002], one)))
    expect(interrupted.suspension).toMatchObject({ strikes: 1, cleanInARow: 1 })
    const none = play('confirmed', [900_005], interrupted)
    expect(play('confirmed', [900_006], none).suspension).toMatchObject({ strikes: 0 })
  })

  it('names at most ten outcomes, the newest, and no confirmation', () => {
    const many = play(
      'missed',
      Array.from({ length: 12 }, (_, i) => 10 + i),
      play('confirmed', [1]),
      { ...RULE, minOutcomes: 13 },
    )
    expect(many.suspension?.because.map(({ at }) => at)).toEqual(Array.from({ length: 10 }, (_, i) => 12 + i))
  })

  it('that an operator ends does not count, and nor does what came before', () => {
    const { outcomes, suspension } = play('missed', [1, 2, 3])
    const ended = { outcomes, suspension: reinstated(suspension ?? expect.fail(), 50) }
    expect(activeSuspension(ended.suspension, 50)).toBeNull()
    expect(ended.suspension.strikes).toBe(0)
    expect(play('missed', [51, 52, 53, 40_051, 40_052], ended).suspension).toMatchObject({ until: 50 })
    expect(play('missed', [40_051, 40_052, 40_053], ended).suspension).toMatchObject({ strikes: 1, until: 41_053 })
  })
})

describe('outcomes', () => {
  it('count once for each quote and kind; a reversal replaces its confirmation', () => {
    const confirmed = [outcome('confirmed', 1)]
    const again = { ...outcome('confirmed', 9), quoteId: 'quote 1' }
    expect(withOutcome(confirmed, again)).toBeNull()
    expect(withOutcome(confirmed, { ...again, kind: 'missed' })).toHaveLength(2)
    const cancelled = { ...again, kind: 'cancelled' } as const
    expect(withOutcome(confirmed, cancelled)).toEqual([cancelled])
    expect(withOutcome([cancelled], { ...cancelled, kind: 'defunded' })).toBeNull()
    expect(withOutcome([cancelled], again)).toBeNull()
  })

  it('are the newest 100, and those of a window', () => {
    const { outcomes } = play(
      'confirmed',
      Array.from({ length: 101 }, (_, i) => i),
    )
    expect(outcomes).toHaveLength(100)
    expect(outcomesWithin(outcomes, { now: 110, windowMs: 15 }).map(({ at }) => at)).toEqual([96, 97, 98, 99, 100])
  })

  it('tell how long a maker takes to sign', () => {
    const waited = [30, 10, 20].map((waitedMs, at) => ({ ...outcome('confirmed', at), waitedMs }))
    const outcomes = [...waited, outcome('missed', 9)]
    expect(waitPercentile(outcomes, 0.5)).toBe(20)
    expect(waitPercentile(outcomes, 0.99)).toBe(30)
    expect(waitPercentile([], 0.5)).toBeNull()
  })
})

describe('the record that a maker sees', () => {
  const lastDay = { requests: 9, won: 4 }
  const shown = (record: MakerRecord, now: number) => standingOf(record, { now, windowMs: 100, lastDay })

  it('is nothing but zeroes before the first outcome', () => {
    expect(shown(NOTHING, 5)).toEqual({
      score: null,
      windowMs: 100,
      outcomes: { confirmed: 0, missed: 0, declined: 0, insolvent: 0, bad_signature: 0, cancelled: 0, defunded: 0 },
      confirmP50Ms: null,
      confirmP90Ms: null,
      confirmP99Ms: null,
      lastDay,
      suspension: null,
      strikes: 0,
      newest: [],
    })
  })

  it('counts what is within the window, by kind, with how long it took to sign', () => {
    const waits = Array.from({ length: 10 }, (_, i) => ({ ...outcome('confirmed', 110 + i), waitedMs: 10 * (i + 1) }))
    const outcomes = [outcome('missed', 10), ...waits, { ...outcome('declined', 120), waitedMs: 9_000 }]
    const record = shown({ outcomes, suspension: null }, 150)
    expect(record).toMatchObject({ score: 92, confirmP50Ms: 50, confirmP90Ms: 90, confirmP99Ms: 100 })
    expect(record.outcomes).toMatchObject({ confirmed: 10, missed: 0, declined: 1 })
    expect(record.newest).toEqual(outcomes.slice(-10))
  })

  it('has a suspension while it lasts, and its strikes for as long as they count', () => {
    const suspended = play('missed', [1, 2, 3])
    const because = suspended.suspension?.because
    expect(shown(suspended, 1_002)).toMatchObject({ suspension: { until: 1_003, because }, strikes: 1 })
    expect(shown(suspended, 1_003)).toMatchObject({ suspension: null, strikes: 1 })
  })
})

it('an outcome is shown with its time as programs read it, and without how long it took', () => {
  expect(outcomeFigures({ ...outcome('declined', 1_000), waitedMs: 5 })).toEqual({
    at: '1970-01-01T00:00:01.000Z',
    kind: 'declined',
    requestId: 'request 1000',
    quoteId: 'quote 1000',
  })
})
