import { describe, expect, it } from 'vitest'
import type { StrikeBps } from '../../../src/client/index.ts'
import { activeTrade } from '../../../src/web/trade/trade-view.ts'
import { chosenMarket, ticketView } from '../../../src/web/trade/view-model.ts'
import { settle } from '../../support/fake-clock.ts'
import { MARKETS, NEXT_WEEK, SERIES, seriesAt, TOMORROW } from '../trade-samples.ts'
import { createFakeHistory, createFakeWorld } from './fake-world.ts'
import { createTradePages } from './pages.ts'

const { page } = createTradePages()
const [, OTHER] = MARKETS
const OTHER_PATH = `/m/${OTHER?.conditionId}/${OTHER?.yesTokenId}`
const CALL = seriesAt(TOMORROW, 5_000)
const PUT = seriesAt(NEXT_WEEK, 4_000, 'put')

const openAt = async (path: string, world = createFakeWorld()) => {
  const history = createFakeHistory(path)
  const { store, act } = await page(world, history)
  return { history, act, world, state: () => store.get() }
}

describe('the address of the trade page', () => {
  it('stays that of the page alone until something is chosen', async () => {
    const { history, state } = await openAt('/')
    expect(ticketView(state()).series).not.toBeNull()
    expect(history.paths()).toEqual(['/'])
  })

  it('names the option on the ticket, and the market where there is none', async () => {
    const { history, act } = await openAt('/')
    act.chooseSeries(CALL.seriesId)
    act.showTicket('panel')
    await settle()
    expect(history.paths()).toEqual(['/', `/s/${CALL.seriesId}`])
    expect(history.now()).toEqual({ path: `/s/${CALL.seriesId}`, place: 'panel', step: expect.any(String) })
    act.clearLegs()
    await settle()
    expect(history.now().path).toBe(`/m/${CALL.conditionId}/${CALL.yesTokenId}`)
  })

  it('opens a market, an option and a position, with market and ladder of its own', async () => {
    const market = await openAt(OTHER_PATH)
    expect(chosenMarket(market.state())).toBe(OTHER)
    const elsewhere = SERIES.find((each) => each.conditionId === OTHER?.conditionId)
    const option = await openAt(`/s/${elsewhere?.seriesId}`)
    expect(ticketView(option.state()).seriesId).toBe(elsewhere?.seriesId)
    expect(chosenMarket(option.state())).toBe(OTHER)
    const position = await openAt(`/p/${PUT.seriesId}`)
    expect(position.state()).toMatchObject({ focus: PUT.seriesId, place: 'panel', ticket: { expiry: NEXT_WEEK } })
    for (const { history } of [market, option, position]) expect(history.paths()).toHaveLength(1)
  })

  it('names a trade, and opens it again after a reload with its market', async () => {
    const first = await openAt(OTHER_PATH)
    first.act.ask()
    await settle()
    expect(first.history.paths()).toEqual([OTHER_PATH, '/t/request-1'])
    const again = await page(first.world, first.history)
    expect(activeTrade(again.store.get())?.requestId).toBe('request-1')
    expect(chosenMarket(again.store.get())).toBe(OTHER)
    expect(first.history.paths()).toEqual([OTHER_PATH, '/t/request-1'])
  })

  it('is kept over a trade under way, which the page alone would show', async () => {
    const first = await openAt('/')
    first.act.ask()
    await settle()
    const other = await openAt(`/s/${PUT.seriesId}`, first.world)
    expect(activeTrade(other.state())).toBeNull()
    const home = await openAt('/', first.world)
    expect(activeTrade(home.state())?.requestId).toBe('request-1')
    expect(home.history.paths()).toEqual(['/t/request-1'])
  })

  it('leads back step by step, from the quotes to the ticket and from there to the markets', async () => {
    const { history, act, state } = await openAt('/')
    act.chooseSeries(CALL.seriesId)
    act.showTicket('panel')
    await settle()
    act.ask()
    await settle()
    history.back()
    expect(activeTrade(state())).toBeNull()
    expect(state().place).toBe('panel')
    expect(ticketView(state()).seriesId).toBe(CALL.seriesId)
    history.back()
    expect(state().place).toBe('markets')
  })

  it('changes in place while one looks through the options of a market', async () => {
    const { history, act } = await openAt(`/s/${CALL.seriesId}`)
    act.chooseSeries(PUT.seriesId)
    await settle()
    expect(history.paths()).toEqual([`/s/${PUT.seriesId}`])
    act.chooseMarket(`${OTHER?.conditionId} ${OTHER?.yesTokenId}`)
    await settle()
    expect(history.paths()).toEqual([`/s/${PUT.seriesId}`, OTHER_PATH])
  })

  it('stays with what is shown when a link skips to the content, and when one goes back from there', async () => {
    const { history, act, state } = await openAt(`/s/${CALL.seriesId}`)
    act.setLeg({ optionType: 'call', strikeBps: 6_000 as StrikeBps, quantity: -1 })
    act.showPlace('markets')
    await settle()
    const { legs } = state().ticket
    expect(legs).toHaveLength(2)
    for (const skip of [history.follow, history.back]) {
      skip()
      await settle()
      expect(state()).toMatchObject({ ticket: { legs }, place: 'markets' })
    }
  })

  it.each(['/s/1', '/p/1', '/m/0x1/2', '/t/request-9'])('%s that is unknown says so, and stays', async (path) => {
    const { history, state, act } = await openAt(path)
    expect(state().arrival).toMatchObject({ kind: 'unknown' })
    expect(history.paths()).toEqual([path])
    act.chooseSeries(CALL.seriesId)
    expect(state().arrival).toEqual({ kind: 'chosen' })
  })

  it('shows an option as soon as the relay lists it', async () => {
    const world = createFakeWorld()
    world.series = world.series.filter(({ seriesId }) => seriesId !== CALL.seriesId)
    const { state } = await openAt(`/s/${CALL.seriesId}`, world)
    expect(state().arrival.kind).toBe('unknown')
    world.series = [...SERIES]
    await world.clock.advance(16_000)
    expect(ticketView(state()).seriesId).toBe(CALL.seriesId)
    expect(state().arrival.kind).toBe('chosen')
  })
})
