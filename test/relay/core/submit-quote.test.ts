import { describe, expect, it } from 'vitest'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, PUT_SELL, refusal, TAKER, type TestRelay, walletOf } from '../../support/test-relay.ts'

const top = (fixture: TestRelay, requestId: string) => fixture.relay.readRequest({ requestId, takerSecret: null })
const funds = (balance: bigint, allowance: bigint) => ({ balance: usd6(balance), allowance: usd6(allowance) })

describe('a quote', () => {
  it("replaces the same maker's former one and keeps its id", async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    const first = await fixture.quote('ada', requestId)
    const second = await fixture.quote('ada', requestId, { price: usd6(100_000n) })
    expect(second).toBe(first)
    expect(await top(fixture, requestId)).toMatchObject({ quoteCount: 1, bookSeq: 2, best: { price: 100_000n } })
  })

  it('that comes first at a price stays ahead of a later one at the same price', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    await fixture.quote('zoe', requestId)
    await fixture.clock.advance(1)
    await fixture.quote('ada', requestId)
    await fixture.clock.advance(1)
    await fixture.quote('zoe', requestId, { size: contracts(900n) })
    expect((await top(fixture, requestId)).best?.makerId).toBe('zoe')
  })

  it('leaves the book when its time is over, and takers hear of it', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId, { expiresInMs: 2_000 })
    const seen: (string | null)[] = []
    await fixture.relay.watchRequest({
      requestId,
      takerSecret: null,
      onChange: ({ best }) => seen.push(best?.makerId ?? null),
    })
    await fixture.clock.advance(1_999)
    expect((await top(fixture, requestId)).quoteCount).toBe(1)
    await fixture.clock.advance(1)
    expect(seen).toEqual([null])
    expect(await top(fixture, requestId)).toMatchObject({ best: null, quoteCount: 0 })
  })

  it("by the taker's own wallet is never its best quote", async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open({ wallet: TAKER })
    await fixture.quote('ada', requestId, { maker: TAKER, price: usd6(1_000n) })
    expect((await top(fixture, requestId)).best).toBeNull()
    expect(await refusal(fixture.commit(requestId))).toBe('no_valid_quotes')
  })

  it('takes one timer however often it is repeated, and leaves at the time of the newest', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    const before = fixture.clock.pending()
    const quoteFor = (expiresInMs: number | null) => fixture.quote('ada', requestId, { expiresInMs })
    const count = async () => (await fixture.ports.book.top(requestId))?.quoteCount
    for (let n = 0; n < 1_000; n += 1) await quoteFor(10_000 + n)
    expect(fixture.clock.pending()).toBe(before + 1)
    await fixture.clock.advance(10_998)
    expect(await count()).toBe(1)
    expect(fixture.clock.pending()).toBe(before + 1)
    await fixture.clock.advance(1)
    expect([await count(), fixture.clock.pending()]).toEqual([0, before])

    await quoteFor(60_000)
    await quoteFor(1_000)
    expect(fixture.clock.pending()).toBe(before + 1)
    await fixture.clock.advance(1_000)
    expect([await count(), fixture.clock.pending()]).toEqual([0, before])

    await quoteFor(1_000)
    await quoteFor(null)
    await fixture.clock.advance(1_000)
    expect([await count(), fixture.clock.pending()]).toEqual([1, before])
  })

  it.each([
    [1_000, 5_000],
    [5_000, 1_000],
    [1_000, null],
    [null, 1_000],
  ])(
    'for %s ms and then for %s ms leaves at the time of the second, whichever answer comes first',
    async (...times) => {
      const fixture = createTestRelay()
      const { requestId } = await fixture.open()
      const { book } = fixture.ports
      const { put } = book
      const answers: (() => void)[] = []
      book.put = async (quote) => {
        const answer = await put(quote)
        await new Promise<void>((resolve) => void answers.push(resolve))
        return answer
      }
      const quotes = times.map((expiresInMs) => fixture.quote('ada', requestId, { expiresInMs }))
      await settle()
      for (const answer of answers.reverse()) {
        answer()
        await settle()
      }
      await Promise.all(quotes)
      const count = async () => (await book.top(requestId))?.quoteCount
      const last = times[1] ?? 299_000
      await fixture.clock.advance(last - 1)
      expect(await count()).toBe(1)
      await fixture.clock.advance(1)
      expect(await count()).toBe(times[1] === null ? 1 : 0)
    },
  )

  it('withdrawn is gone, and a later one of its maker has the same id', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    const quoteId = await fixture.quote('ada', requestId)
    expect(await refusal(fixture.relay.withdrawQuote({ makerId: 'bob', quoteId }))).toBe('quote_not_found')
    await fixture.relay.withdrawQuote({ makerId: 'ada', quoteId })
    expect((await top(fixture, requestId)).quoteCount).toBe(0)
    expect(await refusal(fixture.relay.withdrawQuote({ makerId: 'ada', quoteId }))).toBe('quote_not_found')
    expect(await fixture.quote('ada', requestId)).toBe(quoteId)
  })

  it('cannot change or leave while it is out for signature; another maker may quote, and is asked next', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { requestId } = await fixture.open()
    const quoteId = await fixture.quote('ada', requestId)
    const commit = refusal(fixture.commit(requestId))
    await settle()
    expect(await refusal(fixture.quote('ada', requestId))).toBe('quote_locked')
    expect(await refusal(fixture.relay.withdrawQuote({ makerId: 'ada', quoteId }))).toBe('quote_locked')
    const bob = await fixture.connect('bob')
    await fixture.quote('bob', requestId, { price: usd6(1_000n) })
    expect(bob.accepted()).toHaveLength(0)
    await fixture.clock.advance(10_000)
    expect(bob.accepted()).toHaveLength(1)
    await fixture.clock.advance(10_000)
    expect(await commit).toBe('no_maker_confirmed')
  })

  it('by a maker that missed a confirmation ranks behind one that did not, also after a new price', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId, { price: usd6(90_000n) })
    const commit = refusal(fixture.commit(requestId))
    await fixture.clock.advance(10_000)
    await commit
    await fixture.quote('bob', requestId)
    await fixture.quote('ada', requestId, { price: usd6(80_000n) })
    expect((await top(fixture, requestId)).best?.makerId).toBe('bob')
  })
})

