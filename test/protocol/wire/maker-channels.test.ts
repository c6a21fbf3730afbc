import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LossFeedback } from '../../../src/protocol/domain/best-quote.ts'
import { standingOf } from '../../../src/protocol/domain/maker-record.ts'
import { ORDER_TYPES } from '../../../src/protocol/domain/order.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import {
  decodeConfirm,
  decodeDecline,
  decodeFirm,
  encodeConfirm,
  encodeFirm,
} from '../../../src/protocol/wire/confirm.ts'
import { decodeMakerBook, encodeMakerBook } from '../../../src/protocol/wire/maker-book.ts'
import {
  decodeMakerCommand,
  encodeAuth,
  encodePing,
  encodeSubscribe,
} from '../../../src/protocol/wire/maker-commands.ts'
import { decodeHistory, encodeHistory } from '../../../src/protocol/wire/maker-history.ts'
import {
  decodeMakerMessage,
  encodeConnected,
  encodePong,
  encodePostTrade,
  type PostTradeMessage,
  rejectedText,
} from '../../../src/protocol/wire/maker-messages.ts'
import { decodeStanding, encodeStanding } from '../../../src/protocol/wire/maker-record.ts'
import {
  decodeMakerStreamEvent,
  quoteRequestExpiredFrame,
  quoteRequestFrame,
  SNAPSHOT_BEGIN_FRAME,
  snapshotCompleteFrame,
  streamConnectedFrame,
} from '../../../src/protocol/wire/maker-stream.ts'
import { decodeLastEventId, encodeSseFrame, type SseFrame } from '../../../src/protocol/wire/sse.ts'
import { bestQuoteFrame, closedFrame, decodeTakerStreamEvent } from '../../../src/protocol/wire/taker-stream.ts'
import { order as anyOrder } from '../../support/arbitraries.ts'
import { domain, openBody, order, overTheWire, quote, request, terms } from './examples.ts'

const NOW = 1_700_000_000_000
const acceptance = { requestId: 'request-1', quoteId: 'quote-1', order, domain, deadline: NOW }

