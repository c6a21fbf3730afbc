import { describe, expect, it } from 'vitest'
import { contracts, type StrikeBps, usd6 } from '../../../src/client/index.ts'
import { readCount, readDollars, readFee } from '../../../src/web/trade/amounts.ts'
import { commitPreview } from '../../../src/web/trade/commit-view.ts'
import { payoffView } from '../../../src/web/trade/payoff-view.ts'
import { positionRows, positionTotals } from '../../../src/web/trade/position-view.ts'
import { reduce, type TradeAction } from '../../../src/web/trade/reduce.ts'
import { initialState, type TradeState } from '../../../src/web/trade/state.ts'
import { MAX_RACE_POINTS } from '../../../src/web/trade/trade-record.ts'
import { activeTrade, tradeView } from '../../../src/web/trade/trade-view.ts'
import { expiryTabs, ladder, marketRows, seriesPhase, ticketView } from '../../../src/web/trade/view-model.ts'
import {
  MARKET,
  MARKETS,
  NOW,
  NOW_S,
  quoteOf,
  recordOf,
  requestOf,
  SERIES,
  seriesAt,
  surfaceOf,
  TOMORROW,
} from '../trade-samples.ts'
import { TRADE_STATES } from '../trade-states.ts'

const stateOf = (name: string): TradeState => TRADE_STATES[name] as TradeState
const reduced = (state: TradeState, ...actions: TradeAction[]): TradeState => actions.reduce(reduce, state)
const call = (strikeBps: number, quantity: number) => ({
  optionType: 'call' as const,
  strikeBps: strikeBps as StrikeBps,
  quantity,
})

describe('the sample states', () => {
  it('have every phase of a trade among them', () => {
    const phases = new Set(Object.values(TRADE_STATES).map((state) => activeTrade(state)?.phase))
    expect([...phases].filter((phase) => phase !== undefined).toSorted()).toEqual([
      'cancelled',
      'committed',
      'expired',
      'fallback',
      'filled',
      'gone',
      'no-quotes',
      'no-quotes-slow',
      'order-cancelled',
      'order-expired',
      'paying',
      'pending',
      'racing',
      'signing',
      'simulated',
    ])
  })
})

