import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { RelayError, usd6 } from '../../../src/client/index.ts'
import { SmileChart } from '../../../src/web/parts/charts/SmileChart.tsx'
import { GLOSSARY } from '../../../src/web/parts/glossary.ts'
import type { TradeAct } from '../../../src/web/trade/act.ts'
import { priceView, smilesView, tapeView } from '../../../src/web/trade/market-view.ts'
import type { TradeState } from '../../../src/web/trade/state.ts'
import { marketKeyOf, marketRows } from '../../../src/web/trade/view-model.ts'
import { inOrder } from '../../../src/web/trade/views/MarketList.tsx'
import { TradeView } from '../../../src/web/trade/views/TradeView.tsx'
import {
  historyOf,
  MARKET,
  MARKETS,
  manyMarkets,
  NEXT_WEEK,
  NOW,
  NOW_S,
  READY,
  SEEN,
  SPREAD,
  soonCall,
  surfaceOf,
  TOMORROW,
  tradeOf,
} from '../trade-samples.ts'
import { TRADE_STATES } from '../trade-states.ts'
import { createFakeWorld } from './fake-world.ts'
import { countOf, createTradePages } from './pages.ts'

const HOUR = 3_600
const DAY = 86_400
const DAY_MS = 86_400_000

const ACT = new Proxy({}, { get: () => () => {} }) as TradeAct
const markupOf = (state: TradeState): string => renderToStaticMarkup(<TradeView state={state} act={ACT} />)

describe('the chart of the YES price', () => {
  const withPrices = (hours: number): TradeState => ({ ...SEEN, prices: historyOf(MARKET, hours) })

  it('offers the times that there are prices of, and shows the longest one', () => {
    expect(priceView(withPrices(1), null)).toMatchObject({ span: HOUR, spans: [HOUR] })
    expect(priceView(withPrices(5), null)).toMatchObject({ span: 6 * HOUR, spans: [HOUR, 6 * HOUR] })
    expect(priceView(withPrices(24), null)).toMatchObject({ span: 24 * HOUR, spans: [HOUR, 6 * HOUR, 24 * HOUR] })
    expect(priceView(withPrices(24), HOUR)).toMatchObject({ span: HOUR })
    expect(priceView(withPrices(1), DAY)).toMatchObject({ span: HOUR })
  })

  it('begins with the last price before its time, and ends with the one of now', () => {
    const points = [
      { t: NOW_S - 7 * HOUR, p: 0.4 },
      { t: NOW_S - 90, p: 0.5 },
    ]
    const view = priceView({ ...SEEN, prices: { marketKey: marketKeyOf(MARKET), points } }, HOUR)
    expect(view?.points).toEqual([
      { t: NOW_S - HOUR, price: 0.4 },
      { t: NOW_S - 90, price: 0.5 },
      { t: NOW_S, price: 0.55 },
    ])
    expect(view).toMatchObject({ start: 400_000n, least: 400_000n, most: 550_000n, latest: 550_000n })
  })

  it('has the strikes of the shown expiry, and each open expiry once: drawn, or listed as a later one', () => {
    const view = priceView(SEEN, null)
    expect(view?.strikes.map(({ text }) => text)).toEqual([
      '$0.30',
      '$0.40',
      '$0.45',
      '$0.50',
      '$0.55',
      '$0.60',
      '$0.70',
    ])
    expect(view?.expiries.map(({ expiry }) => expiry)).toEqual([soonCall.expiry])
    expect(view?.later.map(({ expiry }) => expiry)).toEqual([TOMORROW, NEXT_WEEK])
  })

  it('is not there without prices, and never has those of another market', () => {
    expect(priceView({ ...SEEN, prices: null }, null)).toBeNull()
    expect(priceView({ ...SEEN, prices: { ...historyOf(MARKET, 24), marketKey: 'another' } }, null)).toBeNull()
  })

  it('has its figures in its name', () => {
    expect(markupOf(SEEN)).toContain(
      'aria-label="YES price of the last 1d: $0.5926 at first, $0.5028 at least, $0.6198 at most, $0.55 now; strikes $0.30, ',
    )
  })
})