describe('messages of the socket', () => {
  test('connected names the protocol and the maker', () => {
    expect(encodeConnected('maker-1', NOW)).toEqual({
      type: 'connected',
      protocolVersion: 3,
      makerId: 'maker-1',
      authenticated: true,
      serverTime: '2023-11-14T22:13:20.000Z',
      offers: ['calls', 'orders', 'standing', 'inventory', 'requests', 'packages', 'levels'],
    })
  })

  test('quote:accepted carries all that signing needs', () => {
    expect(encodePostTrade({ kind: 'accepted', acceptance })).toEqual({
      type: 'quote:accepted',
      quoteId: 'quote-1',
      requestId: 'request-1',
      order: { ...order, optionAmount: '833', premiumAmount: '99960000' },
      domain,
      types: ORDER_TYPES,
      confirmationDeadline: '2023-11-14T22:13:20.000Z',
    })
  })

  test('quote:accepted says how many options of a sale are its maker’s own, to who asks for it', () => {
    const told = (over: object, withInventory: boolean) => {
      const own = { ...acceptance, fromInventory: contracts(120n), ...over }
      const message = encodePostTrade({ kind: 'accepted', acceptance: own }, withInventory)
      const decoded = decodeMakerMessage(overTheWire(message))
      return decoded?.kind === 'accepted' ? decoded.acceptance.fromInventory : null
    }
    expect(told({}, true)).toBe(120n)
    expect(told({}, false)).toBeUndefined()
    expect(told({ order: { ...order, makerSelling: false } }, true)).toBeUndefined()
    expect(encodePostTrade({ kind: 'accepted', acceptance }, true)).toEqual(
      encodePostTrade({ kind: 'accepted', acceptance }),
    )
  })

  test('quote:confirmed, quote:rejected and pong are what the specification shows', () => {
    const outcome = { requestId: 'request-1', quoteId: 'quote-1' }
    expect(encodePostTrade({ kind: 'confirmed', ...outcome })).toEqual({ type: 'quote:confirmed', ...outcome })
    expect(encodePostTrade({ kind: 'rejected', ...outcome, reason: 'another_quote_won' })).toEqual({
      type: 'quote:rejected',
      ...outcome,
      reason: 'another_quote_won',
    })
    const feedback = { rank: 2, quoteCount: 3, winningPrice: usd6(100_001n) }
    expect(encodePostTrade({ kind: 'rejected', ...outcome, reason: 'another_quote_won', feedback })).toEqual({
      type: 'quote:rejected',
      ...outcome,
      reason: 'another_quote_won',
      rank: 2,
      quoteCount: 3,
      winningPrice: 0.100001,
    })
    expect(encodePong(NOW)).toEqual({ type: 'pong', timestamp: NOW })
  })

  test.each([
    undefined,
    { rank: 2, quoteCount: 3, winningPrice: usd6(100_001n) },
    { rank: 2, quoteCount: 3, winningPrice: null },
  ])('quote:rejected is the same as text: %o', (feedback) => {
    const loss = { reason: 'another_quote_won', ...(feedback === undefined ? {} : { feedback }) } as const
    const message = { kind: 'rejected', requestId: 'request-1', quoteId: 'quote-1', ...loss } as const
    expect(rejectedText(message)).toBe(JSON.stringify(encodePostTrade(message)))
  })

  test('is understood by a maker', () => {
    const outcome = { requestId: 'request-1', quoteId: 'quote-1' }
    const heard = (message: unknown) => decodeMakerMessage(overTheWire(message))
    const lost = (feedback: LossFeedback) => ({ reason: 'another_quote_won' as const, feedback })
    expect(heard(encodeConnected('maker-1', NOW))).toEqual({ kind: 'connected', makerId: 'maker-1', serverTime: NOW })
    expect(heard(encodePong(NOW))).toEqual({ kind: 'pong', timestamp: NOW })
    for (const message of [
      { kind: 'accepted', acceptance },
      { kind: 'confirmed', ...outcome },
      { kind: 'rejected', ...outcome, reason: 'request_expired' },
      { kind: 'rejected', ...outcome, ...lost({ rank: 2, quoteCount: 3, winningPrice: null }) },
      { kind: 'rejected', ...outcome, ...lost({ rank: 2, quoteCount: 3, winningPrice: usd6(100_001n) }) },
    ] as const) {
      expect(heard(encodePostTrade(message))).toEqual(message)
    }
  })

  test('say in a history how a quote ranked beside the winner, as far as that is shared', () => {
    const lost = { at: NOW, requestId: 'request-1', quoteId: 'quote-1', status: 'rejected' } as const
    const outcomes = [
      { ...lost, reason: 'request_expired' as const },
      { ...lost, reason: 'another_quote_won' as const, feedback: { rank: 2, quoteCount: 3, winningPrice: null } },
      { ...lost, reason: 'another_quote_won' as const, feedback: { rank: 2, quoteCount: 3, winningPrice: usd6(7n) } },
    ]
    expect(decodeHistory(overTheWire(encodeHistory(outcomes, 10))).outcomes).toEqual(outcomes)
  })

  test('tells what comes of a record as it is shown, but for how long an answer took', () => {
    const heard = (message: PostTradeMessage) => decodeMakerMessage(overTheWire(encodePostTrade(message)))
    const place = { requestId: 'request-1', quoteId: 'quote-1' }
    const outcome = { kind: 'bad_signature', ...place, at: NOW } as const
    expect(encodePostTrade({ kind: 'suspended', until: NOW + 1, because: [{ ...outcome, waitedMs: 5 }] })).toEqual({
      type: 'maker:suspended',
      until: '2023-11-14T22:13:20.001Z',
      because: [{ ...outcome, at: '2023-11-14T22:13:20.000Z' }],
    })
    expect(encodePostTrade({ kind: 'missed', ...place })).toEqual({ type: 'quote:missed', ...place })
    for (const message of [
      { kind: 'missed', ...place },
      { kind: 'suspended', until: NOW, because: [outcome] },
      { kind: 'reinstated' },
    ] as const) {
      expect(heard(message)).toEqual(message)
    }
  })

  test('shows a record, and the share of requests that were won', () => {
    const outcome = { kind: 'missed', requestId: 'request-1', quoteId: 'quote-1', at: NOW } as const
    const suspension = { strikes: 1, cleanInARow: 0, since: 0, until: NOW + 9, because: [outcome] }
    const record = { outcomes: [outcome], suspension }
    const standing = standingOf(record, { now: NOW, windowMs: 60_000, lastDay: { requests: 4, won: 1 } })
    const answer = encodeStanding(standing)
    expect(answer.standing).toMatchObject({ score: 67, lastDay: { requests: 4, won: 1, winShare: 0.25 }, strikes: 1 })
    expect(decodeStanding(overTheWire(answer))).toEqual(standing)
    const none = encodeStanding({ ...standing, lastDay: { requests: 0, won: 0 }, suspension: null })
    expect(none.standing).toMatchObject({ lastDay: { winShare: null }, suspension: null })
  })

  test('keeps every order exact', () => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        const message = { kind: 'accepted', acceptance: { ...acceptance, order } } as const
        expect(decodeMakerMessage(overTheWire(encodePostTrade(message)))).toEqual(message)
      }),
    )
  })

  test.each([null, 5, 'x', [], {}, { type: 'quote:invented' }])('is null when it is %j', (message) => {
    expect(decodeMakerMessage(message)).toBeNull()
  })

  test('is refused when a known message lacks a field', () => {
    expect(() => decodeMakerMessage({ type: 'quote:confirmed', requestId: 'r' })).toThrow(/^quoteId must be/)
  })
})

