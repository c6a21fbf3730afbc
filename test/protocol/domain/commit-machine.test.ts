import { describe, expect, it } from 'vitest'
import { CANDIDATE_OUTCOMES } from '../../../src/protocol/domain/commit.ts'
import {
  COMMIT_BEGUN,
  type CommitRules,
  type CommitState,
  countsAsMiss,
  failCommit,
  type Outcome,
  stepCommit,
} from '../../../src/protocol/domain/commit-machine.ts'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { quoteOf, type Transition, WALK_RULES, type WalkedState, walkCommit } from '../../support/commit-walk.ts'

const HELD = ['judging', 'storing', 'asking', 'releasing']

describe('every step that a commit can take', () => {
  const steps = walkCommit()
  const ends = steps.flatMap(({ from, to }) => (to.at === 'ended' ? [{ from, to, end: to.end }] : []))
  const refusals = ends.flatMap(({ to, end }) =>
    end.kind === 'refused' && end.fault instanceof RfqError ? [{ progress: to.progress, fault: end.fault }] : [],
  )

  it('lets a quote go that it held, unless its maker has signed or an earlier commit asked it', () => {
    const dropped = steps.filter(({ from, to }) => HELD.includes(from.at) && !HELD.includes(to.at))
    expect(dropped.length).toBeGreaterThan(100)
    expect(dropped.filter((step) => !mayStayHeld(step))).toEqual([])
  })

  it('never looks at a maker again that it has considered', () => {
    const again = steps.filter(({ to }) => {
      const { candidates } = to.progress
      const makers = candidates.map(({ makerId }) => makerId)
      const next = to.at === 'holding' ? [to.quote.makerId] : []
      return new Set([...makers, ...next]).size < makers.length + next.length
    })
    expect(again).toEqual([])
  })

  it('asks no more makers than it may, and no more of them in a hurry', () => {
    const asked = ({ progress }: WalkedState) =>
      progress.candidates.filter(({ outcome }) => countsAsMiss(outcome)).length
    expect(Math.max(...steps.map(({ to }) => asked(to)))).toBe(WALK_RULES.mostAsked)
    const chosen = steps.filter(({ to }) => to.at === 'choosing' || to.at === 'holding')
    expect(Math.max(...chosen.map(({ to }) => asked(to)))).toBe(WALK_RULES.mostAsked - 1)
    expect(Math.max(...steps.map(({ to }) => to.progress.hurried))).toBe(WALK_RULES.mostHurried)
  })

  it('ends with a trade exactly where a maker has signed', () => {
    for (const { from, learned, to } of steps) {
      const isSigned = learned === 'confirmed' || learned === 'trade_left'
      expect(to.at === 'ended' && to.end.kind === 'committed', `${from.at}: ${learned}`).toBe(isSigned)
    }
    for (const { from, to, end } of ends) {
      const isResumed = from.at === 'resuming' || (from.at === 'asking' && from.isResumed)
      if (end.kind === 'committed') expect(to).toMatchObject({ end: { trade: isResumed ? null : 'trade' } })
    }
  })

  it('names every maker that it has considered, in their order, when none of them signs', () => {
    const named = refusals.filter(({ fault }) => fault.code !== 'request_closed' && fault.code !== 'store_unavailable')
    expect(named.length).toBeGreaterThan(20)
    for (const { progress, fault } of named) expect(fault.data.candidates).toEqual(progress.candidates)
  })

  it('explains a refusal by what the taker can change, unless a maker was asked', () => {
    const codes = new Set<string>()
    for (const { progress, fault } of refusals) {
      if (fault.data.candidates === undefined) continue
      const outcomes = progress.candidates.map(({ outcome }) => outcome)
      codes.add(fault.code)
      if (outcomes.some(countsAsMiss)) expect(fault.code).toBe('no_maker_confirmed')
      else if (outcomes.includes('unproven')) expect(fault.code).toBe('proof_required')
      else if (progress.shortfall !== null) expect(fault.code).toBe('maker_insufficient_balance')
      else if (outcomes.includes('withdrawn')) expect(fault.code).toBe('no_valid_quotes')
    }
    expect([...codes].toSorted()).toEqual([
      'maker_insufficient_balance',
      'no_maker_confirmed',
      'no_valid_quotes',
      'proof_required',
    ])
  })

  it('ends at once when its request is closed, and with the fault of an effect that failed', () => {
    const closed = ends.filter(({ end }) => isRefusedWith(end, 'request_closed'))
    expect(new Set(closed.map(({ from }) => from.at))).toEqual(new Set(['holding', 'releasing']))
    const failed = ends.filter(({ end }) => isRefusedWith(end, 'store_unavailable'))
    expect(new Set(failed.map(({ from }) => from.at))).toEqual(
      new Set(['resuming', 'choosing', 'holding', 'asking', 'releasing']),
    )
  })
})

it('only the very offer that was chosen is judged, as firm as it was', () => {
  const quote = quoteOf(1)
  const holding = { ...COMMIT_BEGUN, at: 'holding', quote, isHurried: false } as const
  const hold = (held: typeof quote) => stepCommit(WALK_RULES, holding, { kind: 'held', quote: held })
  expect(hold({ ...quote })).toMatchObject({ at: 'judging' })
  for (const change of [{ price: usd6(1n) }, { expiresAt: quote.expiresAt + 1 }, { isFirm: true as const }])
    expect(hold({ ...quote, ...change })).toMatchObject({ at: 'releasing', outcome: 'changed' })
})

