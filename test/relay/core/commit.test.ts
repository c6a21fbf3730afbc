import { describe, expect, it } from 'vitest'
import type { RfqError } from '../../../src/protocol/domain/errors.ts'
import { NO_PROTECTIONS } from '../../../src/protocol/domain/maker-protections.ts'
import { orderDigest } from '../../../src/protocol/domain/order.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import type { BookTop } from '../../../src/relay/core/ports/book.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, OTHER_TAKER, PUT_SELL, refusal, TAKER, walletOf } from '../../support/test-relay.ts'

describe('a commit', () => {
  it('asks the best maker and returns its signed order with the premium to approve', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    await fixture.connect('bob')
    const { requestId } = await fixture.open()
    const quoteId = await fixture.quote('ada', requestId, { price: usd6(120_000n) })
    await fixture.quote('bob', requestId, { price: usd6(130_000n) })
    const commit = fixture.commit(requestId)
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
      validUntil: fixture.clock.now() / 1_000 + 130,
    })
    expect(approval).toEqual({ spender: 'settlement', amount: 99_960_000n, reason: 'premium' })
    const { signatures } = fixture.ports
    expect(await signatures.recover(orderDigest(order, execution.acceptance.domain), execution.signature)).toBe(
      order.maker,
    )
  })

  it("by a taker that writes puts takes the highest price, and the collateral is the taker's", async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open(PUT_SELL)
    await fixture.quote('bob', requestId, { price: usd6(70_000n) })
    await fixture.quote('ada', requestId, { price: usd6(80_000n), size: contracts(60n) })
    const commit = fixture.commit(requestId)
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
    const fixture = createTestRelay()
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    const events: string[] = []
    fixture.relay.listenMakerFeed(({ kind }) => events.push(kind))
    const { requestId } = await fixture.open()
    const statuses: string[] = []
    await fixture.relay.watchRequest({ requestId, takerSecret: null, onChange: ({ status }) => statuses.push(status) })
    const winner = await fixture.quote('ada', requestId)
    const loser = await fixture.quote('bob', requestId, { price: usd6(130_000n) })
    const commit = fixture.commit(requestId)
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
    const fixture = createTestRelay()
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    const { requestId } = await fixture.open()
    const missed = await fixture.quote('ada', requestId, { price: usd6(110_000n) })
    await fixture.quote('bob', requestId)
    const commit = fixture.commit(requestId)
    await fixture.clock.advance(9_999)
    expect(bob.accepted()).toHaveLength(0)
    await fixture.clock.advance(1)
    const late = fixture.relay.confirm({ makerId: 'ada', quoteId: missed, signature: await ada.sign() })
    expect(await refusal(late)).toBe('no_pending_acceptance')
    await bob.confirm()

    expect((await commit).execution.acceptance.makerId).toBe('bob')
    expect(ada.messages.at(-1)).toMatchObject({ kind: 'rejected', quoteId: missed })
  })

  it('that ends without a trade names each maker that it considered, and what came of it (protocol commit-16)', async () => {
    const fixture = createTestRelay()
    const names = ['silent', 'declining', 'absent', 'poor', 'guarded']
    const makers = new Map(
      await Promise.all(
        names.filter((name) => name !== 'absent').map(async (name) => [name, await fixture.connect(name)] as const),
      ),
    )
    const { requestId } = await fixture.open()
    const quoteIds = new Map<string, string>()
    for (const [i, name] of names.entries()) {
      quoteIds.set(name, await fixture.quote(name, requestId, { price: usd6(BigInt(100_000 + i * 1_000)) }))
    }
    fixture.chain.wallets.set(walletOf('poor'), { core: { balance: usd6(0n), allowance: usd6(0n) } })
    await fixture.relay.protections.put('guarded', {
      ...NO_PROTECTIONS,
      windows: [{ ms: 60_000, maxAccepted: null, maxContracts: contracts(1n), maxNotional: null, maxCollateral: null }],
    })
    const ended = fixture.commit(requestId).catch((error: unknown) => error)
    await settle()
    await fixture.clock.advance(10_000)
    await fixture.relay.decline({ makerId: 'declining', quoteId: quoteIds.get('declining') as string })
    await fixture.clock.advance(60_000)
    const fault = await ended
    expect(fault).toMatchObject({ code: 'no_maker_confirmed' })
    expect((fault as RfqError).data.candidates).toEqual([
      { makerId: 'silent', quoteId: quoteIds.get('silent'), outcome: 'missed' },
      { makerId: 'declining', quoteId: quoteIds.get('declining'), outcome: 'declined' },
      { makerId: 'absent', quoteId: quoteIds.get('absent'), outcome: 'unreachable' },
      { makerId: 'poor', quoteId: quoteIds.get('poor'), outcome: 'insolvent' },
      { makerId: 'guarded', quoteId: quoteIds.get('guarded'), outcome: 'withdrawn' },
    ])
    expect(makers.get('guarded')?.accepted()).toEqual([])
  })

  it('is refused with no_maker_confirmed when all miss, and can be repeated at once', async () => {
    const fixture = createTestRelay()
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId, { price: usd6(110_000n) })
    await fixture.quote('bob', requestId)
    const first = refusal(fixture.commit(requestId))
    await fixture.clock.advance(20_000)
    expect(await first).toBe('no_maker_confirmed')
    expect((await fixture.relay.readRequest({ requestId, takerSecret: null })).status).toBe('open')

    const second = fixture.commit(requestId)
    await settle()
    expect([ada.accepted().length, bob.accepted().length]).toEqual([2, 1])
    await ada.confirm()
    expect((await second).execution.acceptance.makerId).toBe('ada')
  })

  it('asks each maker once, and at most five', async () => {
    const fixture = createTestRelay({ settings: { makerOfflineGraceMs: 0 } })
    const { requestId } = await fixture.open()
    for (let n = 0; n < 7; n += 1) await fixture.quote(`maker-${n}`, requestId)
    const commit = refusal(fixture.commit(requestId))
    await fixture.clock.advance(1_000)
    expect(await commit).toBe('no_maker_confirmed')
    expect(fixture.log.lines.filter(({ event }) => event === 'maker_unreachable')).toHaveLength(5)
  })

  it('asks a maker at once that connects while its funds are read', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const { chain } = fixture.ports
    const { funds } = chain
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    chain.funds = async (...question) => {
      await held
      return funds(...question)
    }
    const commit = fixture.commit(requestId)
    await settle()
    const ada = await fixture.connect('ada')
    release()
    await fixture.clock.advance(0)
    expect(ada.accepted()).toHaveLength(1)
    await ada.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('ada')
  })

  it('waits on when the store, by its own clock, says that the deadline has not passed', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const { acceptances } = fixture.ports.store
    const end = acceptances.end
    acceptances.end = async () => false
    const commit = fixture.commit(requestId)
    await fixture.clock.advance(10_050)
    acceptances.end = end
    const outcome = refusal(commit)
    await fixture.clock.advance(20)
    expect(await outcome).toBe('no_maker_confirmed')
    expect(ada.accepted()).toHaveLength(1)
  })

  it('asks the next maker at once when one declines', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const bob = await fixture.connect('bob')
    const { requestId } = await fixture.open()
    const declined = await fixture.quote('ada', requestId, { price: usd6(110_000n) })
    await fixture.quote('bob', requestId)
    const commit = fixture.commit(requestId)
    await settle()
    await fixture.relay.decline({ makerId: 'ada', quoteId: declined })
    await settle()
    await bob.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('bob')
  })

  it('ranks a maker that declined behind those that did not, as one that let the deadline pass (decisions Q6, C9)', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { requestId } = await fixture.open()
    const best = await fixture.quote('ada', requestId, { price: usd6(110_000n) })
    const next = await fixture.quote('bob', requestId, { price: usd6(120_000n) })
    const commit = refusal(fixture.commit(requestId, { limitPrice: usd6(110_000n) }))
    await settle()
    await fixture.relay.decline({ makerId: 'ada', quoteId: best })
    expect(await commit).toBe('no_maker_confirmed')
    expect((await fixture.ports.book.top(requestId))?.best?.quoteId).toBe(next)
  })

  it('shows takers no more of a quote whose time ends while its maker signs, and takes the signature (decision Q5)', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId, { expiresInMs: 1_000 })
    const tops: BookTop[] = []
    const { stop } = await fixture.relay.watchRequest({
      requestId,
      takerSecret: null,
      onChange: (top) => tops.push(top),
    })
    const commit = fixture.commit(requestId)
    await fixture.clock.advance(1_000)
    expect(tops).toMatchObject([{ best: null, quoteCount: 0, confirming: true, status: 'open' }])
    await ada.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('ada')
    stop()
  })

  it('gives a maker without a socket a second to appear', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const commit = fixture.commit(requestId)
    await fixture.clock.advance(900)
    const ada = await fixture.connect('ada')
    await settle()
    await ada.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('ada')
  })

  it('sends a pending order again, with the same deadline, to a maker that reconnects', async () => {
    const fixture = createTestRelay()
    const lost = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const commit = fixture.commit(requestId)
    await fixture.clock.advance(4_000)
    lost.disconnect()
    const back = await fixture.connect('ada')
    expect(back.accepted()).toEqual(lost.accepted())
    await back.confirm()
    expect((await commit).execution.acceptance.order.maker).toBe(walletOf('ada'))
  })
})

