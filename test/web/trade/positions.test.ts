import { describe, expect, it } from 'vitest'
import { contracts, RelayError, type ResolutionBps, type Usd6, usd6 } from '../../../src/client/index.ts'
import type { RelayerClient } from '../../../src/client/relayer.ts'
import { commitPreview } from '../../../src/web/trade/commit-view.ts'
import { positionRows, positionTotals, windowView } from '../../../src/web/trade/position-view.ts'
import type { TradeSession } from '../../../src/web/trade/session.ts'
import { activeTrade } from '../../../src/web/trade/trade-view.ts'
import { chainNow, ladder } from '../../../src/web/trade/view-model.ts'
import { settle } from '../../support/fake-clock.ts'
import {
  commitmentOf,
  ENVIRONMENT,
  expiredCall,
  NOW,
  quoteOf,
  seriesAt,
  settledCall,
  TOMORROW,
} from '../trade-samples.ts'
import { ACCOUNT, createFakeWorld, type FakeWorld, FILL, FILLED, receipt } from './fake-world.ts'
import { countOf, createTradePages, inputOf, phaseOf } from './pages.ts'

const { trader } = createTradePages()
const CALL = seriesAt(TOMORROW, 5_000)

/** A page of a wallet that has these options. */
async function holding(world: FakeWorld, position?: FakeWorld['positions'][number]): Promise<TradeSession> {
  if (position !== undefined) world.positions = [position]
  return trader(world)
}

const claimOf = (paid: bigint) => async () => ({ receipt: receipt(), amount: contracts(1n), paid: usd6(paid) })

describe('marks of the market that is looked at', () => {
  const seen = { yesPrice: 0.55, intrinsic: usd6(50_000n), volatility: 1.5, observed: null, indicative: null }

  it('are read with it, and leave the page as it is where the relay has none', async () => {
    const world = createFakeWorld()
    world.marks = [{ ...CALL, ...seen, mark: usd6(81_000n) }]
    const session = await trader(world)
    const markAt = () => ladder(session.store.get()).find(({ strikeBps }) => strikeBps === 5_000)?.call?.mark
    await world.clock.advance(5_000)
    expect(markAt()).toBe(81_000n)
    world.when('getSurface', async () => {
      throw new RelayError({ code: 'not_found', status: 404 })
    })
    await world.clock.advance(5_000)
    expect(markAt()).toBe(81_000n)
    expect(session.store.get().link.kind).toBe('live')
  })
})

