import { describe, expect, test } from 'vitest'
import { runMakerBot } from '../../../src/agents/bots/maker-bot.ts'
import { createRandom, deriveSeed } from '../../../src/agents/bots/random.ts'
import { MAKER_STYLES } from '../../../src/agents/bots/style.ts'
import { usd6ToNumber } from '../../../src/protocol/domain/decimal.ts'
import { contracts, usd6 } from '../../../src/protocol/domain/units.ts'
import { encodeConnected } from '../../../src/protocol/wire/maker-messages.ts'
import { quoteRequestFrame } from '../../../src/protocol/wire/maker-stream.ts'
import { encodeSseFrame } from '../../../src/protocol/wire/sse.ts'
import { createServer } from '../../../src/relay/server/server.ts'
import { startFakeServer } from '../../client/fake-server.ts'
import { announced, BUY, CHAIN, NOW, termsOf } from '../../client/trade-fixture.ts'
import { eventually, turns } from '../../kit/eventually.ts'
import { SERVER_SETTINGS } from '../../relay/server/support.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { CALL_BUY } from '../../support/test-relay.ts'
import { ADA_ACCOUNT, type BotFixture, openDefault, PLAIN, startBotFixture, type TestBot } from './bot-fixture.ts'

/** Lets a bot hear the default request and quote it. */
async function quoted({ taker, clock }: BotFixture, ...bots: TestBot[]) {
  const request = await openDefault(taker)
  for (const bot of bots) await bot.told('heard')
  await clock.advance(100)
  for (const bot of bots) await bot.told('quoted')
  return request
}

