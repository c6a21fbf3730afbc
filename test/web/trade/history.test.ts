import { describe, expect, it } from 'vitest'
import { RelayUnreachableError } from '../../../src/client/index.ts'
import type { TradeSession } from '../../../src/web/trade/session.ts'
import { settle } from '../../support/fake-clock.ts'
import { HISTORY, seriesAt, TOMORROW } from '../trade-samples.ts'
import { createFakeHistory, createFakeWorld, type FakeWorld } from './fake-world.ts'
import { createTradePages } from './pages.ts'

const { page, trader } = createTradePages()
const CALL = seriesAt(TOMORROW, 5_000)

const readsOf = ({ calls }: FakeWorld): number => calls.filter(({ name }) => name === 'getTradeHistory').length

/** A page of a wallet that looks at its history. */
async function looking(world: FakeWorld): Promise<TradeSession> {
  const session = await trader(world)
  session.act.watchHistory(true)
  await settle()
  return session
}

describe('the history of a wallet', () => {
  it('is read once it is looked at, and not before', async () => {
    const world = createFakeWorld()
    const session = await trader(world)
    await world.clock.advance(60_000)
    expect(readsOf(world)).toBe(0)
    session.act.watchHistory(true)
    await settle()
    const { history } = session.store.get()
    expect(history).toMatchObject({ trades: HISTORY, isComplete: true, failure: null })
    expect(history?.csv.split('\r\n')).toHaveLength(1 + HISTORY.length)
  })

  it('is read again after a change of what the wallet holds, and only then', async () => {
    const world = createFakeWorld()
    const session = await looking(world)
    await world.clock.advance(60_000)
    expect(readsOf(world)).toBe(1)
    world.positions = [{ series: CALL, long: 100n, short: 0n }]
    await world.clock.advance(11_000)
    expect(readsOf(world)).toBe(2)
    session.act.watchHistory(false)
    world.positions = []
    await world.clock.advance(11_000)
    expect(readsOf(world)).toBe(2)
  })

  it('that cannot be read says why, keeps what was read, and is tried again', async () => {
    const world = createFakeWorld()
    const session = await looking(world)
    world.when('getTradeHistory', async () => {
      throw new RelayUnreachableError('http://node/', { reason: 'ECONNREFUSED' })
    })
    world.positions = [{ series: CALL, long: 100n, short: 0n }]
    await world.clock.advance(11_000)
    expect(session.store.get().history).toMatchObject({ trades: HISTORY, failure: { code: 'unreachable' } })
    world.when('getTradeHistory', null)
    await world.clock.advance(11_000)
    expect(session.store.get().history?.failure).toBeNull()
  })

  it('is another one for another account', async () => {
    const world = createFakeWorld()
    const session = await looking(world)
    world.when('getTradeHistory', () => new Promise(() => {}))
    world.injected.change({ address: '0x4444444444444444444444444444444444444444', chainId: 31_337 })
    expect(session.store.get().history).toBeNull()
  })

  it('is not read on another chain', async () => {
    const world = createFakeWorld()
    world.injected.wallet.chainId = 1
    const session = await looking(world)
    expect(readsOf(world)).toBe(0)
    expect(session.store.get().history).toBeNull()
  })
})

describe('the address of the history', () => {
  const openAt = async (path: string) => {
    const history = createFakeHistory(path)
    const { store, act } = await page(createFakeWorld(), history)
    return { history, act, state: () => store.get() }
  }

  it('is there at a reload, on a telephone too, and the ticket has its option', async () => {
    const { history, state } = await openAt('/history')
    expect(state()).toMatchObject({ list: 'history', place: 'mine', arrival: { kind: 'opened' } })
    expect(state().ticket.legs).toHaveLength(1)
    expect(history.paths()).toEqual(['/history'])
  })

  it('is a step that one goes back from and forward to', async () => {
    const { history, act, state } = await openAt(`/s/${CALL.seriesId}`)
    act.showList('history')
    await settle()
    expect(history.paths()).toEqual([`/s/${CALL.seriesId}`, '/history'])
    history.back()
    expect(state()).toMatchObject({ list: 'positions', place: 'panel' })
    history.push({ path: '/history', place: 'mine' })
    history.follow()
    expect(state().list).toBe('history')
  })

  it.each([
    ['another list', (act: TradeSession['act']) => act.showList('positions')],
    ['another place', (act: TradeSession['act']) => act.showPlace('markets')],
    ['another option', (act: TradeSession['act']) => act.chooseSeries(CALL.seriesId)],
  ])('makes way for that of the option at %s', async (_, leave) => {
    const { history, act } = await openAt('/history')
    act.chooseSeries(CALL.seriesId)
    act.showList('history')
    await settle()
    leave(act)
    await settle()
    expect(history.now().path).toBe(`/s/${CALL.seriesId}`)
  })
})
