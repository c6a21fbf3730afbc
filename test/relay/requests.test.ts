import { describe, expect, it } from 'vitest'
import { CALL_BUY, createRelayHouse, EXPIRY_S, refusal } from '../support/relay-house.ts'

describe('opening a request', () => {
  it('announces it, counts the makers that hear it, and says whether its series is listed', async () => {
    const house = createRelayHouse()
    const leave = house.relay.joinMakerStream('ada', 'one')
    house.relay.joinMakerStream('ada', 'two')
    house.relay.joinMakerStream('bob', 'three')
    const opened = await house.relay.openRequest({ ...CALL_BUY, locked: false })
    expect(opened).toMatchObject({ makersConnected: 2, seriesListed: true })
    expect(opened.request.expiresAt).toBe(house.clock.now() + 300_000)
    leave()
    house.chain.registered.clear()
    expect(await house.relay.openRequest({ ...CALL_BUY, locked: false })).toMatchObject({
      makersConnected: 2,
      seriesListed: false,
    })
  })

  describe('tells makers the YES price', () => {
    const at = async (house: ReturnType<typeof createRelayHouse>, market = CALL_BUY.market) =>
      (await house.relay.openRequest({ ...CALL_BUY, market, locked: false })).request.market.yesPrice

    /** A relay whose price source counts what it is asked for, and answers when it is let. */
    function priced() {
      const source = { asked: [] as string[], answer: async () => 0.6 }
      const house = createRelayHouse()
      house.ports.prices.history = async (token, _from, to) => {
        source.asked.push(token)
        return [{ t: to, p: await source.answer() }]
      }
      return { house, source }
    }

    it('as it was last read, and waits for no source: what is not known is absent', async () => {
      const { house, source } = priced()
      expect(await at(house)).toBeUndefined()
      await house.clock.advance(0)
      expect(await at(house)).toBe(0.6)
      source.answer = () => new Promise(() => {})
      await house.clock.advance(200_000)
      expect(await at(house)).toBe(0.6)
      await house.clock.advance(100_000)
      expect(await at(house)).toBe(0.6)
      await house.clock.advance(1)
      expect(await at(house)).toBeUndefined()
    })

    it('the same to those who hear it live, in a snapshot, after a restart and in the audit trail', async () => {
      const { house } = priced()
      await house.relay.listMarkets()
      const heard: (number | undefined)[] = []
      house.relay.listenMakerFeed((event) => {
        if (event.kind === 'quote_request') heard.push(event.request.market.yesPrice)
      })
      expect(await at(house)).toBe(0.6)
      const snapshotOf = async ({ relay }: typeof house) => {
        const opening = await relay.openMakerFeed(null)
        return opening.kind === 'snapshot' ? opening.requests.map(({ request }) => request.market.yesPrice) : null
      }
      expect([heard, await snapshotOf(house)]).toEqual([[0.6], [0.6]])
      expect(house.trail).toMatchObject([{ kind: 'opened', terms: { market: { yesPrice: 0.6 } } }])
      const restarted = await house.restart()
      await restarted.relay.start()
      expect(await snapshotOf(restarted)).toEqual([0.6])
      restarted.relay.stop()
    })

    it('of listed series alone: a stranger cannot have the source asked for any token', async () => {
      const { house, source } = priced()
      expect(await at(house, { ...CALL_BUY.market, yesTokenId: '77' })).toBeUndefined()
      await house.clock.advance(0)
      expect(source.asked).toEqual([])
    })
  })

  it('is refused for a contract as the wallet, and so are quotes, commits and drips', async () => {
    const house = createRelayHouse()
    const contract = house.chain.environment.coreAddress
    const { requestId } = await house.open()
    expect(await refusal(house.open({ wallet: contract }))).toBe('invalid_request')
    expect(await refusal(house.quote('ada', requestId, { maker: contract }))).toBe('invalid_request')
    expect(await refusal(house.commit(requestId, { wallet: contract }))).toBe('invalid_request')
    expect(await refusal(house.relay.drip(contract))).toBe('invalid_request')
  })

  it('counts each keyless stream for itself', async () => {
    const { relay } = createRelayHouse({ settings: { openMode: true } })
    relay.joinMakerStream('anonymous', 'one')
    relay.joinMakerStream('anonymous', 'two')
    expect((await relay.openRequest({ ...CALL_BUY, locked: false })).makersConnected).toBe(2)
  })

  it("ends it at the second of the option's expiry when that comes before its time is over", async () => {
    const house = createRelayHouse()
    const expiryMs = house.clock.now() + 60_500
    const { request } = await house.relay.openRequest({
      ...CALL_BUY,
      option: { ...CALL_BUY.option, expiryMs },
      locked: false,
    })
    expect(request.expiresAt).toBe(expiryMs - 500)
  })

  it('is refused for an option that has expired by the clock or by chain time', async () => {
    const house = createRelayHouse()
    const expired = { ...CALL_BUY.option, expiryMs: house.clock.now() + 999 }
    expect(await refusal(house.open({ option: expired }))).toBe('option_expired')
    house.chain.aheadS = EXPIRY_S
    expect(await refusal(house.open())).toBe('option_expired')
    house.chain.down = true
    expect(await refusal(house.open())).toBe('not refused')
  })
})