describe('a simulated maker', () => {
  test('says once that the operator has blocked it, and trades again when the block is lifted', async () => {
    const headers = { authorization: 'Bearer the-operators-own-token' }
    const fixture = await startBotFixture({ server: { operatorToken: 'the-operators-own-token' } })
    const block = (method: 'POST' | 'DELETE') => fixture.call(method, '/ops/v1/makers/ada/block', { headers })
    const ada = fixture.bot('ada')
    await ada.told('connected')
    await block('POST')
    await ada.told('blocked')
    for (let look = 0; look < 3; look++) {
      await fixture.clock.advance(2_000)
      await turns(20)
    }
    expect(ada.of('blocked')).toHaveLength(1)
    await block('DELETE')
    while (ada.of('connected').length < 2) {
      await fixture.clock.advance(2_000)
      await turns(20)
    }
    await quoted(fixture, ada)
    await ada.stop()
  })

  test('receives a request, thinks, quotes from its model, signs what it won and leans against its position', async () => {
    const fixture = await startBotFixture()
    const ada = fixture.bot('ada')
    await ada.told('connected')
    const first = await quoted(fixture, ada)
    const { bestQuote } = await fixture.taker.getBestQuote({ request: first })
    const [quote] = ada.of('quoted')
    expect(bestQuote).toMatchObject({
      makerId: 'ada',
      maker: ADA_ACCOUNT.address,
      price: quote?.price,
      size: quote?.size,
    })
    expect(usd6ToNumber(quote?.price as never) - (quote?.value ?? 0)).toBeCloseTo(PLAIN.halfSpread, 3)

    const { onchain } = await fixture.taker.commitToBestQuote({ request: first })
    await ada.told('won')
    expect(ada.of('signed')).toHaveLength(1)
    const [won] = ada.of('won')
    expect(won?.position).toBe(-Number(onchain?.order.optionAmount))

    await openDefault(fixture.taker)
    await ada.told('heard', 2)
    await fixture.clock.advance(100)
    await ada.told('quoted', 2)
    expect(ada.of('quoted')[1]?.price).toBeGreaterThan(quote?.price ?? 0n)
  })

  test('prices by the time of a chain that was moved ahead: what it looks at, and how long the option has still to live', async () => {
    const fixture = await startBotFixture()
    const minutes = 20 * 60_000
    const moved = async () => fixture.clock.now() + minutes
    const looked: number[] = []
    const spot = async (_: string, now: number) => {
      looked.push(now - fixture.clock.now())
      return 0.5
    }
    const style = { volatility: 2 }
    const [ada, bob] = [fixture.bot('ada', style), fixture.bot('bob', style, { spot, marketTime: moved })]
    await Promise.all([ada.told('connected'), bob.told('connected')])
    await quoted(fixture, ada, bob)
    expect(new Set(looked)).toEqual(new Set([minutes]))
    // Nearer to its expiry the same option at the same price is worth less.
    expect(bob.of('quoted')[0]?.value).toBeLessThan(ada.of('quoted')[0]?.value ?? 0)
  })

  test('improves its quote as its style says, and then follows the spot', async () => {
    const fixture = await startBotFixture()
    let spot = 0.5
    const ada = fixture.bot(
      'ada',
      { improvements: 2, tightening: 0.5, halfSpread: 0.02, refreshMs: 5_000 },
      { spot: async () => spot },
    )
    const request = await quoted(fixture, ada)
    await fixture.clock.advance(100)
    await ada.told('quoted', 2)
    await fixture.clock.advance(100)
    await ada.told('quoted', 3)
    const prices = ada.of('quoted').map(({ price }) => price)
    expect(prices).toEqual([...prices].sort((a, b) => Number(b - a)))
    expect(new Set(prices).size).toBe(3)
    spot = 0.4
    await fixture.clock.advance(5_000)
    await ada.told('quoted', 4)
    expect(ada.of('quoted')[3]?.price).toBeLessThan(prices[2] ?? 0n)
    expect((await fixture.taker.getBestQuote({ request })).bestQuote?.price).toBe(ada.of('quoted')[3]?.price)
  })

  test('does not quote again what it quotes already, and never closer than its last improvement', async () => {
    const fixture = await startBotFixture()
    const { spot, looks } = watchedSpot()
    const ada = fixture.bot('ada', { improvements: 1, halfSpread: 0.02, tightening: 0.5, refreshMs: 1_000 }, { spot })
    await quoted(fixture, ada)
    await fixture.clock.advance(100)
    await ada.told('quoted', 2)
    for (let round = 3; round <= 6; round += 1) {
      await fixture.clock.advance(1_000)
      await eventually(() => looks() === round)
    }
    await turns(50)
    expect(ada.of('quoted')).toHaveLength(2)
  })

  test('takes its quote back when it no longer wants the trade', async () => {
    const fixture = await startBotFixture()
    let spot = 0.5
    const ada = fixture.bot('ada', { refreshMs: 1_000 }, { spot: async () => spot })
    const trade = { side: 'sell', size: contracts(10n) } as const
    const request = await fixture.taker.openQuoteRequest({ market: CALL_BUY.market, option: CALL_BUY.option, trade })
    await ada.told('heard')
    await fixture.clock.advance(100)
    await ada.told('quoted')
    spot = 0
    await fixture.clock.advance(1_000)
    await ada.told('withdrew')
    expect((await fixture.taker.getBestQuote({ request })).bestQuote).toBeNull()
  })

  test('continues when its price source fails', async () => {
    const fixture = await startBotFixture()
    let down = true
    const spot = async () => (down ? Promise.reject(new Error('no feed')) : 0.5)
    const ada = fixture.bot('ada', { refreshMs: 1_000 }, { spot })
    await openDefault(fixture.taker)
    await ada.told('heard')
    await fixture.clock.advance(100)
    await ada.told('failed')
    expect(ada.of('failed')[0]).toMatchObject({ doing: 'spot', error: { message: 'no feed' } })
    down = false
    await fixture.clock.advance(1_000)
    await ada.told('quoted')
  })

  test('stops dealing in a request that is over', async () => {
    const fixture = await startBotFixture()
    const { spot, looks } = watchedSpot()
    const ada = fixture.bot('ada', { refreshMs: 1_000 }, { spot })
    const request = await quoted(fixture, ada)
    await fixture.taker.cancelQuoteRequest({ request })
    await ada.told('lost')
    expect(ada.of('lost')[0]).toMatchObject({ reason: 'request_cancelled' })
    await openDefault(fixture.taker)
    await ada.told('heard', 2)
    await fixture.clock.advance(100)
    await ada.told('quoted', 2)
    await fixture.clock.advance(900)
    await turns(50)
    expect(looks()).toBe(2)
  })

  test('drops a request whose time is over without a message of its end', async () => {
    const fixture = await startBotFixture()
    const { spot, looks } = watchedSpot()
    const ada = fixture.bot('ada', { refreshMs: 200_000 }, { spot })
    await quoted(fixture, ada)
    await fixture.server.close()
    await fixture.clock.advance(200_000)
    await eventually(() => looks() === 2)
    await fixture.clock.advance(400_000)
    await turns(50)
    expect(looks()).toBe(2)
  })

  test('tells of it when the relay refuses its quote', async () => {
    const fixture = await startBotFixture()
    fixture.chain.wallets.set(ADA_ACCOUNT.address, { core: { balance: 0n as never, allowance: 0n as never } })
    const ada = fixture.bot('ada')
    await openDefault(fixture.taker)
    await ada.told('heard')
    await fixture.clock.advance(100)
    await ada.told('failed')
    expect(ada.of('failed')[0]).toMatchObject({ doing: 'quote', error: { code: 'maker_insufficient_balance' } })
  })

  test('says nothing of it when its quote is out for signature and cannot be bettered', async () => {
    const fixture = await startBotFixture()
    const { spot, looks } = moving()
    const ada = fixture.bot('ada', { signing: 'silent', refreshMs: 1_000 }, { spot })
    const request = await quoted(fixture, ada)
    const committing = fixture.taker.commitToBestQuote({ request }).catch((error) => error.code)
    await ada.told('asked')
    await fixture.clock.advance(1_000)
    await eventually(() => looks() === 2)
    await fixture.clock.advance(10_000)
    expect(await committing).toBe('no_maker_confirmed')
    expect(ada.of('failed')).toEqual([])
  })

  test('is the same for the same seed', async () => {
    const prices = async (seed: number) => {
      const fixture = await startBotFixture()
      const ada = fixture.bot(
        'ada',
        { ...MAKER_STYLES.requoting, latencyMs: { min: 50, max: 100 }, improvements: 0 },
        { seed },
      )
      await quoted(fixture, ada)
      return ada.of('quoted').map(({ price, size }) => [price, size])
    }
    expect(await prices(7)).toEqual(await prices(7))
    expect(await prices(7)).not.toEqual(await prices(9))
  })

  test('ends when the relay refuses its key', async () => {
    const fixture = await startBotFixture()
    const { url, clock, chain } = fixture
    const maker = { url, apiKey: 'wrong', account: ADA_ACCOUNT, chain: chain.environment, timing: { clock } }
    const { signal } = new AbortController()
    const running = runMakerBot({ maker, style: PLAIN, seed: 1, spot: async () => 0.5, signal })
    await expect(running).rejects.toMatchObject({ code: 'invalid_api_key' })
  })

  test('ends when its key is revoked between two quotes', async () => {
    const server = await startFakeServer()
    const clock = createFakeClock(NOW)
    const { signal } = new AbortController()
    const maker = { url: server.url, apiKey: 'key', account: ADA_ACCOUNT, chain: CHAIN, timing: { clock } }
    const ended = runMakerBot({ maker, style: PLAIN, seed: 1, spot: async () => 0.5, signal }).catch((error) => error)
    const request = {
      ...announced(BUY),
      ...termsOf(BUY),
      seriesId: '1',
      createdAt: NOW,
      locked: true,
      takerSecretDigest: '',
    }
    const { offers: _, ...ofAnOldRelay } = encodeConnected('maker-1', NOW)
    ;(await server.nextSocket()).socket.send(JSON.stringify(ofAnOldRelay))
    const stream = (await server.nextCall()).stream()
    stream.write(encodeSseFrame(quoteRequestFrame(1, request)))
    await eventually(() => clock.pending() === 3)
    await clock.advance(100)
    ;(await server.nextCall()).answer(401, { success: false, error: 'Revoked.', code: 'invalid_api_key' })
    expect(await ended).toMatchObject({ code: 'invalid_api_key' })
    await stream.closed
    expect(clock.pending()).toBe(0)
  })

  test('takes its quotes back when it is stopped, and quotes no more', async () => {
    const fixture = await startBotFixture()
    const ada = fixture.bot('ada', { refreshMs: 1_000 })
    const request = await quoted(fixture, ada)
    await ada.stop()
    expect((await fixture.taker.getBestQuote({ request })).bestQuote).toBeNull()
    const told = ada.events.length
    await fixture.clock.advance(5_000)
    await turns(50)
    expect(ada.events).toHaveLength(told)
    expect(await fixture.ports.presence.countStreams()).toBe(0)
  })
})

