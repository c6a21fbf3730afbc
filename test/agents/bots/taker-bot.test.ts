import { custom, type Transport } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createRandom, deriveSeed } from '../../../src/agents/bots/random.ts'
import { drawGapMs } from '../../../src/agents/bots/session.ts'
import { runTakerBot, type TakerBotEvent } from '../../../src/agents/bots/taker-bot.ts'
import { eventually, turns } from '../../kit/eventually.ts'
import { CALL_BUY } from '../../support/test-relay.ts'
import { type BotFixture, startBotFixture, TAKER_ACCOUNT } from './bot-fixture.ts'

const PATIENCE_MS = 1_000

/** A taker that buys for 100 dollars and waits a second. */
function startTaker(
  fixture: BotFixture,
  {
    seed = 3,
    walkAwayShare = 0,
    maxSessions = null,
    transport,
    marketTime,
  }: {
    seed?: number
    walkAwayShare?: number
    maxSessions?: number | null
    transport?: Transport
    marketTime?: () => Promise<number>
  } = {},
) {
  const { url, clock, chain } = fixture
  const abort = new AbortController()
  const events: TakerBotEvent[] = []
  const done = runTakerBot({
    taker: {
      url,
      account: TAKER_ACCOUNT,
      chain: { ...chain.environment, transport },
      timing: { clock, random: () => 0.5 },
    },
    seed,
    perMinute: 60,
    mix: {
      buyShare: 1,
      walkAwayShare,
      budgetUsd: { min: 100, max: 100 },
      patienceMs: { min: PATIENCE_MS, max: PATIENCE_MS },
    },
    maxSessions,
    fills: transport !== undefined,
    ...(marketTime === undefined ? {} : { marketTime }),
    signal: abort.signal,
    onEvent: (event) => events.push(event),
  })
  const stop = async () => {
    abort.abort()
    await done
  }
  onTestFinished(stop)
  const of = <Kind extends TakerBotEvent['kind']>(kind: Kind) =>
    events.filter((event): event is Extract<TakerBotEvent, { kind: Kind }> => event.kind === kind)
  const told = (kind: TakerBotEvent['kind'], count = 1) => eventually(() => of(kind).length >= count)
  const firstGapMs = drawGapMs(60, createRandom(deriveSeed(seed, 'trips')))
  return { events, of, told, stop, done, firstGapMs }
}

