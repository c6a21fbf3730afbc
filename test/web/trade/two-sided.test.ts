import { describe, expect, it, test } from 'vitest'
import { contracts } from '../../../src/client/index.ts'
import { commitPreview } from '../../../src/web/trade/commit-view.ts'
import { reduce } from '../../../src/web/trade/reduce.ts'
import type { TradeSession } from '../../../src/web/trade/session.ts'
import type { TradeState } from '../../../src/web/trade/state.ts'
import type { TradeRecord } from '../../../src/web/trade/trade-record.ts'
import { activeTrade } from '../../../src/web/trade/trade-view.ts'
import { ticketView } from '../../../src/web/trade/view-model.ts'
import { settle } from '../../support/fake-clock.ts'
import { BOTH_RACING, bothRequest, quoteOf, READY, recordOf, withTrade } from '../trade-samples.ts'
import { ACCOUNT, createFakeWorld, type FakeWorld, PROOF } from './fake-world.ts'
import { countOf, createTradePages, inputOf, phaseOf } from './pages.ts'

const { trader, reload } = createTradePages()

const of50 = { fillContracts: contracts(50n) } as const
const ASK = quoteOf(99_600n, { ...of50, makerId: 'ada' })
const BID = quoteOf(93_000n, { ...of50, makerId: 'bob', side: 'sell' })

/** A page that has asked for both sides of 50 options, and has a quote on each. */
async function racing(world: FakeWorld): Promise<TradeSession> {
  world.environment = { ...world.environment, twoSided: true, privateFields: ['exceptMakers', 'blind'] }
  const session = await trader(world)
  session.act.edit({ side: 'both', sizeText: '50' })
  session.act.ask()
  await settle()
  await world.quote('request-1', ASK, { bestBid: BID })
  return session
}

const activeOf = ({ store }: TradeSession) => activeTrade(store.get())

describe('a request for both sides', () => {
  it('asks by size, and shows makers no side', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    expect(inputOf(world, 'openQuoteRequest')).toMatchObject({ trade: { side: 'both', size: 50n } })
    expect(activeOf(session)).toMatchObject({
      phase: 'racing',
      side: null,
      quote: null,
      amount: null,
      due: null,
      race: { best: ASK, bestBid: BID },
    })
  })

  it.each(['a lot', '0', '1.5'])('asks for no size of %j', async (sizeText) => {
    const world = createFakeWorld()
    const session = await racing(world)
    session.act.showTicket('panel')
    session.act.edit({ sizeText })
    session.act.ask()
    await settle()
    expect(countOf(world, 'openQuoteRequest')).toBe(1)
  })

  it('commits to nothing before a side is chosen', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    session.act.commit('request-1')
    await settle()
    expect([countOf(world, 'proveCommit'), countOf(world, 'commitToBestQuote')]).toEqual([0, 0])
  })

  it.each([
    ['sell', BID],
    ['buy', ASK],
  ] as const)('to %s takes the quote of that side, and names the side in proof and commit', async (side, quote) => {
    const world = createFakeWorld()
    const session = await racing(world)
    session.act.chooseSide('request-1', side)
    expect(activeOf(session)).toMatchObject({ side, quote, amount: 50n, premium: quote.price * 50n })
    session.act.commit('request-1')
    await settle()
    const said = { side, limitPrice: quote.price, minContracts: 25n, wallet: ACCOUNT }
    expect(inputOf(world, 'proveCommit')).toMatchObject(said)
    expect(inputOf(world, 'commitToBestQuote')).toMatchObject({ ...said, shown: quote, proof: PROOF })
    expect(phaseOf(session)).toBe('filled')
    expect(inputOf(world, 'fillOrder')).toMatchObject({ commitment: { terms: { trade: { side } } } })
  })

  it('names no side in a commit to a request that has its own', async () => {
    const world = createFakeWorld()
    const session = await trader(world)
    session.act.ask()
    await settle()
    await world.quote('request-1', quoteOf(99_600n))
    session.act.chooseSide('request-1', 'sell')
    expect(activeOf(session)?.side).toBe('buy')
    session.act.commit('request-1')
    await settle()
    expect(inputOf(world, 'proveCommit')).not.toHaveProperty('side')
    expect(inputOf(world, 'commitToBestQuote')).not.toHaveProperty('side')
  })

  it('goes back to both prices, and forgets the limits that were typed for one', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    session.act.chooseSide('request-1', 'sell')
    session.act.edit({ limitText: '0.09', minText: '10' })
    session.act.chooseSide('request-1', null)
    expect(activeOf(session)?.side).toBeNull()
    expect(session.store.get().ticket).toMatchObject({ limitText: null, minText: null })
  })

  it('keeps a chosen side over a reload', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    session.act.chooseSide('request-1', 'sell')
    const again = await reload(world, session)
    expect(activeOf(again)).toMatchObject({ side: 'sell', requestId: 'request-1' })
  })

  it('does not send what was signed for a side that was taken back meanwhile', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    let sign = () => {}
    world.when('proveCommit', () => new Promise((resolve) => (sign = () => resolve(PROOF))))
    session.act.chooseSide('request-1', 'sell')
    session.act.commit('request-1')
    await settle()
    session.act.chooseSide('request-1', 'buy')
    sign()
    await settle()
    expect(countOf(world, 'commitToBestQuote')).toBe(0)
    expect(phaseOf(session)).toBe('racing')
  })

  it('keeps wallet and request from makers as any other does', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    session.act.showTicket('panel')
    session.act.choosePrivacy({ exceptMakers: ['ada'], isBlind: true })
    session.act.ask()
    await settle()
    expect(inputOf(world, 'openQuoteRequest')).toMatchObject({
      trade: { side: 'both' },
      audience: { kind: 'except', makers: ['ada'] },
      blind: true,
      wallet: ACCOUNT,
    })
  })

  it('reads no quote for half of its size, which each of its quotes fills', async () => {
    const world = createFakeWorld()
    const session = await racing(world)
    expect(countOf(world, 'getBestQuote')).toBe(0)
    expect(activeOf(session)?.failure).toBeNull()
  })
})

