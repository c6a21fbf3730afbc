import { describe, expect, it } from 'vitest'
import { orderDigest } from '../../src/domain/order.ts'
import { contracts, usd6 } from '../../src/domain/units.ts'
import type { BookTop } from '../../src/relay/ports/book.ts'
import { settle } from '../support/fake-clock.ts'
import { createRelayHouse, OTHER_TAKER, PUT_SELL, refusal, TAKER, walletOf } from '../support/relay-house.ts'

describe('a commit', () => {
  it('asks the best maker and returns its signed order with the premium to approve', async () => {
    const house = createRelayHouse()
    const ada = await house.connect('ada')
    await house.connect('bob')
    const { requestId } = await house.open()
    const quoteId = await house.quote('ada', requestId, { price: usd6(120_000n) })
    await house.quote('bob', requestId, { price: usd6(130_000n) })
    const commit = house.commit(requestId)
    await settle()
    await ada.confirm()

    const { mode, execution, approval } = await commit
    const { order } = execution.acceptance
    expect(mode).toBe('onchain')
    expect(execution.acceptance.quoteId).toBe(quoteId)
    expect(order).toMatchObject({
      maker: ada.wallet,
      optionAmount: 833n,
      premiumAmount: 99_960_000n,
      makerSelling: true,
      taker: TAKER,
      validUntil: house.clock.now() / 1_000 + 130,
    })
    expect(approval).toEqual({ spender: 'settlement', amount: 99_960_000n, reason: 'premium' })
    const { signatures } = house.ports
    expect(await signatures.recover(orderDigest(order, execution.acceptance.domain), execution.signature)).toBe(
      order.maker,
    )
  })

  it("of a taker that writes puts takes the highest price, and the collateral is the taker's", async () => {
    const house = createRelayHouse()
    const ada = await house.connect('ada')
    const { requestId } = await house.open(PUT_SELL)
    await house.quote('bob', requestId, { price: usd6(70_000n) })
    await house.quote('ada', requestId, { price: usd6(80_000n), size: contracts(60n) })
    const commit = house.commit(requestId)
    await settle()
    await ada.confirm()

    const { execution, approval } = await commit
    expect(execution.acceptance.order).toMatchObject({
      optionAmount: 60n,
      premiumAmount: 4_800_000n,
      makerSelling: false,
    })
    expect(approval).toEqual({ spender: 'core', amount: 27_000_000n, reason: 'collateral' })
  })

  it("tells the winner, the losers, the makers' stream and the watchers once each", async () => {
    const house = createRelayHouse()
    const [ada, bob] = [await house.connect('ada'), await house.connect('bob')]
    const events: string[] = []
    house.relay.listenMakerFeed(({ kind }) => events.push(kind))
    const { requestId } = await house.open()
    const statuses: string[] = []
    await house.relay.watchRequest({ requestId, takerSecret: null, onChange: ({ status }) => statuses.push(status) })
    const winner = await house.quote('ada', requestId)
    const loser = await house.quote('bob', requestId, { price: usd6(130_000n) })
    const commit = house.commit(requestId)
    await settle()
    await ada.confirm()
    await commit

    expect(ada.messages.map(({ kind }) => kind)).toEqual(['accepted', 'confirmed'])
    expect(ada.messages[1]).toEqual({ kind: 'confirmed', requestId, quoteId: winner })
    expect(bob.messages).toEqual([{ kind: 'rejected', requestId, quoteId: loser, reason: 'another_quote_won' }])
    expect(events).toEqual(['quote_request', 'quote_request_expired'])
    expect(statuses.filter((status) => status === 'committed')).toHaveLength(1)
    expect(statuses.at(-1)).toBe('committed')
  })

  it('falls back to the next best maker when the deadline passes, and refuses the late signature', async () => {
    const house = createRelayHouse()
    const [ada, bob] = [await house.connect('ada'), await house.connect('bob')]
    const { requestId } = await house.open()
    const missed = await house.quote('ada', requestId, { price: usd6(110_000n) })
    await house.quote('bob', requestId)
    const commit = house.commit(requestId)
    await house.clock.advance(9_999)
    expect(bob.accepted()).toHaveLength(0)
    await house.clock.advance(1)
    const late = house.relay.confirm({ makerId: 'ada', quoteId: missed, signature: await ada.sign() })
    expect(await refusal(late)).toBe('no_pending_acceptance')
    await bob.confirm()

    expect((await commit).execution.acceptance.makerId).toBe('bob')
    expect(ada.messages.at(-1)).toMatchObject({ kind: 'rejected', quoteId: missed })
  })

  it('is refused with no_maker_confirmed when all miss, and can be repeated at once', async () => {
    const house = createRelayHouse()
    const [ada, bob] = [await house.connect('ada'), await house.connect('bob')]
    const { requestId } = await house.open()
    await house.quote('ada', requestId, { price: usd6(110_000n) })
    await house.quote('bob', requestId)
    const first = refusal(house.commit(requestId))
    await house.clock.advance(20_000)
    expect(await first).toBe('no_maker_confirmed')
    expect((await house.relay.readRequest({ requestId, takerSecret: null })).status).toBe('open')

    const second = house.commit(requestId)
    await settle()
    expect([ada.accepted().length, bob.accepted().length]).toEqual([2, 1])
    await ada.confirm()
    expect((await second).execution.acceptance.makerId).toBe('ada')
  })

  it('asks each maker once, and at most five', async () => {
    const house = createRelayHouse({ settings: { makerOfflineGraceMs: 0 } })
    const { requestId } = await house.open()
    for (let n = 0; n < 7; n += 1) await house.quote(`maker-${n}`, requestId)
    const commit = refusal(house.commit(requestId))
    await house.clock.advance(1_000)
    expect(await commit).toBe('no_maker_confirmed')
    expect(house.log.lines.filter(({ event }) => event === 'maker_unreachable')).toHaveLength(5)
  })

  it('asks a maker at once that connects while its funds are read', async () => {
    const house = createRelayHouse()
    const { requestId } = await house.open()
    await house.quote('ada', requestId)
    const { chain } = house.ports
    const { funds } = chain
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    chain.funds = async (...question) => {
      await held
      return funds(...question)
    }
    const commit = house.commit(requestId)
    await settle()
    const ada = await house.connect('ada')
    release()
    await house.clock.advance(0)
    expect(ada.accepted()).toHaveLength(1)
    await ada.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('ada')
  })

  it('waits on when the store, by its own clock, says that the deadline has not passed', async () => {
    const house = createRelayHouse()
    const ada = await house.connect('ada')
    const { requestId } = await house.open()
    await house.quote('ada', requestId)
    const { acceptances } = house.ports.store
    const end = acceptances.end
    acceptances.end = async () => false
    const commit = house.commit(requestId)
    await house.clock.advance(10_050)
    acceptances.end = end
    const outcome = refusal(commit)
    await house.clock.advance(20)
    expect(await outcome).toBe('no_maker_confirmed')
    expect(ada.accepted()).toHaveLength(1)
  })

  it('asks the next maker at once when one declines', async () => {
    const house = createRelayHouse()
    await house.connect('ada')
    const bob = await house.connect('bob')
    const { requestId } = await house.open()
    const declined = await house.quote('ada', requestId, { price: usd6(110_000n) })
    await house.quote('bob', requestId)
    const commit = house.commit(requestId)
    await settle()
    await house.relay.decline({ makerId: 'ada', quoteId: declined })
    await settle()
    await bob.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('bob')
  })

  it('ranks a maker that declined behind those that did not, as one that let the deadline pass (decisions Q6, C9)', async () => {
    const house = createRelayHouse()
    await house.connect('ada')
    const { requestId } = await house.open()
    const best = await house.quote('ada', requestId, { price: usd6(110_000n) })
    const next = await house.quote('bob', requestId, { price: usd6(120_000n) })
    const commit = refusal(house.commit(requestId, { limitPrice: usd6(110_000n) }))
    await settle()
    await house.relay.decline({ makerId: 'ada', quoteId: best })
    expect(await commit).toBe('no_maker_confirmed')
    expect((await house.ports.book.top(requestId))?.best?.quoteId).toBe(next)
  })

  it('shows takers no more of a quote whose time ends while its maker signs, and takes the signature (decision Q5)', async () => {
    const house = createRelayHouse()
    const ada = await house.connect('ada')
    const { requestId } = await house.open()
    await house.quote('ada', requestId, { expiresInMs: 1_000 })
    const tops: BookTop[] = []
    const { stop } = await house.relay.watchRequest({ requestId, takerSecret: null, onChange: (top) => tops.push(top) })
    const commit = house.commit(requestId)
    await house.clock.advance(1_000)
    expect(tops).toMatchObject([{ best: null, quoteCount: 0, confirming: true, status: 'open' }])
    await ada.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('ada')
    stop()
  })

  it('gives a maker without a socket a second to appear', async () => {
    const house = createRelayHouse()
    const { requestId } = await house.open()
    await house.quote('ada', requestId)
    const commit = house.commit(requestId)
    await house.clock.advance(900)
    const ada = await house.connect('ada')
    await settle()
    await ada.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('ada')
  })

  it('sends a pending order again, with the same deadline, to a maker that reconnects', async () => {
    const house = createRelayHouse()
    const lost = await house.connect('ada')
    const { requestId } = await house.open()
    await house.quote('ada', requestId)
    const commit = house.commit(requestId)
    await house.clock.advance(4_000)
    lost.disconnect()
    const back = await house.connect('ada')
    expect(back.accepted()).toEqual(lost.accepted())
    await back.confirm()
    expect((await commit).execution.acceptance.order.maker).toBe(walletOf('ada'))
  })
})

