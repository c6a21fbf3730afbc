import type { RankedQuote } from '../../src/protocol/domain/best-quote.ts'
import { CANDIDATE_OUTCOMES, type CommitTerms } from '../../src/protocol/domain/commit.ts'
import {
  COMMIT_BEGUN,
  type CommitEvents,
  type CommitRules,
  type CommitState,
  failCommit,
  type Outcome,
  type Stage,
  stepCommit,
} from '../../src/protocol/domain/commit-machine.ts'
import { RfqError } from '../../src/protocol/domain/errors.ts'
import { contracts, usd6 } from '../../src/protocol/domain/units.ts'
import { walletOf } from './arbitraries.ts'

export type WalkedState = CommitState<'judged', 'asked', 'trade'>
type Events = CommitEvents<'judged', 'asked', 'trade'>

/** A step of a commit, with the word for what it learned. */
export type Transition = { from: WalkedState & { at: Stage }; learned: string; to: WalkedState }

const NOW = 2_000

export const quoteOf = (maker: number, change: Partial<RankedQuote> = {}): RankedQuote => ({
  quoteId: `quote-${maker}`,
  requestId: 'request-1',
  makerId: `maker-${maker}`,
  maker: walletOf(maker),
  side: 'buy',
  price: usd6(BigInt(100_000 + maker)),
  size: contracts(10n),
  pricedAt: 1_000,
  expiresAt: 9_000,
  misses: 0,
  isDemoted: false,
  ...change,
})

/** Three makers, of which only the last one is proven; two may be asked, and one of them in a hurry. */
const QUOTES = [1, 2, 3].map((maker) => quoteOf(maker))
const PROVEN = new Set(['maker-3'])

const terms: CommitTerms = { wallet: walletOf(99), limitPrice: null, minContracts: null, expectedQuoteId: null }

export const WALK_RULES: CommitRules = {
  request: { trade: { side: 'buy', budget: usd6(1_000_000n) } },
  terms,
  mostAsked: 2,
  mostHurried: 1,
}

const SHORTFALL = new RfqError('maker_insufficient_balance')

const overAs = (...outcomes: Outcome[]) =>
  outcomes.map((outcome) => {
    const isShort = outcome === 'insolvent' || outcome === 'too_large'
    if (outcome === 'confirmed') return { kind: 'over' as const, outcome, trade: 'trade' as const }
    return { kind: 'over' as const, outcome, ...(isShort ? { shortfall: SHORTFALL } : {}) }
  })

const LEFT = { makerId: 'maker-1', quoteId: 'quote-1' }

/** Whatever a commit may learn in a state. */
const LEARNED: { [At in Stage]: (state: WalkedState) => readonly Events[At][] } = {
  resuming: () => [
    { kind: 'nothing_left' },
    { kind: 'quote_left', quote: LEFT, outcome: 'missed' },
    { kind: 'quote_left', quote: LEFT, outcome: 'changed' },
    { kind: 'order_left', quote: LEFT, asked: 'asked' },
    { kind: 'trade_left' },
  ],
  choosing: () =>
    [QUOTES, []].flatMap((ranked) =>
      [0, 20].map((patience) => ({ kind: 'book' as const, ranked, proven: PROVEN, patience, now: NOW })),
    ),
  holding: (state) => {
    const { quote } = state as Extract<WalkedState, { at: 'holding' }>
    const moved = { ...quote, price: usd6(quote.price + 1n) }
    return [{ kind: 'held', quote }, { kind: 'held', quote: moved }, ...overAs('changed', 'closed')]
  },
  judging: () => [{ kind: 'fit', judged: 'judged' }, ...overAs(...CANDIDATE_OUTCOMES.filter(isOfJudging))],
  storing: () => [
    { kind: 'stored', asked: 'asked' },
    ...overAs('confirmed', 'insolvent', 'withdrawn', 'unproven', 'changed', 'closed'),
  ],
  asking: (state) =>
    state.at === 'asking' && state.isResumed
      ? [{ kind: 'over', outcome: 'confirmed' }, ...overAs('declined', 'missed')]
      : overAs('confirmed', 'declined', 'missed', 'withdrawn', 'changed', 'closed'),
  releasing: () => [{ kind: 'released' }],
}

/** A maker misses or declines only once it is asked. */
function isOfJudging(outcome: Outcome): boolean {
  return outcome !== 'missed' && outcome !== 'declined'
}

/** Every step that a commit can take from its beginning, whatever it learns and whichever effect fails. */
export function walkCommit(): readonly Transition[] {
  const steps: Transition[] = []
  const seen = new Set<string>()
  const open: WalkedState[] = [COMMIT_BEGUN]
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    if (from.at === 'ended' || seen.has(nameOf(from))) continue
    seen.add(nameOf(from))
    for (const step of stepsFrom(from)) {
      steps.push(step)
      open.push(step.to)
    }
  }
  return steps
}

function stepsFrom(from: WalkedState & { at: Stage }): Transition[] {
  const known = LEARNED[from.at](from).map((event) => {
    const to = stepCommit(WALK_RULES, from as never, event as never) as WalkedState
    return { from, learned: wordOf(event, to), to }
  })
  return [...known, { from, learned: 'failed', to: failCommit(from, new RfqError('store_unavailable')) }]
}

/** A look at the book counts, and changes nothing else. */
const nameOf = ({ progress: { rounds: _, ...progress }, ...state }: WalkedState): string =>
  JSON.stringify({ ...state, progress }, (_, value) => (typeof value === 'bigint' ? String(value) : value))

function wordOf(event: Events[Stage], to: WalkedState): string {
  if (event.kind === 'over') return event.outcome
  if (event.kind === 'book') return to.at === 'holding' ? 'next_quote' : 'no_quote'
  if (event.kind === 'held') return to.at === 'judging' ? 'held' : 'held_but_moved'
  if (event.kind === 'released') return to.at === 'choosing' ? 'released' : 'last_one_released'
  return event.kind
}