it('a quote that keeps moving is looked at a hundred times', () => {
  let state: CommitState<never, never, never> = { ...COMMIT_BEGUN, at: 'choosing' }
  const ranked = [quoteOf(1)]
  let looks = 0
  while (state.at === 'choosing' && looks < 200) {
    looks += 1
    const book = { kind: 'book', ranked, proven: new Set<string>(), patience: 0, now: 2_000 } as const
    const holding: CommitState<never, never, never> = stepCommit<'choosing', never, never, never>(
      WALK_RULES,
      state,
      book,
    )
    if (holding.at !== 'holding') break
    state = stepCommit<'holding', never, never, never>(WALK_RULES, holding, { kind: 'over', outcome: 'changed' })
  }
  expect(looks).toBe(100)
  expect(state).toMatchObject({ at: 'ended', end: { kind: 'refused', fault: { code: 'no_maker_confirmed' } } })
})

it('a commit without any candidate says why, so that the market can explain it better', () => {
  const choosing = { ...COMMIT_BEGUN, at: 'choosing' } as const
  const book = { kind: 'book', ranked: [], proven: new Set<string>(), patience: 0, now: 2_000 } as const
  expect(stepCommit(WALK_RULES, choosing, book)).toMatchObject({
    at: 'ended',
    end: { kind: 'no_candidate', reason: 'no_valid_quotes' },
  })
})

it('a taker learns the first shortfall', () => {
  const rules: CommitRules = { ...WALK_RULES, mostAsked: 3 }
  const [first, second] = [new RfqError('maker_insufficient_balance'), new RfqError('amount_too_large')]
  const judging = { ...COMMIT_BEGUN, at: 'judging', quote: quoteOf(1), isHurried: false } as const
  const after = stepCommit(rules, judging, { kind: 'over', outcome: 'insolvent', shortfall: first })
  const let1 = stepCommit<'releasing', never, never, never>(rules, after as never, { kind: 'released' })
  const again = { ...judging, progress: let1.progress, quote: quoteOf(2) }
  const after2 = stepCommit(rules, again, { kind: 'over', outcome: 'too_large', shortfall: second })
  const let2 = stepCommit<'releasing', never, never, never>(rules, after2 as never, { kind: 'released' })
  expect(let2.progress.shortfall).toBe(first)
})

it('a maker that was asked has missed, and any other has not', () => {
  const outcomes = [...CANDIDATE_OUTCOMES, 'confirmed', 'changed', 'closed'] as const
  expect(outcomes.filter(countsAsMiss)).toEqual(['missed', 'declined', 'unreachable'])
})

describe('a maker in a hurry', () => {
  const choosing = { ...COMMIT_BEGUN, at: 'choosing' } as const
  const look = (patience: number) => {
    const ranked = [quoteOf(1), quoteOf(2)]
    return stepCommit(WALK_RULES, choosing, {
      kind: 'book',
      ranked,
      proven: new Set(['maker-2']),
      patience,
      now: 2_000,
    })
  }
  const leave = (outcome: Outcome) => {
    const releasing = { ...COMMIT_BEGUN, at: 'releasing', quote: quoteOf(1), isHurried: true, outcome } as const
    return stepCommit(WALK_RULES, { ...releasing, shortfall: null, fault: null }, { kind: 'released' })
  }

  it('is asked before a proven one only while the relay has patience left', () => {
    expect(look(1)).toMatchObject({ at: 'holding', quote: { makerId: 'maker-1' }, isHurried: true })
    expect(look(0)).toMatchObject({ at: 'holding', quote: { makerId: 'maker-2' }, isHurried: false })
  })

  it('counts once it was asked, not where it was passed over', () => {
    expect(leave('missed').progress.hurried).toBe(1)
    expect(leave('insolvent').progress.hurried).toBe(0)
  })
})

it('a fault while a quote is held ends the commit with that fault, once the quote is let go', () => {
  const fault = new RfqError('chain_unavailable')
  const judging = { ...COMMIT_BEGUN, at: 'judging', quote: quoteOf(1), isHurried: false } as const
  const releasing = failCommit<never, never, never>(judging, fault)
  expect(releasing).toMatchObject({ at: 'releasing', outcome: 'changed' })
  const ended = stepCommit<'releasing', never, never, never>(WALK_RULES, releasing as never, { kind: 'released' })
  expect(ended).toMatchObject({ at: 'ended', end: { kind: 'refused', fault } })
})

it('a maker that had missed when its commit was cut off is not asked again', () => {
  const quote = { makerId: 'maker-1', quoteId: 'quote-1' }
  const left = stepCommit(WALK_RULES, COMMIT_BEGUN, { kind: 'quote_left', quote, outcome: 'missed' })
  const choosing = stepCommit<'releasing', never, never, never>(WALK_RULES, left as never, { kind: 'released' })
  expect(choosing).toMatchObject({ at: 'choosing', progress: { candidates: [{ ...quote, outcome: 'missed' }] } })
})

it('a fault that is no refusal ends a commit as it is', () => {
  const fault = new Error('a bug')
  expect(failCommit(COMMIT_BEGUN, fault)).toMatchObject({ at: 'ended', end: { kind: 'refused', fault } })
})

/** An order of an earlier commit may still be signed, and the one that lets go has failed to. */
function mayStayHeld({ from, learned, to }: Transition): boolean {
  if (from.at === 'releasing') return true
  if (learned === 'confirmed') return to.at === 'ended'
  return learned === 'failed' && from.at === 'asking' && from.isResumed
}

const isRefusedWith = (end: Extract<WalkedState, { at: 'ended' }>['end'], code: string): boolean =>
  end.kind === 'refused' && end.fault instanceof RfqError && end.fault.code === code