describe('a maker that connects while the store is down', () => {
  it('is refused and does not count as connected', async () => {
    const house = createRelayHouse()
    const { acceptances } = house.ports.store
    acceptances.pending = () => Promise.reject(new Error('the store is down'))
    await expect(house.connect('ada')).rejects.toThrow('the store is down')
    expect(await house.ports.presence.hasSocket('ada')).toBe(false)
  })
})

describe('a repeated commit', () => {
  it('joins the running one', async () => {
    const house = createRelayHouse()
    const ada = await house.connect('ada')
    const { requestId } = await house.open()
    await house.quote('ada', requestId)
    const commits = Array.from({ length: 50 }, () => house.commit(requestId))
    await settle()
    await ada.confirm()
    const answers = await Promise.all(commits)
    expect(new Set(answers.map(({ execution }) => execution.executionId)).size).toBe(1)
    expect(ada.accepted()).toHaveLength(1)
  })

  it('is refused at once for another wallet or other protections while one runs', async () => {
    const house = createRelayHouse()
    const ada = await house.connect('ada')
    const { requestId } = await house.open()
    await house.quote('ada', requestId)
    const commit = house.commit(requestId)
    await settle()
    expect(await refusal(house.commit(requestId, { wallet: OTHER_TAKER }))).toBe('commit_in_progress')
    expect(await refusal(house.commit(requestId, { limitPrice: usd6(1n) }))).toBe('commit_in_progress')
    await ada.confirm()
    await commit
  })

  it('gets the same order until it ends, and only for its own wallet', async () => {
    const house = createRelayHouse()
    const ada = await house.connect('ada')
    const { requestId } = await house.open()
    await house.quote('ada', requestId)
    const commit = house.commit(requestId)
    await settle()
    await ada.confirm()
    const first = await commit
    expect(await house.commit(requestId)).toEqual(first)
    expect(await refusal(house.commit(requestId, { wallet: OTHER_TAKER }))).toBe('already_committed')
    await house.clock.advance(131_000)
    expect(await refusal(house.commit(requestId))).toBe('already_committed')
  })

  it('after a restart gets the same order, or waits for the maker that was asked', async () => {
    const house = createRelayHouse()
    await house.connect('ada')
    const { requestId } = await house.open()
    await house.quote('ada', requestId)
    void house.commit(requestId).catch(() => {})
    await settle()

    const after = await house.restart()
    const ada = await after.connect('ada')
    expect(await refusal(after.commit(requestId, { wallet: OTHER_TAKER }))).toBe('commit_in_progress')
    const commit = after.commit(requestId)
    await settle()
    await ada.confirm()
    const first = await commit
    expect(ada.messages.map(({ kind }) => kind)).toEqual(['accepted', 'confirmed'])

    const later = await after.restart()
    expect(await later.commit(requestId)).toEqual(first)
  })
})