describe('messages of a maker', () => {
  test('is auth, ping or subscribe', () => {
    expect(decodeMakerCommand(JSON.stringify(encodeAuth('k')))).toEqual({ kind: 'auth', apiKey: 'k' })
    expect(decodeMakerCommand(JSON.stringify(encodePing()))).toEqual({ kind: 'ping' })
    for (const to of ['orders', 'standing'] as const) {
      expect(decodeMakerCommand(JSON.stringify(encodeSubscribe(to)))).toEqual({ kind: 'subscribe', to })
    }
    expect(decodeMakerCommand('{"type":"auth"}')).toEqual({ kind: 'auth', apiKey: null })
  })

  test.each(['5', '[]', '["k"]', '{"toString":{}}', 'true'])('holds a key that none can be when it sends %s', (key) => {
    expect(decodeMakerCommand(`{"type":"auth","apiKey":${key}}`)).toEqual({ kind: 'auth', apiKey: '' })
  })

  test.each(['', '{', 'null', '5', '[]', '{"type":"subscribe"}', '{"type":"subscribe","to":"all"}', '{"__proto__":1}'])(
    'is null when it is %j',
    (text) => {
      expect(decodeMakerCommand(text)).toBeNull()
    },
  )

  test('a confirm carries a signature of any text, never shown when it is invalid', () => {
    expect(decodeConfirm(encodeConfirm('0x12'))).toBe('0x12')
    expect(() => decodeConfirm({})).toThrow('signature must be a string of at most 8194 characters, got something else')
    expect(() => decodeConfirm({ signature: 55 })).toThrow(/^(?!.*55)/)
    const longest = `0x${'5e'.repeat(4_096)}`
    expect(decodeConfirm(encodeConfirm(longest))).toBe(longest)
    expect(() => decodeConfirm({ signature: `${longest}5e` })).toThrow(/^signature must be (?!.*5e5e)/)
  })

  test('signatures of a firm quote are of its order, and of the one at its bid where it has one', () => {
    for (const signatures of [{ signature: '0x12' }, { signature: '0x12', otherSignature: '0x34' }])
      expect(decodeFirm(encodeFirm(signatures))).toEqual(signatures)
    expect(decodeFirm({ signature: '0x12', bidSignature: null })).toEqual({ signature: '0x12' })
    expect(() => decodeFirm({ signature: '0x12', bidSignature: 55 })).toThrow(/^bidSignature must be (?!.*55)/)
  })

  test('a decline may carry a reason, which is cut and fit for a terminal', () => {
    expect(decodeDecline({ reason: 'inventory is full' })).toBe('inventory is full')
    for (const body of [{}, { reason: null }, { reason: '' }, { reason: '  ' }]) expect(decodeDecline(body)).toBeNull()
    expect(decodeDecline({ reason: 'x'.repeat(500) })).toHaveLength(200)
    expect(() => decodeDecline({ reason: 5 })).toThrow(/^reason must be/)
    expect(decodeDecline({ reason: 'a\u0000b\u001b[2J\u202ec\ud800' })).toBe('a\ufffdb\ufffd[2J\ufffdc\ufffd')
  })
})