const stateOf = (side?: TradeRecord['side']): TradeState =>
  withTrade(
    recordOf({ kind: 'quoting' }, { request: bothRequest, ...(side === undefined ? {} : { side }) }),
    BOTH_RACING,
  )

const recordIn = ({ trades: [record] }: TradeState) => record as TradeRecord

describe('the terms of a request for both sides', () => {
  it('are those of the chosen side', () => {
    expect(commitPreview(stateOf(), recordIn(stateOf()))).toBeNull()
    // A writer locks $0.50 an option, and a buyer pays the premium.
    expect(commitPreview(stateOf('sell'), recordIn(stateOf('sell')))).toMatchObject({
      due: 25_000_000n,
      bound: 2_325_000n,
      limitPrice: 93_000n,
    })
    expect(commitPreview(stateOf('buy'), recordIn(stateOf('buy')))).toMatchObject({
      due: 4_980_000n,
      bound: 4_980_000n,
      limitPrice: 99_600n,
    })
  })

  it('follow each side by its own prices: a bid that moves is no move of the ask', () => {
    const book = { bestQuote: ASK, quoteCount: 2, status: 'open', confirming: null, bestForSize: null } as const
    const shown = [BID, BID, { ...BID, price: ASK.price }].reduce(
      (state, bestBid, bookSeq) =>
        reduce(state, {
          kind: 'book-shown',
          requestId: 'request-1',
          book: { ...book, bestBid, bookSeq, orderStanding: null },
        }),
      withTrade(recordOf({ kind: 'quoting' }, { request: bothRequest })),
    )
    const race = activeTrade(shown)?.race
    expect([race?.points.length, race?.bids.map(({ price }) => price)]).toEqual([1, [93_000n, 99_600n]])
  })
})

test('a maker that does not sign a sale is seen by the bids', () => {
  const stage = {
    kind: 'committing',
    wallet: ACCOUNT,
    shown: BID,
    protections: { limitPrice: BID.price, minContracts: null, expectedQuoteId: null },
    askedAt: 0,
    askedMakerId: BID.makerId,
  } as const
  const before = withTrade(recordOf(stage, { request: bothRequest, side: 'sell' }))
  const after = reduce(before, {
    kind: 'book-shown',
    requestId: 'request-1',
    book: {
      bestQuote: ASK,
      bestBid: { ...BID, makerId: 'cleo' },
      quoteCount: 2,
      status: 'open',
      bookSeq: 9,
      confirming: null,
      bestForSize: null,
      orderStanding: null,
    },
  })
  expect(recordIn(after).stage).toMatchObject({ kind: 'committing', askedMakerId: 'cleo' })
})

test('a relay that is older is asked for one side, and firm quotes may be on both', () => {
  const ticketOf = (over: Partial<TradeState['ticket']>, twoSided = true) =>
    ticketView({
      ...READY,
      environment: { ...READY.environment, twoSided } as never,
      ticket: { ...READY.ticket, ...over },
    })
  expect(ticketOf({ side: 'both' }).problem).toBeNull()
  expect(ticketOf({ side: 'both' }, false).problem).toMatchObject({ at: 'side' })
  expect(ticketOf({ side: 'both', firmOnly: true }).problem).toEqual(ticketOf({ side: 'buy', firmOnly: true }).problem)
  expect(ticketOf({ side: 'sell' }, false).problem).toBeNull()
})