describe('a quote is refused', () => {
  it('by its terms, and the former one stays', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const cases = {
      side_mismatch: { side: 'sell' as const },
      size_too_small: { size: contracts(0n) },
      price_out_of_range: { price: usd6(1_000_000n) },
      price_above_max_payoff: { price: usd6(550_001n) },
    }
    for (const [code, quote] of Object.entries(cases)) {
      expect(await refusal(fixture.quote('ada', requestId, quote))).toBe(code)
    }
    expect((await top(fixture, requestId)).quoteCount).toBe(1)
  })

  it('when the budget does not buy one option', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open({ trade: { side: 'buy', budget: usd6(100_000n) } })
    expect(await refusal(fixture.quote('ada', requestId))).toBe('fill_below_one')
  })

  it('on a request that is unknown, expired, or closed', async () => {
    const fixture = createTestRelay()
    const submission = {
      maker: walletOf('ada'),
      side: 'buy' as const,
      price: usd6(1n),
      size: contracts(1n),
      expiresInMs: null,
    }
    const submit = (requestId: string) => fixture.relay.submitQuote({ makerId: 'ada', requestId, submission })
    expect(await refusal(submit('nobody'))).toBe('request_not_found')
    const cancelled = await fixture.open()
    await fixture.relay.cancelRequest(cancelled)
    expect(await refusal(submit(cancelled.requestId))).toBe('request_closed')
    const expired = await fixture.open()
    await fixture.clock.advance(300_000)
    expect(await refusal(submit(expired.requestId))).toBe('request_expired')
    await fixture.clock.advance(15 * 60_000)
    expect(await refusal(submit(cancelled.requestId))).not.toBe('not refused')
  })

  it('first for its request, also where this node does not know its end yet', async () => {
    const fixture = createTestRelay()
    const opened = await fixture.open()
    const { requestId } = opened
    const request = fixture.ports.book.known(requestId)
    await fixture.relay.cancelRequest(opened)
    fixture.ports.book.known = () => request
    for (const price of [120_000n, 1_000_000n]) {
      expect(await refusal(fixture.quote('ada', requestId, { price: usd6(price) }))).toBe('request_closed')
    }
  })

  it('on no request that the book has lost and the store has open: that is opened again', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    const { put } = fixture.ports.book
    fixture.ports.book.put = () => {
      fixture.ports.book.put = put
      return { kind: 'absent' }
    }
    expect(await refusal(fixture.quote('ada', requestId))).toBe('not refused')
    expect((await top(fixture, requestId)).quoteCount).toBe(1)
  })

  it('when the wallet holds too little, or has approved too little to the contract that takes it, and the former one goes', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const collateral = 833n * 550_000n
    fixture.chain.wallets.set(walletOf('ada'), { core: funds(collateral - 1n, collateral) })
    expect(await refusal(fixture.quote('ada', requestId))).toBe('maker_insufficient_balance')
    expect((await top(fixture, requestId)).quoteCount).toBe(0)
    fixture.chain.wallets.set(walletOf('ada'), { core: funds(collateral, collateral - 1n) })
    expect(await refusal(fixture.quote('ada', requestId))).toBe('maker_insufficient_allowance')
    fixture.chain.wallets.set(walletOf('ada'), { core: funds(collateral, collateral) })
    expect(await refusal(fixture.quote('ada', requestId))).toBe('not refused')
  })

  it('by the premium of a buying maker, approved to the settlement contract', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open(PUT_SELL)
    fixture.chain.wallets.set(walletOf('ada'), { settlement: funds(12_000_000n, 11_999_999n) })
    expect(await refusal(fixture.quote('ada', requestId))).toBe('maker_insufficient_allowance')
    fixture.chain.wallets.set(walletOf('ada'), { settlement: funds(12_000_000n, 12_000_000n) })
    expect(await refusal(fixture.quote('ada', requestId))).toBe('not refused')
  })

  it('never as insolvent when the chain cannot be read', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    fixture.chain.down = true
    expect(await refusal(fixture.quote('ada', requestId))).toBe('chain_unavailable')
  })
})

