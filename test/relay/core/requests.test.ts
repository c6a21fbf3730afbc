import { describe, expect, it } from 'vitest'
import { type Address, contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { quoteRequestFrame } from '../../../src/protocol/wire/maker-stream.ts'
import { settle } from '../../support/fake-clock.ts'
import { CALL_BUY, createTestRelay, EXPIRY_S, OTHER_TAKER, refusal, TAKER, walletOf } from '../../support/test-relay.ts'

const FREE = { limitPrice: null, minContracts: null, expectedQuoteId: null }

describe('opening a request', () => {
  it('announces it, counts the makers that hear it, and says whether its series is listed', async () => {
    const fixture = createTestRelay()
    const leave = await fixture.relay.joinMakerStream('ada', {
      connectionId: 'one',
      hears: { packages: false, twoSided: false },
    })
    await fixture.relay.joinMakerStream('ada', { connectionId: 'two', hears: { packages: false, twoSided: false } })
    await fixture.relay.joinMakerStream('bob', { connectionId: 'three', hears: { packages: false, twoSided: false } })
    const opened = await fixture.relay.openRequest({ ...CALL_BUY, locked: false })
    expect(opened).toMatchObject({ makersConnected: 2, seriesListed: true })
    expect(opened.expiresAt).toBe(fixture.clock.now() + 300_000)
    leave()
    fixture.chain.registered.clear()
    expect(await fixture.relay.openRequest({ ...CALL_BUY, locked: false })).toMatchObject({
      makersConnected: 2,
      seriesListed: false,
    })
  })

  it('for some makers counts those alone, and is none to the others (protocol open-9)', async () => {
    const fixture = createTestRelay()
    for (const name of ['ada', 'bob', 'cyd'])
      await fixture.relay.joinMakerStream(name, { connectionId: name, hears: { packages: false, twoSided: false } })
    const forAda = await fixture.relay.openRequest({
      ...CALL_BUY,
      locked: false,
      audience: { kind: 'only', makers: ['ada', 'eve'] },
    })
    const notForAda = await fixture.relay.openRequest({
      ...CALL_BUY,
      locked: false,
      audience: { kind: 'except', makers: ['ada'] },
    })
    expect([forAda.makersConnected, notForAda.makersConnected]).toEqual([1, 2])
    await fixture.quote('ada', forAda.requestId)
    await fixture.quote('bob', notForAda.requestId)
    expect(await refusal(fixture.quote('bob', forAda.requestId))).toBe('request_not_found')
    expect(await refusal(fixture.quote('ada', notForAda.requestId))).toBe('request_not_found')
    await fixture.relay.cancelRequest(forAda)
    expect(await refusal(fixture.quote('bob', forAda.requestId))).toBe('request_not_found')
    expect(await refusal(fixture.quote('ada', forAda.requestId))).toBe('request_closed')
    // The log of a request has nothing of a maker that it is not for.
    expect(fixture.auditLog.filter(({ kind }) => kind === 'quote_refused')).toMatchObject([{ makerId: 'ada' }])
    expect(JSON.stringify(fixture.auditLog, (_, part) => (typeof part === 'bigint' ? `${part}` : part))).not.toContain(
      'eve',
    )
  })

  it('blind keeps its wallet from makers, from strangers and from the log, and is committed by that wallet alone (protocol open-10)', async () => {
    const fixture = createTestRelay()
    const heard: unknown[] = []
    fixture.relay.listenMakerFeed((event) => {
      if (event.kind === 'quote_request') heard.push(quoteRequestFrame(event.id, event.request))
    })
    const { requestId, takerSecret } = await fixture.relay.openRequest({
      ...CALL_BUY,
      wallet: null,
      blindWallet: TAKER,
      locked: true,
    })
    const ada = await fixture.connect('ada')
    await fixture.connect('bob')
    const quote = (makerId: string, maker: Address, price: bigint) =>
      fixture.relay.submitQuote({
        makerId,
        requestId,
        submission: { maker, side: 'buy', price: usd6(price), size: contracts(1_000n), expiresInMs: null },
      })
    await quote('ada', walletOf('ada'), 120_000n)
    const before = JSON.stringify([heard, fixture.auditLog], (_, part) => (typeof part === 'bigint' ? `${part}` : part))
    expect(heard).toHaveLength(1)
    expect(before.toLowerCase()).not.toContain(TAKER.toLowerCase().slice(2))
    await quote('bob', TAKER, 1_000n)
    const { best } = await fixture.relay.readRequest({ requestId, takerSecret })
    expect(best?.makerId).toBe('ada')
    const commit = (wallet: Address) =>
      fixture.relay.commit({ requestId, takerSecret, terms: { ...FREE, wallet }, clientAddress: null })
    expect(await refusal(commit(OTHER_TAKER))).toBe('wallet_mismatch')
    const committed = commit(TAKER)
    await settle()
    expect(ada.accepted()[0]?.order.taker).toBe(TAKER)
    await ada.confirm()
    expect((await committed).execution.acceptance.order.taker).toBe(TAKER)
  })

  describe('tells makers the YES price', () => {
    const at = async ({ relay, ports }: ReturnType<typeof createTestRelay>, market = CALL_BUY.market) => {
      const { requestId } = await relay.openRequest({ ...CALL_BUY, market, locked: false })
      return (await ports.book.find(requestId))?.request.market.yesPrice
    }

    /** A relay whose price source counts what it is asked for, and answers when it is let. */
    function priced() {
      const source = { asked: [] as string[], answer: async () => 0.6 }
      const fixture = createTestRelay()
      fixture.ports.prices.history = async (token, _from, to) => {
        source.asked.push(token)
        return [{ t: to, p: await source.answer() }]
      }
      return { fixture, source }
    }

    it('as it was last read, and waits for no source: what is not known is absent', async () => {
      const { fixture, source } = priced()
      expect(await at(fixture)).toBeUndefined()
      await fixture.clock.advance(0)
      expect(await at(fixture)).toBe(0.6)
      source.answer = () => new Promise(() => {})
      await fixture.clock.advance(200_000)
      expect(await at(fixture)).toBe(0.6)
      await fixture.clock.advance(100_000)
      expect(await at(fixture)).toBe(0.6)
      await fixture.clock.advance(1)
      expect(await at(fixture)).toBeUndefined()
    })

    it('the same to those who hear it live, in a snapshot, after a restart and in the audit log', async () => {
      const { fixture } = priced()
      await fixture.relay.listMarkets()
      const heard: (number | undefined)[] = []
      fixture.relay.listenMakerFeed((event) => {
        if (event.kind === 'quote_request') heard.push(event.request.market.yesPrice)
      })
      expect(await at(fixture)).toBe(0.6)
      const snapshotOf = async ({ relay }: typeof fixture) => {
        const opening = await relay.openMakerFeed(null)
        return opening.kind === 'snapshot' ? opening.requests.map(({ request }) => request.market.yesPrice) : null
      }
      expect([heard, await snapshotOf(fixture)]).toEqual([[0.6], [0.6]])
      expect(fixture.auditLog).toMatchObject([{ kind: 'opened', terms: { market: { yesPrice: 0.6 } } }])
      const restarted = await fixture.restart()
      await restarted.relay.start()
      expect(await snapshotOf(restarted)).toEqual([0.6])
      restarted.relay.stop()
    })

    it('for listed series alone: a stranger cannot have the source asked for any token', async () => {
      const { fixture, source } = priced()
      expect(await at(fixture, { ...CALL_BUY.market, yesTokenId: '77' })).toBeUndefined()
      await fixture.clock.advance(0)
      expect(source.asked).toEqual([])
    })
  })

  it('is refused for a contract as the wallet, and so are quotes, commits and drips', async () => {
    const fixture = createTestRelay()
    const contract = fixture.chain.environment.coreAddress
    const { requestId } = await fixture.open()
    expect(await refusal(fixture.open({ wallet: contract }))).toBe('invalid_request')
    expect(await refusal(fixture.quote('ada', requestId, { maker: contract }))).toBe('invalid_request')
    expect(await refusal(fixture.commit(requestId, { wallet: contract }))).toBe('invalid_request')
    expect(await refusal(fixture.relay.drip(contract))).toBe('invalid_request')
  })

  it('counts each keyless stream for itself', async () => {
    const { relay } = createTestRelay({ settings: { openMode: true } })
    await relay.joinMakerStream('anonymous', { connectionId: 'one', hears: { packages: false, twoSided: false } })
    await relay.joinMakerStream('anonymous', { connectionId: 'two', hears: { packages: false, twoSided: false } })
    expect((await relay.openRequest({ ...CALL_BUY, locked: false })).makersConnected).toBe(2)
  })

  it("ends it at the second of the option's expiry when that comes before its time is over", async () => {
    const fixture = createTestRelay()
    const expiryMs = fixture.clock.now() + 60_500
    const { expiresAt } = await fixture.relay.openRequest({
      ...CALL_BUY,
      option: { ...CALL_BUY.option, expiryMs },
      locked: false,
    })
    expect(expiresAt).toBe(expiryMs - 500)
  })

  it('is refused for an option that has expired by the clock or by chain time', async () => {
    const fixture = createTestRelay()
    const expired = { ...CALL_BUY.option, expiryMs: fixture.clock.now() + 999 }
    expect(await refusal(fixture.open({ option: expired }))).toBe('option_expired')
    fixture.chain.aheadS = EXPIRY_S
    expect(await refusal(fixture.open())).toBe('option_expired')
    fixture.chain.down = true
    expect(await refusal(fixture.open())).toBe('not refused')
  })
})

describe('a request', () => {
  it('expires once, for makers and takers', async () => {
    const fixture = createTestRelay()
    const events: string[] = []
    fixture.relay.listenMakerFeed(({ kind }) => events.push(kind))
    const { requestId } = await fixture.open()
    const statuses: string[] = []
    await fixture.relay.watchRequest({ requestId, takerSecret: null, onChange: ({ status }) => statuses.push(status) })
    await fixture.clock.advance(299_999)
    expect(events).toEqual(['quote_request'])
    await fixture.clock.advance(600_000)
    expect(events).toEqual(['quote_request', 'quote_request_expired'])
    expect(statuses).toEqual(['expired'])
    expect(await refusal(fixture.relay.readRequest({ requestId, takerSecret: null }))).toBe('request_expired')
  })

  it('is cancelled by its taker only, and its makers learn why', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId, takerSecret } = await fixture.open()
    await fixture.quote('ada', requestId)
    for (const wrong of [null, 'guess']) {
      expect(await refusal(fixture.relay.cancelRequest({ requestId, takerSecret: wrong }))).toBe(
        'taker_secret_required',
      )
    }
    await fixture.relay.cancelRequest({ requestId, takerSecret })
    expect(ada.messages).toMatchObject([{ kind: 'rejected', reason: 'request_cancelled' }])
    expect(await refusal(fixture.relay.cancelRequest({ requestId, takerSecret }))).toBe('request_closed')
    expect((await fixture.relay.readRequest({ requestId, takerSecret: null })).status).toBe('cancelled')
    const watching = fixture.relay.watchRequest({ requestId, takerSecret: null, onChange: () => {} })
    expect(await refusal(watching)).toBe('request_not_found')
  })

  it('cannot be cancelled while a maker is signing', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const opened = await fixture.open()
    await fixture.quote('ada', opened.requestId)
    const commit = refusal(fixture.commit(opened.requestId))
    await fixture.clock.advance(5_000)
    expect(await refusal(fixture.relay.cancelRequest(opened))).toBe('commit_in_progress')
    expect((await fixture.relay.readRequest({ ...opened })).confirming).toBe(true)
    await fixture.clock.advance(5_000)
    await commit
    expect(await refusal(fixture.relay.cancelRequest(opened))).toBe('not refused')
  })

  it('that is locked shows itself to its taker only', async () => {
    const fixture = createTestRelay()
    const { requestId, takerSecret } = await fixture.open({ locked: true })
    const onChange = () => {}
    for (const wrong of [null, 'guess']) {
      expect(await refusal(fixture.relay.readRequest({ requestId, takerSecret: wrong }))).toBe('taker_secret_required')
      expect(await refusal(fixture.relay.watchRequest({ requestId, takerSecret: wrong, onChange }))).toBe(
        'taker_secret_required',
      )
    }
    expect((await fixture.relay.readRequest({ requestId, takerSecret })).status).toBe('open')
  })

  it('survives a restart: makers hear of it under a higher id, and it still expires in its time', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    const before = (await fixture.relay.openMakerFeed(null)).position
    const after = await fixture.restart()
    const opening = await after.relay.openMakerFeed(before)
    expect(opening).toMatchObject({ kind: 'snapshot', requests: [{ request: { requestId } }] })
    expect(opening.position).toBeGreaterThan(before)
    await after.clock.advance(300_000)
    expect(await after.relay.openMakerFeed(null)).toMatchObject({ requests: [] })
  })

  it('that expired while the relay was down is closed when it starts', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    const after = await fixture.restart(300_000)
    expect(await after.relay.openMakerFeed(null)).toMatchObject({ requests: [] })
    expect(await refusal(after.relay.readRequest({ requestId, takerSecret: null }))).toBe('request_expired')
  })
})

