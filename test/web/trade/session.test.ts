import { describe, expect, it } from 'vitest'
import {
  computeSeriesId,
  contracts,
  type Hex,
  RelayError,
  type StrikeBps,
  usd6,
  WalletError,
} from '../../../src/client/index.ts'
import type { TradeSession } from '../../../src/web/trade/session.ts'
import { activeTrade } from '../../../src/web/trade/trade-view.ts'
import { linkView, ticketView } from '../../../src/web/trade/view-model.ts'
import { settle } from '../../support/fake-clock.ts'
import { commitmentOf, quoteOf, seriesAt, TOMORROW } from '../trade-samples.ts'
import { ACCOUNT, createFakeWorld, type FakeWorld, FILL, PROOF } from './fake-world.ts'
import { countOf, createTradePages, inputOf, phaseOf } from './pages.ts'

const { page, trader, racing } = createTradePages()

/** How often the time of a page moves while `ms` pass. */
async function ticksIn({ clock }: FakeWorld, { store }: TradeSession, ms: number): Promise<number> {
  const times = new Set<number>()
  const stop = store.onChange(() => times.add(store.get().now))
  times.add(store.get().now)
  await clock.advance(ms)
  stop()
  return times.size - 1
}

describe('a trade page', () => {
  it('shows the first market with its next expiry and the call at the price of now', async () => {
    const { store } = await page(createFakeWorld())
    const view = ticketView(store.get())
    expect(view.option).toEqual({ optionType: 'call', strikeBps: 5_500 })
    expect(view.problem).toBeNull()
  })

  it('is drawn as seldom as the market is read while nothing on it changes, and four times a second where something counts down', async () => {
    const world = createFakeWorld()
    const session = await page(world)
    await world.clock.advance(1_000)
    expect(await ticksIn(world, session, 20_000)).toBeLessThanOrEqual(8)
    await world.clock.advance(900)
    session.act.ask()
    await settle()
    const { trades, relayOffsetMs } = session.store.get()
    expect(trades[0]?.openedAt).toBe(world.clock.now() + relayOffsetMs)
    await world.clock.advance(1_000)
    expect(await ticksIn(world, session, 4_000)).toBeGreaterThanOrEqual(16)
  })

  it('is drawn each second where a position has a time that passes', async () => {
    const world = createFakeWorld()
    world.positions = [{ series: seriesAt(TOMORROW, 5_000), long: 100n, short: 0n }]
    const session = await trader(world)
    await world.clock.advance(1_000)
    expect(await ticksIn(world, session, 4_000)).toBeGreaterThanOrEqual(4)
  })

  it('asks for quotes without a wallet, as anyone may', async () => {
    const world = createFakeWorld()
    const session = await page(world)
    session.act.ask()
    await settle()
    expect(phaseOf(session)).toBe('no-quotes')
    expect(world.requests.get('request-1')?.request.terms).toMatchObject({
      wallet: null,
      inventory: true,
      trade: { side: 'buy', budget: usd6(250_000_000n) },
    })
  })

  it('says that no maker quoted once those who want to had their time', async () => {
    const world = createFakeWorld()
    const session = await page(world)
    session.act.ask()
    await world.clock.advance(5_100)
    expect(phaseOf(session)).toBe('no-quotes-slow')
  })

  it('buys within the price that was shown and half of its options (decision C1), and fills at once', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    expect(phaseOf(session)).toBe('racing')
    session.act.commit('request-1')
    await settle()
    const commit = inputOf(world, 'commitToBestQuote')
    expect(commit).toMatchObject({
      wallet: ACCOUNT,
      limitPrice: usd6(99_600n),
      minContracts: contracts(1_255n),
      expectedQuoteId: null,
      proof: PROOF,
    })
    expect(activeTrade(session.store.get())).toMatchObject({ phase: 'filled', amount: 2_510n })
    expect(session.store.get().trades[0]?.stage).toMatchObject({ hash: FILL, blockNumber: 7, fee: null })
  })

  it('takes limits that were typed in place of those', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    session.act.edit({ limitText: '0.11', minText: '10' })
    session.act.commit('request-1')
    await settle()
    const commit = inputOf(world, 'commitToBestQuote')
    expect(commit).toMatchObject({ limitPrice: usd6(110_000n), minContracts: contracts(10n) })
  })

  it('sells what is asked', async () => {
    const world = createFakeWorld()
    const session = await trader(world)
    session.act.edit({ side: 'sell', sizeText: '400' })
    session.act.ask()
    await settle()
    expect(world.requests.get('request-1')?.request.terms.trade).toEqual({ side: 'sell', size: 400n })
    await world.quote('request-1', quoteOf(41_000n, { side: 'sell', fillContracts: contracts(400n) }))
    session.act.commit('request-1')
    await settle()
    expect(phaseOf(session)).toBe('filled')
  })

  it('registers a package that no one has traded, and tells the relay to look', async () => {
    const world = createFakeWorld()
    const session = await trader(world)
    session.act.choosePreset('strangle')
    expect(ticketView(session.store.get()).isNewPackage).toBe(true)
    world.when('registerPackage', async ({ terms }) => {
      const seriesId = computeSeriesId(terms)
      world.series.push({ ...terms, seriesId, resolutionBps: null })
      return { seriesId, receipt: null }
    })
    session.act.ask()
    await settle()
    expect(phaseOf(session)).toBe('no-quotes')
    expect(world.requests.get('request-1')?.request.terms.option).toMatchObject({
      legs: [
        { optionType: 'call', strikeBps: 6_000 as StrikeBps, quantity: 1 },
        { optionType: 'put', strikeBps: 5_000 as StrikeBps, quantity: 1 },
      ],
    })
  })

  it('shows the sentence and the hint of who refused', async () => {
    const world = createFakeWorld()
    world.when('openQuoteRequest', async () => {
      throw new RelayError({ code: 'too_many_requests', status: 429 })
    })
    const session = await page(world)
    session.act.ask()
    await settle()
    expect(session.store.get().tasks.ask).toMatchObject({
      kind: 'failed',
      failure: {
        code: 'too_many_requests',
        message: 'Too many requests come from this address.',
        hint: 'Try again after Retry-After seconds.',
        retryable: true,
      },
    })
  })

  it('has the wallet sign exactly what is sent then, once, while quotes go on', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    let sign: (proof: Hex) => void = () => {}
    world.when('proveCommit', () => new Promise((resolve) => (sign = resolve)))
    session.act.commit('request-1')
    await settle()
    session.act.commit('request-1')
    await world.quote('request-1', quoteOf(99_500n))
    expect(phaseOf(session)).toBe('racing')
    expect(session.store.get().tasks['prove:request-1']).toMatchObject({ kind: 'running', step: 'wallet' })
    expect(countOf(world, 'commitToBestQuote')).toBe(0)
    sign(PROOF)
    await settle()
    const { signal: _, request, ...signed } = inputOf(world, 'proveCommit') as Record<string, unknown>
    expect(inputOf(world, 'commitToBestQuote')).toMatchObject({ request, ...signed, proof: PROOF })
    expect(countOf(world, 'proveCommit')).toBe(1)
    expect(session.store.get().tasks['prove:request-1']).toBeUndefined()
  })

  it('proceeds without a proof where the wallet signs none and the relay lets it', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    world.when('proveCommit', async () => null)
    session.act.commit('request-1')
    await settle()
    expect(inputOf(world, 'commitToBestQuote')).toMatchObject({ proof: null })
    expect(phaseOf(session)).toBe('filled')
  })

  it.each([
    ['optional', 'filled', [PROOF, null]],
    ['required', 'racing', [PROOF]],
  ] as const)('sends once more without a proof that is not counted, unless the relay insists (%s)', async (...row) => {
    const [commitProof, phase, sent] = row
    const world = createFakeWorld()
    world.environment = { ...world.environment, commitProof }
    const session = await racing(world)
    world.when('commitToBestQuote', async ({ request, shown, proof }) => {
      if (proof !== null) throw new RelayError({ code: 'invalid_signature', status: 400 })
      return commitmentOf(request, shown as never)
    })
    session.act.commit('request-1')
    await settle()
    expect(phaseOf(session)).toBe(phase)
    const commits = world.calls.filter(({ name }) => name === 'commitToBestQuote')
    expect(commits.map(({ input }) => (input as { proof: unknown }).proof)).toEqual(sent)
  })

  it('sends nothing where the relay insists and the owner of the wallet rejects, and says so', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    world.when('proveCommit', async () => {
      throw new WalletError('The owner of the wallet rejected the request.', { code: 'wallet_rejected', hint: 'Sign.' })
    })
    session.act.commit('request-1')
    await settle()
    expect(activeTrade(session.store.get())).toMatchObject({
      phase: 'racing',
      failure: { code: 'wallet_rejected', hint: 'Sign.' },
    })
    expect(countOf(world, 'commitToBestQuote')).toBe(0)
    expect(session.store.get().tasks['prove:request-1']).toBeUndefined()
  })

  it('sends nothing where the request was cancelled while the wallet asked', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    let sign: (proof: Hex) => void = () => {}
    world.when('proveCommit', () => new Promise((resolve) => (sign = resolve)))
    session.act.commit('request-1')
    await settle()
    session.act.cancel('request-1')
    await settle()
    sign(PROOF)
    await settle()
    expect(phaseOf(session)).toBe('cancelled')
    expect(countOf(world, 'commitToBestQuote')).toBe(0)
  })

  it('leaves a request open whose commit was refused', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    world.when('commitToBestQuote', async () => {
      throw new RelayError({ code: 'no_acceptable_quote', status: 409 })
    })
    session.act.commit('request-1')
    await settle()
    expect(activeTrade(session.store.get())).toMatchObject({
      phase: 'racing',
      failure: { code: 'no_acceptable_quote' },
    })
  })

  it('keeps a signed trade whose payment the owner of the wallet rejected, and fills it when asked again', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    world.when('fillOrder', async () => {
      throw new WalletError('The owner of the wallet rejected the request.', {
        code: 'wallet_rejected',
        hint: 'Approve.',
      })
    })
    session.act.commit('request-1')
    await settle()
    expect(activeTrade(session.store.get())).toMatchObject({
      phase: 'committed',
      failure: { code: 'wallet_rejected', hint: 'Approve.' },
      countdown: { of: 'order' },
    })
    world.when('fillOrder', null)
    session.act.fill('request-1', 'permit')
    await settle()
    expect(phaseOf(session)).toBe('filled')
    expect(inputOf(world, 'fillOrder')).toMatchObject({ approval: 'permit' })
  })

  it('says when another maker is asked in place of the one that did not sign', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    let sign: (value: never) => void = () => {}
    world.when('commitToBestQuote', () => new Promise((resolve) => (sign = resolve)))
    session.act.commit('request-1')
    await settle()
    expect(activeTrade(session.store.get())).toMatchObject({ phase: 'signing', countdown: { of: 'signing' } })
    // A better one is another maker's news, not the end of the first one's time.
    await world.quote('request-1', quoteOf(90_000n, { makerId: 'maker-5' }))
    expect(phaseOf(session)).toBe('signing')
    await world.quote('request-1', quoteOf(99_600n, { makerId: 'maker-2', quoteId: 'second' }))
    expect(activeTrade(session.store.get())).toMatchObject({ phase: 'fallback', fellBackFrom: 'maker-1' })
    sign(undefined as never)
  })

  it('ends in the commit where the relay settles on no chain', async () => {
    const world = createFakeWorld()
    world.environment = { ...world.environment, mode: 'simulated', sandbox: false }
    const session = await page(world)
    expect(session.store.get().wallet.offers.map(({ id }) => id)).toContain('sandbox')
    session.act.connect('sandbox')
    session.act.ask()
    await settle()
    await world.quote('request-1', quoteOf(99_600n))
    world.when('commitToBestQuote', async ({ request, shown }) => {
      return { ...commitmentOf(request, shown as never), mode: 'simulated', onchain: null }
    })
    session.act.commit('request-1')
    await settle()
    expect(phaseOf(session)).toBe('simulated')
  })

  it('cancels an open request', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    session.act.cancel('request-1')
    await settle()
    expect(phaseOf(session)).toBe('cancelled')
  })

  it('learns how a request ended that was closed elsewhere', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    await world.end('request-1', 'cancelled')
    expect(phaseOf(session)).toBe('cancelled')
  })

  it('does not ask again and again for a stream that the relay refuses', async () => {
    const world = createFakeWorld()
    const session = await trader(world)
    world.when('watchBestQuote', () => {
      throw new RelayError({ code: 'taker_secret_required', status: 403 })
    })
    session.act.ask()
    await world.clock.advance(4_500)
    const count = () => countOf(world, 'watchBestQuote')
    expect(count()).toBe(1)
    expect(activeTrade(session.store.get())?.failure?.code).toBe('taker_secret_required')
    await world.clock.advance(1_000)
    expect(count()).toBe(2)
  })

  it('ends a request at its time by the clock of the relay', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    await world.clock.advance(299_000)
    expect(phaseOf(session)).toBe('racing')
    await world.clock.advance(1_300)
    expect(phaseOf(session)).toBe('expired')
  })

  it('ends a signed trade that was not filled by its time on the chain', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    world.when('fillOrder', async () => {
      throw new Error('no gas')
    })
    session.act.commit('request-1')
    await world.clock.advance(90_000)
    expect(phaseOf(session)).toBe('committed')
    await world.clock.advance(7_000)
    expect(phaseOf(session)).toBe('order-expired')
  })

  it('does not send a commit that the wallet cannot pay for', async () => {
    const world = createFakeWorld()
    world.funds = { stablecoin: 1_000_000n, coin: 10n ** 18n }
    const session = await racing(world)
    session.act.commit('request-1')
    await settle()
    expect(countOf(world, 'commitToBestQuote')).toBe(0)
  })
})