describe('positions', () => {
  it('show what they pay if YES stays, and no profit before they resolve', async () => {
    const session = await holding(createFakeWorld(), { series: CALL, long: 100n, short: 0n })
    expect(positionRows(session.store.get())).toMatchObject([
      { long: 100n, paysIfUnchanged: 5_000_000n, cost: 5_000_000n, profit: null, next: 'close', phase: 'open' },
    ])
    expect(positionTotals(session.store.get())).toEqual({
      worth: null,
      paysIfUnchanged: 5_000_000n,
      profit: null,
      claimable: 0n,
    })
  })

  it('show what they are worth at the mark, and the profit of that', async () => {
    const position = { series: CALL, long: 100n, short: 0n, mark: usd6(80_000n) }
    const session = await holding(createFakeWorld(), position)
    expect(positionRows(session.store.get())).toMatchObject([
      { worth: 8_000_000n, paysIfUnchanged: 5_000_000n, profit: 3_000_000n },
    ])
    expect(positionTotals(session.store.get())).toMatchObject({ worth: 8_000_000n, profit: 3_000_000n })
  })

  it('on another account are not shown as those of this one', async () => {
    const world = createFakeWorld()
    const session = await holding(world, { series: CALL, long: 100n, short: 0n })
    world.when('listValuedPositions', () => new Promise(() => {}))
    world.injected.change({ address: '0x4444444444444444444444444444444444444444', chainId: ENVIRONMENT.chainId })
    expect(session.store.get()).toMatchObject({ positions: null, wallet: { funds: null } })
    world.injected.change({ address: null, chainId: null })
    expect(session.store.get().wallet.standing.kind).toBe('none')
  })

  it('that were asked for by an account that is no longer used are passed over', async () => {
    const world = createFakeWorld()
    const session = await holding(world)
    let answer: (rows: never[]) => void = () => {}
    world.when('listValuedPositions', () => new Promise((resolve) => (answer = resolve)))
    await world.clock.advance(10_100)
    session.act.disconnect()
    answer([])
    await settle()
    expect(session.store.get().positions).toBeNull()
  })

  it('that are held are sold, all of them and no more, from what is held', async () => {
    const world = createFakeWorld()
    const session = await holding(world, { series: CALL, long: 100n, short: 0n })
    world.when('getInventoryApproval', async () => false)
    world.when('approveInventory', async () => receipt())
    session.act.close(CALL.seriesId)
    await settle()
    expect(inputOf(world, 'approveInventory')).toBeDefined()
    expect(inputOf(world, 'openQuoteRequest')).toMatchObject({
      wallet: ACCOUNT,
      inventory: true,
      trade: { side: 'sell', size: 100n, reduceOnly: true },
    })
    await world.quote('request-1', quoteOf(48_000n, { side: 'sell', fillContracts: contracts(100n) }))
    const { trades } = session.store.get()
    expect(trades[0]?.purpose).toBe('close')
    // What is sold from inventory takes no collateral.
    expect(commitPreview(session.store.get(), trades[0] as never)).toMatchObject({ due: 0n, problem: null })
    expect(positionRows(session.store.get())?.[0]?.closingId).toBe('request-1')
    // A relayer fills nothing that leaves a position.
    session.act.edit({ payBy: 'relayer' })
    session.act.commit('request-1')
    await settle()
    expect(phaseOf(session)).toBe('filled')
    expect(inputOf(world, 'fillOrder')).toMatchObject({ approval: 'approve' })
  })

  it('that were written are bought back for what they can be worth at most', async () => {
    const world = createFakeWorld()
    const session = await holding(world, { series: CALL, long: 0n, short: 40n })
    session.act.close(CALL.seriesId)
    await settle()
    expect(inputOf(world, 'openQuoteRequest')).toMatchObject({
      trade: { side: 'buy', budget: usd6(20_000_000n), reduceOnly: true, most: 40n },
    })
  })

  it('that are both end at once, without anyone', async () => {
    const world = createFakeWorld()
    const session = await holding(world, { series: CALL, long: 100n, short: 40n })
    world.when('closePosition', async () => ({ receipt: receipt(), amount: contracts(40n), paid: usd6(20_000_000n) }))
    session.act.close(CALL.seriesId)
    await settle()
    expect(session.store.get().tasks[`close:${CALL.seriesId}`]).toMatchObject({
      outcome: { kind: 'closed', amount: 40n, paid: 20_000_000n, hash: FILL },
    })
    expect(world.requests.size).toBe(0)
  })

  it('in an expired series are settled by any account, and then claimed', async () => {
    const world = createFakeWorld()
    const session = await holding(world, { series: expiredCall, long: 100n, short: 0n })
    expect(positionRows(session.store.get())?.[0]?.next).toBe('settle')
    const prepared = { attestation: { resolutionBps: 55 as ResolutionBps } } as never
    world.when('prepareSettlement', async () => prepared)
    world.when('settleSeries', async () => {
      const settled = { ...expiredCall, resolutionBps: 55 as ResolutionBps, finalAt: NOW / 1_000 + 60 }
      world.series = world.series.map((each) => (each.seriesId === expiredCall.seriesId ? settled : each))
      world.positions = [{ series: settled, long: 100n, short: 0n }]
      return receipt()
    })
    session.act.settle(expiredCall.seriesId)
    await settle()
    expect(session.store.get().tasks[`settle:${expiredCall.seriesId}`]).toMatchObject({ outcome: { prepared } })
    expect(positionRows(session.store.get())?.[0]).toMatchObject({ next: 'wait', phase: 'disputable' })
    await world.clock.advance(61_000)
    expect(positionRows(session.store.get())?.[0]?.next).toBe('claim')
  })

  it('say why a series cannot be settled yet', async () => {
    const world = createFakeWorld()
    const session = await holding(world, { series: expiredCall, long: 100n, short: 0n })
    world.when('prepareSettlement', async () => {
      throw new RelayError({ code: 'manual_review', status: 409 })
    })
    session.act.settle(expiredCall.seriesId)
    await settle()
    expect(positionRows(session.store.get())?.[0]?.task).toMatchObject({
      kind: 'failed',
      failure: { code: 'manual_review' },
    })
  })

  it.each([
    { long: 100n, short: 0n, calls: ['claimHolderPayout'], paid: 12_000_000n },
    { long: 0n, short: 50n, calls: ['claimWriterCollateral'], paid: 3_000_000n },
    { long: 100n, short: 50n, calls: ['claimHolderPayout', 'claimWriterCollateral'], paid: 15_000_000n },
  ])('with $long held and $short written are claimed by $calls', async ({ long, short, calls, paid }) => {
    const world = createFakeWorld()
    const session = await holding(world, { series: settledCall, long, short })
    world.when('claimHolderPayout', claimOf(12_000_000n))
    world.when('claimWriterCollateral', claimOf(3_000_000n))
    session.act.claim(settledCall.seriesId)
    await settle()
    expect(world.calls.map(({ name }) => name).filter((name) => name.startsWith('claim'))).toEqual(calls)
    expect(session.store.get().tasks[`claim:${settledCall.seriesId}`]).toMatchObject({ outcome: { paid } })
  })
})