describe('a request', () => {
  it('expires once, for makers and takers', async () => {
    const house = createRelayHouse()
    const events: string[] = []
    house.relay.listenMakerFeed(({ kind }) => events.push(kind))
    const { requestId } = await house.open()
    const statuses: string[] = []
    await house.relay.watchRequest({ requestId, takerSecret: null, onChange: ({ status }) => statuses.push(status) })
    await house.clock.advance(299_999)
    expect(events).toEqual(['quote_request'])
    await house.clock.advance(600_000)
    expect(events).toEqual(['quote_request', 'quote_request_expired'])
    expect(statuses).toEqual(['expired'])
    expect(await refusal(house.relay.readRequest({ requestId, takerSecret: null }))).toBe('request_expired')
  })

  it('is cancelled by its taker only, and its makers are told why', async () => {
    const house = createRelayHouse()
    const ada = await house.connect('ada')
    const { requestId, takerSecret } = await house.open()
    await house.quote('ada', requestId)
    for (const wrong of [null, 'guess']) {
      expect(await refusal(house.relay.cancelRequest({ requestId, takerSecret: wrong }))).toBe('taker_secret_required')
    }
    await house.relay.cancelRequest({ requestId, takerSecret })
    expect(ada.messages).toMatchObject([{ kind: 'rejected', reason: 'request_cancelled' }])
    expect(await refusal(house.relay.cancelRequest({ requestId, takerSecret }))).toBe('request_closed')
    expect((await house.relay.readRequest({ requestId, takerSecret: null })).status).toBe('cancelled')
    const watching = house.relay.watchRequest({ requestId, takerSecret: null, onChange: () => {} })
    expect(await refusal(watching)).toBe('request_not_found')
  })

  it('cannot be cancelled while a maker is signing', async () => {
    const house = createRelayHouse()
    await house.connect('ada')
    const opened = await house.open()
    await house.quote('ada', opened.requestId)
    const commit = refusal(house.commit(opened.requestId))
    await house.clock.advance(5_000)
    expect(await refusal(house.relay.cancelRequest(opened))).toBe('commit_in_progress')
    expect((await house.relay.readRequest({ ...opened })).confirming).toBe(true)
    await house.clock.advance(5_000)
    await commit
    expect(await refusal(house.relay.cancelRequest(opened))).toBe('not refused')
  })

  it('that is locked shows itself to its taker only', async () => {
    const house = createRelayHouse()
    const { requestId, takerSecret } = await house.open({ locked: true })
    const onChange = () => {}
    for (const wrong of [null, 'guess']) {
      expect(await refusal(house.relay.readRequest({ requestId, takerSecret: wrong }))).toBe('taker_secret_required')
      expect(await refusal(house.relay.watchRequest({ requestId, takerSecret: wrong, onChange }))).toBe(
        'taker_secret_required',
      )
    }
    expect((await house.relay.readRequest({ requestId, takerSecret })).status).toBe('open')
  })

  it('survives a restart: makers hear of it under a higher id, and it still expires in its time', async () => {
    const house = createRelayHouse()
    const { requestId } = await house.open()
    const before = (await house.relay.openMakerFeed(null)).position
    const after = await house.restart()
    const opening = await after.relay.openMakerFeed(before)
    expect(opening).toMatchObject({ kind: 'snapshot', requests: [{ request: { requestId } }] })
    expect(opening.position).toBeGreaterThan(before)
    await after.clock.advance(300_000)
    expect(await after.relay.openMakerFeed(null)).toMatchObject({ requests: [] })
  })

  it('whose time was over while the relay was down is expired when it starts', async () => {
    const house = createRelayHouse()
    const { requestId } = await house.open()
    const after = await house.restart(300_000)
    expect(await after.relay.openMakerFeed(null)).toMatchObject({ requests: [] })
    expect(await refusal(after.relay.readRequest({ requestId, takerSecret: null }))).toBe('request_expired')
  })
})

describe("a maker's stream", () => {
  it('continues after the last event it saw, closings included', async () => {
    const house = createRelayHouse()
    const first = await house.open()
    const { position } = await house.relay.openMakerFeed(null)
    const second = await house.open()
    await house.relay.cancelRequest(first)
    expect(await house.relay.openMakerFeed(position)).toEqual({
      kind: 'replay',
      events: [
        { id: position + 1, kind: 'quote_request', request: expect.objectContaining({ requestId: second.requestId }) },
        { id: position + 2, kind: 'quote_request_expired', requestId: first.requestId },
      ],
      position: position + 2,
    })
    expect(await house.relay.openMakerFeed(position + 2)).toMatchObject({ kind: 'replay', events: [] })
  })

  it('starts afresh from an id that the log cannot continue: too old, from the future, or none', async () => {
    const house = createRelayHouse()
    const { position } = await house.relay.openMakerFeed(null)
    for (let n = 0; n < 5_001; n += 1) await house.relay.cancelRequest(await house.open())
    for (const id of [null, position, position + 20_000, 1.5, -1]) {
      expect((await house.relay.openMakerFeed(id)).kind).toBe('snapshot')
    }
    const replay = await house.relay.openMakerFeed(position + 2)
    expect(replay).toMatchObject({ kind: 'replay' })
    expect(replay.kind === 'replay' && replay.events).toHaveLength(10_000)
  })
})
