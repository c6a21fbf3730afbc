import type { Health, MakerStanding, OperatorEvent, SeriesProgress } from '../../src/client/index.ts'
import type { AuditFact } from '../../src/protocol/domain/audit.ts'
import type { Quote } from '../../src/protocol/domain/quote.ts'
import type { RequestTerms } from '../../src/protocol/domain/request.ts'
import { type Address, contracts, type ResolutionBps, type StrikeBps, usd6 } from '../../src/protocol/domain/units.ts'
import { type DashboardState, initialState, reduce, type ViewName } from '../../src/web/dashboard/state.ts'

/** The relay's time when the scene is looked at: noon. */
export const NOON = Date.UTC(2026, 2, 14, 12, 0, 0)

/** How far the relay's clock is ahead of the test's. */
const AHEAD_MS = 250

const wallet = (digit: number): Address => `0x${String(digit).repeat(40)}`

const QUESTIONS = ['雨は降りますか? Will it snow?', null, 'Will it rain in Zürich on Sunday?']

export const conditionOf = (question: number): `0x${string}` => `0x${`1${question}`.repeat(32)}`

/** A request's terms: a buy of calls for even numbers, a sale of puts for odd ones. */
export function termsOf(number: number): RequestTerms {
  return {
    wallet: null,
    market: { conditionId: conditionOf(number % 3), yesTokenId: '123', question: QUESTIONS[number % 3] ?? null },
    option: {
      optionType: number % 2 === 0 ? 'call' : 'put',
      strikeBps: (4_500 + number * 50) as StrikeBps,
      expiryMs: NOON + 3_600_000,
    },
    trade: number % 2 === 0 ? { side: 'buy', budget: usd6(100_000_000n) } : { side: 'sell', size: contracts(250n) },
  }
}

/** The id of a request: they differ in their first eight digits, as UUIDs do. */
export const idOf = (number: number): string =>
  `${(0x3f2a91c0 + number * 7_919).toString(16)}-0000-4000-8000-000000000000`

const seriesIdOf = (number: number): string => String(900_000_000_000 + number)

export const quoteOf = (number: number, makerId: string, micro: bigint, at: number): Quote => ({
  quoteId: `${makerId}-${number}`,
  requestId: idOf(number),
  makerId,
  maker: wallet(7),
  side: number % 2 === 0 ? 'buy' : 'sell',
  price: usd6(micro),
  size: contracts(1_000n),
  pricedAt: at,
  expiresAt: NOON + 60_000,
})

/** The terms of a request that leaves its side to its commit. */
const bothTermsOf = (number: number): RequestTerms => ({
  ...termsOf(number),
  trade: { side: 'both', size: contracts(50n) },
})

let lastId = 1_000_000_000

/** Something that happened so many milliseconds before noon. */
export function happened(number: number, agoMs: number, fact: AuditFact): OperatorEvent {
  lastId += 1
  return { kind: 'happened', id: lastId, entry: { at: NOON - agoMs, requestId: idOf(number), ...fact } }
}

export const opened = (number: number, agoMs: number): OperatorEvent =>
  happened(number, agoMs, {
    kind: 'opened',
    terms: termsOf(number),
    seriesId: seriesIdOf(number),
    expiresAt: NOON - agoMs + 300_000,
    makersConnected: 3,
  })

export const quoted = (number: number, agoMs: number, makerId: string, micro: bigint): OperatorEvent =>
  happened(number, agoMs, { kind: 'quoted', quote: quoteOf(number, makerId, micro, NOON - agoMs), isRequote: false })

export const openedBoth = (number: number, agoMs: number): OperatorEvent =>
  happened(number, agoMs, {
    kind: 'opened',
    terms: bothTermsOf(number),
    seriesId: seriesIdOf(number),
    expiresAt: NOON - agoMs + 300_000,
    makersConnected: 3,
  })

/** A quote on both sides: what its maker pays, and what it takes. */
export const quotedBoth = (
  number: number,
  agoMs: number,
  { makerId, bid, ask }: { makerId: string; bid: bigint; ask: bigint },
): OperatorEvent => {
  const quote: Quote = {
    ...quoteOf(number, makerId, ask, NOON - agoMs),
    side: 'buy',
    otherPrice: usd6(bid),
  }
  return happened(number, agoMs, { kind: 'quoted', quote, isRequote: false })
}

