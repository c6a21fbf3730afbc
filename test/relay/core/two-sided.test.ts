import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RequestTerms, Side } from '../../../src/protocol/domain/request.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { quoteRequestFrame } from '../../../src/protocol/wire/maker-stream.ts'
import type { MakerEvent } from '../../../src/relay/core/ports/live.ts'
import { CALL_BUY, createTestRelay, OTHER_TAKER, refusal, TAKER, walletOf } from '../../support/test-relay.ts'

const BOTH: RequestTerms = { ...CALL_BUY, trade: { side: 'both', size: contracts(100n) } }

/** A quote that takes `ask` cents and pays `bid` cents for one of up to so many options. */
const pair = (bid: number, ask: number, size = 1_000) =>
  ({
    side: 'buy',
    price: usd6(BigInt(ask) * 10_000n),
    otherPrice: usd6(BigInt(bid) * 10_000n),
    size: contracts(BigInt(size)),
  }) as const

const HEARS = { packages: false, twoSided: true }

/** A request for both sides on which three makers have quoted: ada has the best bid, bob the best ask. */
async function quoted() {
  const fixture = createTestRelay()
  fixture.register(CALL_BUY)
  const makers = {
    ada: await fixture.connect('ada'),
    bob: await fixture.connect('bob'),
    cyd: await fixture.connect('cyd'),
  }
  const { requestId } = await fixture.open(BOTH)
  await fixture.quote('ada', requestId, pair(10, 14))
  await fixture.quote('bob', requestId, pair(8, 12))
  await fixture.quote('cyd', requestId, pair(9, 13))
  return { fixture, makers, requestId }
}