describe('the ticket', () => {
  it('begins with the call at the price of now', () => {
    const state = reduced(initialState(NOW), { kind: 'market-read', markets: MARKETS, series: SERIES })
    expect(state.ticket.legs).toEqual([call(5_500, 1)])
    expect(marketRows(state)?.map(({ isChosen }) => isChosen)).toEqual([true, false, false])
  })

  it('begins with an expiry that has time left, also where another one ends within minutes', () => {
    const state = reduced(initialState(NOW), { kind: 'market-read', markets: MARKETS, series: SERIES })
    expect(expiryTabs(state).map(({ phase }) => phase)).toEqual(['window', 'open', 'open', 'expired', 'settled'])
    expect(state.ticket.expiry).toBe(TOMORROW)
    const soon = SERIES.filter(({ expiry }) => expiry < TOMORROW)
    const last = reduced(initialState(NOW), { kind: 'market-read', markets: MARKETS, series: soon })
    expect(last.ticket.expiry).toBe(NOW_S + 900)
  })

  it('keeps its options at another expiry that has them', () => {
    const [, next] = expiryTabs(stateOf('ready')).filter(({ phase }) => phase === 'open')
    const state = reduced(stateOf('package chosen'), { kind: 'expiry-chosen', expiry: next?.expiry ?? 0 })
    expect(state.ticket.legs).toHaveLength(2)
  })

  it('moves to the next expiry for a taker who trades again after its own has passed', () => {
    const before = stateOf('ready')
    const { expiry } = before.ticket
    const later = { ...before, now: (expiry ?? 0) * 1_000 + 1_000 }
    const next = expiryTabs(later).find(({ phase }) => phase === 'open')
    const again = reduced(later, { kind: 'ticket-shown', place: 'panel' })
    expect(again.ticket.expiry).toBe(next?.expiry)
    expect(again.ticket.expiry).toBeGreaterThan(expiry ?? 0)
    expect(ticketView(again).problem).toBeNull()
    expect(reduced(before, { kind: 'ticket-shown', place: 'panel' }).ticket).toEqual(before.ticket)
  })

  it('has at most four options in a package, each at most four times', () => {
    const legs = [3_000, 4_000, 4_500, 5_000, 5_500].map((strike) => call(strike, 9))
    const state = reduced(stateOf('nothing chosen'), ...legs.map((leg) => ({ kind: 'leg-set' as const, leg })))
    expect(state.ticket.legs.map(({ quantity }) => quantity)).toEqual([4, 4, 4, 4])
    const fewer = reduced(state, { kind: 'leg-set', leg: call(3_000, 0) })
    expect(fewer.ticket.legs).toHaveLength(3)
  })

  it('says what is no package in the words of the rule', () => {
    const state = reduced(
      stateOf('nothing chosen'),
      ...[call(3_000, 2), call(4_000, -2)].map((leg) => ({ kind: 'leg-set' as const, leg })),
    )
    expect(ticketView(state).problem).toEqual({
      at: 'legs',
      text: 'All quantities of the package can be divided by 2.',
    })
    expect(ticketView(stateOf('package with one leg')).problem?.at).toBe('legs')
  })

  it.each(['call-spread', 'put-spread', 'strangle', 'straddle'] as const)('makes a %s of the ladder', (preset) => {
    const state = reduced(stateOf('nothing chosen'), { kind: 'preset-chosen', preset })
    expect(ticketView(state)).toMatchObject({ problem: null, option: { legs: [{}, {}] } })
  })

  it('does not ask about what has expired', () => {
    const state = reduced(stateOf('ready'), { kind: 'ticked', now: (TOMORROW + 1) * 1_000 })
    expect(ticketView(state).problem?.text).toBe('These options have expired.')
  })

  it('bounds what is typed', () => {
    const state = reduced(stateOf('ready'), { kind: 'ticket-edited', change: { budgetText: '9'.repeat(1_000) } })
    expect(state.ticket.budgetText).toHaveLength(40)
  })

  it('reads amounts exactly, and refuses invalid ones', () => {
    expect(readDollars('1,000.5')).toEqual({ value: 1_000_500_000n })
    expect(readDollars('$0.000001')).toEqual({ value: 1n })
    expect(readFee('0')).toEqual({ value: 0n })
    expect(readCount('1,000')).toEqual({ value: 1_000n })
    for (const text of ['', '0', '-1', '1e3', '.', '1.2345678', '2000000000'])
      expect(readDollars(text)).toHaveProperty('problem')
    for (const text of ['', '0', '1.5', '-2', '2000000000']) expect(readCount(text)).toHaveProperty('problem')
  })
})