/** An ask to sign that runs out ten seconds later. */
export const asked = (number: number, agoMs: number, makerId: string): OperatorEvent =>
  happened(number, agoMs, {
    kind: 'asked',
    makerId,
    quoteId: `${makerId}-${number}`,
    deadline: NOON - agoMs + 10_000,
    order: {
      maker: wallet(7),
      seriesId: '77',
      optionAmount: contracts(833n),
      premiumAmount: usd6(99_960_000n),
      makerSelling: true,
      taker: wallet(8),
      validUntil: NOON / 1_000 + 130,
      nonce: 7,
    },
  })

export const makerOf = (makerId: string, standing: Partial<MakerStanding> = {}): OperatorEvent => ({
  kind: 'maker',
  maker: {
    makerId,
    streams: 1,
    sockets: 1,
    quotes: 120,
    requestsQuoted: 40,
    refused: 0,
    asked: 12,
    confirmed: 12,
    declined: 0,
    demotedUntil: null,
    suspendedUntil: null,
    missed: 0,
    hitRate: 0.3,
    score: 100,
    confirmP50Ms: 34,
    confirmP99Ms: 210,
    lastQuoteAt: NOON - 3_000,
    lastRefusal: null,
    ...standing,
  },
})

export function seriesOf(number: number, progress: Partial<SeriesProgress> & { expiresInS: number }): OperatorEvent {
  const { expiresInS, ...rest } = progress
  return {
    kind: 'series',
    progress: {
      series: {
        seriesId: seriesIdOf(number),
        conditionId: conditionOf((number % 2) * 2),
        yesTokenId: '123',
        strikeBps: (4_500 + number * 500) as StrikeBps,
        expiry: NOON / 1_000 + expiresInS,
        optionType: number % 2 === 0 ? 'call' : 'put',
        resolutionBps: null,
      },
      question: QUESTIONS[(number % 2) * 2] ?? null,
      phase: 'trading',
      points: [],
      pointCount: 0,
      twap: null,
      mark: null,
      intrinsic: null,
      resolution: null,
      review: null,
      ...rest,
    },
  }
}

const UP = { state: 'up', tookMs: 0, detail: null } as const

export const healthOf = (health: Partial<Health> = {}): OperatorEvent => ({
  kind: 'health',
  health: {
    at: NOON - 1_000,
    isReady: true,
    parts: { store: UP, bus: UP, chain: { ...UP, tookMs: 2 } },
    head: { block: 1_234, time: NOON / 1_000 - 2, ageMs: 1_200 },
    makersConnected: 3,
    connections: { maker_stream: 3, taker_stream: 2, operator_stream: 1, maker_socket: 3 },
    droppedSlow: 0,
    eventLoopLagMs: 1.25,
    memoryBytes: 84_000_000,
    uptimeMs: 3_723_000,
    ...health,
  },
})

const POINTS = [0.41, 0.43, 0.42, 0.46, 0.5, 0.48, 0.51, 0.55].map((p, i) => ({ t: NOON / 1_000 - 480 + i * 60, p }))

/** Events by their time, with ids that rise; standings stay behind them. */
function inOrder(events: readonly OperatorEvent[]): OperatorEvent[] {
  const auditLog = events.filter((event) => event.kind === 'happened').sort((a, b) => a.entry.at - b.entry.at)
  return [
    ...auditLog.map((event, i) => ({ ...event, id: 1_000_000_001 + i })),
    ...events.filter(({ kind }) => kind !== 'happened'),
  ]
}

