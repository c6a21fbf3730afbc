import { hashTypedData } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import type { AuditEntry, SeenQuote } from '../../../src/protocol/domain/audit.ts'
import { lossFeedback } from '../../../src/protocol/domain/best-quote.ts'
import { commitKey, committed, nextCandidate, rankedOn } from '../../../src/protocol/domain/commit.ts'
import { commitDigest, commitTypedData } from '../../../src/protocol/domain/commit-proof.ts'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { NO_PROTECTIONS, refusalOf } from '../../../src/protocol/domain/maker-protections.ts'
import { buildOrder, orderDigest, orderDomain } from '../../../src/protocol/domain/order.ts'
import { checkQuote, fillContracts, isSameOffer, quoteOn } from '../../../src/protocol/domain/quote.ts'
import { isReduceOnly, onSide, sidesOf, takesInventory } from '../../../src/protocol/domain/request.ts'
import { contracts, type Usd6, usd6 } from '../../../src/protocol/domain/units.ts'
import { checkHistory } from '../../../src/protocol/domain/verify-history.ts'
import { quoteOf, seen } from '../../support/ranked-quotes.ts'
import { CALL_BUY, PUT_SELL, TAKER, walletOf } from '../../support/test-relay.ts'

const AT = 1_000_000
const SIZE = contracts(100n)
const BOTH = { ...CALL_BUY, trade: { side: 'both', size: SIZE }, seriesId: '77' } as const
const TERMS = { wallet: TAKER, limitPrice: null, minContracts: null, expectedQuoteId: null }

/** A quote that takes `ask` and pays `bid`, micro-dollars. */
const pair = (makerId: string, bid: bigint, ask: bigint) => ({
  ...quoteOf(AT, makerId, ask, { otherPrice: usd6(bid) }),
  misses: 0,
  isDemoted: false,
})

const codeOf = (act: () => unknown): string => {
  try {
    act()
  } catch (fault) {
    if (fault instanceof RfqError) return fault.code
  }
  return 'none'
}

describe('a request for both sides', () => {
  it('reads as a sale of its size, or as a purchase of as many that no price cuts short', () => {
    expect(onSide(BOTH, 'sell').trade).toEqual({ side: 'sell', size: SIZE })
    const { trade } = onSide(BOTH, 'buy')
    expect(trade).toEqual({ side: 'buy', budget: 55_000_000n, most: SIZE })
    for (const price of [1n, 120_000n, 550_000n])
      expect(fillContracts(trade, { price: usd6(price), size: contracts(1_000n) })).toBe(SIZE)
  })

  it('has both sides, and takes neither of a request that has one', () => {
    expect(sidesOf(BOTH.trade)).toEqual(['buy', 'sell'])
    expect(sidesOf(PUT_SELL.trade)).toEqual(['sell'])
    expect(onSide(PUT_SELL, 'sell').trade).toBe(PUT_SELL.trade)
    expect(codeOf(() => onSide(PUT_SELL, 'buy'))).toBe('side_mismatch')
  })

  it('never only reduces a position, and takes inventory where its taker says so', () => {
    expect(isReduceOnly(BOTH.trade)).toBe(false)
    expect(isReduceOnly({ ...PUT_SELL.trade, reduceOnly: true })).toBe(true)
    expect([takesInventory(BOTH), takesInventory({ ...BOTH, inventory: true })]).toEqual([false, true])
  })

  it('is committed to on the side that the commit names, which is part of its terms', () => {
    expect(committed(BOTH, { side: 'sell' }).trade.side).toBe('sell')
    expect(codeOf(() => committed(BOTH, {}))).toBe('invalid_request')
    expect(committed(PUT_SELL, {}).trade).toBe(PUT_SELL.trade)
    expect(codeOf(() => committed(PUT_SELL, { side: 'buy' }))).toBe('side_mismatch')
    expect(commitKey({ ...TERMS, side: 'sell' })).not.toBe(commitKey({ ...TERMS, side: 'buy' }))
  })
})

