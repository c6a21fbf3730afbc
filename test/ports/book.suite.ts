import { describe, expect, it } from 'vitest'
import { type Quote, quoteOn } from '../../src/protocol/domain/quote.ts'
import type { QuoteRequest } from '../../src/protocol/domain/request.ts'
import { MAX_SIGNATURE_BYTES } from '../../src/protocol/domain/signature.ts'
import { contracts, usd6 } from '../../src/protocol/domain/units.ts'
import type { Book, BookTop, OrderSignature } from '../../src/relay/core/ports/book.ts'
import type { MakerEvent, MakerFeed, Presence } from '../../src/relay/core/ports/live.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { DEMOTION, START_MS, TAKER } from '../support/test-relay.ts'
import { aPackageRequest, aQuote, aRequest, aTwoSidedRequest } from './book.fixtures.ts'

const FIRM_SIGNATURE: OrderSignature = { signature: `0x${'11'.repeat(65)}`, shownBy: 'key' }

/** A fresh market: the book, and the feed that it announces its requests on. */
export type BookUnderTest = {
  book: Book
  presence: Presence
  feed: MakerFeed
  clock: FakeClock
  /** Resolves when what was done has been heard. */
  settled: () => Promise<void>
}

/** What every adapter of the live market promises. */
export function describeBook(
  name: string,
  create: (limits?: { maxQuotes: number }) => Promise<BookUnderTest>,
  { isShared }: { isShared: boolean },
): void {
  const opened = async () => {
    const market = await create()
    await market.book.open(aRequest('one'))
    return market
  }

  it(`${name}: a commit's look has the quotes, and on several nodes those that have left`, async () => {
    const { book } = await opened()
    const ids = new Map<string, string>()
    for (const makerId of ['ada', 'bob', 'cyd']) {
      const put = await book.put(aQuote(makerId))
      if (put.kind === 'stored') ids.set(makerId, put.quote.quoteId)
    }
    await book.removeAll('bob', { held: 'taken' })
    await book.remove({ requestId: 'one', makerId: 'cyd', quoteId: ids.get('cyd') as string })
    const left = async () => (await book.look('one')).left.toSorted((a, b) => (a.makerId < b.makerId ? -1 : 1))
    const leftOf = (...makers: string[]) =>
      isShared ? makers.map((makerId) => ({ makerId, quoteId: ids.get(makerId) })) : []
    expect(await left()).toEqual(leftOf('bob', 'cyd'))
    await book.put(aQuote('bob'))
    expect(await left()).toEqual(leftOf('cyd'))
    expect((await book.look('one')).ranked).toEqual(await book.ranked('one'))
    expect((await book.look('one')).ranked).toHaveLength(2)
    expect(await book.look('nobody')).toEqual({ ranked: [], left: [] })
  })

  describe(`${name}: a maker that is gone`, () => {
    const all = { graceMs: 500, channels: 'all' } as const
    const any = { graceMs: 500, channels: 'any' } as const

    it('for its grace has its quotes taken and none put in, and keeps them in any other moment', async () => {
      const { book, presence, clock } = await opened()
      const leave = await presence.join('socket', 'ada', '1')
      expect(await book.put(aQuote('ada'), all)).toMatchObject({ kind: 'stored' })
      leave()
      // Redis is told of it behind the back of who leaves.
      await presence.list()
      await clock.advance(499)
      expect(await book.removeAll('ada', { held: 'taken', ifGone: all })).toEqual([])
      expect(await book.put(aQuote('ada'), all)).toMatchObject({ kind: 'stored' })
      await clock.advance(1)
      expect(await book.put(aQuote('ada', { price: usd6(1n) }), all)).toEqual({ kind: 'gone' })
      expect(await book.ranked('one')).toMatchObject([{ makerId: 'ada', price: 120_000n }])
      expect(await book.removeAll('ada', { held: 'taken', ifGone: all })).toHaveLength(1)
      await presence.join('stream', 'ada', '2')
      expect(await book.put(aQuote('ada'), all)).toMatchObject({ kind: 'stored' })
      expect(await book.removeAll('ada', { held: 'taken', ifGone: all })).toEqual([])
      await clock.advance(1)
      expect(await book.removeAll('ada', { held: 'taken', ifGone: any })).toHaveLength(1)
      expect(await book.put(aQuote('ada'), any)).toEqual({ kind: 'gone' })
      await presence.join('socket', 'ada', '3')
      expect(await book.put(aQuote('ada'), any)).toMatchObject({ kind: 'stored' })
      expect(await book.removeAll('ada', { held: 'taken', ifGone: any })).toEqual([])
    })

    it('by either channel has the grace of each, and of both that of the later one', async () => {
      const { book, presence, clock } = await opened()
      const [leaveStream, leaveSocket] = [
        await presence.join('stream', 'ada', '1'),
        await presence.join('socket', 'ada', '2'),
      ]
      await book.put(aQuote('ada'))
      leaveStream()
      await presence.list()
      await clock.advance(300)
      leaveSocket()
      await presence.list()
      await clock.advance(200)
      expect(await book.put(aQuote('ada'), all)).toMatchObject({ kind: 'stored' })
      expect(await book.put(aQuote('ada'), any)).toEqual({ kind: 'gone' })
      await clock.advance(299)
      expect(await book.put(aQuote('ada'), all)).toMatchObject({ kind: 'stored' })
      await clock.advance(1)
      expect(await book.put(aQuote('ada'), all)).toEqual({ kind: 'gone' })
    })
  })

  describe(`${name}: the most quotes`, () => {
    /** Requests with so many quotes each, of which the n-th maker's is the n-th best. */
    const filled = async (maxQuotes: number, counts: Record<string, number>) => {
      const market = await create({ maxQuotes })
      for (const [requestId, count] of Object.entries(counts)) {
        await market.book.open(aRequest(requestId))
        for (let n = 1; n <= count; n += 1) await market.book.put(quoteOf(requestId, n))
      }
      return market
    }
    const quoteOf = (requestId: string, n: number, terms: Partial<Quote> = {}) =>
      aQuote(`maker-${n}`, {
        requestId,
        quoteId: `${requestId}-${n}`,
        price: usd6(100_000n + 1_000n * BigInt(n)),
        ...terms,
      })
    const makersOf = async ({ book }: BookUnderTest, requestId: string) =>
      (await book.ranked(requestId)).map(({ makerId }) => makerId)

    it('are kept: one more takes the place of the worst of the request with the most', async () => {
      const market = await filled(6, { one: 4, two: 2 })
      await market.book.open(aRequest('three'))
      expect(await market.book.put(quoteOf('three', 9))).toMatchObject({
        kind: 'stored',
        dropped: { requestId: 'one', makerId: 'maker-4', quoteId: 'one-4' },
      })
      expect(await makersOf(market, 'one')).toEqual(['maker-1', 'maker-2', 'maker-3'])
      expect(await makersOf(market, 'three')).toEqual(['maker-9'])
      expect(await market.book.quotesOf('maker-4')).toEqual([])
      expect(await market.book.findQuote(quoteOf('one', 4))).toBeNull()
    })

    it('leave a request its share: a better one takes the place of its own worst, and no worse one comes in', async () => {
      const market = await filled(4, { one: 2, two: 2 })
      expect(await market.book.put(quoteOf('one', 3))).toEqual({ kind: 'full' })
      expect(await market.book.put(quoteOf('one', 0))).toMatchObject({ dropped: { quoteId: 'one-2' } })
      expect(await makersOf(market, 'one')).toEqual(['maker-0', 'maker-1'])
      expect(await makersOf(market, 'two')).toEqual(['maker-1', 'maker-2'])
    })

    it('do not count what takes the place of its maker’s own, and let who was dropped quote again under its id', async () => {
      const market = await filled(3, { one: 3 })
      expect(await market.book.put(quoteOf('one', 3, { price: usd6(110_000n) }))).not.toHaveProperty('dropped')
      await market.book.put(quoteOf('one', 4, { price: usd6(90_000n) }))
      expect(await makersOf(market, 'one')).toEqual(['maker-4', 'maker-1', 'maker-2'])
      const again = await market.book.put(quoteOf('one', 3, { price: usd6(80_000n), quoteId: 'another' }))
      expect(again).toMatchObject({ kind: 'stored', quote: { quoteId: 'one-3' }, dropped: { quoteId: 'one-2' } })
      expect(await market.book.findQuote(quoteOf('one', 3))).toMatchObject({ makerId: 'maker-3' })
      const closed = await market.book.close('one', 'cancelled')
      expect(closed.kind === 'closed' && closed.quotedBy).toHaveLength(4)
    })

    it('spare firm ones and the one that is out for signature', async () => {
      const market = await filled(3, { one: 2 })
      const firm = quoteOf('one', 3, { firmTerms: { nonce: 7, validUntil: 1_800_000_000 } })
      await market.book.put(firm)
      await market.book.makeFirm(firm, FIRM_SIGNATURE)
      await market.book.lock(quoteOf('one', 2))
      expect(await market.book.put(quoteOf('one', 0))).toMatchObject({ dropped: { quoteId: 'one-1' } })
      expect(await market.book.put(quoteOf('one', 1, { price: usd6(1n) }))).toMatchObject({
        dropped: { quoteId: 'one-0' },
      })
    })

    it('have room again for what is withdrawn, lapses or closes', async () => {
      const market = await filled(2, { one: 2 })
      const { book, clock } = market
      await book.remove(quoteOf('one', 1))
      expect(await book.put(quoteOf('one', 5))).not.toHaveProperty('dropped')
      await book.removeAll('maker-5', { held: 'kept' })
      const short = quoteOf('one', 6, { expiresAt: START_MS + 1_000 })
      expect(await book.put(short)).not.toHaveProperty('dropped')
      await clock.advance(1_000)
      await book.expire(short)
      expect(await book.put(quoteOf('one', 7))).not.toHaveProperty('dropped')
      await book.close('one', 'cancelled')
      await book.open(aRequest('two'))
      for (const n of [1, 2]) expect(await book.put(quoteOf('two', n))).not.toHaveProperty('dropped')
      expect(await book.put(quoteOf('two', 3))).toEqual({ kind: 'full' })
    })
  })

  describe(`${name}: firm quotes`, () => {
    const firmTerms = { nonce: 7, validUntil: 1_800_000_000 }
    const firmableQuote = (makerId: string, terms: Partial<Quote> = {}) => aQuote(makerId, { firmTerms, ...terms })

    const madeFirm = async (request: Partial<QuoteRequest> = {}) => {
      const market = await create()
      await market.book.open({ ...aRequest('one'), ...request })
      await market.book.put(firmableQuote('ada'))
      expect(await market.book.makeFirm(firmableQuote('ada'), FIRM_SIGNATURE)).toBe('firm')
      return market
    }

    it('rank before others at the same price, and behind better ones; watchers see them', async () => {
      const { book } = await opened()
      await book.put(aQuote('bob'))
      await book.put(firmableQuote('ada', { pricedAt: START_MS + 5 }))
      const ranked = async () => (await book.ranked('one')).map(({ makerId }) => makerId)
      expect(await ranked()).toEqual(['bob', 'ada'])
      const { bookSeq } = (await book.top('one')) as BookTop
      await book.makeFirm(firmableQuote('ada'), FIRM_SIGNATURE)
      expect(await ranked()).toEqual(['ada', 'bob'])
      expect(await book.top('one')).toMatchObject({ best: { makerId: 'ada', isFirm: true }, bookSeq: bookSeq + 1 })
      await book.put(aQuote('cyd', { price: usd6(119_999n) }))
      expect(await ranked()).toEqual(['cyd', 'ada', 'bob'])
    })

    it('keep what they were made firm with apart from all that shows quotes', async () => {
      const { book } = await madeFirm()
      expect(await book.firmSignature(firmableQuote('ada'))).toEqual(FIRM_SIGNATURE)
      const shown = [await book.ranked('one'), await book.findQuote(aQuote('ada')), await book.quotesOf('ada')]
      const text = JSON.stringify([shown, (await book.top('one'))?.best], (_, value) =>
        typeof value === 'bigint' ? `${value}` : value,
      )
      expect(text).toContain('"isFirm":true')
      expect(text).not.toContain(FIRM_SIGNATURE.signature.slice(2))
    })

    it.each([
      ['nothing', '0x'],
      ['all that a signature may have', `0x${'5a'.repeat(MAX_SIGNATURE_BYTES)}`],
    ] as const)('keep what the chain has shown as such, with a signature of %s', async (_, signature) => {
      const { book } = await opened()
      await book.put(firmableQuote('ada'))
      const firm: OrderSignature = { signature, shownBy: 'chain' }
      expect(await book.makeFirm(firmableQuote('ada'), firm)).toBe('firm')
      expect(await book.firmSignature(firmableQuote('ada'))).toEqual(firm)
    })

    it('are made firm once, and only as they stand', async () => {
      const { book } = await madeFirm()
      expect(await book.makeFirm(firmableQuote('ada'), { ...FIRM_SIGNATURE, signature: `0x${'22'.repeat(65)}` })).toBe(
        'firm',
      )
      expect(await book.firmSignature(firmableQuote('ada'))).toEqual(FIRM_SIGNATURE)
      const others: Partial<Quote>[] = [
        { price: usd6(110_000n) },
        { size: contracts(99n) },
        { expiresAt: START_MS + 1 },
        { firmTerms: { ...firmTerms, validUntil: 1 } },
        { quoteId: 'nobody' },
      ]
      for (const other of others) {
        expect(await book.makeFirm(firmableQuote('ada', other), FIRM_SIGNATURE)).toBe('absent')
        expect(await book.firmSignature(firmableQuote('ada', other))).toBeNull()
      }
    })

    it('on both sides have a signature on each, wherever the quote that asks for it reads', async () => {
      const { book } = await create()
      await book.open(aTwoSidedRequest('one'))
      const quote = firmableQuote('ada', { otherPrice: usd6(100_000n) })
      await book.put(quote)
      const bids: OrderSignature = { signature: `0x${'22'.repeat(65)}`, shownBy: 'chain' }
      expect(await book.makeFirm(quote, FIRM_SIGNATURE, bids)).toBe('firm')
      expect(await book.firmSignature(quote)).toEqual(FIRM_SIGNATURE)
      expect(await book.firmSignature(quoteOn(quote, 'sell'))).toEqual(bids)
      expect(await book.top('one')).toMatchObject({ best: { isFirm: true }, bestBid: { isFirm: true, side: 'sell' } })
    })

    it('are firm no more once their maker quotes again, and keep the time of their price', async () => {
      const { book } = await madeFirm()
      const again = await book.put(firmableQuote('ada', { pricedAt: START_MS + 9 }))
      expect(again).toMatchObject({ kind: 'stored', quote: { pricedAt: START_MS } })
      expect((await book.top('one'))?.best).not.toHaveProperty('isFirm')
      expect(await book.firmSignature(firmableQuote('ada'))).toBeNull()
    })

    it('lose their firm signature when they are withdrawn or lapse, and stay what they are when their maker misses', async () => {
      const { book, clock } = await madeFirm()
      await book.lock(aQuote('ada'))
      await book.unlock('one', 'ada-quote', 'missed')
      expect((await book.ranked('one'))[0]).toMatchObject({ isFirm: true, misses: 1 })
      await book.remove(aQuote('ada'))
      await book.put(firmableQuote('ada'))
      expect(await book.findQuote(firmableQuote('ada'))).toMatchObject({ misses: 1 })
      expect(await book.firmSignature(firmableQuote('ada'))).toBeNull()
      const short = firmableQuote('bob', { expiresAt: START_MS + 1_000 })
      await book.put(short)
      await book.makeFirm(short, FIRM_SIGNATURE)
      await clock.advance(1_000)
      await book.expire(aQuote('bob'))
      await book.put(short)
      expect(await book.firmSignature(short)).toBeNull()
    })

    it('lose their firm signature when all of a maker are withdrawn, and with their request', async () => {
      const { book } = await madeFirm()
      await book.removeAll('ada', { held: 'kept' })
      await book.put(firmableQuote('ada'))
      expect(await book.firmSignature(firmableQuote('ada'))).toBeNull()
      await book.makeFirm(firmableQuote('ada'), FIRM_SIGNATURE)
      await book.close('one', 'cancelled')
      expect(await book.firmSignature(firmableQuote('ada'))).toBeNull()
      expect(await book.makeFirm(firmableQuote('ada'), FIRM_SIGNATURE)).toBe('absent')
    })

    it('are of one wallet of a maker on each request, the first', async () => {
      const { book } = await opened()
      const [wallet, other] = [aQuote('ada').maker, `0x${'77'.repeat(20)}` as const]
      const claims: [maker: string, wallet: typeof wallet][] = [
        ['ada', wallet],
        ['ada', other],
        ['ada', wallet],
        ['bob', other],
      ]
      const may: boolean[] = []
      for (const [makerId, named] of claims) may.push(await book.claimWallet('one', makerId, named))
      expect(may).toEqual([true, false, true, true])
      expect(await book.claimWallet('nobody', 'ada', wallet)).toBe(false)
    })

    it('are all that a request shows that takes no others', async () => {
      const { book } = await madeFirm({ firmOnly: true })
      await book.put(aQuote('bob', { price: usd6(110_000n) }))
      expect(await book.top('one')).toMatchObject({ best: { makerId: 'ada' }, quoteCount: 2 })
      await book.remove(aQuote('ada'))
      expect(await book.top('one')).toMatchObject({ best: null, quoteCount: 1 })
    })
  })

  describe(`${name}: requests`, () => {
    it('about packages end as such, so that only makers of packages learn of it', async () => {
      const { book, feed, settled } = await create()
      const events: MakerEvent[] = []
      feed.listen((event) => events.push(event))
      await book.open(aPackageRequest('one'))
      await book.open(aRequest('two'))
      for (const id of ['one', 'two']) await book.close(id, 'cancelled')
      await settled()
      expect(events.slice(2).map(({ id: _, ...event }) => event)).toEqual([
        { kind: 'quote_request_expired', requestId: 'one', ofPackage: true },
        { kind: 'quote_request_expired', requestId: 'two' },
      ])
      expect(events[0]).toMatchObject({ request: aPackageRequest('one') })
      expect(await feed.since((events[0] as MakerEvent).id)).toEqual(events.slice(1))
    })

    it('keep their standing limit', async () => {
      const { book, feed, settled } = await create()
      const events: MakerEvent[] = []
      feed.listen((event) => events.push(event))
      const request = {
        ...aRequest('one'),
        standing: { limitPrice: usd6(120_000n), minContracts: null, proof: '0x5afe' },
      }
      await book.open(request)
      await settled()
      expect(events).toMatchObject([{ request }])
      expect([await book.find('one'), await book.openRequests()]).toMatchObject([{ request }, [{ request }]])
    })

    it('for some makers keep their audience, whole and in the end', async () => {
      const { book, feed, settled } = await create()
      const events: MakerEvent[] = []
      feed.listen((event) => events.push(event))
      const audience = { kind: 'except', makers: ['ada', 'a "quoted" name'] } as const
      await book.open({ ...aRequest('one'), audience })
      await book.open({ ...aPackageRequest('two'), audience: { kind: 'only', makers: ['bob'] } })
      for (const id of ['one', 'two']) await book.close(id, 'cancelled')
      await settled()
      expect(events[0]).toMatchObject({ request: { audience } })
      expect(events.slice(2).map(({ id: _, ...event }) => event)).toEqual([
        { kind: 'quote_request_expired', requestId: 'one', audience },
        {
          kind: 'quote_request_expired',
          requestId: 'two',
          ofPackage: true,
          audience: { kind: 'only', makers: ['bob'] },
        },
      ])
    })

    it.each(['buy', 'sell'] as const)(
      'about packages rank prices above a dollar, when the taker wants to %s',
      async (side) => {
        const { book } = await create()
        await book.open({
          ...aPackageRequest('one'),
          ...(side === 'sell' ? { trade: { side, size: contracts(100n) } } : {}),
        })
        const prices = { ada: 999_999n, bob: 1_000_000n, cyd: 15_999_999n, dan: 1n }
        for (const [maker, price] of Object.entries(prices)) await book.put(aQuote(maker, { side, price: usd6(price) }))
        const order = ['dan', 'ada', 'bob', 'cyd']
        const best = side === 'buy' ? order : order.toReversed()
        expect((await book.ranked('one')).map(({ makerId }) => makerId)).toEqual(best)
        const bob = aQuote('bob', { side, price: usd6(prices.bob), firmTerms: { nonce: 7, validUntil: 1_800_000_000 } })
        await book.put(bob)
        expect(await book.makeFirm(bob, FIRM_SIGNATURE)).toBe('firm')
        const ranked = await book.ranked('one')
        expect(ranked.map(({ makerId }) => makerId)).toEqual(best)
        expect(ranked.filter(({ isFirm }) => isFirm).map(({ makerId, price }) => [makerId, price])).toEqual([
          ['bob', 1_000_000n],
        ])
      },
    )

    it('for both sides end as such, so that only makers that ask for them learn of it', async () => {
      const { book, feed, settled } = await create()
      const events: MakerEvent[] = []
      feed.listen((event) => events.push(event))
      await book.open(aTwoSidedRequest('one'))
      await book.close('one', 'cancelled')
      await settled()
      expect(events[0]).toMatchObject({ request: aTwoSidedRequest('one') })
      expect(events[1]).toMatchObject({ kind: 'quote_request_expired', requestId: 'one', twoSided: true })
    })

    it('are announced once, in order, and listed while they are open', async () => {
      const { book, feed, settled } = await create()
      const events: MakerEvent[] = []
      feed.listen((event) => events.push(event))
      for (const id of ['one', 'two', 'one']) await book.open(aRequest(id))
      await settled()
      expect(events.map((event) => event.kind === 'quote_request' && event.request)).toEqual(
        ['one', 'two'].map(aRequest),
      )
      const listed = await book.openRequests()
      expect(listed).toEqual(events.map(({ id }, index) => ({ id, request: aRequest(index === 0 ? 'one' : 'two') })))
      expect(await feed.position()).toBe(events.at(-1)?.id)
    })

    it('are known while they are open, from the first message on', async () => {
      const { book, settled } = await opened()
      await settled()
      expect(book.known('one')).toEqual(aRequest('one'))
      expect(book.known('nobody')).toBeNull()
      await book.close('one', 'cancelled')
      await settled()
      expect(book.known('one')).toBeNull()
    })

    it('that are closed to make room say so, to who watches and who asks', async () => {
      const { book, settled } = await opened()
      const tops: BookTop[] = []
      await book.watch('one', (top) => tops.push(top))
      await book.close('one', 'cancelled', true)
      await settled()
      expect(tops.at(-1)).toMatchObject({ status: 'cancelled', isDisplaced: true })
      expect(await book.top('one')).toMatchObject({ status: 'cancelled', isDisplaced: true })
      await book.open(aRequest('two'))
      await book.close('two', 'cancelled')
      expect(await book.top('two')).not.toHaveProperty('isDisplaced')
    })

    it('are closed for exactly one caller, who learns of everyone who ever quoted', async () => {
      const { book, feed } = await opened()
      await book.put(aQuote('ada'))
      await book.put(aQuote('bob'))
      await book.remove(aQuote('bob'))
      const before = await feed.position()
      const results = await Promise.all([book.close('one', 'cancelled'), book.close('one', 'expired')])
      expect(results.map(({ kind }) => kind).sort()).toEqual(['absent', 'closed'])
      const closed = results.find(({ kind }) => kind === 'closed')
      expect(closed?.kind === 'closed' && closed.quotedBy).toEqual([
        { makerId: 'ada', quoteId: 'ada-quote' },
        { makerId: 'bob', quoteId: 'bob-quote' },
      ])
      expect(await feed.since(before)).toEqual([{ id: before + 1, kind: 'quote_request_expired', requestId: 'one' }])
      expect(await book.openRequests()).toEqual([])
      expect(await book.close('nobody', 'expired')).toEqual({ kind: 'absent' })
    })

    it('take quotes of any size that a JSON number holds exactly', async () => {
      const { book } = await opened()
      const most = contracts(BigInt(Number.MAX_SAFE_INTEGER))
      await book.put(aQuote('ada', { size: most }))
      expect((await book.top('one'))?.best?.size).toBe(most)
      expect((await book.ranked('one'))[0]?.size).toBe(most)
    })

    it('are put back with those who quoted, who keep their ids and misses, and with the quote that is held', async () => {
      const { book, settled } = await create()
      const quotedBy = [
        { makerId: 'ada', quoteId: 'ada-first', misses: 0 },
        { makerId: 'bob', quoteId: 'bob-first', misses: 2 },
      ]
      await book.open(aRequest('one'), { signing: { makerId: 'eve', quoteId: 'eve-first', heldAt: 7 }, quotedBy })
      await settled()
      expect(await book.top('one')).toMatchObject({ confirming: true, best: null, quoteCount: 0 })
      expect((await book.find('one'))?.signing).toEqual({ makerId: 'eve', quoteId: 'eve-first', heldAt: 7 })
      expect(await book.put(aQuote('eve'))).toEqual({ kind: 'locked' })
      expect(await book.put(aQuote('bob', { price: usd6(1n) }))).toMatchObject({ quote: { quoteId: 'bob-first' } })
      await book.put(aQuote('ada'))
      expect((await book.ranked('one')).map(({ quoteId, misses }) => [quoteId, misses])).toEqual([
        ['ada-first', 0],
        ['bob-first', 2],
      ])
      expect(await book.lock(aQuote('ada', { quoteId: 'ada-first' }))).toBeNull()
      await book.unlock('one', 'eve-first', 'missed')
      expect(await book.put(aQuote('eve'))).toMatchObject({ quote: { quoteId: 'eve-first' } })
      expect((await book.ranked('one')).map(({ makerId }) => makerId)).toEqual(['ada', 'eve', 'bob'])
      const closed = await book.close('one', 'cancelled')
      expect(closed.kind === 'closed' && closed.quotedBy.map(({ quoteId }) => quoteId).sort()).toEqual([
        'ada-first',
        'bob-first',
        'eve-first',
      ])
    })

    it('are remembered for 15 minutes without their quotes', async () => {
      const { book, clock } = await opened()
      await book.put(aQuote('ada'))
      await book.close('one', 'cancelled')
      expect(await book.top('one')).toMatchObject({ status: 'cancelled', best: null, quoteCount: 0 })
      expect(await book.findQuote(aQuote('ada'))).toBeNull()
      expect(await book.quotesOf('ada')).toEqual([])
      await clock.advance(15 * 60_000 - 1)
      expect((await book.find('one'))?.status).toBe('cancelled')
      await clock.advance(1)
      expect(await book.find('one')).toBeNull()
      expect(await book.top('one')).toBeNull()
    })
  })

  describe(`${name}: quotes on both sides`, () => {
    const MOST = 999_999n
    const pair = (maker: string, bid: bigint, ask: bigint, terms: Partial<Quote> = {}) =>
      aQuote(maker, { price: usd6(ask), otherPrice: usd6(bid), ...terms })

    const started = async (request = aTwoSidedRequest('one')) => {
      const market = await create()
      await market.book.open(request)
      const tops = async () => {
        const top = await market.book.top('one')
        return [top?.best?.makerId ?? null, top?.bestBid?.makerId ?? null]
      }
      return { ...market, tops }
    }

    it.each([
      ['an option', aTwoSidedRequest('one'), 1n],
      ['a package', { ...aPackageRequest('one'), trade: aTwoSidedRequest('one').trade }, 10n],
    ] as const)('show the best of each side, of %s', async (_, request, times) => {
      const { book, tops } = await started(request)
      expect(await tops()).toEqual([null, null])
      await book.put(pair('ada', 100_000n * times, 140_000n * times))
      await book.put(pair('bob', 80_000n * times, 120_000n * times))
      await book.put(pair('cyd', 1n, MOST * times))
      expect(await tops()).toEqual(['bob', 'ada'])
      const { best, bestBid } = (await book.top('one')) as BookTop
      expect(best).toMatchObject({ side: 'buy', price: 120_000n * times, otherPrice: 80_000n * times })
      expect(bestBid).toMatchObject({ side: 'sell', price: 100_000n * times, otherPrice: 140_000n * times })
      await book.put(pair('cyd', 100_001n * times, 119_999n * times))
      expect(await tops()).toEqual(['cyd', 'cyd'])
      await book.put(pair('cyd', 90_000n * times, 130_000n * times))
      expect(await tops()).toEqual(['bob', 'ada'])
      await book.remove({ requestId: 'one', makerId: 'ada', quoteId: 'ada-quote' })
      expect(await tops()).toEqual(['bob', 'cyd'])
      await book.removeAll('bob', { held: 'kept' })
      expect(await tops()).toEqual(['cyd', 'cyd'])
    })

    it('are one quote: found, ranked and held with both prices, and their time is that of both', async () => {
      const { book, clock } = await started()
      const ada = pair('ada', 100_000n, 140_000n)
      await book.put(ada)
      expect(await book.quotesOf('ada')).toEqual([expect.objectContaining({ ...ada })])
      expect(await book.ranked('one')).toMatchObject([{ price: 140_000n, otherPrice: 100_000n }])
      await clock.advance(10)
      await book.put({ ...ada, pricedAt: START_MS + 10 })
      expect(await book.findQuote(ada)).toMatchObject({ pricedAt: START_MS })
      await book.put({ ...ada, otherPrice: usd6(99_999n), pricedAt: START_MS + 10 })
      expect(await book.findQuote(ada)).toMatchObject({ pricedAt: START_MS + 10, otherPrice: 99_999n })
      expect(await book.lock(ada)).toMatchObject({ price: 140_000n, otherPrice: 99_999n })
      expect((await book.top('one'))?.quoteCount).toBe(1)
    })

    it('lapse, rank behind and come back on both sides at once', async () => {
      const { book, clock, tops } = await started()
      await book.put(pair('ada', 100_000n, 120_000n))
      await book.put(pair('bob', 90_000n, 130_000n, { expiresAt: START_MS + 1_000 }))
      const ada = { requestId: 'one', makerId: 'ada', quoteId: 'ada-quote' }
      await book.lock(ada)
      await book.unlock('one', 'ada-quote', 'missed')
      expect(await tops()).toEqual(['bob', 'bob'])
      await clock.advance(1_000)
      expect(await tops()).toEqual(['ada', 'ada'])
      expect(await book.expire({ requestId: 'one', makerId: 'bob', quoteId: 'bob-quote' })).toBe(true)
      await book.put(pair('bob', 1n, MOST))
      expect(await tops()).toEqual(['bob', 'bob'])
      await book.close('one', 'cancelled')
      expect(await book.top('one')).toMatchObject({ status: 'cancelled', best: null, quoteCount: 0 })
      expect((await book.top('one'))?.bestBid).toBeUndefined()
    })
  })

  describe(`${name}: quotes`, () => {
    it('from one maker replace each other under the first id; the time of an unchanged price stays', async () => {
      const { book } = await opened()
      await book.put(aQuote('ada'))
      const same = await book.put(aQuote('ada', { quoteId: 'other', pricedAt: START_MS + 5, size: contracts(7n) }))
      expect(same).toMatchObject({ kind: 'stored', quote: { quoteId: 'ada-quote', pricedAt: START_MS, size: 7n } })
      const moved = await book.put(aQuote('ada', { pricedAt: START_MS + 9, price: usd6(1n) }))
      expect(moved).toMatchObject({ quote: { pricedAt: START_MS + 9 } })
      expect(await book.ranked('one')).toHaveLength(1)
      expect(await book.findQuote(aQuote('ada'))).toMatchObject({ price: 1n })
    })

    it('are found by their own maker only', async () => {
      const { book } = await opened()
      await book.put(aQuote('ada'))
      await book.put(aQuote('bob'))
      expect(await book.findQuote(aQuote('ada'))).toMatchObject({ makerId: 'ada' })
      expect(await book.findQuote({ makerId: 'bob', quoteId: 'ada-quote' })).toBeNull()
    })

    it('from many makers keep their terms, which a later quote replaces', async () => {
      const { book } = await opened()
      const quoteOf = (n: number, terms: Partial<Quote> = {}) =>
        aQuote(`maker-${n}`, { price: usd6(BigInt(100_000 + n)), size: contracts(BigInt(n)), ...terms })
      for (let n = 40; n >= 1; n -= 1) await book.put(quoteOf(n, { firmTerms: { nonce: n, validUntil: START_MS } }))
      expect(await book.ranked('one')).toMatchObject(
        Array.from({ length: 40 }, (_, i) => ({
          price: BigInt(100_001 + i),
          size: BigInt(i + 1),
          firmTerms: { nonce: i + 1 },
        })),
      )
      await book.put(quoteOf(7, { size: contracts(70n) }))
      const later = await book.findQuote(quoteOf(7))
      expect(later).toMatchObject({ size: 70n })
      expect(later).not.toHaveProperty('firmTerms')
    })

    it("stand best first, and the best that is live and not the taker's own is on top", async () => {
      const { book, clock } = await create()
      await book.open({ ...aRequest('one'), wallet: TAKER })
      await book.put(aQuote('taker', { maker: TAKER, price: usd6(1n) }))
      await book.put(aQuote('dear', { price: usd6(300_000n) }))
      await book.put(aQuote('brief', { price: usd6(100_000n), expiresAt: START_MS + 1_000 }))
      await book.put(aQuote('good', { price: usd6(200_000n) }))
      expect((await book.ranked('one')).map(({ makerId }) => makerId)).toEqual(['taker', 'brief', 'good', 'dear'])
      expect((await book.top('one'))?.best?.makerId).toBe('brief')
      await clock.advance(1_000)
      expect((await book.top('one'))?.best?.makerId).toBe('good')
    })

    it('are refused on a request that is closed or unknown', async () => {
      const { book } = await opened()
      await book.close('one', 'expired')
      expect(await book.put(aQuote('ada'))).toEqual({ kind: 'closed' })
      expect(await book.put(aQuote('ada', { requestId: 'nobody' }))).toEqual({ kind: 'absent' })
      expect(await book.ranked('nobody')).toEqual([])
    })

    it('expire at their time and not before', async () => {
      const { book, clock } = await opened()
      await book.put(aQuote('ada', { expiresAt: START_MS + 1_000 }))
      await clock.advance(999)
      expect(await book.expire(aQuote('ada'))).toBe(false)
      expect(await book.ranked('one')).toHaveLength(1)
      await clock.advance(1)
      expect(await book.expire(aQuote('ada'))).toBe(true)
      expect(await book.ranked('one')).toHaveLength(0)
    })

    it('are taken out together, all of a maker or those of a series or market, each request announced', async () => {
      const { book } = await opened()
      const market = { ...aRequest('x').market, conditionId: `0x${'aB'.repeat(32)}` as const }
      await book.open({ ...aRequest('two'), seriesId: '2', market })
      await book.open({ ...aRequest('three'), seriesId: '3' })
      const quoteIds = new Map<string, string>()
      for (const requestId of ['one', 'two', 'three']) {
        const put = await book.put(aQuote('ada', { requestId, quoteId: `ada-${requestId}` }))
        quoteIds.set(requestId, put.kind === 'stored' ? put.quote.quoteId : '')
      }
      await book.put(aQuote('bob', { requestId: 'two' }))
      const before = (await book.top('two'))?.bookSeq ?? 0
      expect(await book.removeAll('ada', { seriesId: '7', held: 'kept' })).toEqual([])
      expect(await book.removeAll('ada', { conditionId: `0x${'ab'.repeat(32)}`, held: 'kept' })).toEqual([
        { requestId: 'two', quoteId: 'ada-two' },
      ])
      expect((await book.top('two'))?.bookSeq).toBe(before + 1)
      expect(await book.removeAll('ada', { seriesId: '3', held: 'kept' })).toEqual([
        { requestId: 'three', quoteId: 'ada-three' },
      ])
      expect(await book.removeAll('ada', { held: 'kept' })).toEqual([{ requestId: 'one', quoteId: 'ada-one' }])
      expect(await book.removeAll('ada', { held: 'taken' })).toEqual([])
      expect(await book.ranked('two')).toHaveLength(1)
      const again = await book.put(aQuote('ada', { quoteId: 'fresh' }))
      expect(again).toMatchObject({ kind: 'stored', quote: { quoteId: quoteIds.get('one') } })
    })

    it('that are out for signature stay when all are taken out, or go and stay held, as is asked', async () => {
      const { book } = await opened()
      await book.put(aQuote('ada'))
      await book.lock(aQuote('ada'))
      expect(await book.removeAll('ada', { held: 'kept' })).toEqual([])
      expect(await book.removeAll('ada', { held: 'taken' })).toEqual([{ requestId: 'one', quoteId: 'ada-quote' }])
      expect((await book.find('one'))?.signing).toMatchObject({ makerId: 'ada', quoteId: 'ada-quote' })
      await book.unlock('one', 'ada-quote', 'unasked')
      expect(await book.ranked('one')).toEqual([])
      expect((await book.find('one'))?.signing).toBeNull()
    })

    it('leave when their maker takes them back, once, and only from their own request', async () => {
      const { book } = await opened()
      await book.put(aQuote('ada'))
      expect(await book.remove(aQuote('ada', { requestId: 'two' }))).toBe('absent')
      expect(await book.remove(aQuote('ada'))).toBe('removed')
      expect(await book.remove(aQuote('ada'))).toBe('absent')
    })

    it('from one maker are found over all its requests', async () => {
      const { book } = await opened()
      await book.open(aRequest('two'))
      await book.put(aQuote('ada'))
      await book.put(aQuote('ada', { requestId: 'two', quoteId: 'ada-second' }))
      expect((await book.quotesOf('ada')).map(({ quoteId }) => quoteId)).toEqual(['ada-quote', 'ada-second'])
      expect(await book.quotesOf('bob')).toEqual([])
    })
  })

  describe(`${name}: a quote that is held for signature`, () => {
    const held = async (terms: Partial<Quote> = {}) => {
      const market = await opened()
      await market.book.put(aQuote('ada', terms))
      await market.book.put(aQuote('bob', { price: usd6(200_000n) }))
      await market.book.lock(aQuote('ada'))
      return market
    }

    it('is made firm no more, and is returned as the firm one that it is, with its firm signature', async () => {
      const { book } = await opened()
      const firmTerms = { nonce: 7, validUntil: 1_800_000_000 }
      await book.put(aQuote('ada', { firmTerms }))
      await book.put(aQuote('bob', { firmTerms }))
      await book.makeFirm(aQuote('ada', { firmTerms }), FIRM_SIGNATURE)
      const quote = await book.lock(aQuote('ada'))
      expect(quote).toMatchObject({ isFirm: true, firmTerms })
      expect(await book.firmSignature(quote as Quote)).toEqual(FIRM_SIGNATURE)
      await book.unlock('one', 'ada-quote', 'unasked')
      await book.lock(aQuote('bob'))
      expect(await book.makeFirm(aQuote('bob', { firmTerms }), FIRM_SIGNATURE)).toBe('locked')
    })

    it('is returned unchanged, and no other one can be held beside it', async () => {
      const { book } = await opened()
      await book.put(aQuote('ada'))
      await book.put(aQuote('bob'))
      expect(await book.lock(aQuote('nobody'))).toBeNull()
      expect(await book.lock(aQuote('ada'))).toMatchObject({ makerId: 'ada', price: 120_000n })
      expect(await book.lock(aQuote('bob'))).toBeNull()
      expect((await book.find('one'))?.signing).toEqual({ makerId: 'ada', quoteId: 'ada-quote', heldAt: START_MS })
      expect((await book.top('one'))?.confirming).toBe(true)
    })

    it('cannot change or be taken back; other makers can quote', async () => {
      const { book } = await held()
      expect(await book.put(aQuote('ada'))).toEqual({ kind: 'locked' })
      expect(await book.remove(aQuote('ada'))).toBe('locked')
      expect((await book.ranked('one')).map(({ makerId }) => makerId)).toEqual(['ada', 'bob'])
      expect((await book.put(aQuote('cyd'))).kind).toBe('stored')
    })

    it('leaves the book at its time as any quote does, which watchers hear, while its maker stays held (decision Q5)', async () => {
      const { book, clock, settled } = await held({ expiresAt: START_MS + 1_000 })
      const tops: BookTop[] = []
      const stop = await book.watch('one', (top) => tops.push(top))
      await clock.advance(1_000)
      expect(await book.expire(aQuote('ada'))).toBe(true)
      expect(await book.expire(aQuote('ada'))).toBe(false)
      await settled()
      expect(tops).toMatchObject([{ best: { makerId: 'bob' }, quoteCount: 1, confirming: true, bookSeq: 3 }])
      expect((await book.ranked('one')).map(({ makerId }) => makerId)).toEqual(['bob'])
      expect([await book.findQuote(aQuote('ada')), await book.quotesOf('ada')]).toEqual([null, []])
      expect(await book.put(aQuote('ada'))).toEqual({ kind: 'locked' })
      expect(await book.remove(aQuote('ada'))).toBe('absent')
      expect(await book.lock(aQuote('bob'))).toBeNull()
      await book.unlock('one', 'ada-quote', 'missed')
      await settled()
      expect(tops).toHaveLength(1)
      expect(await book.put(aQuote('ada'))).toMatchObject({ quote: { quoteId: 'ada-quote' } })
      expect((await book.ranked('one')).at(-1)).toMatchObject({ makerId: 'ada', misses: 1 })
      stop()
    })

    it('is let go of by its own id only', async () => {
      const { book } = await held()
      await book.unlock('one', 'bob-quote', 'missed')
      expect((await book.find('one'))?.signing).toMatchObject({ makerId: 'ada', quoteId: 'ada-quote' })
      expect((await book.ranked('one')).map(({ misses }) => misses)).toEqual([0, 0])
    })

    it('ends with its request, and letting go of it then changes nothing', async () => {
      const { book } = await held()
      expect((await book.close('one', 'cancelled')).kind).toBe('closed')
      await book.unlock('one', 'ada-quote', 'missed')
      expect(await book.find('one')).toMatchObject({ status: 'cancelled', signing: null })
      expect(await book.top('one')).toMatchObject({ status: 'cancelled', confirming: false, best: null, quoteCount: 0 })
      expect((await book.put(aQuote('cyd'))).kind).toBe('closed')
    })

    it('that was missed ranks behind all that missed less, also with a new price', async () => {
      const { book } = await held()
      await book.unlock('one', 'ada-quote', 'missed')
      expect((await book.top('one'))?.best?.makerId).toBe('bob')
      await book.put(aQuote('ada', { price: usd6(1n) }))
      expect((await book.ranked('one')).map(({ makerId, misses }) => [makerId, misses])).toEqual([
        ['bob', 0],
        ['ada', 1],
      ])
    })

    it('stays where it was when no one asked for it, and is released into nothing when its time was over', async () => {
      const { book, clock } = await held({ expiresAt: START_MS + 1_000 })
      await book.unlock('one', 'ada-quote', 'unasked')
      expect((await book.top('one'))?.best?.makerId).toBe('ada')
      await book.lock(aQuote('ada'))
      await clock.advance(1_000)
      await book.unlock('one', 'ada-quote', 'unasked')
      expect((await book.ranked('one')).map(({ makerId }) => makerId)).toEqual(['bob'])
    })
  })

  describe(`${name}: a maker that does not confirm`, () => {
    /** Requests on which ada is cheaper than bob. */
    const quoted = async (...requestIds: string[]) => {
      const market = await create()
      for (const requestId of requestIds) {
        await market.book.open(aRequest(requestId))
        await quoteBoth(market.book, requestId)
      }
      return market
    }
    const quoteBoth = async (book: Book, requestId: string) => {
      const life = { requestId, expiresAt: START_MS + 3 * DEMOTION.windowMs }
      await book.put(aQuote('ada', { ...life, quoteId: `ada-${requestId}` }))
      await book.put(aQuote('bob', { ...life, quoteId: `bob-${requestId}`, price: usd6(200_000n) }))
    }
    const ask = async (book: Book, requestId: string, result: 'missed' | 'unasked') => {
      await book.lock(aQuote('ada', { requestId, quoteId: `ada-${requestId}` }))
      await book.unlock(requestId, `ada-${requestId}`, result)
    }
    const bestOf = async (book: Book, requestId: string) => (await book.top(requestId))?.best?.makerId

    it('ranks behind in every request once its misses are too many, also where it has quoted, and its watchers hear', async () => {
      const { book, clock, settled } = await quoted('one', 'two', 'three')
      await ask(book, 'one', 'missed')
      expect([await bestOf(book, 'one'), await bestOf(book, 'two')]).toEqual(['bob', 'ada'])
      expect(await book.demoted()).toEqual([])
      const tops: BookTop[] = []
      const stop = await book.watch('three', (top) => tops.push(top))
      await ask(book, 'two', 'missed')
      await settled()
      expect(tops).toMatchObject([{ best: { makerId: 'bob' }, quoteCount: 2 }])
      expect(await Promise.all(['one', 'two', 'three'].map((id) => bestOf(book, id)))).toEqual(['bob', 'bob', 'bob'])
      expect(
        (await book.ranked('three')).map(({ makerId, misses, isDemoted }) => [makerId, misses, isDemoted]),
      ).toEqual([
        ['bob', 0, false],
        ['ada', 0, true],
      ])
      expect(await book.demoted()).toEqual([{ makerId: 'ada', until: clock.now() + DEMOTION.windowMs }])
      stop()
    })

    it('ranks behind with each new quote, until the window after its last miss is over', async () => {
      const { book, clock } = await quoted('one', 'two')
      await ask(book, 'one', 'missed')
      await clock.advance(60_000)
      await ask(book, 'two', 'missed')
      await clock.advance(DEMOTION.windowMs - 1)
      await book.open(aRequest('late'))
      await quoteBoth(book, 'late')
      await book.put(aQuote('ada', { requestId: 'late', price: usd6(1n), expiresAt: clock.now() + 2 }))
      expect(await bestOf(book, 'late')).toBe('bob')
      await clock.advance(1)
      await book.open(aRequest('later'))
      await quoteBoth(book, 'later')
      expect(await bestOf(book, 'later')).toBe('ada')
      expect(await book.demoted()).toEqual([])
    })

    it('is judged by misses that follow each other within the window', async () => {
      const { book, clock } = await quoted('one', 'two')
      await ask(book, 'one', 'missed')
      await clock.advance(DEMOTION.windowMs)
      await ask(book, 'two', 'missed')
      expect(await book.demoted()).toEqual([])
    })

    it('is not judged by asks that came to nothing through no fault of its own', async () => {
      const { book } = await quoted('one')
      for (let n = 0; n < 5; n += 1) await ask(book, 'one', 'unasked')
      await book.unlock('one', 'ada-one', 'missed')
      expect(await book.demoted()).toEqual([])
      expect(await bestOf(book, 'one')).toBe('ada')
    })

    it('has its misses forgotten by a confirmation, in every request', async () => {
      const { book } = await quoted('one', 'two', 'three', 'four')
      await ask(book, 'one', 'missed')
      await ask(book, 'two', 'missed')
      await book.lock(aQuote('ada', { requestId: 'three', quoteId: 'ada-three' }))
      await book.close('three', 'committed')
      expect(await book.demoted()).toEqual([])
      expect([await bestOf(book, 'four'), await bestOf(book, 'two')]).toEqual(['ada', 'bob'])
      await ask(book, 'four', 'missed')
      expect(await book.demoted()).toEqual([])
    })

    it('can be forgiven by an operator', async () => {
      const { book } = await quoted('one', 'two', 'three')
      await ask(book, 'one', 'missed')
      await ask(book, 'two', 'missed')
      await book.forgive('ada')
      await book.forgive('nobody')
      expect([await bestOf(book, 'one'), await bestOf(book, 'three'), await book.demoted()]).toEqual(['bob', 'ada', []])
    })
  })

  describe(`${name}: a watcher`, () => {
    it('receives each change with a number that rises by one, and at last the end', async () => {
      const { book, clock, settled } = await opened()
      const tops: BookTop[] = []
      const stop = await book.watch('one', (top) => tops.push(top))
      // What follows closer than 20 ms may be heard as one change (decision Q9).
      const pause = async () => {
        await settled()
        await clock.advance(20)
        await settled()
      }
      await book.put(aQuote('ada'))
      await pause()
      await book.put(aQuote('bob', { price: usd6(100_000n) }))
      await pause()
      await book.remove(aQuote('bob'))
      await book.close('one', 'committed')
      await settled()
      expect(tops.map(({ bookSeq, best, status }) => [bookSeq, best?.makerId, status])).toEqual([
        [1, 'ada', 'open'],
        [2, 'bob', 'open'],
        [3, 'ada', 'open'],
        [4, undefined, 'committed'],
      ])
      stop()
    })

    it('receives the last of many quotes within 20 ms of the first', async () => {
      const { book, clock, settled } = await opened()
      const tops: BookTop[] = []
      const stop = await book.watch('one', (top) => tops.push(top))
      for (let price = 300_000n; price > 100_000n; price -= 10_000n)
        await book.put(aQuote('ada', { price: usd6(price) }))
      await settled()
      expect(tops[0]).toMatchObject({ bookSeq: 1, best: { price: 300_000n } })
      await clock.advance(20)
      await settled()
      expect(tops.at(-1)).toMatchObject({ bookSeq: 20, best: { price: 110_000n } })
      await book.put(aQuote('bob', { price: usd6(1n) }))
      await settled()
      expect(tops.at(-1)).toMatchObject({ bookSeq: 21, best: { makerId: 'bob' } })
      stop()
    })

    it('receives nothing of other requests, of a held quote, or after it stopped', async () => {
      const { book, clock, settled } = await opened()
      await book.open(aRequest('two'))
      const tops: BookTop[] = []
      const stop = await book.watch('one', (top) => tops.push(top))
      const others: BookTop[] = []
      const stopOther = await book.watch('one', (top) => others.push(top))
      await book.put(aQuote('ada', { requestId: 'two' }))
      await settled()
      expect(tops).toEqual([])
      await book.put(aQuote('bob'))
      await book.lock(aQuote('bob'))
      await book.unlock('one', 'bob-quote', 'unasked')
      await settled()
      expect(tops).toHaveLength(1)
      stop()
      await book.put(aQuote('cyd'))
      await settled()
      await clock.advance(20)
      await settled()
      expect([tops.length, others.length]).toEqual([1, 2])
      stopOther()
    })
  })
}