describe('the events of the maker stream', () => {
  const over = ({ event, data }: SseFrame) => decodeMakerStreamEvent({ event, data: overTheWire(data) })

  test('carry what the specification shows', () => {
    expect(streamConnectedFrame('maker-1', NOW)).toEqual({
      event: 'connected',
      data: { makerId: 'maker-1', serverTime: '2023-11-14T22:13:20.000Z' },
    })
    expect(quoteRequestFrame(5, request)).toEqual({
      id: 5,
      event: 'quote_request',
      data: {
        requestId: 'request-1',
        expiresAt: '2023-11-14T22:18:20.000Z',
        params: { wallet: null, ...openBody() },
      },
    })
    const priced = { ...request, market: { ...request.market, yesPrice: 0.58 } }
    expect(quoteRequestFrame(5, priced)).toMatchObject({
      data: { params: { market: { ...openBody().market, yesPrice: 0.58 } } },
    })
    expect(quoteRequestExpiredFrame(6, 'request-1')).toEqual({
      id: 6,
      event: 'quote_request_expired',
      data: { requestId: 'request-1' },
    })
  })

  test('are understood by a maker', () => {
    expect(over(streamConnectedFrame('maker-1', NOW))).toEqual({
      kind: 'connected',
      makerId: 'maker-1',
      serverTime: NOW,
    })
    expect(over(SNAPSHOT_BEGIN_FRAME)).toEqual({ kind: 'snapshot_begin' })
    expect(over(snapshotCompleteFrame(7))).toEqual({ kind: 'snapshot_complete' })
    expect(over(quoteRequestExpiredFrame(6, 'request-1'))).toEqual({
      kind: 'quote_request_expired',
      requestId: 'request-1',
    })
    expect(over(quoteRequestFrame(5, request))).toEqual({
      kind: 'quote_request',
      request: { requestId: 'request-1', expiresAt: request.expiresAt, terms },
    })
    const takerRating = { orders: 12, filled: 9 }
    expect(over(quoteRequestFrame(5, { ...request, takerRating }))).toMatchObject({ request: { takerRating } })
    const market = { ...terms.market, yesPrice: 0.58 }
    expect(over(quoteRequestFrame(5, { ...request, market }))).toMatchObject({ request: { terms: { market } } })
    expect(over({ event: 'invented', data: {} })).toBeNull()
  })
})

describe('the events of the taker stream', () => {
  test('are best_quote and closed', () => {
    const top = { request, status: 'open', confirming: false, best: quote, quoteCount: 1, bookSeq: 2 } as const
    const over = ({ event, data }: SseFrame) => decodeTakerStreamEvent({ event, data: JSON.stringify(data) })
    expect(over(bestQuoteFrame(top))).toMatchObject({ kind: 'best_quote', book: { bookSeq: 2 } })
    expect(over(closedFrame('request-1'))).toEqual({ kind: 'closed', requestId: 'request-1' })
    expect(over({ event: 'invented', data: {} })).toBeNull()
  })
})

describe('a frame of an event stream', () => {
  test('has its id first and its data on one line, whatever the text', () => {
    expect(encodeSseFrame({ event: 'a', data: { x: 'one\ntwo' }, id: 4 })).toBe(
      'id: 4\nevent: a\ndata: {"x":"one\\ntwo"}\n\n',
    )
    expect(encodeSseFrame({ event: 'a', data: {} })).toBe('event: a\ndata: {}\n\n')
    expect(encodeSseFrame({ event: 'a', data: {}, retry: 1_500 })).toBe('retry: 1500\nevent: a\ndata: {}\n\n')
  })

  test.each([
    ['5', 5],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740993', null],
    ['', null],
    ['-1', null],
    ['1.5', null],
    ['1e3', null],
    ['0x1', null],
    ['abc', null],
    [undefined, null],
  ])('a Last-Event-ID of %j is read as %j', (header, id) => {
    expect(decodeLastEventId(header)).toBe(id)
  })
})

test("a maker's book gives back its quotes and what waits for its signature", () => {
  const { makerId: _, pricedAt: __, ...own } = quote
  const answer = encodeMakerBook({ quotes: [quote], pending: [acceptance] })
  expect(answer.quotes[0]).not.toHaveProperty('makerId')
  expect(decodeMakerBook(overTheWire(answer))).toEqual({ quotes: [own], pending: [acceptance] })
})