/** A relay in the middle of its work: one of everything that a screen can show. */
export const BUSY: readonly OperatorEvent[] = inOrder([
  opened(1, 240_000),
  quoted(1, 239_000, 'maker-1', 310_000n),
  asked(1, 200_000, 'maker-1'),
  happened(1, 199_600, {
    kind: 'confirmed',
    makerId: 'maker-1',
    quoteId: 'maker-1-1',
    executionId: 'e1',
    waitedMs: 400,
  }),
  happened(1, 199_600, { kind: 'closed', status: 'committed' }),
  opened(3, 100_000),
  happened(3, 40_000, { kind: 'closed', status: 'cancelled' }),
  opened(2, 48_000),
  quoted(2, 47_500, 'maker-1', 190_000n),
  quoted(2, 47_200, 'maker-2', 170_000n),
  quoted(2, 46_000, 'maker-3', 165_000n),
  quoted(2, 40_000, 'maker-1', 150_000n),
  quoted(2, 31_000, 'maker-2', 140_000n),
  happened(2, 22_000, {
    kind: 'quote_refused',
    makerId: 'maker-4',
    code: 'maker_insufficient_balance',
    detail: 'Wallet 0x7099…79C8 holds $3.00; this fill needs $458.33 and $0.00 is already promised.',
  }),
  quoted(2, 20_000, 'maker-3', 120_000n),
  happened(2, 12_900, {
    kind: 'commit_started',
    terms: { wallet: wallet(8), limitPrice: usd6(130_000n), minContracts: contracts(400n), expectedQuoteId: null },
  }),
  asked(2, 12_800, 'maker-3'),
  happened(2, 2_800, { kind: 'missed', makerId: 'maker-3', quoteId: 'maker-3-2' }),
  asked(2, 2_800, 'maker-2'),
  opened(4, 9_000),
  quoted(4, 5_200, 'maker-2', 210_000n),
  quoted(4, 5_100, 'maker-1', 215_000n),
  opened(6, 2_000),
  makerOf('maker-1'),
  makerOf('maker-2', { score: 83, missed: 2, hitRate: 0.45, confirmP50Ms: 120, confirmP99Ms: 1_900 }),
  makerOf('maker-3', { score: 40, missed: 6, asked: 8, confirmed: 2, confirmP50Ms: 800, confirmP99Ms: 9_700 }),
  makerOf('maker-4', {
    streams: 0,
    sockets: 0,
    score: null,
    asked: 0,
    confirmed: 0,
    refused: 5,
    hitRate: 0,
    confirmP50Ms: null,
    confirmP99Ms: null,
    lastRefusal: {
      at: NOON - 22_000,
      code: 'maker_insufficient_balance',
      detail: 'Wallet 0x7099…79C8 holds $3.00; this fill needs $458.33 and $0.00 is already promised.',
    },
  }),
  seriesOf(0, { expiresInS: 7_200, mark: usd6(72_240n), intrinsic: usd6(50_000n) }),
  seriesOf(1, {
    expiresInS: 1_320,
    phase: 'window',
    points: POINTS,
    pointCount: 8,
    twap: 0.4712,
    intrinsic: usd6(28_800n),
  }),
  seriesOf(2, { expiresInS: -30, phase: 'due', points: POINTS, pointCount: 31, twap: 0.4688 }),
  seriesOf(3, {
    expiresInS: -600,
    phase: 'resolved',
    points: POINTS,
    pointCount: 30,
    twap: 0.5931,
    resolution: { resolutionBps: 59 as ResolutionBps, method: 'twap' },
  }),
  seriesOf(4, { expiresInS: -900, phase: 'review', review: { reason: 'no_price_data', at: NOON - 890_000 } }),
  seriesOf(5, {
    expiresInS: -7_200,
    phase: 'settled',
    resolution: { resolutionBps: 41 as ResolutionBps, method: null },
  }),
  healthOf(),
])

/** A request for both sides beside one that has its own. */
export const BOTH_SIDES: readonly OperatorEvent[] = inOrder([
  openedBoth(2, 48_000),
  quotedBoth(2, 47_000, { makerId: 'maker-1', bid: 120_000n, ask: 150_000n }),
  quotedBoth(2, 46_000, { makerId: 'maker-2', bid: 125_000n, ask: 151_000n }),
  quotedBoth(2, 40_000, { makerId: 'maker-3', bid: 118_000n, ask: 156_000n }),
  opened(4, 9_000),
  quoted(4, 5_200, 'maker-2', 210_000n),
  makerOf('maker-1'),
  makerOf('maker-2'),
  makerOf('maker-3'),
  seriesOf(2, { expiresInS: 7_200, mark: usd6(132_240n), intrinsic: usd6(50_000n) }),
  healthOf(),
])

/** The taker of that request has named its side. */
export const SOLD: readonly OperatorEvent[] = inOrder([
  ...BOTH_SIDES,
  happened(2, 3_000, {
    kind: 'commit_started',
    terms: { wallet: wallet(8), side: 'sell', limitPrice: usd6(125_000n), minContracts: null, expectedQuoteId: null },
  }),
  asked(2, 2_900, 'maker-2'),
])

/** A connected dashboard at noon of the relay that has heard a snapshot of these events. */
export function connected(
  events: readonly OperatorEvent[] = BUSY,
  { view = 'requests', mode = 'onchain' }: { view?: ViewName; mode?: 'onchain' | 'simulated' } = {},
): DashboardState {
  const at = NOON - AHEAD_MS
  return reduce(initialState(at, view), {
    kind: 'events',
    at,
    events: [
      { kind: 'connected', serverTime: NOON, mode, chainId: 80002 },
      { kind: 'snapshot_begin', openRequests: 0 },
      ...events,
      { kind: 'snapshot_complete' },
    ],
  })
}
