import { afterEach, describe, expect, it } from 'vitest'
import { contracts, type ResolutionBps, usd6 } from '../../../src/client/index.ts'
import type { TradeSession } from '../../../src/web/trade/session.ts'
import { settle } from '../../support/fake-clock.ts'
import { expiredCall, quoteOf, seriesAt, TOMORROW } from '../trade-samples.ts'
import {
  createFakeAttention,
  createFakeHistory,
  createFakeWorld,
  type FakeAttention,
  type FakeWorld,
  receipt,
} from './fake-world.ts'

const CALL = seriesAt(TOMORROW, 5_000)
const FILLED = 'You have bought 2,510 Call $0.55 for $249.9960.'

const open: TradeSession[] = []
afterEach(() => {
  for (const session of open.splice(0)) session.close()
})

type Tab = { session: TradeSession; attention: FakeAttention }

async function tabOf(world: FakeWorld, attention = createFakeAttention()): Promise<Tab> {
  const session = world.open(createFakeHistory(), attention)
  open.push(session)
  await settle()
  session.act.connect('io.example')
  await settle()
  return { session, attention }
}

/** Takes a quote in one tab, up to its fill, and lets a second pass. */
async function fill(world: FakeWorld, { session }: Tab): Promise<void> {
  session.act.ask()
  await settle()
  await world.quote('request-1', quoteOf(99_600n))
  session.act.commit('request-1')
  await settle()
  await world.clock.advance(1_500)
}

async function wanting(tab: Tab): Promise<void> {
  tab.session.act.chooseNotices(true)
  await settle()
}

describe('news of the trade page', () => {
  it('is the title of a tab out of sight at a fill, until the tab is seen', async () => {
    const world = createFakeWorld()
    const tab = await tabOf(world)
    tab.attention.hide()
    await fill(world, tab)
    expect(tab.attention).toMatchObject({ title: FILLED, shown: [], asked: 0 })
    tab.attention.see()
    expect(tab.attention.title).toBeNull()
  })

  it('needs no notice on a page in sight', async () => {
    const world = createFakeWorld()
    const tab = await tabOf(world)
    await wanting(tab)
    await fill(world, tab)
    expect(tab.attention).toMatchObject({ title: null, shown: [] })
  })

  it('is a notification where that was asked for, which leads to the trade', async () => {
    const world = createFakeWorld()
    const tab = await tabOf(world)
    await wanting(tab)
    tab.attention.hide()
    await fill(world, tab)
    const [notice] = tab.attention.shown
    expect(notice).toMatchObject({ id: 'filled:request-1', text: FILLED })
    tab.session.act.showTicket('markets')
    notice?.onPress()
    expect(tab.session.store.get()).toMatchObject({ activeTradeId: 'request-1', place: 'panel' })
  })

  it.each([
    ['both are out of sight', () => {}, 1],
    ['the other one is in sight', ({ attention }: Tab) => attention.see(), 0],
  ])('is one notice for two tabs where %s', async (_, change, count) => {
    const world = createFakeWorld()
    const [first, second] = [await tabOf(world), await tabOf(world)]
    await wanting(first)
    await wanting(second)
    for (const { attention } of [first, second]) attention.hide()
    change(second)
    await fill(world, first)
    const tabs = [first.attention, second.attention]
    expect(tabs.flatMap(({ shown }) => shown)).toHaveLength(count)
    expect(tabs.filter(({ title }) => title !== null)).toHaveLength(count)
  })

  it('comes at an expiry and at a settlement, with the payout', async () => {
    const world = createFakeWorld()
    world.positions = [{ series: CALL, long: 100n, short: 0n }]
    const tab = await tabOf(world)
    tab.attention.hide()
    world.chainAhead = 86_400
    await world.clock.advance(17_000)
    expect(tab.attention.title).toBe('Call $0.50. The options have expired.')
    const series = { ...CALL, resolutionBps: 62 as ResolutionBps, finalAt: 0 }
    world.positions = [{ series, long: 100n, short: 0n }]
    await world.clock.advance(12_000)
    expect(tab.attention.title).toBe('Call $0.50. Settled at $0.62: $12.00 is yours.')
  })

  it('has the amount of a payout', async () => {
    const world = createFakeWorld()
    const series = { ...expiredCall, resolutionBps: 62 as ResolutionBps, finalAt: 0 }
    world.series = [...world.series.filter(({ seriesId }) => seriesId !== series.seriesId), series]
    world.positions = [{ series, long: 100n, short: 0n }]
    world.when(
      'claimHolderPayout',
      async () => [{ receipt: receipt(), amount: contracts(100n), paid: usd6(12_000_000n) }] as never,
    )
    const tab = await tabOf(world)
    tab.attention.hide()
    tab.session.act.claim(series.seriesId)
    await settle()
    await world.clock.advance(1_500)
    expect(tab.attention.title).toBe('$12.00 was paid to your wallet.')
  })

  it('is not what a page finds at first', async () => {
    const world = createFakeWorld()
    world.positions = [{ series: { ...expiredCall, resolutionBps: 62 as ResolutionBps }, long: 100n, short: 0n }]
    const first = await tabOf(world)
    await fill(world, first)
    const attention = createFakeAttention()
    attention.hide()
    await tabOf(world, attention)
    await world.clock.advance(20_000)
    expect(attention.title).toBeNull()
  })

  it('leaves the storage bounded', async () => {
    const world = createFakeWorld()
    for (let old = 0; old < 150; old += 1) world.stored.set(`rfqctl:news:filled:${old}`, String(old))
    await fill(world, await tabOf(world))
    const kept = [...world.stored.keys()].filter((key) => key.startsWith('rfqctl:news:'))
    expect(kept).toHaveLength(100)
    expect(kept).toContain('rfqctl:news:filled:request-1')
    expect(kept).not.toContain('rfqctl:news:filled:0')
  })
})

describe('the choice of notifications', () => {
  it('asks the owner of the browser at the press of the button alone, and is kept', async () => {
    const world = createFakeWorld()
    const tab = await tabOf(world)
    expect(tab.session.store.get().notices).toBe('off')
    expect(tab.attention.asked).toBe(0)
    await wanting(tab)
    expect(tab.attention.asked).toBe(1)
    const again = await tabOf(world, tab.attention)
    expect(again.session.store.get().notices).toBe('on')
    expect(tab.attention.asked).toBe(1)
  })

  it('is taken back by the same button, in each tab', async () => {
    const world = createFakeWorld()
    const first = await tabOf(world)
    await wanting(first)
    const second = await tabOf(world, first.attention)
    first.session.act.chooseNotices(false)
    await settle()
    expect([first, second].map(({ session }) => session.store.get().notices)).toEqual(['off', 'off'])
  })

  it('that the browser refuses is said, and not kept as a wish', async () => {
    const world = createFakeWorld()
    const attention = { ...createFakeAttention() }
    attention.ask = async () => 'denied'
    const tab = await tabOf(world, attention)
    await wanting(tab)
    expect(tab.session.store.get().notices).toBe('refused')
    expect(world.stored.has('rfqctl:notices')).toBe(false)
  })

  it('is not offered by a browser that has none', async () => {
    const world = createFakeWorld()
    const attention = createFakeAttention()
    attention.answer = null
    const tab = await tabOf(world, attention)
    expect(tab.session.store.get().notices).toBe('absent')
  })
})