describe('a simulated taker', () => {
  test('opens a request, watches the quotes come in and takes the best', async () => {
    const fixture = await startBotFixture()
    const ada = fixture.bot('ada', { halfSpread: 0.02 })
    const bob = fixture.bot('bob', { halfSpread: 0.01 })
    const taker = startTaker(fixture)
    await fixture.clock.advance(taker.firstGapMs)
    await taker.told('opened')
    await ada.told('heard')
    await bob.told('heard')
    await fixture.clock.advance(100)
    await ada.told('quoted')
    await bob.told('quoted')
    await fixture.clock.advance(20)
    await eventually(() => taker.of('shown').at(-1)?.quoteCount === 2)
    await fixture.clock.advance(PATIENCE_MS - 120)
    await taker.told('committed')
    const { commitment } = taker.of('committed')[0] ?? {}
    expect(commitment?.execution.makerId).toBe('bob')
    const shown = taker.of('shown').filter(({ requestId }) => requestId === commitment?.execution.requestId)
    const quote = shown.at(-1)?.quote
    expect(commitment?.protections.limitPrice).toBe(quote?.price)
    expect(commitment?.protections.minContracts).toBe((quote?.fillContracts ?? 0n) / 2n)
    await bob.told('won')
  })

  test('asks about nothing that has expired by the time of a chain that was moved', async () => {
    const fixture = await startBotFixture()
    let movedMs = 0
    const expiryMs = CALL_BUY.option.expiryMs
    const marketTime = async () => fixture.clock.now() + movedMs
    const taker = startTaker(fixture, { marketTime })
    movedMs = expiryMs - fixture.clock.now()
    await fixture.clock.advance(taker.firstGapMs)
    await turns(20)
    await fixture.clock.advance(10_000)
    await turns(20)
    expect(taker.events).toEqual([])
    movedMs = 0
    await fixture.clock.advance(10_000)
    await taker.told('opened')
  })

  test('cancels when no one quotes', async () => {
    const fixture = await startBotFixture()
    const taker = startTaker(fixture)
    await fixture.clock.advance(taker.firstGapMs)
    await taker.told('shown')
    await fixture.clock.advance(PATIENCE_MS)
    await taker.told('walked_away')
    expect(taker.of('walked_away')[0]).toMatchObject({ reason: 'no_quotes' })
    const { requestId } = taker.of('walked_away')[0] ?? {}
    expect((await fixture.ports.store.requests.find(requestId ?? ''))?.status).toBe('cancelled')
  })

  test('that fills does not commit to what it cannot pay', async () => {
    const fixture = await startBotFixture()
    const ada = fixture.bot('ada')
    const answers: Record<string, string> = { eth_chainId: '0x13882', eth_call: `0x${'0'.repeat(64)}` }
    const broke = custom({ request: async ({ method }) => answers[method] })
    const taker = startTaker(fixture, { transport: broke })
    await fixture.clock.advance(taker.firstGapMs)
    await ada.told('heard')
    await fixture.clock.advance(100)
    await eventually(() => taker.of('shown').at(-1)?.quoteCount === 1)
    await fixture.clock.advance(PATIENCE_MS - 100)
    await taker.told('walked_away')
    expect(taker.of('walked_away')[0]).toMatchObject({ reason: 'no_funds' })
    expect(taker.of('committed')).toEqual([])
  })

  test('ends by itself after the number of requests that was asked for', async () => {
    const fixture = await startBotFixture()
    const taker = startTaker(fixture, { maxSessions: 1 })
    await fixture.clock.advance(taker.firstGapMs)
    await taker.told('shown')
    await fixture.clock.advance(PATIENCE_MS)
    await taker.done
    expect(taker.of('opened')).toHaveLength(1)
  })

  test('changes its mind as often as the mix says', async () => {
    const fixture = await startBotFixture()
    const ada = fixture.bot('ada')
    const taker = startTaker(fixture, { walkAwayShare: 1 })
    await fixture.clock.advance(taker.firstGapMs)
    await ada.told('heard')
    await fixture.clock.advance(100)
    await eventually(() => taker.of('shown').at(-1)?.quoteCount === 1)
    await fixture.clock.advance(PATIENCE_MS - 100)
    await taker.told('walked_away')
    expect(taker.of('walked_away')[0]).toMatchObject({ reason: 'changed_mind' })
    await ada.told('lost')
  })

  test('reports refusals and continues', async () => {
    const fixture = await startBotFixture()
    fixture.chain.registered.clear()
    const taker = startTaker(fixture)
    await fixture.clock.advance(taker.firstGapMs)
    await turns(100)
    expect(taker.events).toEqual([])
    await fixture.server.close()
    await fixture.clock.advance(5_000)
    await taker.told('failed')
    expect(taker.of('failed')[0]).toMatchObject({ doing: 'list', error: { name: 'RelayUnreachableError' } })
  })

  test('cancels what it has open when it is stopped', async () => {
    const fixture = await startBotFixture()
    const taker = startTaker(fixture)
    await fixture.clock.advance(taker.firstGapMs)
    await taker.told('shown')
    await taker.stop()
    const { request } = taker.of('opened')[0] ?? {}
    expect((await fixture.ports.store.requests.find(request?.requestId ?? ''))?.status).toBe('cancelled')
    const told = taker.events.length
    await fixture.clock.advance(60_000)
    await turns(50)
    expect(taker.events).toHaveLength(told)
  })
})