describe('a wallet', () => {
  it('gets test dollars, and shows them', async () => {
    const world = createFakeWorld()
    const session = await holding(world)
    session.act.requestFunds()
    await settle()
    expect(session.store.get().tasks.faucet).toMatchObject({
      outcome: { kind: 'funded', amount: 10_000_000_000n },
    })
    expect(session.store.get().wallet.funds?.stablecoin).toBe(11_000_000_000n)
  })

  it('on another chain pays nothing until it is switched', async () => {
    const world = createFakeWorld()
    world.injected.wallet = { ...world.injected.wallet, chainId: 1 }
    let asked: unknown = null
    world.injected.wallet.switchChain = async (environment) => {
      asked = environment.chainId
      world.injected.change({ address: ACCOUNT, chainId: environment.chainId })
    }
    const session = await holding(world)
    session.act.ask()
    await settle()
    await world.quote('request-1', quoteOf(99_600n))
    const preview = () => commitPreview(session.store.get(), session.store.get().trades[0] as never)
    expect(preview()?.problem?.kind).toBe('wrong-chain')
    session.act.switchChain()
    await settle()
    expect(asked).toBe(ENVIRONMENT.chainId)
    expect(preview()?.problem).toBeNull()
  })

  it('that refuses is not connected, and shows why', async () => {
    const world = createFakeWorld()
    world.injected.isRejecting = true
    const { store } = await holding(world)
    expect(store.get().wallet).toMatchObject({
      standing: { kind: 'none' },
      failure: { message: 'The owner said no.' },
    })
  })

  it('that its owner has left for another one is not taken when it answers late', async () => {
    const world = createFakeWorld()
    world.environment = { ...ENVIRONMENT, sandbox: true }
    const session = await holding(world)
    const { open: openWallet } = world.ports.wallets
    let answer: () => void = () => {}
    world.ports.wallets.open = async (id, options) => {
      if (id !== 'sandbox') await new Promise<void>((resolve) => (answer = resolve))
      return openWallet(id, options)
    }
    session.act.connect('io.example')
    session.act.connect('sandbox')
    await settle()
    answer()
    await settle()
    expect(session.store.get().wallet.standing).toMatchObject({ kind: 'connected', offerId: 'sandbox' })
  })

  it('that its owner chose is used, also where the one of last time is found while it is asked', async () => {
    const world = createFakeWorld()
    world.stored.set('rfqctl:wallet', 'sandbox')
    const { open: openWallet } = world.ports.wallets
    let answer: () => void = () => {}
    world.ports.wallets.open = async (id, options) => {
      if (id !== 'sandbox') await new Promise<void>((resolve) => (answer = resolve))
      return openWallet(id, options)
    }
    const session = world.open()
    session.act.connect('io.example')
    await settle()
    expect(session.store.get().wallet.offers).toHaveLength(2)
    answer()
    await settle()
    expect(session.store.get().wallet.standing).toMatchObject({ kind: 'connected', offerId: 'io.example' })
    session.close()
  })

  it('without gas has a relayer fill, for no more than the fee that was allowed', async () => {
    const world = createFakeWorld()
    world.environment = { ...ENVIRONMENT, relayerUrl: 'http://relayer' }
    world.funds = { stablecoin: 1_000_000_000n, coin: 0n }
    const terms = { isAccepting: true, reason: null, fee: usd6(50_000n) }
    world.ports.openRelayer = () =>
      ({
        getTerms: async () => terms,
        submitFillUntilMined: async () => ({ status: 'filled', transactionHash: FILL, reason: null }),
      }) as unknown as RelayerClient
    let limit: Usd6 | null = null
    world.when('prepareGaslessFill', async ({ maxFee }) => {
      limit = maxFee
      return { authorization: { orderHash: FILL } } as never
    })
    world.when('confirmRelayedFill', async () => receipt())
    const session = await holding(world)
    session.act.ask()
    await settle()
    await world.quote('request-1', quoteOf(99_600n))
    const preview = () => commitPreview(session.store.get(), session.store.get().trades[0] as never)
    expect(preview()?.problem?.kind).toBe('no-gas')
    session.act.edit({ payBy: 'relayer', maxFeeText: '0.25' })
    expect(preview()).toMatchObject({ problem: null, due: 249_996_000n + 250_000n })
    session.act.commit('request-1')
    await settle()
    expect(limit).toBe(250_000n)
    expect(session.store.get().trades[0]?.stage).toMatchObject({ kind: 'filled', hash: FILL, fee: 50_000n })
  })

  it("pays the operator's share as it was shown, by its wallet and by a relayer", async () => {
    const partnerFee = { recipient: ACCOUNT, bps: 25 }
    const fees: unknown[] = []
    const world = createFakeWorld()
    world.environment = { ...ENVIRONMENT, relayerUrl: 'http://relayer', partnerFee }
    world.ports.openRelayer = () =>
      ({
        getTerms: async () => ({ isAccepting: true, reason: null, fee: usd6(50_000n) }),
        submitFillUntilMined: async () => ({ status: 'filled', transactionHash: FILL, reason: null }),
      }) as unknown as RelayerClient
    world.when('prepareGaslessFill', async (input) => {
      fees.push(input.partnerFee)
      return { authorization: { orderHash: FILL } } as never
    })
    world.when('fillOrder', async (input) => {
      fees.push(input.partnerFee)
      return FILLED
    })
    world.when('confirmRelayedFill', async () => receipt())
    const session = await holding(world)
    for (const [requestId, payBy] of [
      ['request-1', 'approve'],
      ['request-2', 'relayer'],
    ] as const) {
      session.act.edit({ payBy })
      session.act.ask()
      await settle()
      await world.quote(requestId, quoteOf(99_600n))
      const record = session.store.get().trades.find(({ request }) => request.requestId === requestId)
      const preview = commitPreview(session.store.get(), record as never)
      // A quarter of a percent of the premium, on top of it.
      expect(preview).toMatchObject({
        problem: null,
        premium: 249_996_000n,
        partner: { share: 624_990n, total: 250_620_990n },
        due: 250_620_990n + (payBy === 'relayer' ? 1_000_000n : 0n),
      })
      session.act.commit(requestId)
      await settle()
    }
    expect(fees).toEqual([partnerFee, partnerFee])
    expect(session.store.get().trades.map(({ stage }) => stage)).toMatchObject([
      { kind: 'filled', partnerFee, fee: 50_000n },
      { kind: 'filled', partnerFee, fee: null },
    ])
    // What was paid stays, whatever the operator asks for later.
    world.environment = { ...ENVIRONMENT, partnerFee: null }
    expect(activeTrade(session.store.get())).toMatchObject({ partner: { share: 624_990n } })
  })

  it('is not asked to pay a share that was raised since the commit, before it is shown', async () => {
    const world = createFakeWorld()
    const partnerFee = { recipient: ACCOUNT, bps: 25 }
    world.environment = { ...ENVIRONMENT, partnerFee }
    const fees: unknown[] = []
    world.when('fillOrder', async (input) => {
      fees.push(input.partnerFee)
      return FILLED
    })
    const session = await holding(world)
    let sign = () => {}
    world.when('commitToBestQuote', async ({ request, shown }) => {
      await new Promise<void>((resolve) => {
        sign = resolve
      })
      return commitmentOf(request, shown as never)
    })
    session.act.ask()
    await settle()
    await world.quote('request-1', quoteOf(99_600n))
    session.act.commit('request-1')
    await settle()
    world.environment = { ...ENVIRONMENT, partnerFee: { recipient: ACCOUNT, bps: 500 } }
    await world.clock.advance(61_000)
    sign()
    await settle()
    expect(fees).toEqual([])
    expect(activeTrade(session.store.get())).toMatchObject({ phase: 'committed', partner: { share: 12_499_800n } })
  })

  it('learns that its relayer filled the trade, also where the answer of the relayer was lost', async () => {
    const world = createFakeWorld()
    world.environment = { ...ENVIRONMENT, relayerUrl: 'http://relayer' }
    world.ports.openRelayer = () =>
      ({
        getTerms: async () => ({ isAccepting: true, reason: null, fee: usd6(50_000n) }),
        submitFillUntilMined: async () => Promise.reject(new Error('the network is gone')),
        getFill: async () => ({ status: 'filled', transactionHash: FILL, reason: null }),
      }) as unknown as RelayerClient
    world.when('prepareGaslessFill', async () => ({ authorization: { orderHash: FILL } }) as never)
    world.when('confirmRelayedFill', async () => receipt())
    const session = await holding(world)
    session.act.edit({ payBy: 'relayer' })
    session.act.ask()
    await settle()
    await world.quote('request-1', quoteOf(99_600n))
    session.act.commit('request-1')
    await settle()
    expect(session.store.get().trades[0]?.stage).toMatchObject({ kind: 'filled', hash: FILL })
  })

  it('keeps a signed trade that the relayer does not take', async () => {
    const world = createFakeWorld()
    world.environment = { ...ENVIRONMENT, relayerUrl: 'http://relayer' }
    world.ports.openRelayer = () =>
      ({ getTerms: async () => ({ isAccepting: false, reason: 'Its coin is spent.' }) }) as unknown as RelayerClient
    const session = await holding(world)
    session.act.edit({ payBy: 'relayer' })
    session.act.ask()
    await settle()
    await world.quote('request-1', quoteOf(99_600n))
    session.act.commit('request-1')
    await settle()
    expect(activeTrade(session.store.get())).toMatchObject({
      phase: 'committed',
      failure: { message: 'Its coin is spent.', hint: 'Fill from the wallet itself while the order lasts.' },
    })
  })
})