describe('the tape of a market', () => {
  it('has the trades of that market, and as its volume what was paid for them', () => {
    const other = MARKETS[1] ?? MARKET
    const trades = [
      tradeOf(1, { size: 100n as never, price: usd6(20_000n), state: 'filled' }),
      tradeOf(2, { size: 10n as never, price: usd6(50_000n), state: null }),
      tradeOf(3, { state: 'open' }),
      tradeOf(4, { state: 'expired' }),
      tradeOf(5, { conditionId: other.conditionId, yesTokenId: other.yesTokenId, state: 'filled' }),
    ]
    const view = tapeView({ ...SEEN, tape: { trades, since: NOW - DAY_MS } })
    expect(view?.trades.map(({ tradeId }) => tradeId)).toEqual(['trade-1', 'trade-2', 'trade-3', 'trade-4'])
    expect(view?.volume).toBe(2_500_000n)
  })

  const { page } = createTradePages()
  const tapeOf = ({ store }: Awaited<ReturnType<typeof page>>) => store.get().tape
  const manyTrades = (count: number) =>
    Array.from({ length: count }, (_, i) => tradeOf(i, { at: NOW - i * 60_000, state: 'filled' }))

  it('goes back a day', async () => {
    const world = createFakeWorld()
    world.trades = [...manyTrades(250), tradeOf(900, { at: NOW - DAY_MS - 60_000 })]
    const tape = tapeOf(await page(world))
    expect(tape?.trades).toHaveLength(250)
    // By the clock of the relay, which is half a second ahead.
    expect(tape?.since).toBe(NOW + 500 - DAY_MS)
  })

  it('has a beginning that is shown where there are more trades than a page reads', async () => {
    const world = createFakeWorld()
    world.trades = manyTrades(900)
    const tape = tapeOf(await page(world))
    expect(tape?.trades).toHaveLength(500)
    expect(tape?.since).toBe(NOW - 499 * 60_000)
    expect(markupOf({ ...SEEN, tape })).toContain('since 1 Jun, 03:41 UTC')
  })

  it('reads no further than to trades that it knows and that change no longer', async () => {
    const world = createFakeWorld()
    world.trades = manyTrades(250)
    const session = await page(world)
    const before = countOf(world, 'listTrades')
    world.trades = [tradeOf(1_000, { at: NOW + 1_000, state: 'open' }), ...world.trades]
    await world.clock.advance(15_000)
    expect(countOf(world, 'listTrades') - before).toBe(1)
    expect(tapeOf(session)?.trades).toHaveLength(251)
    world.trades = [tradeOf(1_000, { at: NOW + 1_000, state: 'filled' }), ...world.trades.slice(1)]
    await world.clock.advance(15_000)
    expect(tapeOf(session)?.trades[0]).toMatchObject({ tradeId: 'trade-1000', state: 'filled' })
  })

  it('asks for trades four times a minute, and for prices once', async () => {
    const world = createFakeWorld()
    await page(world)
    await world.clock.advance(1_000)
    const [trades, prices] = [countOf(world, 'listTrades'), countOf(world, 'listPrices')]
    await world.clock.advance(60_000)
    expect(countOf(world, 'listTrades') - trades).toBe(4)
    expect(countOf(world, 'listPrices') - prices).toBe(1)
  })

  it('rests while its tab is covered, and is read at once when it is seen again', async () => {
    const world = createFakeWorld()
    await page(world)
    await world.clock.advance(1_000)
    world.attention.hide()
    const [trades, surfaces] = [countOf(world, 'listTrades'), countOf(world, 'getSurface')]
    await world.clock.advance(120_000)
    expect(countOf(world, 'listTrades')).toBe(trades)
    expect(countOf(world, 'getSurface')).toBe(surfaces)
    world.attention.see()
    await world.clock.advance(100)
    expect(countOf(world, 'listTrades')).toBe(trades + 1)
  })

  it('the prices of a market that is chosen are read at once', async () => {
    const world = createFakeWorld()
    const session = await page(world)
    await world.clock.advance(1_000)
    world.prices = [{ t: NOW_S - 60, p: 0.3 }]
    const marketKey = marketKeyOf(MARKETS[1] ?? MARKET)
    session.act.chooseMarket(marketKey)
    await world.clock.advance(100)
    expect(session.store.get().prices).toEqual({ marketKey, points: world.prices })
  })

  it('a relay that has no tape and no prices is as live as before', async () => {
    const world = createFakeWorld()
    const refuse = async () => {
      throw new RelayError({ code: 'not_found', status: 404 })
    }
    world.when('listTrades', refuse)
    world.when('listPrices', refuse)
    const session = await page(world)
    await world.clock.advance(30_000)
    expect(session.store.get()).toMatchObject({ link: { kind: 'live' }, tape: null, prices: null })
  })
})