describe('a request for both sides', () => {
  it('shows its taker the best quote of each side', async () => {
    const { fixture, requestId } = await quoted()
    const { best, bestBid, quoteCount } = await fixture.relay.readRequest({ requestId, takerSecret: null })
    expect(best).toMatchObject({ makerId: 'bob', side: 'buy', price: 120_000n })
    expect(bestBid).toMatchObject({ makerId: 'ada', side: 'sell', price: 100_000n })
    expect(quoteCount).toBe(3)
  })

  it.each([
    ['buy', 'bob', true, 120_000n],
    ['sell', 'ada', false, 100_000n],
  ] as const)(
    'is committed to as a %s with the best maker of that side, for its size',
    async (side, name, makerSelling, price) => {
      const { fixture, makers, requestId } = await quoted()
      const committing = fixture.commit(requestId, { side })
      await fixture.clock.advance(0)
      await makers[name].confirm()
      const { execution } = await committing
      const { order, quote } = execution.acceptance
      expect(quote).toMatchObject({ makerId: name, side, price })
      expect(order).toMatchObject({ makerSelling, optionAmount: 100n, premiumAmount: 100n * price })
      const { terms } = fixture.auditLog.find(({ kind }) => kind === 'commit_started') as { terms: { side?: Side } }
      expect(terms.side).toBe(side)
    },
  )

  it('asks the next best of the same side when a maker does not sign', async () => {
    const { fixture, makers, requestId } = await quoted()
    const committing = fixture.commit(requestId, { side: 'sell' })
    await fixture.clock.advance(0)
    expect(makers.ada.accepted()).toHaveLength(1)
    await fixture.clock.advance(10_000)
    await makers.cyd.confirm()
    const { execution } = await committing
    expect(execution.acceptance.quote).toMatchObject({ makerId: 'cyd', price: 90_000n })
    expect(makers.bob.accepted()).toEqual([])
  })

  it('takes one trade of two commits at once, and no other side after it', async () => {
    const { fixture, makers, requestId } = await quoted()
    const selling = fixture.commit(requestId, { side: 'sell' })
    expect(await refusal(fixture.commit(requestId, { side: 'buy' }))).toBe('commit_in_progress')
    await fixture.clock.advance(0)
    await makers.ada.confirm()
    await selling
    expect(await refusal(fixture.commit(requestId, { side: 'buy' }))).toBe('already_committed')
    expect((await fixture.commit(requestId, { side: 'sell' })).execution).toEqual((await selling).execution)
  })

  it('needs a commit to name its side, as no other request does', async () => {
    const { fixture, requestId } = await quoted()
    expect(await refusal(fixture.commit(requestId))).toBe('invalid_request')
    const { requestId: oneSided } = await fixture.open()
    await fixture.quote('ada', oneSided)
    expect(await refusal(fixture.commit(oneSided, { side: 'sell' }))).toBe('side_mismatch')
  })

  it('keeps to the limits of a commit by its side', async () => {
    const { fixture, requestId } = await quoted()
    const limits = { limitPrice: usd6(110_000n) }
    expect(await refusal(fixture.commit(requestId, { side: 'sell', ...limits }))).toBe('no_acceptable_quote')
    expect(await refusal(fixture.commit(requestId, { side: 'buy', ...limits }))).toBe('no_acceptable_quote')
  })

  it('takes quotes with both prices, each good on its side, and other requests take none', async () => {
    const { fixture, requestId } = await quoted()
    const { price } = pair(10, 14)
    expect(await refusal(fixture.quote('ada', requestId, { side: 'buy', price }))).toBe('side_mismatch')
    expect(await refusal(fixture.quote('ada', requestId, pair(0, 14)))).toBe('price_out_of_range')
    expect(await refusal(fixture.quote('ada', requestId, pair(10, 56)))).toBe('price_above_max_payoff')
    expect(await refusal(fixture.quote('ada', requestId, pair(10, 14, 49)))).toBe('size_too_small')
    const { requestId: oneSided } = await fixture.open()
    expect(await refusal(fixture.quote('ada', oneSided, pair(10, 14)))).toBe('side_mismatch')
  })

  it('refuses a maker that could not pay on either side alike, so that a refusal says nothing of a side', async () => {
    const { fixture, requestId } = await quoted()
    const funds = (dollars: bigint) => ({ balance: usd6(dollars * 1_000_000n), allowance: usd6(dollars * 1_000_000n) })
    // A writer of a hundred locks 55 dollars, and a buyer pays 10.
    for (const [core, settlement] of [
      [50n, 100n],
      [100n, 9n],
    ] as const) {
      fixture.chain.wallets.set(walletOf('ada'), { core: funds(core), settlement: funds(settlement) })
      expect(await refusal(fixture.quote('ada', requestId, pair(10, 14)))).toBe('maker_insufficient_balance')
    }
    fixture.chain.wallets.set(walletOf('ada'), { core: funds(55n), settlement: funds(10n) })
    await fixture.quote('ada', requestId, pair(10, 14))
  })

  it('is announced and counted only where makers ask for such requests, and so is its end', async () => {
    const fixture = createTestRelay()
    const events: MakerEvent[] = []
    fixture.relay.listenMakerFeed((event) => events.push(event))
    await fixture.relay.joinMakerStream('old', { connectionId: 'one', hears: { packages: true, twoSided: false } })
    const opening = { ...BOTH, locked: false }
    expect((await fixture.relay.openRequest(opening)).makersConnected).toBe(0)
    await fixture.relay.joinMakerStream('new', { connectionId: 'two', hears: HEARS })
    const { requestId, makersConnected, takerSecret } = await fixture.relay.openRequest(opening)
    expect(makersConnected).toBe(1)
    await fixture.relay.cancelRequest({ requestId, takerSecret })
    expect(events.at(-1)).toMatchObject({ kind: 'quote_request_expired', requestId, twoSided: true })
  })

  it('shows a maker its own quote whole', async () => {
    const { fixture } = await quoted()
    const { quotes } = await fixture.relay.makerBook('ada')
    expect(quotes).toMatchObject([{ side: 'buy', price: 140_000n, otherPrice: 100_000n }])
  })

  it('tells losers their rank on the side that was traded', async () => {
    const fixture = createTestRelay({ settings: { feedback: 'price' } })
    fixture.register(CALL_BUY)
    const ada = await fixture.connect('ada')
    const bob = await fixture.connect('bob')
    const { requestId } = await fixture.open(BOTH)
    await fixture.quote('ada', requestId, pair(10, 14))
    await fixture.quote('bob', requestId, pair(8, 12))
    const selling = fixture.commit(requestId, { side: 'sell' })
    await fixture.clock.advance(0)
    await ada.confirm()
    await selling
    await fixture.clock.advance(0)
    const lost = bob.messages.find(({ kind }) => kind === 'rejected')
    expect(lost).toMatchObject({ feedback: { rank: 2, quoteCount: 2, winningPrice: 100_000n } })
  })

  describe('with a firm quote', () => {
    async function firmlyQuoted() {
      const fixture = createTestRelay()
      fixture.register(CALL_BUY)
      const { requestId } = await fixture.open({ ...BOTH, wallet: TAKER, firmOnly: true })
      return { fixture, requestId }
    }

    it.each(['buy', 'sell'] as const)(
      'gives the taker that commits as a %s the order of that side, with its signature and asks no one',
      async (side) => {
        const { fixture, requestId } = await firmlyQuoted()
        const { order, otherOrder, signature, otherSignature } = await fixture.quoteFirm('ada', requestId, pair(10, 14))
        expect([order, otherOrder]).toMatchObject([
          { makerSelling: true, optionAmount: 100n, premiumAmount: 14_000_000n },
          { makerSelling: false, optionAmount: 100n, premiumAmount: 10_000_000n, nonce: order.nonce },
        ])
        const { execution } = await fixture.commit(requestId, { side })
        expect(execution.acceptance.order).toEqual(side === 'buy' ? order : otherOrder)
        expect(execution.signature).toBe(side === 'buy' ? signature : otherSignature)
      },
    )

    it('takes both signatures, each for its own order', async () => {
      const { fixture, requestId } = await firmlyQuoted()
      const { quoteId, signature, otherSignature = '0x' } = await fixture.quoteFirm('ada', requestId, pair(10, 14))
      const makeFirm = (signatures: { signature: string; otherSignature?: string }) =>
        refusal(fixture.relay.makeQuoteFirm({ makerId: 'ada', quoteId, ...signatures }))
      expect(await makeFirm({ signature })).toBe('invalid_request')
      expect(await makeFirm({ signature: otherSignature, otherSignature })).toBe('invalid_signature')
      expect(await makeFirm({ signature, otherSignature: signature })).toBe('invalid_signature')
      expect(await makeFirm({ signature, otherSignature })).toBe('not refused')
    })
  })

  it('passes over the quote of the wallet that commits', async () => {
    const { fixture, requestId } = await quoted()
    await fixture.quote('ada', requestId, { ...pair(10, 14), maker: OTHER_TAKER })
    const committing = refusal(fixture.commit(requestId, { side: 'sell', wallet: OTHER_TAKER }))
    await fixture.clock.advance(0)
    const asked = fixture.auditLog.find(({ kind }) => kind === 'asked')
    expect(asked).toMatchObject({ makerId: 'cyd' })
    await fixture.clock.advance(60_000)
    expect(await committing).toBe('no_maker_confirmed')
  })

  it('is the same after a restart', async () => {
    const { fixture, requestId } = await quoted()
    const after = await fixture.restart()
    await after.relay.start()
    const { request } = await after.relay.readRequest({ requestId, takerSecret: null })
    expect(request.trade).toEqual(BOTH.trade)
    await after.connect('bob')
    await after.quote('bob', requestId, pair(8, 12))
    expect((await after.relay.readRequest({ requestId, takerSecret: null })).bestBid).toMatchObject({ price: 80_000n })
  })
})