describe('a simulated maker with a fault', () => {
  test.each([
    ['silent', 10_000],
    ['declining', 0],
    ['bad-signature', 10_000],
    ['late', 10_000],
  ] as const)('that is %s lets the trade fall to the next', async (signing, advanceMs) => {
    const fixture = await startBotFixture()
    const ada = fixture.bot('ada', { halfSpread: 0.001, signing })
    const bob = fixture.bot('bob', { halfSpread: 0.01 })
    const request = await quoted(fixture, ada, bob)
    const committed = fixture.taker.commitToBestQuote({ request, limitPrice: null, minContracts: null })
    await ada.told('asked')
    if (signing === 'bad-signature') await ada.told('failed')
    await fixture.clock.advance(advanceMs)
    expect((await committed).execution.makerId).toBe('bob')
    await bob.told('won')
    if (signing === 'bad-signature') {
      expect(ada.of('failed')[0]).toMatchObject({ doing: 'confirm', error: { code: 'invalid_signature' } })
    }
    if (signing === 'late') {
      await fixture.clock.advance(500)
      await ada.told('failed')
      expect(ada.of('failed')[0]).toMatchObject({ error: { code: 'no_pending_acceptance' } })
    }
    expect(ada.of('signed')).toEqual([])
    expect(ada.of('won')).toEqual([])
  })

  test('that is flaky signs some of what it is asked for, the same for the same seed', async () => {
    const fixture = await startBotFixture()
    const ada = fixture.bot('ada', { signing: 'flaky', positionLimit: 1_000_000 })
    const draw = createRandom(deriveSeed(7, 'whims'))
    const signs = Array.from({ length: 6 }, () => draw() >= 0.5)
    expect(new Set(signs).size).toBe(2)
    for (const [i, isSigned] of signs.entries()) {
      const request = await openDefault(fixture.taker)
      await ada.told('heard', i + 1)
      await fixture.clock.advance(100)
      await ada.told('quoted', i + 1)
      const committed = fixture.taker.commitToBestQuote({ request, limitPrice: null, minContracts: null })
      await ada.told('asked', i + 1)
      if (isSigned) await committed
      else {
        await Promise.all([
          expect(committed).rejects.toMatchObject({ code: 'no_maker_confirmed' }),
          fixture.clock.advance(10_000),
        ])
        await fixture.taker.cancelQuoteRequest({ request })
      }
    }
    expect(ada.of('asked')).toHaveLength(6)
  })
})