describe('a maker that connects while the store is down', () => {
  it('is refused and does not count as connected', async () => {
    const fixture = createTestRelay()
    const { acceptances } = fixture.ports.store
    acceptances.pending = () => Promise.reject(new Error('the store is down'))
    await expect(fixture.connect('ada')).rejects.toThrow('the store is down')
    expect(await fixture.ports.presence.hasSocket('ada')).toBe(false)
  })
})

describe('a repeated commit', () => {
  it('joins the running one', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const commits = Array.from({ length: 50 }, () => fixture.commit(requestId))
    await settle()
    await ada.confirm()
    const answers = await Promise.all(commits)
    expect(new Set(answers.map(({ execution }) => execution.executionId)).size).toBe(1)
    expect(ada.accepted()).toHaveLength(1)
  })

  it('is refused at once for another wallet or other protections while one runs', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const commit = fixture.commit(requestId)
    await settle()
    expect(await refusal(fixture.commit(requestId, { wallet: OTHER_TAKER }))).toBe('commit_in_progress')
    expect(await refusal(fixture.commit(requestId, { limitPrice: usd6(1n) }))).toBe('commit_in_progress')
    await ada.confirm()
    await commit
  })

  it('gets the same order until it ends, and only for its own wallet', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const commit = fixture.commit(requestId)
    await settle()
    await ada.confirm()
    const first = await commit
    expect(await fixture.commit(requestId)).toEqual(first)
    expect(await refusal(fixture.commit(requestId, { wallet: OTHER_TAKER }))).toBe('already_committed')
    await fixture.clock.advance(131_000)
    expect(await refusal(fixture.commit(requestId))).toBe('already_committed')
  })

  it('after a restart gets the same order, or waits for the maker that was asked', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    void fixture.commit(requestId).catch(() => {})
    await settle()

    const after = await fixture.restart()
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
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    expect(await refusal(fixture.commit(requestId))).toBe('no_valid_quotes')
    const worse = await fixture.quote('bob', requestId, { price: usd6(130_000n) })
    await fixture.quote('ada', requestId)
    expect(await refusal(fixture.commit(requestId, { limitPrice: usd6(119_999n) }))).toBe('no_acceptable_quote')
    expect(await refusal(fixture.commit(requestId, { minContracts: contracts(834n) }))).toBe('no_acceptable_quote')
    expect(await refusal(fixture.commit(requestId, { expectedQuoteId: worse }))).toBe('quote_changed')
  })

  it('for an unknown, expired or cancelled request, and for another wallet than the request names', async () => {
    const fixture = createTestRelay()
    expect(await refusal(fixture.commit('nobody'))).toBe('request_not_found')
    const bound = await fixture.open({ wallet: OTHER_TAKER })
    expect(await refusal(fixture.commit(bound.requestId))).toBe('wallet_mismatch')
    await fixture.relay.cancelRequest(bound)
    expect(await refusal(fixture.commit(bound.requestId))).toBe('request_closed')
    const { requestId } = await fixture.open()
    await fixture.clock.advance(300_000)
    expect(await refusal(fixture.commit(requestId))).toBe('request_expired')
  })

  it('for a locked request without its secret', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open({ locked: true })
    expect(await refusal(fixture.commit(requestId))).toBe('taker_secret_required')
  })

  it('when the series is not registered, halted, or expired by chain time', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    fixture.register(undefined, true)
    expect(await refusal(fixture.commit(requestId))).toBe('series_halted')
    fixture.register()
    fixture.chain.aheadS = 3_600
    expect(await refusal(fixture.commit(requestId))).toBe('request_expired')
    fixture.chain.registered.clear()
    expect(await refusal(fixture.commit(requestId))).toBe('series_not_registered')
  })

  it('when the chain cannot be read, and never answered as simulated', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    fixture.chain.down = true
    expect(await refusal(fixture.commit(requestId))).toBe('chain_unavailable')
    fixture.chain.down = false
    const ada = await fixture.connect('ada')
    const commit = fixture.commit(requestId)
    await settle()
    await ada.confirm()
    expect((await commit).mode).toBe('onchain')
  })

  it('while the chain has no new head', async () => {
    const fixture = createTestRelay({ settings: { headStaleMs: 30_000 } })
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    fixture.chain.behindS = 31
    const refused = await fixture.commit(requestId).catch((fault: unknown) => fault)
    expect(refused).toMatchObject({
      code: 'chain_unavailable',
      message: 'The chain is stale: its last block is 31 s old.',
    })
    expect(ada.accepted()).toHaveLength(0)
    fixture.chain.behindS = 30
    const commit = fixture.commit(requestId)
    await settle()
    await ada.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('ada')
  })

  it('when the series is halted after the first maker was asked: the next one is not', async () => {
    const fixture = createTestRelay()
    const [ada, bob] = [await fixture.connect('ada'), await fixture.connect('bob')]
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId, { price: usd6(110_000n) })
    await fixture.quote('bob', requestId)
    const commit = refusal(fixture.commit(requestId))
    await settle()
    fixture.register(undefined, true)
    await fixture.clock.advance(10_000)
    expect(await commit).toBe('series_halted')
    expect([ada.accepted().length, bob.accepted().length]).toEqual([1, 0])
  })

  it("with the best maker's shortfall when none can pay; one that cannot pay is passed over", async () => {
    const fixture = createTestRelay()
    const bob = await fixture.connect('bob')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId, { price: usd6(110_000n) })
    const poor = { core: { balance: usd6(0n), allowance: usd6(10n ** 12n) } }
    fixture.chain.wallets.set(walletOf('ada'), poor)
    expect(await refusal(fixture.commit(requestId))).toBe('maker_insufficient_balance')
    await fixture.quote('bob', requestId)
    const commit = fixture.commit(requestId)
    await settle()
    await bob.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('bob')
  })
})