describe('a commit is refused', () => {
  it('without quotes, beyond its protections, and when the expected quote is not the best', async () => {
    const house = createRelayHouse()
    const { requestId } = await house.open()
    expect(await refusal(house.commit(requestId))).toBe('no_valid_quotes')
    const worse = await house.quote('bob', requestId, { price: usd6(130_000n) })
    await house.quote('ada', requestId)
    expect(await refusal(house.commit(requestId, { limitPrice: usd6(119_999n) }))).toBe('no_acceptable_quote')
    expect(await refusal(house.commit(requestId, { minContracts: contracts(834n) }))).toBe('no_acceptable_quote')
    expect(await refusal(house.commit(requestId, { expectedQuoteId: worse }))).toBe('quote_changed')
  })

  it('for an unknown, expired or cancelled request, and for another wallet than the request names', async () => {
    const house = createRelayHouse()
    expect(await refusal(house.commit('nobody'))).toBe('request_not_found')
    const bound = await house.open({ wallet: OTHER_TAKER })
    expect(await refusal(house.commit(bound.requestId))).toBe('wallet_mismatch')
    await house.relay.cancelRequest(bound)
    expect(await refusal(house.commit(bound.requestId))).toBe('request_closed')
    const { requestId } = await house.open()
    await house.clock.advance(300_000)
    expect(await refusal(house.commit(requestId))).toBe('request_expired')
  })

  it('of a locked request without its secret', async () => {
    const house = createRelayHouse()
    const { requestId } = await house.open({ locked: true })
    expect(await refusal(house.commit(requestId))).toBe('taker_secret_required')
  })

  it('when the series is not registered, halted, or expired by chain time', async () => {
    const house = createRelayHouse()
    const { requestId } = await house.open()
    house.register(undefined, true)
    expect(await refusal(house.commit(requestId))).toBe('series_halted')
    house.register()
    house.chain.aheadS = 3_600
    expect(await refusal(house.commit(requestId))).toBe('request_expired')
    house.chain.registered.clear()
    expect(await refusal(house.commit(requestId))).toBe('series_not_registered')
  })

  it('when the chain cannot be read, and never answered as simulated', async () => {
    const house = createRelayHouse()
    const { requestId } = await house.open()
    await house.quote('ada', requestId)
    house.chain.down = true
    expect(await refusal(house.commit(requestId))).toBe('chain_unavailable')
    house.chain.down = false
    const ada = await house.connect('ada')
    const commit = house.commit(requestId)
    await settle()
    await ada.confirm()
    expect((await commit).mode).toBe('onchain')
  })

  it('when the chain stands still, until its head moves again', async () => {
    const house = createRelayHouse({ settings: { headStaleMs: 30_000 } })
    const ada = await house.connect('ada')
    const { requestId } = await house.open()
    await house.quote('ada', requestId)
    house.chain.behindS = 31
    const refused = await house.commit(requestId).catch((fault: unknown) => fault)
    expect(refused).toMatchObject({
      code: 'chain_unavailable',
      message: 'The chain is stale: its last block is 31 s old.',
    })
    expect(ada.accepted()).toHaveLength(0)
    house.chain.behindS = 30
    const commit = house.commit(requestId)
    await settle()
    await ada.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('ada')
  })

  it('when the series is halted after the first maker was asked: the next one is not', async () => {
    const house = createRelayHouse()
    const [ada, bob] = [await house.connect('ada'), await house.connect('bob')]
    const { requestId } = await house.open()
    await house.quote('ada', requestId, { price: usd6(110_000n) })
    await house.quote('bob', requestId)
    const commit = refusal(house.commit(requestId))
    await settle()
    house.register(undefined, true)
    await house.clock.advance(10_000)
    expect(await commit).toBe('series_halted')
    expect([ada.accepted().length, bob.accepted().length]).toEqual([1, 0])
  })

  it("with the best maker's shortfall when nobody can pay; one that cannot pay is passed over", async () => {
    const house = createRelayHouse()
    const bob = await house.connect('bob')
    const { requestId } = await house.open()
    await house.quote('ada', requestId, { price: usd6(110_000n) })
    const poor = { core: { balance: usd6(0n), allowance: usd6(10n ** 12n) } }
    house.chain.wallets.set(walletOf('ada'), poor)
    expect(await refusal(house.commit(requestId))).toBe('maker_insufficient_balance')
    await house.quote('bob', requestId)
    const commit = house.commit(requestId)
    await settle()
    await bob.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('bob')
  })
})