describe('promises of a wallet', () => {
  const collateral = 833n * 550_000n

  it('counts against its next quote until the order is filled or over', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    fixture.chain.wallets.set(ada.wallet, { core: funds(collateral, collateral * 9n) })
    const first = await fixture.open()
    await fixture.quote('ada', first.requestId)
    const commit = fixture.commit(first.requestId)
    await settle()
    const next = await fixture.open()
    expect(await refusal(fixture.quote('ada', next.requestId))).toBe('maker_insufficient_balance')
    await ada.confirm()
    const { order } = (await commit).execution.acceptance
    expect(await refusal(fixture.quote('ada', next.requestId))).toBe('maker_insufficient_balance')
    fixture.chain.use(order)
    expect(await refusal(fixture.quote('ada', next.requestId))).toBe('not refused')
    fixture.chain.uses.length = 0
    await fixture.clock.advance(131_000)
    expect(await refusal(fixture.quote('ada', next.requestId))).toBe('not refused')
  })

  it('do not count when the taker cannot pay, and a pending order blocks no one else that names the wallet', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    fixture.chain.wallets.set(ada.wallet, { core: funds(collateral, collateral * 9n) })
    const first = await fixture.open()
    await fixture.quote('ada', first.requestId)
    const commit = fixture.commit(first.requestId)
    await settle()
    const next = await fixture.open()
    expect(await refusal(fixture.quote('bob', next.requestId, { maker: ada.wallet }))).toBe('not refused')
    fixture.chain.wallets.set(TAKER, { settlement: funds(0n, 0n) })
    await ada.confirm()
    await commit
    expect(await refusal(fixture.quote('ada', next.requestId))).toBe('not refused')
  })

  it('is read past the cache when a taker commits', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const commit = refusal(fixture.commit(requestId))
    await fixture.clock.advance(1_000)
    await commit
    expect(fixture.chain.reads.map(({ freshness }) => freshness)).toEqual(['cached', 'latest'])
  })
})
