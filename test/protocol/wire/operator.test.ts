import { describe, expect, it } from 'vitest'
import type { AuditEntry, AuditFact } from '../../../src/protocol/domain/audit.ts'
import type { AuthorityRecord } from '../../../src/protocol/domain/authority.ts'
import { makerStanding, type RequestSnapshot } from '../../../src/protocol/domain/operations.ts'
import { afterFact, NEW_MAKER } from '../../../src/protocol/domain/reliability.ts'
import { seriesIdOf } from '../../../src/protocol/domain/series.ts'
import { contracts, type ResolutionBps, type StrikeBps, usd6 } from '../../../src/protocol/domain/units.ts'
import { AUDIT_ENTRIES, decodeAuditLog, encodeAuditLog } from '../../../src/protocol/wire/audit.ts'
import {
  authorityFrame,
  decodeOperatorEvent,
  happenedFrame,
  healthFrame,
  makerStandingFrame,
  operatorConnectedFrame,
  operatorSnapshotEndFrame,
  operatorSnapshotFrame,
  requestSnapshotFrame,
  seriesProgressFrame,
} from '../../../src/protocol/wire/operator-stream.ts'
import type { SseFrame } from '../../../src/protocol/wire/sse.ts'

const AT = Date.UTC(2026, 0, 1, 12, 0, 0, 7)
const MAKER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const TAKER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

const TERMS = {
  wallet: null,
  market: { conditionId: `0x${'11'.repeat(32)}`, yesTokenId: '123', question: 'Will it rain?' },
  option: { optionType: 'put', strikeBps: 4_500 as StrikeBps, expiryMs: AT + 3_600_000 },
  trade: { side: 'buy', budget: usd6(100_000_000n) },
} as const

const QUOTE = {
  quoteId: 'q1',
  requestId: 'r1',
  makerId: 'ada',
  maker: MAKER,
  side: 'buy',
  price: usd6(123_457n),
  size: contracts(900n),
  pricedAt: AT,
  expiresAt: AT + 5_000,
} as const

const ORDER = {
  maker: MAKER,
  seriesId: '77',
  optionAmount: contracts(810n),
  premiumAmount: usd6(100_000_170n),
  makerSelling: true,
  taker: TAKER,
  validUntil: 1_767_268_930,
  nonce: 4_294_967_296,
} as const

const quoteOf = { makerId: 'ada', quoteId: 'q1' }

/** One of each kind: a new kind does not compile until it stands here. */
const FACTS: { [Kind in AuditFact['kind']]: Extract<AuditFact, { kind: Kind }> } = {
  opened: { kind: 'opened', terms: TERMS, seriesId: '77', expiresAt: AT + 300_000, makersConnected: 3 },
  reopened: { kind: 'reopened' },
  quoted: { kind: 'quoted', quote: QUOTE, isRequote: true },
  quote_sealed: { kind: 'quote_sealed', ...quoteOf },
  quote_refused: { kind: 'quote_refused', makerId: 'ada', code: 'maker_insufficient_balance', detail: 'holds 3' },
  quote_withdrawn: { kind: 'quote_withdrawn', ...quoteOf },
  quote_dropped: { kind: 'quote_dropped', ...quoteOf },
  quote_expired: { kind: 'quote_expired', ...quoteOf },
  quote_absent: { kind: 'quote_absent', ...quoteOf },
  commit_started: {
    kind: 'commit_started',
    terms: { wallet: TAKER, limitPrice: usd6(130_000n), minContracts: contracts(400n), expectedQuoteId: null },
  },
  commit_refused: { kind: 'commit_refused', code: 'no_maker_confirmed' },
  ranked: {
    kind: 'ranked',
    quotes: [{ ...QUOTE, misses: 1, isDemoted: true, isProven: false, isConsidered: true }],
    hurriedLeft: -1,
    chosen: null,
  },
  passed_over: { kind: 'passed_over', ...quoteOf, code: 'maker_unreachable', detail: 'no socket' },
  asked: { kind: 'asked', ...quoteOf, order: ORDER, deadline: AT + 10_000 },
  signature_refused: { kind: 'signature_refused', ...quoteOf },
  declined: { kind: 'declined', ...quoteOf, waitedMs: 12, reason: 'inventory is full' },
  missed: { kind: 'missed', ...quoteOf },
  confirmed: { kind: 'confirmed', ...quoteOf, executionId: 'e1', waitedMs: 34 },
  order_filled: { kind: 'order_filled', ...quoteOf, transactionHash: `0x${'ab'.repeat(32)}`, blockNumber: 7 },
  order_cancelled: { kind: 'order_cancelled', ...quoteOf, transactionHash: `0x${'cd'.repeat(32)}`, blockNumber: 8 },
  order_expired: { kind: 'order_expired', ...quoteOf },
  order_defunded: { kind: 'order_defunded', ...quoteOf, code: 'maker_insufficient_balance', blockNumber: 9 },
  closed: { kind: 'closed', status: 'cancelled', isDisplaced: true },
}