describe("a maker's stream", () => {
  it('continues after the last event it saw, closings included', async () => {
    const fixture = createTestRelay()
    const first = await fixture.open()
    const { position } = await fixture.relay.openMakerFeed(null)
    const second = await fixture.open()
    await fixture.relay.cancelRequest(first)
    expect(await fixture.relay.openMakerFeed(position)).toEqual({
      kind: 'replay',
      events: [
        { id: position + 1, kind: 'quote_request', request: expect.objectContaining({ requestId: second.requestId }) },
        { id: position + 2, kind: 'quote_request_expired', requestId: first.requestId },
      ],
      position: position + 2,
    })
    expect(await fixture.relay.openMakerFeed(position + 2)).toMatchObject({ kind: 'replay', events: [] })
  })

  it('starts afresh from an id that the log cannot continue: too old, from the future, or none', async () => {
    const fixture = createTestRelay()
    const { position } = await fixture.relay.openMakerFeed(null)
    for (let n = 0; n < 5_001; n += 1) await fixture.relay.cancelRequest(await fixture.open())
    for (const id of [null, position, position + 20_000, 1.5, -1]) {
      expect((await fixture.relay.openMakerFeed(id)).kind).toBe('snapshot')
    }
    const replay = await fixture.relay.openMakerFeed(position + 2)
    expect(replay).toMatchObject({ kind: 'replay' })
    expect(replay.kind === 'replay' && replay.events).toHaveLength(10_000)
  })
})