describe('a relay that is lost', () => {
  it('leaves what was read, and is tried again', async () => {
    const world = createFakeWorld()
    const { store } = await page(world)
    world.isDown = true
    await world.clock.advance(5_000)
    expect(linkView(store.get())).toMatchObject({ kind: 'lost', isDimmed: true, retryInMs: 1_000 })
    expect(store.get().markets).toHaveLength(3)
    world.isDown = false
    await world.clock.advance(1_500)
    expect(linkView(store.get()).kind).toBe('live')
  })

  it('is tried again at once when asked', async () => {
    const world = createFakeWorld()
    world.isDown = true
    const session = await page(world)
    expect(linkView(session.store.get())).toMatchObject({ kind: 'connecting', failure: { code: 'unreachable' } })
    world.isDown = false
    session.act.reconnect()
    await settle()
    expect(linkView(session.store.get()).kind).toBe('live')
  })
})

it('quotes that race are drawn once a frame, and an edit at once with all that waited', async () => {
  const world = createFakeWorld()
  const { store, act } = await racing(world)
  let drawn = 0
  store.subscribe(() => {
    drawn += 1
  })
  for (const price of [99_500n, 99_400n, 99_300n]) await world.quote('request-1', quoteOf(price))
  expect(drawn).toBe(1)
  act.edit({ budgetText: '1' })
  expect(drawn).toBe(2)
  await world.clock.advance(16)
  expect(drawn).toBe(2)
  await world.quote('request-1', quoteOf(99_200n))
  expect(drawn).toBe(3)
})