const ENTRIES = Object.values(FACTS).map((fact): AuditEntry => ({ at: AT, requestId: 'r1', ...fact }))

const sent = ({ event, data, id }: SseFrame) =>
  decodeOperatorEvent({ event, data: JSON.stringify(data), id: id === undefined ? undefined : String(id) })

describe('the audit log on the wire', () => {
  it.each(ENTRIES)('$kind comes back as it was', (entry) => {
    expect(sent(happenedFrame({ id: 9, entry }))).toEqual({ kind: 'happened', id: 9, entry })
  })

  it('tells of a closed request how much of it was not kept', () => {
    const entry: AuditEntry = { at: AT, requestId: 'r1', kind: 'closed', status: 'cancelled', omitted: 7 }
    expect(sent(happenedFrame({ id: 9, entry }))).toEqual({ kind: 'happened', id: 9, entry })
  })

  it('has a schema for every kind, under the name of its event', () => {
    expect(Object.keys(AUDIT_ENTRIES)).toEqual(Object.keys(FACTS))
    for (const [kind, schema] of Object.entries(AUDIT_ENTRIES)) expect(schema.properties.kind.const).toBe(kind)
  })

  it('a firm quote that was taken comes with its order, and a commit to firm quotes only says so', () => {
    const entries: AuditEntry[] = [
      { at: AT, requestId: 'r1', ...FACTS.confirmed, order: ORDER },
      { at: AT, requestId: 'r1', kind: 'quoted', quote: { ...QUOTE, isFirm: true }, isRequote: false },
      { at: AT, requestId: 'r1', kind: 'commit_started', terms: { ...FACTS.commit_started.terms, firmOnly: true } },
    ]
    for (const entry of entries)
      expect(sent(happenedFrame({ id: 9, entry }))).toEqual({ kind: 'happened', id: 9, entry })
  })

  it('a commit without protections has no such field', () => {
    const terms = { wallet: TAKER, limitPrice: null, minContracts: null, expectedQuoteId: 'q1' } as const
    const entry: AuditEntry = { at: AT, requestId: 'r1', kind: 'commit_started', terms }
    expect(sent(happenedFrame({ id: 1, entry }))).toEqual({ kind: 'happened', id: 1, entry })
  })

  it('as an answer comes back whole, and a kind of a newer relay is passed over', () => {
    const answer = JSON.parse(JSON.stringify(encodeAuditLog(ENTRIES)))
    answer.entries.push({ kind: 'teleported', at: 'tomorrow' })
    expect(decodeAuditLog(answer)).toEqual(ENTRIES)
  })
})