describe('a standing limit on a request for both sides', () => {
  it('commits by itself on the side that it names', async () => {
    const fixture = createTestRelay()
    fixture.register(CALL_BUY)
    const ada = await fixture.connect('ada')
    const standing = { limitPrice: usd6(100_000n), minContracts: null, side: 'sell' } as const
    const { requestId } = await fixture.open({ ...BOTH, wallet: TAKER, standing })
    await fixture.quote('ada', requestId, pair(9, 10))
    await fixture.clock.advance(0)
    expect(ada.accepted()).toEqual([])
    await fixture.quote('ada', requestId, pair(10, 14))
    await fixture.clock.advance(0)
    expect(ada.accepted()).toMatchObject([{ order: { makerSelling: false, taker: TAKER } }])
    await ada.confirm()
    expect((await fixture.relay.readRequest({ requestId, takerSecret: null })).status).toBe('committed')
  })
})

/** Nonces, and the signatures of orders with them, are new each time. */
const withoutChance = (name: string, value: unknown) =>
  /nonce|signature/i.test(name) ? name : typeof value === 'bigint' ? `${value}` : value

type PairQuote = { bid: number; spread: number; size: number; firm: boolean }

/** Everything that makers are sent and answered, but who is asked and the winner, until the commit has a signed order. */
async function heardBefore(side: Side, quotes: readonly PairQuote[]) {
  const fixture = createTestRelay()
  fixture.register(CALL_BUY)
  const names = quotes.map((_, i) => `maker-${i}`)
  const makers = await Promise.all(names.map(fixture.connect))
  const frames: unknown[] = []
  fixture.relay.listenMakerFeed((event) => {
    frames.push(event.kind === 'quote_request' ? quoteRequestFrame(event.id, event.request) : event)
  })
  const opened = await fixture.open({ ...BOTH, wallet: TAKER })
  const answers: unknown[] = []
  for (const [i, { bid, spread, size, firm }] of quotes.entries()) {
    const quote = firm ? fixture.quoteFirm : fixture.quote
    const quoted = quote(`maker-${i}`, opened.requestId, pair(bid, bid + spread, size))
    answers.push(await quoted.catch((error: Error) => error.message))
    answers.push((await fixture.relay.makerBook(`maker-${i}`)).quotes)
  }
  const heard = () => {
    const others = makers.filter((maker) => maker.accepted().length === 0)
    return JSON.stringify({ frames, answers, sent: others.flatMap(({ messages }) => messages) }, withoutChance)
  }
  const before = heard()
  let trade: object | null = null
  const committing = fixture.commit(opened.requestId, { wallet: TAKER, side }).then(
    (made) => {
      trade = made
    },
    () => null,
  )
  await fixture.clock.advance(0)
  // A firm quote is a signed order at once; what makers hear of that is no longer before it.
  const until = trade === null ? heard() : before
  await fixture.clock.advance(60_000)
  await committing
  return until
}

describe('two requests that differ only in the side of their commit', () => {
  it('look alike to all but the maker that is asked and the taker', { timeout: 3_600_000 }, async () => {
    const quote = fc.record({
      bid: fc.integer({ min: 1, max: 40 }),
      spread: fc.integer({ min: 1, max: 10 }),
      size: fc.integer({ min: 40, max: 200 }),
      firm: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(quote, { minLength: 1, maxLength: 5 }), async (quotes) => {
        expect(await heardBefore('buy', quotes)).toEqual(await heardBefore('sell', quotes))
      }),
      { numRuns: Number(process.env.RFQCTL_PAIRS ?? 25) },
    )
  })
})