describe('a sandbox', () => {
  it('moves its chain just past the expiry that is looked at', async () => {
    const world = createFakeWorld()
    const session = await holding(world)
    let moved = 0
    world.when('warp', async ({ seconds }) => {
      moved = seconds
      return NOW / 1_000 + seconds
    })
    const { expiry } = session.store.get().ticket
    session.act.warpTo()
    await settle()
    expect(NOW / 1_000 + moved).toBe((expiry ?? 0) + 1)
    expect(session.store.get().tasks.warp).toMatchObject({ outcome: { kind: 'warped' } })
  })

  it('is at its new time once it has moved, and an older answer does not take it back: its next press would be another one', async () => {
    const world = createFakeWorld()
    const session = await holding(world)
    const before = { ...world.environment, chainTime: NOW / 1_000 }
    let answer = () => {}
    world.when('getEnvironment', () => new Promise((resolve) => (answer = () => resolve(before))))
    await world.clock.advance(15_100)
    world.when('getEnvironment', null)
    world.when('warp', async ({ seconds }) => {
      world.chainAhead = seconds
      return world.clock.now() / 1_000 + seconds
    })
    const { expiry } = session.store.get().ticket
    session.act.warpTo()
    await settle()
    answer()
    await settle()
    expect(chainNow(session.store.get())).toBeGreaterThanOrEqual((expiry ?? 0) * 1_000)
  })
})

describe('a settlement window', () => {
  it('is followed while it is looked at, with the average so far', async () => {
    const world = createFakeWorld()
    const session = await holding(world)
    const windowStart = NOW / 1_000 - 900
    world.when('getWindowPrices', async ({ seriesId }) => ({
      seriesId,
      windowStart,
      windowEnd: windowStart + 1_800,
      points: [
        { t: windowStart, p: 0.5 },
        { t: windowStart + 60, p: 0.6 },
        { t: windowStart + 120, p: 0.7 },
      ],
      twap: 0.55,
      resolutionBps: null,
      method: null,
    }))
    session.act.watchWindow(CALL.seriesId)
    await settle()
    const view = windowView(session.store.get(), CALL.seriesId)
    expect(view?.averages.map(({ price }) => Math.round(price * 1_000) / 1_000)).toEqual([0.5, 0.5, 0.55])
    const reads = () => countOf(world, 'getWindowPrices')
    await world.clock.advance(5_100)
    expect(reads()).toBe(2)
    session.act.watchWindow(null)
    await world.clock.advance(20_000)
    expect(reads()).toBe(2)
  })
})
