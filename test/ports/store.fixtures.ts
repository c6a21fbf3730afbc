import { randomUUID } from 'node:crypto'
import type { AuditEntry, AuditFact } from '../../src/protocol/domain/audit.ts'
import { buildOrder, orderDomain } from '../../src/protocol/domain/order.ts'
import type { Quote } from '../../src/protocol/domain/quote.ts'
import { type QuoteRequest, type Side, sidesOf } from '../../src/protocol/domain/request.ts'
import { seriesIdOf } from '../../src/protocol/domain/series.ts'
import {
  type Address,
  contracts,
  type Hex,
  type ResolutionBps,
  type StrikeBps,
  usd6,
} from '../../src/protocol/domain/units.ts'
import type { Acceptance, PinnedResolution } from '../../src/relay/core/ports/store.ts'

/** Mixed case on purpose: a store must not care. */
const MAKER_WALLET: Address = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B'
export const OTHER_MAKER_WALLET: Address = '0x4E83362442B8d1beC281594cEa3050c8EB01311C'
const TAKER_WALLET: Address = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
export const SIGNATURE: Hex = `0x${'5a'.repeat(65)}`

const TERMS = {
  conditionId: `0x${'c1'.repeat(32)}` as Hex,
  yesTokenId: '1234567890123456789012345678901234567890',
  strikeBps: 5_000 as StrikeBps,
  expiry: 2_000_000_000,
  optionType: 'call' as const,
}

/** The series of every request made here. */
const SERIES_ID = seriesIdOf(TERMS)

/** An open buy of up to 100 dollars, with ids of its own. */
export function aRequest(now: number, changes: Partial<QuoteRequest> = {}): QuoteRequest {
  return {
    requestId: randomUUID(),
    wallet: TAKER_WALLET,
    market: {
      conditionId: TERMS.conditionId,
      yesTokenId: TERMS.yesTokenId,
      question: 'Will it "rain" — ☂?',
      yesPrice: 0.5884,
    },
    option: { optionType: TERMS.optionType, strikeBps: TERMS.strikeBps, expiryMs: TERMS.expiry * 1_000 },
    trade: { side: 'buy', budget: usd6(100_000_000n) },
    standing: { limitPrice: usd6(120_000n), minContracts: contracts(1n), proof: '0x5afe' },
    seriesId: SERIES_ID,
    createdAt: now,
    expiresAt: now + 300_000,
    locked: true,
    takerSecretDigest: 'd1'.repeat(32),
    ...changes,
  }
}

/** A maker's quote of a request. */
export function aQuote(request: QuoteRequest, changes: Partial<Quote> = {}): Quote {
  return {
    quoteId: randomUUID(),
    requestId: request.requestId,
    makerId: 'maker-1',
    maker: MAKER_WALLET,
    side: sidesOf(request.trade)[0] as Side,
    price: usd6(120_000n),
    size: contracts(1_000n),
    pricedAt: request.createdAt + 5,
    expiresAt: request.expiresAt,
    ...changes,
  }
}

/** An acceptance that waits ten seconds from `now` for its maker. */
export function anAcceptance(
  request: QuoteRequest,
  {
    now,
    quote = aQuote(request),
    nonce = 1,
    validUntil = Math.floor(now / 1_000) + 130,
    taker = TAKER_WALLET,
    ...changes
  }: {
    now: number
    quote?: Quote
    nonce?: number
    validUntil?: number
    taker?: Address
  } & Partial<Pick<Acceptance, 'deadline' | 'acceptanceId' | 'proven'>>,
): Acceptance {
  return {
    acceptanceId: randomUUID(),
    requestId: request.requestId,
    quoteId: quote.quoteId,
    makerId: quote.makerId,
    option: request.option,
    quote,
    order: buildOrder({ request, quote, taker, validUntil, nonce }),
    domain: orderDomain(80_002, '0x5FbDB2315678afecb367f032d93F642f64180aa3'),
    createdAt: now,
    deadline: now + 10_000,
    state: 'pending',
    ...changes,
  }
}

/** A resolution of a series by its TWAP. */
export function aResolution(seriesId: string, resolutionBps: number): PinnedResolution {
  return {
    seriesId,
    resolutionBps: resolutionBps as ResolutionBps,
    resolvedAt: 1_800_000_000_000,
    decision: null,
    meta: {
      method: 'twap',
      twap: 0.5912,
      pointCount: 30,
      yesPrice: 0.5912,
      windowStart: 1_799_998_200,
      windowEnd: 1_800_000_000,
    },
  }
}

/** One audit entry of each shape, of a request's whole life. */
export function auditOf(request: QuoteRequest, now: number): AuditEntry[] {
  const { requestId, seriesId, expiresAt, wallet, market, option, trade } = request
  const quote = aQuote(request)
  const { makerId, quoteId } = quote
  const { order, deadline } = anAcceptance(request, { now, quote })
  const protections = { limitPrice: usd6(120_000n), minContracts: contracts(400n), expectedQuoteId: quoteId }
  const facts: AuditFact[] = [
    { kind: 'opened', terms: { wallet, market, option, trade }, seriesId, expiresAt, makersConnected: 3 },
    { kind: 'quoted', quote, isRequote: false },
    { kind: 'quote_refused', makerId, code: 'size_too_small', detail: 'of 5' },
    { kind: 'commit_started', terms: { wallet: TAKER_WALLET, ...protections } },
    {
      kind: 'commit_started',
      terms: { wallet: TAKER_WALLET, limitPrice: null, minContracts: null, expectedQuoteId: null },
    },
    { kind: 'asked', makerId, quoteId, order, deadline },
    { kind: 'confirmed', makerId, quoteId, executionId: randomUUID(), waitedMs: 250 },
    { kind: 'closed', status: 'committed' },
  ]
  return facts.map((fact, i) => ({ at: now + i, requestId, ...fact }))
}

/** A wallet of its own for a test. */
export const freshWallet = (): Address => `0x${randomUUID().replaceAll('-', '')}AbCdEf01`
/** A series of its own for a test. */
export const freshSeriesId = (): string => BigInt(`0x${randomUUID().replaceAll('-', '')}`).toString()
