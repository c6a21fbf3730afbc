import { describe, expect, it, test } from 'vitest'
import { contracts } from '../../../src/client/index.ts'
import { privateTerms } from '../../../src/web/trade/privacy.ts'
import { reduce } from '../../../src/web/trade/reduce.ts'
import type { TradeSession } from '../../../src/web/trade/session.ts'
import { ticketView } from '../../../src/web/trade/view-model.ts'
import { settle } from '../../support/fake-clock.ts'
import { CALL, quoteOf, READY } from '../trade-samples.ts'
import { ACCOUNT, createFakeWorld, type FakeWorld } from './fake-world.ts'
import { countOf, createTradePages, inputOf, phaseOf } from './pages.ts'

const { page, trader, reload } = createTradePages()

/** A world whose relay knows what keeps something from makers. */
function createPrivateWorld(): FakeWorld {
  const world = createFakeWorld()
  world.environment = { ...world.environment, privateFields: ['makers', 'exceptMakers', 'blind'] }
  return world
}

const LEFT_OUT = { kind: 'except', makers: ['ada', 'bob'] }

const privacyOf = ({ store }: TradeSession) => store.get().privacy

describe('the privacy of requests', () => {
  it('is in each of them: those that open a position, and those that close one', async () => {
    const world = createPrivateWorld()
    world.positions = [{ series: CALL, long: 100n, short: 0n }]
    const session = await trader(world)
    session.act.choosePrivacy({ exceptMakers: ['ada', 'bob'], isBlind: true })
    session.act.ask()
    await settle()
    expect(inputOf(world, 'openQuoteRequest')).toMatchObject({ audience: LEFT_OUT, blind: true, wallet: ACCOUNT })
    session.act.close(CALL.seriesId)
    await settle()
    expect(inputOf(world, 'openQuoteRequest')).toMatchObject({
      audience: LEFT_OUT,
      blind: true,
      wallet: ACCOUNT,
      trade: { reduceOnly: true },
    })
    await world.quote('request-2', quoteOf(48_000n, { side: 'sell', fillContracts: contracts(100n) }))
    session.act.commit('request-2')
    await settle()
    expect(phaseOf(session)).toBe('filled')
  })

  it('is none by default, and leaves a request that names no wallet as it is', async () => {
    const world = createPrivateWorld()
    const session = await page(world)
    session.act.ask()
    await settle()
    expect(inputOf(world, 'openQuoteRequest')).not.toHaveProperty('audience')
    session.act.choosePrivacy({ isBlind: true })
    session.act.showTicket('panel')
    session.act.ask()
    await settle()
    expect(countOf(world, 'openQuoteRequest')).toBe(2)
    expect(inputOf(world, 'openQuoteRequest')).not.toHaveProperty('blind')
    expect(inputOf(world, 'openQuoteRequest')).not.toHaveProperty('wallet')
  })

  it.each([
    [{ exceptMakers: ['ada'] }, 'This relay asks all makers'],
    [{ isBlind: true }, 'This relay cannot keep your wallet from makers'],
  ])('asks nothing of a relay that would show it: %j', async (change, said) => {
    const world = createFakeWorld()
    world.positions = [{ series: CALL, long: 100n, short: 0n }]
    world.when('getInventoryApproval', async () => false)
    const session = await trader(world)
    session.act.choosePrivacy(change)
    expect(ticketView(session.store.get()).problem).toMatchObject({
      at: 'privacy',
      text: expect.stringContaining(said),
    })
    session.act.ask()
    session.act.close(CALL.seriesId)
    await settle()
    const { tasks } = session.store.get()
    const failed = { kind: 'failed', failure: { message: expect.stringContaining(said) } }
    expect([tasks.ask, tasks[`close:${CALL.seriesId}`]]).toMatchObject([failed, failed])
    expect([countOf(world, 'openQuoteRequest'), countOf(world, 'approveInventory')]).toEqual([0, 0])
  })

  it('survives a reload, and is shared by the pages of an origin', async () => {
    const world = createPrivateWorld()
    const [first, second] = [await page(world), await page(world)]
    first.act.choosePrivacy({ exceptMakers: ['ada'] })
    second.act.choosePrivacy({ exceptMakers: [...privacyOf(second).exceptMakers, 'bob'], isBlind: true })
    const both = { exceptMakers: ['ada', 'bob'], isBlind: true }
    expect(privacyOf(first)).toEqual(both)
    expect(privacyOf(await reload(world, second))).toEqual(both)
  })

  it('is said to be lost where the browser keeps nothing', async () => {
    const world = createPrivateWorld()
    world.stored.set = () => {
      throw new Error('no room')
    }
    const session = await page(world)
    session.act.choosePrivacy({ isBlind: true })
    expect(session.store.get()).toMatchObject({ isForgetful: true, privacy: { isBlind: true } })
  })

  it.each(['{', 'null', '7', '{"exceptMakers":"ada","isBlind":"yes"}', '{"exceptMakers":[1,null]}'])(
    'is none where its text is not ours: %s',
    async (text) => {
      const world = createPrivateWorld()
      world.stored.set('rfqctl:privacy', text)
      expect(privacyOf(await page(world))).toEqual({ exceptMakers: [], isBlind: false })
    },
  )
})

test('a list of makers is what a request may name: 50 names of at most 64 characters, each once', () => {
  const names = Array.from({ length: 60 }, (_, index) => `maker-${index}`)
  const exceptMakers = ['', 'x'.repeat(65), 'maker-0', ...names]
  const state = reduce(READY, { kind: 'privacy-chosen', change: { exceptMakers } })
  expect(state.privacy).toEqual({ exceptMakers: names.slice(0, 50), isBlind: false })
  expect(() => privateTerms(state, null)).toThrow('This relay asks all makers')
})