describe('a quote on both sides', () => {
  const quote = pair('ada', 100_000n, 140_000n)

  it('reads on either side with the price there, and back', () => {
    const bid = quoteOn(quote, 'sell')
    expect(bid).toMatchObject({ side: 'sell', price: 100_000n, otherPrice: 140_000n })
    expect(quoteOn(bid, 'buy')).toEqual(quote)
    expect(quoteOn(quote, 'buy')).toBe(quote)
    const oneSided = quoteOf(AT, 'bob', 120_000n)
    expect(quoteOn(oneSided, 'sell')).toBe(oneSided)
    expect(isSameOffer(quote, bid)).toBe(true)
    expect(isSameOffer(bid, { ...quote, otherPrice: usd6(100_001n) })).toBe(false)
  })

  it('is ranked by the price of a side, by which a commit chooses', () => {
    const ranked = [pair('bob', 80_000n, 120_000n), quote]
    expect(rankedOn(ranked, 'buy')).toBe(ranked)
    expect(rankedOn(ranked, 'sell').map(({ makerId }) => makerId)).toEqual(['ada', 'bob'])
    const next = nextCandidate({
      request: onSide(BOTH, 'sell'),
      ranked: rankedOn(ranked, 'sell'),
      terms: { ...TERMS, side: 'sell' },
      considered: new Set(),
      proven: new Set(),
      hurriedLeft: 0,
      now: AT,
    })
    expect(next).toMatchObject({ kind: 'ask', quote: { makerId: 'ada', price: 100_000n } })
  })

  it('becomes an order of the side that it reads on', () => {
    const order = (side: 'buy' | 'sell') =>
      buildOrder({ request: BOTH, quote: quoteOn(quote, side), taker: TAKER, validUntil: 9, nonce: 1 })
    expect(order('buy')).toMatchObject({ makerSelling: true, optionAmount: SIZE, premiumAmount: 14_000_000n })
    expect(order('sell')).toMatchObject({ makerSelling: false, optionAmount: SIZE, premiumAmount: 10_000_000n })
  })

  it('must have both prices, where both are asked for and nowhere else, and be good on both', () => {
    const offer = { side: 'buy', price: usd6(140_000n), otherPrice: usd6(100_000n), size: SIZE } as const
    const { otherPrice: _, ...oneSided } = offer
    expect(checkQuote(BOTH, offer)).toEqual([])
    expect(checkQuote(BOTH, oneSided)).toEqual(['side_mismatch'])
    expect(checkQuote(CALL_BUY, offer)).toEqual(['side_mismatch'])
    expect(checkQuote(BOTH, { ...offer, otherPrice: usd6(0n) })).toEqual(['price_out_of_range'])
    expect(checkQuote(BOTH, { ...offer, size: contracts(49n) })).toEqual(['size_too_small'])
  })

  it("keeps within its maker's reference price on both sides", () => {
    const references = [
      { scope: 'series', id: '77', price: usd6(120_000n), maxDeviation: usd6(20_000n), expiresAt: null },
    ] as const
    const refused = (bid: bigint, ask: bigint) =>
      refusalOf({ ...NO_PROTECTIONS, references }, BOTH, pair('ada', bid, ask), AT)?.code ?? null
    expect([refused(100_000n, 140_000n), refused(99_999n, 140_000n), refused(100_000n, 140_001n)]).toEqual([
      null,
      'outside_protections',
      'outside_protections',
    ])
  })

  it('has its rank on the side that was traded', () => {
    const ranked = [pair('bob', 80_000n, 120_000n), quote]
    const winner = quoteOn(quote, 'sell')
    const told = lossFeedback(ranked, { winner, taker: TAKER, now: AT, level: 'price' })
    expect(told.get('q-bob')).toEqual({ rank: 2, quoteCount: 2, winningPrice: 100_000n as Usd6 })
    expect(told.get('q-ada')?.rank).toBe(1)
  })
})

describe('the history of a request for both sides', () => {
  const [ada, bob] = [pair('ada', 100_000n, 140_000n), pair('bob', 80_000n, 120_000n)].map((quote) => seen(quote)) as [
    SeenQuote,
    SeenQuote,
  ]
  const name = { makerId: 'ada', quoteId: 'q-ada' }
  const domain = { chainId: 31_337, settlementAddress: walletOf('settlement') }
  const order = buildOrder({ request: BOTH, quote: quoteOn(ada, 'sell'), taker: TAKER, validUntil: 9_999, nonce: 1 })

  const orderHash = orderDigest(order, orderDomain(domain.chainId, domain.settlementAddress))

  const problemsOf = ({ side, ranked }: { side?: 'sell' | 'buy'; ranked: readonly SeenQuote[] }) =>
    checkHistory({
      entries: [
        { at: AT, kind: 'opened', terms: BOTH, seriesId: '77', expiresAt: AT + 300_000, makersConnected: 2 },
        ...[ada, bob].map((quote) => ({ at: AT + 100, kind: 'quoted', quote, isRequote: false }) as const),
        { at: AT + 10_000, kind: 'commit_started', terms: side === undefined ? TERMS : { ...TERMS, side } },
        { at: AT + 10_001, kind: 'ranked', quotes: ranked, hurriedLeft: 2, chosen: 'q-ada' },
        { at: AT + 10_002, kind: 'asked', ...name, order, deadline: AT + 20_000 },
        { at: AT + 10_500, kind: 'confirmed', ...name, executionId: 'e1', waitedMs: 498, orderHash },
        { at: AT + 10_501, kind: 'closed', status: 'committed' },
      ].map((fact) => ({ requestId: 'r1', ...fact }) as AuditEntry),
      domain,
      isWhole: true,
    }).problems

  it('is true where the commit ranked and took quotes as they read on its side', () => {
    expect(problemsOf({ side: 'sell', ranked: [quoteOn(ada, 'sell'), quoteOn(bob, 'sell')] })).toEqual([])
  })

  it('is forged where it ranked them by the other side, or by a price that no one named', () => {
    const forged = [
      { side: 'sell', ranked: [quoteOn(bob, 'sell'), quoteOn(ada, 'sell')] },
      { side: 'sell', ranked: [{ ...quoteOn(ada, 'sell'), price: usd6(99_999n) }, quoteOn(bob, 'sell')] },
      { side: 'buy', ranked: [ada, bob] },
      { ranked: [ada, bob] },
    ] as const
    for (const history of forged) expect(problemsOf(history)).not.toEqual([])
  })
})

it('the proof of a commit that names its side is of that side, as any signer of typed data reads it', () => {
  const domain = orderDomain(80_002, walletOf('settlement'))
  const commit = { ...TERMS, requestId: 'r1' }
  const digests = ([undefined, 'buy', 'sell'] as const).map((side) => {
    const sided = side === undefined ? commit : { ...commit, side }
    expect(hashTypedData(commitTypedData(sided, domain))).toBe(commitDigest(sided, domain))
    return commitDigest(sided, domain)
  })
  expect(new Set(digests).size).toBe(3)
})