describe('a request that expires while a maker is signing', () => {
  it('is committed when the maker signs in time', async () => {
    const house = createRelayHouse()
    const ada = await house.connect('ada')
    const { requestId } = await house.open()
    await house.quote('ada', requestId)
    await house.clock.advance(295_000)
    const commit = house.commit(requestId)
    await house.clock.advance(7_000)
    await ada.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('ada')
  })

  it('is closed, once, without asking anybody else when the maker does not', async () => {
    const house = createRelayHouse()
    await house.connect('ada')
    const bob = await house.connect('bob')
    const { requestId } = await house.open()
    await house.quote('ada', requestId, { price: usd6(110_000n) })
    await house.quote('bob', requestId)
    const closings: string[] = []
    house.relay.listenMakerFeed((event) => event.kind === 'quote_request_expired' && closings.push(event.requestId))
    await house.clock.advance(295_000)
    const commit = refusal(house.commit(requestId))
    await house.clock.advance(20_000)
    expect(await commit).toBe('no_maker_confirmed')
    expect(bob.accepted()).toHaveLength(0)
    expect(bob.messages).toMatchObject([{ kind: 'rejected', reason: 'request_expired' }])
    expect(closings).toEqual([requestId])
  })
})

describe('order nonces', () => {
  it('are counted for each maker wallet, and one request always reuses its own', async () => {
    const house = createRelayHouse()
    const ada = await house.connect('ada')
    const first = await house.open()
    await house.quote('ada', first.requestId)
    const missed = refusal(house.commit(first.requestId))
    await house.clock.advance(10_000)
    expect(await missed).toBe('no_maker_confirmed')
    for (const { requestId } of [first, await house.open()]) {
      if (requestId !== first.requestId) await house.quote('ada', requestId)
      const commit = house.commit(requestId)
      await settle()
      await ada.confirm()
      await commit
    }
    const [once, again, next] = ada.accepted().map(({ order }) => order.nonce)
    expect(again).toBe(once)
    expect(next).toBe((once as number) + 1)
  })
})
