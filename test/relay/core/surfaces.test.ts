import { describe, expect, it } from 'vitest'
import { fairValue, YEAR_MS } from '../../../src/protocol/domain/pricing.ts'
import type { RequestTerms } from '../../../src/protocol/domain/request.ts'
import type { Series } from '../../../src/protocol/domain/series.ts'
import type { SeriesMark } from '../../../src/protocol/domain/surface.ts'
import { type StrikeBps, type Usd6, usd6 } from '../../../src/protocol/domain/units.ts'
import type { OperatorNews } from '../../../src/relay/core/operations.ts'
import { CALL_BUY, createTestRelay, EXPIRY_S, START_MS, type TestRelay } from '../../support/test-relay.ts'

const { conditionId } = CALL_BUY.market
const SPOT = 0.45
const KEPT_MS = 5_000
const LEVELS_KEPT_MS = 60_000

const dollars = (value: number): Usd6 => usd6(BigInt(Math.round(value * 1e6)))

const callAt = (cents: number, expiryMs = EXPIRY_S * 1_000): RequestTerms => ({
  ...CALL_BUY,
  option: { optionType: 'call', strikeBps: (cents * 100) as StrikeBps, expiryMs },
})

/** A relay that knows the YES price, and lists calls of three strikes. */
async function started() {
  const fixture = createTestRelay()
  const { relay, sources } = fixture
  sources.points = [{ t: START_MS / 1_000 - 60, p: SPOT }]
  const [low, middle, high] = [40, 45, 50].map((cents) => fixture.register(callAt(cents))) as [Series, Series, Series]
  await relay.start()
  const surface = async () => {
    await fixture.clock.advance(KEPT_MS)
    return relay.readSurface(conditionId)
  }
  const markOf = async ({ seriesId }: Series) => (await surface()).series.find((one) => one.seriesId === seriesId)
  return { ...fixture, low, middle, high, surface, markOf }
}

/** The level of a maker that quotes half a cent around the model's value at a volatility. */
function levelAt({ clock }: Pick<TestRelay, 'clock'>, series: Series, volatility: number) {
  const years = (series.expiry * 1_000 - clock.now()) / YEAR_MS
  const value = fairValue(series, { spot: SPOT, volatility, years })
  return { seriesId: series.seriesId, bid: dollars(Math.max(0, value - 0.0005)), ask: dollars(value + 0.0005) }
}