describe('a simulated maker and a relay that goes away', () => {
  test('is back as soon as the relay asks for, three seconds at most, and quotes again what the relay forgot', async () => {
    const fixture = await startBotFixture()
    const { spot, looks } = watchedSpot()
    const ada = fixture.bot('ada', { opinion: 0.05, refreshMs: 60_000 }, { spot })
    const request = await quoted(fixture, ada)
    await fixture.kill()
    await eventually(() => ada.of('link').filter(({ state }) => state.kind === 'lost').length === 2)
    const restarted = await fixture.restart()
    const server = createServer({ ...restarted, settings: SERVER_SETTINGS })
    await server.listen({ host: '127.0.0.1', port: fixture.port })
    await fixture.clock.advance(3_000)
    await ada.told('connected', 2)
    await ada.told('heard', 2)
    await fixture.clock.advance(100)
    await ada.told('quoted', 2)
    const [before, after] = ada.of('quoted')
    expect(after?.price).toBe(before?.price)
    expect((await fixture.taker.getBestQuote({ request })).bestQuote?.price).toBe(after?.price)
    await fixture.clock.advance(60_000)
    await eventually(() => looks() === 3)
    await turns(50)
    expect(looks()).toBe(3)
    await ada.stop()
    await server.close()
  })

  test('that starts again declines at once what its former self offered, so that no one waits for it', async () => {
    const fixture = await startBotFixture()
    const request = await openDefault(fixture.taker)
    const { requestId } = request
    const offered = {
      maker: ADA_ACCOUNT.address,
      side: 'buy',
      price: usd6(100_000n),
      size: contracts(900n),
      expiresInMs: null,
    } as const
    await fixture.relay.submitQuote({ makerId: 'ada', requestId, submission: offered })
    const ada = fixture.bot('ada')
    await ada.told('heard')
    const committed = fixture.taker.commitToBestQuote({ request, limitPrice: null, minContracts: null })
    await expect(committed).rejects.toMatchObject({ code: 'no_maker_confirmed' })
    expect(ada.of('declined')[0]).toMatchObject({ reason: 'not my offer' })
    expect(ada.of('failed')[0]).toMatchObject({ error: { name: 'OrderMismatchError' } })
  })

  test('that was killed and starts again quotes at once on the snapshot', async () => {
    const fixture = await startBotFixture()
    const killed = fixture.bot('ada')
    const request = await quoted(fixture, killed)
    const again = fixture.bot('ada', {}, { spot: async () => 0.45 })
    await again.told('heard')
    await fixture.clock.advance(100)
    await again.told('quoted')
    expect((await fixture.taker.getBestQuote({ request })).bestQuote?.price).toBe(again.of('quoted')[0]?.price)
  })
})

/** A spot price of 0.5 that counts how often it was looked at. */
function watchedSpot() {
  let count = 0
  const spot = async () => {
    count += 1
    return 0.5
  }
  return { spot, looks: () => count }
}

/** A spot price that is another at every look, and counts the looks. */
function moving() {
  let count = 0
  const spot = async () => {
    count += 1
    return 0.5 - count / 100
  }
  return { spot, looks: () => count }
}