describe('the ladder', () => {
  it('has a call and a put at each strike, and where the price is', () => {
    const rows = ladder(stateOf('positions open'))
    expect(rows.map(({ strikeBps }) => strikeBps)).toEqual([3_000, 4_000, 4_500, 5_000, 5_500, 6_000, 7_000])
    expect(rows.filter(({ isBelowSpot }) => isBelowSpot).map(({ strikeBps }) => strikeBps)).toEqual([5_500])
    const at = rows.find(({ strikeBps }) => strikeBps === 5_000)
    expect(at?.call).toMatchObject({ quantity: 1, long: 2_510n, valueNow: 50_000n, maxPayoff: 500_000n })
    expect(at?.put).toMatchObject({ quantity: 0, short: 400n, valueNow: 0n })
  })

  it.each([
    [0.01, 3_000],
    [0.426, 4_500],
    [0.99, 7_000],
    [null, 5_000],
  ])('begins at the strike that is nearest to a price of %s', (yesPrice, strikeBps) => {
    const ready = stateOf('ready')
    const markets = ready.markets?.map((market) => ({ ...market, yesPrice })) ?? null
    const rows = ladder({ ...ready, markets })
    expect(rows.filter(({ isAtSpot }) => isAtSpot).map((row) => row.strikeBps)).toEqual([strikeBps])
  })

  it('has the marks that were read, until expiry', () => {
    const ready = stateOf('ready')
    const { expiry } = ready.ticket
    const series = surfaceOf(MARKET, [TOMORROW]).series.map((each) => ({ ...each, mark: usd6(21_000n) }))
    const surface = { conditionId: MARKET.conditionId, at: NOW, series }
    const marked = reduced(ready, { kind: 'market-read', markets: ready.markets ?? [], surface })
    expect(ladder(marked)[0]?.call?.mark).toBe(21_000n)
    // Another read of the relay, without a surface, leaves them.
    expect(ladder(reduced(marked, { kind: 'market-read', markets: ready.markets ?? [] }))[0]?.call?.mark).toBe(21_000n)
    const over = { ...marked, chainOffsetMs: (expiry ?? 0) * 1_000 - marked.now }
    expect(ladder(over)[0]?.call?.mark).toBeNull()
  })

  it('goes by the clock that is ahead, of relay and chain, as the command line does', () => {
    const state = { now: NOW, relayOffsetMs: 0, chainOffsetMs: 2 * 86_400_000 }
    expect(seriesPhase(state, seriesAt(TOMORROW, 5_000))).toBe('expired')
    expect(seriesPhase({ ...state, chainOffsetMs: 0, relayOffsetMs: 2 * 86_400_000 }, seriesAt(TOMORROW, 5_000))).toBe(
      'expired',
    )
    expect(seriesPhase({ ...state, chainOffsetMs: 86_400_000 - 600_000 }, seriesAt(TOMORROW, 5_000))).toBe('window')
  })
})

describe('a race', () => {
  it('keeps so many points, the first and the newest among them', () => {
    let state = stateOf('no quotes yet')
    for (let seq = 1; seq <= 2_000; seq += 1) {
      const bestQuote = quoteOf(BigInt(200_000 - seq))
      const book = {
        bestQuote,
        quoteCount: 1,
        status: 'open' as const,
        bookSeq: seq,
        confirming: null,
        bestForSize: null,
        orderStanding: null,
      }
      state = reduced(state, { kind: 'book-shown', requestId: 'request-1', book })
    }
    const points = state.races['request-1']?.points ?? []
    expect(points.length).toBeLessThanOrEqual(MAX_RACE_POINTS)
    expect(points[0]?.price).toBe(199_999n)
    expect(points.at(-1)?.price).toBe(198_000n)
  })

  it('goes by the quote for half of the size where the best one is small, and says that it is partial', () => {
    const state = stateOf('best quote is small')
    expect(commitPreview(state, state.trades[0] as never)).toMatchObject({
      shown: { makerId: 'maker-2' },
      limitPrice: 104_000n,
      isPartial: false,
    })
  })

  it('for a purchase costs no more than its budget, and for a sale brings no less than its limit', () => {
    const bought = stateOf('quotes racing')
    expect(commitPreview(bought, bought.trades[0] as never)).toMatchObject({
      bound: 250_000_000n,
      premium: 249_996_000n,
    })
    const sold = stateOf('bids racing')
    expect(commitPreview(sold, sold.trades[0] as never)).toMatchObject({ bound: 200n * 41_000n, due: 200_000_000n })
  })
})