describe('the surface of a market', () => {
  it('claims nothing without levels and trades, and shows what each option would pay now', async () => {
    const { low, markOf } = await started()
    expect(await markOf(low)).toMatchObject({
      yesPrice: SPOT,
      mark: null,
      intrinsic: 50_000n,
      volatility: null,
      observed: null,
      indicative: null,
    })
  })

  it('has no price at all where the price source is down', async () => {
    const { low, markOf, sources } = await started()
    sources.points = null
    expect(await markOf(low)).toMatchObject({ yesPrice: null, mark: null, intrinsic: null })
  })

  it('follows the levels of makers, at each strike', async () => {
    const fixture = await started()
    const { relay, low, middle, high, markOf } = fixture
    await relay.setLevels({ makerId: 'ada', levels: [low, middle, high].map((one) => levelAt(fixture, one, 1.5)) })
    const shown = await markOf(middle)
    expect(shown?.volatility).toBeCloseTo(1.5, 1)
    expect(shown?.observed).toMatchObject({ makers: 1, trades: 0 })
    const { bid, ask } = levelAt(fixture, middle, 1.5)
    expect(Number(shown?.mark)).toBeGreaterThan(Number(bid))
    expect(Number(shown?.mark)).toBeLessThan(Number(ask))
  })

  it('is what operators see of each series until it expires, and each change of it', async () => {
    const fixture = await started()
    const { relay, operations, clock, middle, markOf } = fixture
    await relay.setLevels({ makerId: 'ada', levels: [levelAt(fixture, middle, 1.5)] })
    const { mark, intrinsic } = (await markOf(middle)) as SeriesMark
    const seen = async () =>
      (await operations.feed.open(null)).state.series?.find(({ series }) => series.seriesId === middle.seriesId)
    expect(await seen()).toMatchObject({ phase: 'trading', mark, intrinsic })
    const news: OperatorNews[] = []
    operations.feed.listen((one) => news.push(one))
    await relay.setLevels({ makerId: 'ada', levels: [levelAt(fixture, middle, 3)] })
    await clock.advance(KEPT_MS + 2_000)
    const told = news.flatMap((one) => (one.kind === 'series' ? one.series : []))
    expect(told.findLast(({ series }) => series.seriesId === middle.seriesId)?.mark).toBeGreaterThan(Number(mark) * 1.5)
    await clock.advance(EXPIRY_S * 1_000 - clock.now())
    expect(await seen()).toMatchObject({ mark: null, intrinsic: null })
  })

  it('shows the best level of either side, and how many makers have one', async () => {
    const { relay, middle, markOf } = await started()
    const { seriesId } = middle
    await relay.setLevels({ makerId: 'ada', levels: [{ seriesId, bid: usd6(10_000n), ask: usd6(20_000n) }] })
    await relay.setLevels({ makerId: 'bob', levels: [{ seriesId, bid: usd6(12_000n), ask: usd6(25_000n) }] })
    expect((await markOf(middle))?.indicative).toEqual({ bid: 12_000n, ask: 20_000n, makers: 2 })
  })

  it('hardly moves by one maker among three, however many levels it has', async () => {
    const fixture = await started()
    const { relay, low, middle, high, markOf } = fixture
    for (const makerId of ['ada', 'bob']) await relay.setLevels({ makerId, levels: [levelAt(fixture, middle, 1.5)] })
    await relay.setLevels({ makerId: 'cyd', levels: [low, middle, high].map((one) => levelAt(fixture, one, 9)) })
    expect((await markOf(middle))?.volatility).toBeLessThan(2)
  })

  it('forgets levels after a minute, at once when they are withdrawn, and those of a blocked maker', async () => {
    const fixture = await started()
    const { relay, middle, markOf, clock } = fixture
    const send = (makerId: string) => relay.setLevels({ makerId, levels: [levelAt(fixture, middle, 1.5)] })
    const makers = async () => (await markOf(middle))?.indicative?.makers ?? 0
    await send('ada')
    await send('bob')
    await send('cyd')
    expect(await makers()).toBe(3)
    await relay.setLevels({ makerId: 'ada', levels: [] })
    expect(await makers()).toBe(2)
    await relay.blocks.decide({ makerId: 'bob', isBlocked: true, by: 'operator', reason: 'a test' })
    expect(await makers()).toBe(1)
    await clock.advance(LEVELS_KEPT_MS)
    expect(await makers()).toBe(0)
  })

  it('counts a trade once it is filled, at the YES price of its time', async () => {
    const fixture = await started()
    const { chain, clock, middle, markOf, sources } = fixture
    const { order } = await fixture.trade()
    await clock.advance(60_000)
    expect((await markOf(middle))?.observed).toBeNull()
    chain.use(order)
    sources.points = [...(sources.points ?? []), { t: START_MS / 1_000 + 30, p: 0.9 }]
    await clock.advance(60_000)
    const { observed, volatility } = (await markOf(middle)) ?? {}
    expect(observed).toMatchObject({ makers: 0, trades: 1 })
    expect(volatility).not.toBeNull()
  })

  it('has a mark for a package, of the volatilities of its legs', async () => {
    const fixture = await started()
    const { relay, low, high, markOf } = fixture
    const legs = [
      { optionType: 'call' as const, strikeBps: 4_000 as StrikeBps, quantity: 1 },
      { optionType: 'call' as const, strikeBps: 5_000 as StrikeBps, quantity: -1 },
    ]
    const spread = fixture.register({ ...CALL_BUY, option: { legs, expiryMs: EXPIRY_S * 1_000 } })
    await relay.setLevels({ makerId: 'ada', levels: [low, high].map((one) => levelAt(fixture, one, 1.5)) })
    const [shown, long, short] = [await markOf(spread), await markOf(low), await markOf(high)]
    expect(shown?.volatility).toBeNull()
    expect(Number(shown?.mark)).toBeCloseTo(Number(long?.mark) - Number(short?.mark), -1)
  })

  it('leaves out series that have expired', async () => {
    const { surface, clock } = await started()
    await clock.advance(3_600_000)
    expect((await surface()).series).toEqual([])
  })

  it('is fitted once for all who ask within five seconds', async () => {
    const fixture = await started()
    const { relay, middle } = fixture
    const first = await relay.readSurface(conditionId)
    await relay.setLevels({ makerId: 'ada', levels: [levelAt(fixture, middle, 1.5)] })
    expect(await relay.readSurface(conditionId)).toBe(first)
    // However many markets a stranger makes up.
    for (let i = 0; i < 600; i += 1) await relay.readSurface(`0x${i.toString(16).padStart(64, '0')}`)
    expect(await relay.readSurface(conditionId)).toBe(first)
  })
})