describe('the standings on the wire', () => {
  const standing: RequestSnapshot = {
    requestId: 'r1',
    seriesId: '77',
    createdAt: AT,
    expiresAt: AT + 300_000,
    locked: true,
    terms: TERMS,
    quotes: [{ ...QUOTE, misses: 1, isDemoted: true }],
    quoteCount: 21,
    pending: { makerId: 'ada', quoteId: 'q1', askedAt: AT, deadline: AT + 10_000 },
  }

  it('a request comes with its quotes and who is asked', () => {
    expect(sent(requestSnapshotFrame(standing))).toEqual({ kind: 'request', request: standing })
  })

  it('a request whose maker is not asked says so', () => {
    expect(sent(requestSnapshotFrame({ ...standing, quotes: [], quoteCount: 0, pending: null }))).toMatchObject({
      request: { pending: null, quotes: [] },
    })
  })

  it.each([
    [
      'one that has quoted and signed',
      [
        { at: AT, kind: 'quoted', isRequote: false },
        { at: AT, kind: 'confirmed', waitedMs: 40 },
      ],
      AT,
    ],
    ['one that was refused', [{ at: AT, kind: 'quote_refused', code: 'side_mismatch', detail: 'sides' }], null],
    ['a new one', [], null],
  ] as const)('a maker keeps its state: %s', (_, facts, demotedUntil) => {
    const record = [...facts].reduce(afterFact, NEW_MAKER)
    const standing = makerStanding({
      makerId: 'ada',
      streams: 1,
      sockets: 2,
      record,
      demotedUntil,
      suspendedUntil: demotedUntil,
    })
    expect(sent(makerStandingFrame(standing))).toEqual({ kind: 'maker', maker: standing })
  })

  it('a series comes with its points, its worth, its resolution and why it waits; an older relay tells of no worth', () => {
    const terms = {
      conditionId: TERMS.market.conditionId,
      yesTokenId: '123',
      strikeBps: TERMS.option.strikeBps,
      expiry: AT / 1_000 - 0.007,
      optionType: 'put',
    } as const
    const listed = { ...terms, seriesId: seriesIdOf(terms), resolutionBps: null }
    const series = { ...listed, halted: false }
    const progress = {
      series,
      question: 'Will it rain?',
      phase: 'window',
      points: [{ t: 1, p: 0.41 }],
      pointCount: 1,
      twap: 0.41,
      mark: usd6(72_240n),
      intrinsic: usd6(0n),
      resolution: null,
      review: null,
    } as const
    expect(sent(seriesProgressFrame(progress))).toEqual({ kind: 'series', progress: { ...progress, series: listed } })
    const { markUsd: _, intrinsicUsd: __, ...older } = seriesProgressFrame(progress).data as Record<string, unknown>
    expect(sent({ event: 'series', data: older })).toMatchObject({ progress: { mark: null, intrinsic: null } })
    const resolution = { resolutionBps: 59 as ResolutionBps, method: 'twap' } as const
    expect(sent(seriesProgressFrame({ ...progress, phase: 'resolved', resolution }))).toMatchObject({
      progress: { resolution },
    })
    const disputed = { ...listed, resolutionBps: 59 as ResolutionBps, finalAt: 1_800_003_600, vetoed: true }
    expect(sent(seriesProgressFrame({ ...progress, series: disputed }))).toMatchObject({
      progress: { series: disputed },
    })
    const review = { reason: 'no_price_data', at: AT }
    expect(sent(seriesProgressFrame({ ...progress, phase: 'review', review }))).toMatchObject({ progress: { review } })
  })

  it('the powers on chain come back as they were', () => {
    const account = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' as const
    const authority: AuthorityRecord = {
      roles: [
        { role: 'owner', holder: account, proposed: null },
        { role: 'resolution_signer', holder: null, proposed: { account, acceptableAt: 8, lapsesAt: 9 } },
      ],
      events: [
        {
          kind: 'price_voided',
          blockNumber: 7,
          transactionHash: `0x${'ab'.repeat(32)}`,
          role: null,
          account: null,
          seriesId: '42',
          resolutionBps: 59 as ResolutionBps,
          effectiveAt: null,
        },
      ],
    }
    expect(sent(authorityFrame(authority))).toEqual({ kind: 'authority', authority })
  })

  it('health comes back as it was', () => {
    const up = { state: 'up', tookMs: 1, detail: null } as const
    const vitals = {
      connections: { maker_stream: 1, taker_stream: 2, operator_stream: 3, maker_socket: 4 },
      droppedSlow: 5,
      eventLoopLagMs: 1.25,
      memoryBytes: 6,
      uptimeMs: 7,
    }
    const parts = { store: up, bus: up, chain: { state: 'down', tookMs: 2_000, detail: 'no answer' } } as const
    const head = { block: 7, time: 8, ageMs: 9 }
    const report = { at: AT, isReady: false, parts, head, makersConnected: null, vitals }
    const { vitals: _, ...rest } = report
    expect(sent(healthFrame(report))).toEqual({ kind: 'health', health: { ...rest, ...vitals } })
  })
})

describe("the operator's stream", () => {
  it('begins, opens and ends its snapshot by events of their own', () => {
    expect(sent(operatorConnectedFrame({ serverTime: AT, mode: 'simulated', chainId: 80002 }))).toEqual({
      kind: 'connected',
      serverTime: AT,
      mode: 'simulated',
      chainId: 80002,
    })
    expect(sent(operatorSnapshotFrame(502))).toEqual({ kind: 'snapshot_begin', openRequests: 502 })
    expect(sent(operatorSnapshotEndFrame(7))).toEqual({ kind: 'snapshot_complete' })
  })

  it('passes over an event of a newer relay and refuses a broken one', () => {
    expect(decodeOperatorEvent({ event: 'teleported', data: '{}' })).toBeNull()
    expect(decodeOperatorEvent({ event: 'constructor', data: '{}' })).toBeNull()
    expect(() => decodeOperatorEvent({ event: 'missed', data: '{}' })).toThrow(/kind must be/)
  })
})