describe('a payoff', () => {
  it('is that of the quote, with where it gains and what it loses at most', () => {
    expect(payoffView(stateOf('quotes racing'))).toMatchObject({
      basis: 'quote',
      least: -249_996_000n,
      most: 2_510n * 400_400n,
      breakEvens: [59.96],
      // Of a call at $0.50, if YES stays at $0.55.
      spot: { price: 55, profit: 2_510n * 50_000n - 249_996_000n },
    })
  })

  it('goes by the price of now to its last digit, not to the cent', () => {
    const { markets, ...racing } = stateOf('quotes racing')
    const moved = (markets ?? []).map((market) => ({ ...market, yesPrice: 0.5549 }))
    expect(payoffView({ ...racing, markets: moved })?.spot).toEqual({
      price: 55.49,
      profit: 2_510n * 54_900n - 249_996_000n,
    })
  })

  it('counts what the partner of a page is paid', () => {
    expect(payoffView(stateOf('quotes racing, with a partner'))).toMatchObject({
      least: -250_620_990n,
      most: 2_510n * 400_400n - 624_990n,
    })
  })

  it('claims no gain before a quote, and that all that is spent can be lost', () => {
    for (const state of ['ready', 'no quotes yet', 'package chosen'].map(stateOf)) {
      const view = payoffView(state)
      expect(view).toMatchObject({ basis: 'payoff', least: -250_000_000n })
      expect(view).not.toHaveProperty('most')
    }
    const outOfTheMoney = reduced(stateOf('ready'), { kind: 'option-chosen', option: call(7_000, 1) })
    expect(payoffView(outOfTheMoney)).toMatchObject({ least: -250_000_000n, maxPayoff: 300_000n })
    // A writer loses at most what it locks.
    expect(payoffView(stateOf('writing options'))).toMatchObject({ least: -200_000_000n })
    expect(payoffView(stateOf('amount unreadable'))).toMatchObject({ least: null })
  })

  it('counts the partner of a page in what a purchase can lose before a quote, too', () => {
    const { environment } = stateOf('quotes racing, with a partner')
    for (const name of ['ready', 'no quotes yet'] as const)
      expect(payoffView({ ...stateOf(name), environment })).toMatchObject({ least: -250_625_000n })
    expect(payoffView({ ...stateOf('writing options'), environment })).toMatchObject({ least: -200_000_000n })
  })

  it('says nothing of a YES that stays once its price is averaged, as what it was before counts', () => {
    const inWindow = (name: string) => ({ ...stateOf(name), chainOffsetMs: 86_400_000 - 600_000 })
    expect(payoffView(stateOf('ready'))?.spot).not.toBeNull()
    for (const name of ['ready', 'quotes racing']) expect(payoffView(inWindow(name))?.spot).toBeNull()
    expect(ticketView(inWindow('ready')).valueNow).toBeNull()
    expect(ladder(inWindow('ready')).map(({ call }) => call?.valueNow)).toEqual(Array(7).fill(null))
    expect(positionRows(stateOf('position in its window'))).toMatchObject([{ phase: 'window', paysIfUnchanged: null }])
    expect(positionTotals(stateOf('position in its window'))?.paysIfUnchanged).toBeNull()
  })

  it('is not shown of a trade that leaves a position: its profit depends on the cost', () => {
    expect(payoffView(stateOf('position being closed'))).toBeNull()
  })
})

describe('kept state', () => {
  it('is bounded, and what is under way outlasts what is over', () => {
    const request = (index: number) =>
      requestOf(seriesAt(TOMORROW, 5_000), { side: 'sell', size: contracts(1n) }, `r${index}`)
    let state = reduced(stateOf('ready'), {
      kind: 'trade-opened',
      record: recordOf({ kind: 'quoting' }, { request: request(0), openedAt: NOW - 1_000_000 }),
    })
    for (let index = 1; index <= 80; index += 1) {
      const record = recordOf({ kind: 'ended', how: 'cancelled' }, { request: request(index), openedAt: NOW + index })
      state = reduced(state, { kind: 'trade-opened', record })
    }
    expect(state.trades).toHaveLength(50)
    expect(state.trades.at(-1)?.request.requestId).toBe('r0')
  })

  it('is bounded for tasks and windows, too', () => {
    let state = stateOf('ready')
    for (let index = 0; index < 100; index += 1) {
      state = reduced(
        state,
        {
          kind: 'task-changed',
          key: `claim:${index}`,
          task: { kind: 'done', at: NOW, outcome: { kind: 'cancelled' } },
        },
        {
          kind: 'window-failed',
          seriesId: `${index}`,
          failure: { code: 'x', message: 'x', hint: null, retryable: true },
        },
      )
    }
    expect(Object.keys(state.tasks)).toHaveLength(50)
    expect(Object.keys(state.windows)).toHaveLength(8)
  })

  it('tells what a seller has to have: the most that its options can pay', () => {
    const state = stateOf('bids racing')
    expect(tradeView(state, state.trades[0] as never)).toMatchObject({ due: usd6(200_000_000n), amount: 400n })
  })
})