describe('the volatilities of a market', () => {
  it('are a curve for each expiry, by strike, whose seen strikes have dots', () => {
    const smiles = smilesView(SEEN)
    expect(smiles?.map(({ text, isChosen }) => [text, isChosen])).toEqual([
      ['Tomorrow 12:00', true],
      ['8 Jun 12:00', false],
    ])
    expect(smiles?.[0]?.points.map(({ strike, isSeen }) => [strike, isSeen])).toEqual([
      [0.3, false],
      ...[0.4, 0.45, 0.5, 0.55, 0.6, 0.7].map((strike) => [strike, true]),
    ])
    const markup = renderToStaticMarkup(<SmileChart smiles={smiles ?? []} label="" />)
    expect(markup.match(/class="dot-quote"/g)).toHaveLength(6)
    expect(markupOf(SEEN)).toMatch(
      /Implied volatility by strike, for Tomorrow 12:00: 12\d% at \$0\.30, .*1 more expiry/,
    )
  })

  it('claim nothing where none is known: of packages, from the window on, and of another market', () => {
    const of = (surface: TradeState['surface']) => smilesView({ ...SEEN, surface })
    const surface = surfaceOf(MARKET, [soonCall.expiry, TOMORROW])
    expect(of(surface)?.map(({ expiry }) => expiry)).toEqual([TOMORROW])
    const packages = surface.series.filter(({ seriesId }) => seriesId === SPREAD.seriesId)
    expect(packages).toHaveLength(1)
    expect(of({ ...surface, series: packages })).toEqual([])
    expect(of({ ...surface, series: surface.series.map((each) => ({ ...each, volatility: null })) })).toEqual([])
    expect(of({ ...surface, conditionId: `0x${'9'.repeat(64)}` })).toBeNull()
  })
})

describe('five hundred markets', () => {
  const state: TradeState = { ...READY, ...manyMarkets(500), tape: null }
  const rows = marketRows(state) ?? []

  it('are drawn forty at a time', () => {
    expect(rows).toHaveLength(500)
    expect(rows.every(({ openCount }) => openCount === 28)).toBe(true)
    const markup = markupOf(state)
    expect(markup.match(/class="market"/g)).toHaveLength(40)
    expect(markup).toContain('460 more')
  })

  it('are sorted by name, by the next expiry, and by what was traded', () => {
    const soon = rows.map(({ nextExpiry }) => nextExpiry ?? 0)
    expect(inOrder(rows, 'expiry').map(({ nextExpiry }) => nextExpiry)).toEqual(soon.toSorted((a, b) => a - b))
    expect(inOrder(rows, 'name')[0]?.name).toBe('Will rain fall in June in district 102?')
    const busy = (state.markets ?? [])[321] ?? MARKET
    const trade = tradeOf(1, { conditionId: busy.conditionId, yesTokenId: busy.yesTokenId })
    const traded = marketRows({ ...state, tape: { trades: [trade], since: NOW - DAY_MS } }) ?? []
    expect(inOrder(traded, 'volume')[0]?.name).toBe(busy.name)
    expect(inOrder(rows, 'listed')).toEqual(rows)
    expect(inOrder([{ ...rows[0], nextExpiry: null } as never, ...rows], 'expiry').at(-1)?.nextExpiry).toBeNull()
  })
})

describe('words', () => {
  it('are explained by a button that opens what it says, each on some page', () => {
    const pages = [
      SEEN,
      READY,
      TRADE_STATES['package chosen'] as TradeState,
      { ...SEEN, ticket: { ...SEEN.ticket, expiry: soonCall.expiry } },
    ].map(markupOf)
    for (const meaning of Object.values(GLOSSARY)) {
      const written = meaning.replaceAll("'", '&#x27;')
      const page = pages.find((each) => each.includes(written))
      expect(page, meaning).toBeDefined()
      const [, id] = /<span id="([^"]+)" popover="auto"[^>]*>$/.exec(page?.split(written)[0] ?? '') ?? []
      expect(page).toContain(`popoverTarget="${id}"`)
    }
  })
})