describe('a request that expires while a maker is signing', () => {
  it('is committed when the maker signs in time', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    await fixture.clock.advance(295_000)
    const commit = fixture.commit(requestId)
    await fixture.clock.advance(7_000)
    await ada.confirm()
    expect((await commit).execution.acceptance.makerId).toBe('ada')
  })

  it('is closed, once, without asking another maker when the maker does not sign', async () => {
    const fixture = createTestRelay()
    await fixture.connect('ada')
    const bob = await fixture.connect('bob')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId, { price: usd6(110_000n) })
    await fixture.quote('bob', requestId)
    const closings: string[] = []
    fixture.relay.listenMakerFeed((event) => event.kind === 'quote_request_expired' && closings.push(event.requestId))
    await fixture.clock.advance(295_000)
    const commit = refusal(fixture.commit(requestId))
    await fixture.clock.advance(20_000)
    expect(await commit).toBe('no_maker_confirmed')
    expect(bob.accepted()).toHaveLength(0)
    expect(bob.messages).toMatchObject([{ kind: 'rejected', reason: 'request_expired' }])
    expect(closings).toEqual([requestId])
  })
})

describe('order nonces', () => {
  it('are counted for each maker wallet, and one request always reuses its own', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const first = await fixture.open()
    await fixture.quote('ada', first.requestId)
    const missed = refusal(fixture.commit(first.requestId))
    await fixture.clock.advance(10_000)
    expect(await missed).toBe('no_maker_confirmed')
    for (const { requestId } of [first, await fixture.open()]) {
      if (requestId !== first.requestId) await fixture.quote('ada', requestId)
      const commit = fixture.commit(requestId)
      await settle()
      await ada.confirm()
      await commit
    }
    const [once, again, next] = ada.accepted().map(({ order }) => order.nonce)
    expect(again).toBe(once)
    expect(next).toBe((once as number) + 1)
  })
})
