import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { usd6 } from '../../../src/client/index.ts'
import type { TradeAct } from '../../../src/web/trade/act.ts'
import { payoffView } from '../../../src/web/trade/payoff-view.ts'
import { EMPTY_TICKET, type TradeState } from '../../../src/web/trade/state.ts'
import type { Race } from '../../../src/web/trade/trade-record.ts'
import { activeTrade } from '../../../src/web/trade/trade-view.ts'
import { type Looks, TradeView } from '../../../src/web/trade/views/TradeView.tsx'
import { WalletBody } from '../../../src/web/trade/views/WalletDialog.tsx'
import {
  MARKET,
  PAST,
  positionOf,
  READY,
  SERIES,
  seriesAt,
  seriesOf,
  settledCall,
  TOMORROW,
  withPositions,
} from '../trade-samples.ts'
import { TRADE_STATES } from '../trade-states.ts'

const ACT = new Proxy({}, { get: () => () => {} }) as TradeAct

const markupOf = (state: TradeState, looks: Partial<Looks> = {}): string =>
  renderToStaticMarkup(<TradeView state={state} act={ACT} looks={looks} />)

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

/** What a reader sees: no tags, no meaning of a word that was not pressed, and every space one space. */
const textOf = (markup: string): string =>
  markup
    .replace(/<span[^>]* popover="auto".*?<\/span>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#x27);/g, (_, name) => ENTITIES[name] ?? '')
    .replace(/\s+/g, ' ')

const buttonsOf = (markup: string, kind: string): string[] =>
  [...markup.matchAll(/<button[^>]*class="button button-(\w+)[^>]*>(.*?)<\/button>/g)].flatMap(
    ([, found, inner = '']) => (found === kind ? [textOf(inner).trim()] : []),
  )

/** What each state says, and its one next step; null where there is nothing that one could do. */
const DRAWN: Readonly<Record<string, { says: readonly string[]; next: string | null }>> = {
  connecting: { says: ['Connecting', 'Reading the markets', 'Reading the options'], next: null },
  'connecting, refused so far': {
    says: ['The relay does not answer yet.', 'connect ECONNREFUSED', 'Trying again in 3.0s.'],
    next: 'Try now',
  },
  'no market': { says: ['No market yet', 'Nothing to trade yet'], next: 'Start with a test account' },
  'no series': { says: ['This market has no options yet'], next: null },
  lost: {
    says: ['Lost', 'What you see is as it was last.', 'Trying again in 4.0s.', '$0.0996'],
    next: 'Buy 2,510 for $250.00',
  },
  'no wallet': { says: ['No wallet connected', 'Connect'], next: 'Start with a test account' },
  'wallet connecting': { says: ['Confirm in your wallet…'], next: 'Confirm in your wallet…' },
  'wallet refused': {
    says: ['The owner of the wallet rejected the request.', 'approve the request in the wallet'],
    next: 'Start with a test account',
  },
  'no wallet offered': { says: ['This browser has no wallet.', 'Install one to trade'], next: 'Ask for quotes' },
  'wrong chain': {
    says: ['Your wallet is on chain 1, and this relay settles on chain 31337.'],
    next: 'Switch to chain 31337',
  },
  'empty wallet': { says: ['$0.00', 'Ask for quotes'], next: 'Get $10,000 of test dollars' },
  'faucet running': { says: ['Test dollars are on their way…'], next: 'Test dollars are on their way…' },
  'faucet done': { says: ['$10,000.00 of test dollars are in your wallet.'], next: 'Ask for quotes' },
  'faucet refused': { says: ['This wallet got test dollars already.', 'Ask again after'], next: 'Ask for quotes' },
  'nothing chosen': { says: ['Which way will it go?', 'A call pays when'], next: 'Try the call at $0.55' },
  ready: {
    says: [
      'Call $0.50',
      'Spend at most',
      'If YES stays at $0.55 $0.05',
      'Most you lose -$250.00',
      'with the first quote',
    ],
    next: 'Ask for quotes',
  },
  'amount unreadable': { says: ['Enter an amount of dollars such as 100 or 0.25.'], next: 'Ask for quotes' },
  'package chosen': {
    says: ['Call spread $0.45 / $0.60', '+1 call $0.45, −1 call $0.60', 'One pays at most $0.1500'],
    next: 'Ask for quotes',
  },
  'new package chosen': { says: ['No one has traded this package yet.', 'Strangle'], next: 'Ask for quotes' },
  'package with one leg': { says: ['A package has 2 to 4 options: add another one.'], next: 'Ask for quotes' },
  'writing options': { says: ['You lock at most $200.00', 'Most you lose -$200.00'], next: 'Ask for quotes' },
  'both sides on the ticket': {
    says: [
      'Buy Sell Both',
      'Buy or sell',
      'Makers quote a price to buy at and one to sell at.',
      'One pays at most $0.50',
    ],
    next: 'Ask for quotes',
  },
  'both sides, of a relay that is older': {
    says: ['This relay asks makers for one side. Choose to buy or to sell.'],
    next: 'Ask for quotes',
  },
  asking: { says: ['Asking makers…'], next: 'Asking makers…' },
  refused: {
    says: ['Too many requests come from this address.', 'Try again after Retry-After seconds.'],
    next: 'Ask for quotes',
  },
  'no quotes yet': {
    says: ['Asked 4 makers.', 'Waiting for quotes', 'Cancel the request'],
    next: 'Waiting for the first quote',
  },
  'no quotes, and makers had their time': { says: ['No maker has quoted yet.'], next: 'Waiting for the first quote' },
  'quotes racing': {
    says: [
      '$0.0996',
      'the best of 4 quotes',
      'The request is open for 4m',
      'You pay $249.9960',
      'You pay at most $250.00',
      '1,255 options',
    ],
    next: 'Buy 2,510 for $250.00',
  },
  'quotes racing, stream lost': {
    says: [' Stale ', 'The stream of quotes is interrupted.'],
    next: 'Buy 2,510 for $250.00',
  },
  'best quote is small': {
    says: ['The best price is for 300 options only.', 'maker-2'],
    next: 'Buy 2,403 for $249.91',
  },
  'bids racing': { says: ['Sell Put $0.50', '$0.0410', 'You get at least $8.20'], next: 'Sell 400 for $16.40' },
  'both sides, no quotes yet': {
    says: ['Both: Call $0.50', 'Asked 4 makers.', 'Waiting for quotes'],
    next: 'Waiting for the first quote',
  },
  'both sides racing': {
    says: [
      'Both: Call $0.50',
      'Best bid $0.0930 50 options, maker-2 Best ask $0.0996 50 options, maker-1 The best of 3 quotes, per option.',
      'Your side Sell at $0.0930 Buy at $0.0996',
      'only the one that is asked to sign learns it',
    ],
    next: null,
  },
  'both sides racing, no bid': { says: ['Best bid – Best ask $0.0996', 'No bid now Buy at $0.0996'], next: null },
  'both sides racing, sale chosen': {
    says: ['Sell Call $0.50', '$0.0930', 'You get $4.65', 'Most you lose -$20.35', 'Back to both prices'],
    next: 'Sell 50 for $4.65',
  },
  'both sides racing, purchase chosen': {
    says: ['Buy Call $0.50', '$0.0996', 'You pay $4.98', 'You pay at most $4.98', 'Most you lose -$4.98'],
    next: 'Buy 50 for $4.98',
  },
  'quotes racing, with a partner': {
    says: [
      'Premium $249.9960',
      'Fee of this page, 0.25% of it $0.624990',
      'You pay in all $250.620990',
      'You pay at most $250.6250',
    ],
    next: 'Buy 2,510 for $250.62',
  },
  'bids racing, with a partner': {
    says: [
      'Premium $16.40',
      'Fee of this page, 0.25% of it $0.0410',
      'You get in all $16.3590',
      'You get at least $8.1795',
    ],
    next: 'Sell 400 for $16.36',
  },
  'package racing': { says: ['Buy Call spread $0.45 / $0.60', '$0.0815'], next: 'Buy 3,067 for $249.96' },
  'funds are short': {
    says: ['The wallet holds $20.00, and this takes $249.9960.'],
    next: 'Get $10,000 of test dollars',
  },
  'no wallet, quotes racing': { says: ['$0.0996'], next: 'Start with a test account' },
  cancelling: { says: ['Cancelling…'], next: 'Buy 2,510 for $250.00' },
  'commit refused': {
    says: ['No quote is within the limits of the commit.', 'Allow a worse price or fewer options.'],
    next: 'Buy 2,510 for $250.00',
  },
  'signing that the wallet is ours': {
    says: ['Sign to show that the wallet is yours; this moves no money.', 'Your wallet asks for this once'],
    next: 'Sign in your wallet…',
  },
  'waiting for the maker': {
    says: ['maker-1 is asked to sign your order.', 'Time to sign 8.5s'],
    next: 'Waiting for the signature…',
  },
  fallback: { says: ['maker-1 did not sign. maker-3 is asked now.', '9.6s'], next: 'Waiting for the signature…' },
  committed: {
    says: ['maker-1 has signed your order.', 'The order is valid for 1m 35s', 'Options 2,510', 'You pay $249.9960'],
    next: 'Sign and fill: pay $250.00',
  },
  'committed, with a partner': {
    says: ['Premium $249.9960', 'Fee of this page, 0.25% of it $0.624990', 'You pay in all $250.620990'],
    next: 'Sign and fill: pay $250.62',
  },
  'committed after a fallback': { says: ['It took the place of maker-4'], next: 'Sign and fill: pay $250.00' },
  'committed, fill refused': {
    says: ['The owner of the wallet rejected the request.', 'maker-1 has signed your order.'],
    next: 'Sign and fill: pay $250.00',
  },
  'asking the wallet': { says: ['Your wallet asks you to confirm the payment.'], next: 'Confirm in your wallet…' },
  'transaction pending': { says: ['Transaction 0xabab abab'], next: 'Waiting for the chain…' },
  filled: { says: ['You have bought 2,510 Call $0.50 for $249.9960.', 'In block 42'], next: 'Reading your position…' },
  'filled with a partner': { says: ['The page was paid $0.624990.'], next: 'Reading your position…' },
  'filled, with a log': { says: ['How this price was found', 'Check it'], next: 'Reading your position…' },
  'filled, its price being checked': { says: ['Reading and checking…'], next: 'Reading your position…' },
  'filled, its price checked': {
    says: [
      'The record of this trade is true.',
      '19 lines, each proved',
      'maker-2 $0.0996, firm signed',
      'did not sign in time',
    ],
    next: 'Reading your position…',
  },
  'filled, its price checked but for the signature': {
    says: ['All but the signature of the log was checked.', 'This browser has no Ed25519.'],
    next: 'Reading your position…',
  },
  'filled, its record false': {
    says: ['The record of this trade is not true.', 'Line 3 is not in the log'],
    next: 'Reading your position…',
  },
  'filled by a relayer': { says: ['A relayer was paid $0.05.'], next: 'Reading your position…' },
  simulated: { says: ['The maker has signed.', 'it settles on no chain', 'Simulated'], next: 'Trade again' },
  'request expired': { says: ['The request expired before you took a quote.'], next: 'Ask again' },
  'request cancelled': { says: ['You cancelled the request.'], next: 'Back to the ticket' },
  'request gone': { says: ['The relay no longer knows this request.'], next: 'Ask again' },
  'order expired': { says: ['The signed order expired before it was paid.'], next: 'Ask again' },
  'order cancelled': { says: ['The maker cancelled the signed order before it was paid.'], next: 'Ask again' },
  'positions unread': { says: ['Reading your positions'], next: 'Ask for quotes' },
  'no position': { says: ['No position'], next: 'Ask for quotes' },
  'positions open': {
    says: ['Positions 4', 'Pay if YES stays $352.00', '2,510', '$250.00', '−400', '50 / −20', '1d left'],
    next: 'Ask for quotes',
  },
  'options with marks': {
    says: ['Call mark', 'Put mark', 'Call $0.50, mark $0.', 'pays if YES stays $0.0500'],
    next: 'Ask for quotes',
  },
  'a market that is known': {
    says: [
      'YES $0.55',
      'in 1d',
      'Lines across are strikes .',
      'Lines down are expiries : Today 12:15 UTC. Later ones: Tomorrow 12:00, 8 Jun 12:00 UTC.',
      'of premium in the last day',
      '8 Jun 12:00, not paid yet bought 100 $0.0200 11:58',
      ', never paid sold 2,085',
      '22 earlier trades',
      'Volatility by strike',
    ],
    next: 'Ask for quotes',
  },
  'a market with an hour of prices and no trade': {
    says: ['in 1h', 'None since 1 Jun, 10:00 UTC', 'No level of a maker and no filled trade shows a volatility'],
    next: 'Ask for quotes',
  },
  'five hundred markets': {
    says: ['Find one of 500 markets', 'Sort by', '28 options, Tomorrow 12:00', '460 more'],
    next: 'Try the call at $0.30',
  },
  'positions at their marks': {
    says: [
      'Positions 2',
      'Worth at the mark $406.68 Pay if YES stays $325.50 Profit',
      'At the mark $219.12 If YES stays $125.50 Profit now -$30.87',
    ],
    next: 'Ask for quotes',
  },
  'position at its mark': {
    says: [
      'Worth now, at the mark of $0.0873 $219.12 Pays if YES stays at $0.55 $125.50',
      'If YES stays at $0.55 -$124.50 ○ If closed now, at the mark -$30.87',
    ],
    next: 'Go to expiry (sandbox)',
  },
  'quotes racing, with a mark': {
    says: [
      'If YES stays at $0.55 -$124.50 ○ If closed now, at the mark +$51.20',
      'The mark is an estimate, at which no one has to trade.',
    ],
    next: 'Buy 2,510 for $250.00',
  },
  'position being closed': { says: ['Sell Call $0.50', 'Closing…'], next: 'Sell 2,510 for $225.90' },
  'position in its window': {
    says: ['The price is being averaged.', 'Average so far $0.5531', 'Ask for quotes to sell 100'],
    next: 'Go to expiry (sandbox)',
  },
  'position expired': { says: ['The options have expired.', 'Average $0.5531'], next: 'Settle' },
  settling: { says: ['Under way…'], next: 'Waiting for the chain…' },
  'settlement refused': {
    says: ['There are too few prices to settle by: a person decides.', 'Wait for the operator.'],
    next: 'Settle',
  },
  'price can still be taken back': {
    says: ['The price is $0.55, and can still be taken back.', 'It is final in 5m.'],
    next: 'Go past the dispute time (sandbox)',
  },
  'position settled': {
    says: ['Settled at $0.62: $12.00 is yours.', '+$6.00', 'To claim $32.00', 'Claim $20.00'],
    next: 'Claim $12.00',
  },
  'claim done': { says: ['$12.00 was paid to your wallet.'], next: 'Ask for quotes' },
  'address of an unlisted option': {
    says: ['This relay does not list the option of this address.', 'Choose another one below.'],
    next: 'Ask for quotes',
  },
  'address of an unknown trade': {
    says: ['This browser does not have the trade of this address.', 'kept in the browser that made it'],
    next: 'Ask for quotes',
  },
  history: {
    says: [
      'Realised on 4 trades +$4.01',
      'Save as CSV',
      'Bought 100 Paid $6.02 Received $12.00 Profit +$5.99 Claimed 31 May 2026 2 transactions',
      'Opened 31 May 2026, 10:00 UTC',
      'Fees $0.0150',
      '31 May 2026, 12:20 UTC: claimed the payout of 100, got $12.00.',
      'Profit -$0.96 Closed',
      'Profit -$1.02 Paid nothing',
      'Written 400 Paid $200.00 Received $16.40 Profit – Open',
    ],
    next: 'Ask for quotes',
  },
  'history being read': { says: ['Reading your trades from the chain'], next: 'Ask for quotes' },
  'history without a trade': { says: ['No trade yet'], next: 'Ask for quotes' },
  'history of a node that forgets': {
    says: ['Older trades may be missing.', 'has no events that old', 'Closed'],
    next: 'Ask for quotes',
  },
  'history unreadable': {
    says: ['cannot be reached: connect ECONNREFUSED', 'Your trades are read again in some seconds.'],
    next: 'Ask for quotes',
  },
  'history with an explorer': { says: ['got $12.00. 0x3333…3333'], next: 'Ask for quotes' },
  'history on another chain': {
    says: ['Your wallet is on another chain', 'Its trades are on chain 31337.'],
    next: 'Switch to chain 31337',
  },
  'filled, with an explorer': { says: ['transaction 0xabab…abab'], next: 'Reading your position…' },
  'notices offered': { says: ['while you look elsewhere. Notify me'], next: 'Ask for quotes' },
  'notices on': { says: ['The browser notifies you of fills, expiries and payouts. Stop'], next: 'Ask for quotes' },
  'notices refused': {
    says: ['This browser refuses notifications of this page.', 'The title of the tab has the news in any case.'],
    next: 'Ask for quotes',
  },
  'requests that keep something from makers': {
    says: [
      'Keep my wallet from makers until one signs Without this, a request that closes a position shows your wallet',
      'These makers do not hear of your requests: maker-3 Ask it again',
    ],
    next: 'Ask for quotes',
  },
  'a relay that cannot leave makers out': {
    says: ['This relay asks all makers, also those that you never ask.', 'maker-3 Ask it again'],
    next: 'Ask for quotes',
  },
  'a relay that cannot keep a wallet from makers': {
    says: ['This relay cannot keep your wallet from makers.', 'Keep my wallet from makers until one signs'],
    next: 'Ask for quotes',
  },
  'firm quotes, and a wallet kept from makers': {
    says: ['A maker signs a firm quote for a wallet that it sees.'],
    next: 'Ask for quotes',
  },
  'quotes racing, with makers to leave out': {
    says: ['maker-2 Never ask this maker maker-3 Ask it again maker-4 Never ask this maker'],
    next: 'Buy 2,510 for $250.00',
  },
  'filled, with makers to leave out': {
    says: ['A maker that you never ask does not hear of your later requests. maker-1 Never ask this maker'],
    next: 'Reading your position…',
  },
  'moving the chain': { says: ['The sandbox moves its chain to the expiry…'], next: 'Ask for quotes' },
  'browser keeps nothing': { says: ['This browser keeps nothing for this page.'], next: 'Ask for quotes' },
}

describe('the trade page', () => {
  it('is drawn on purpose in every sample state', () => {
    expect(Object.keys(DRAWN).toSorted()).toEqual(Object.keys(TRADE_STATES).toSorted())
  })

  it.each(Object.entries(TRADE_STATES))('says how it is, and has one next step: %s', (name, state) => {
    const markup = markupOf(state)
    const text = textOf(markup)
    expect(DRAWN[name]?.says.filter((sentence) => !text.includes(sentence))).toEqual([])
    expect(buttonsOf(markup, 'primary')).toEqual(DRAWN[name]?.next == null ? [] : [DRAWN[name].next])
  })

  it('offers both sides only of a relay that knows them', () => {
    const sides = (name: string) => textOf(markupOf(TRADE_STATES[name] as TradeState)).includes('Buy Sell Both')
    expect([sides('both sides on the ticket'), sides('ready')]).toEqual([true, false])
    expect(sides('both sides, of a relay that is older')).toBe(false)
  })

  it('gives two prices as two choices, and says nothing of money before one is made', () => {
    const racing = TRADE_STATES['both sides racing'] as TradeState
    const markup = markupOf(racing)
    expect(buttonsOf(markup, 'secondary').slice(-2)).toEqual(['Sell at $0.0930', 'Buy at $0.0996'])
    expect(markup).toContain('the best bid is $0.0930 and the best ask $0.0996 now')
    expect(textOf(markup)).not.toMatch(/You (pay|get|lock)|Most you/)
    expect(markup.match(/class="line-main"/g)).toHaveLength(2)
    expect(payoffView(racing)).toBeNull()
    expect(textOf(markupOf({ ...racing, list: 'trades' }))).toContain('bid $0.0930 × , ask $0.0996')
    expect(payoffView(TRADE_STATES['both sides on the ticket'] as TradeState)).toBeNull()
  })

  it('cannot choose a side that has no quote, nor another one while the wallet signs', () => {
    const disabled = (state: TradeState) =>
      [...markupOf(state).matchAll(/<button[^>]* disabled=""[^>]*>(.*?)<\/button>/g)].map(([, text = '']) => text)
    expect(disabled(TRADE_STATES['both sides racing, no bid'] as TradeState)).toEqual(['No bid now'])
    const chosen = TRADE_STATES['both sides racing, sale chosen'] as TradeState
    const tasks: TradeState['tasks'] = { 'prove:request-1': { kind: 'running', since: 0, step: 'wallet', hash: null } }
    expect([disabled(chosen), disabled({ ...chosen, tasks }).includes('Back to both prices')]).toEqual([[], true])
  })

  it('names the makers of both sides among those that can be left out', () => {
    const racing = TRADE_STATES['both sides racing'] as TradeState
    const race = racing.races['request-1'] as Race
    const bids = race.bids.map((point) => ({ ...point, makerId: 'maker-9' }))
    const environment = racing.environment && { ...racing.environment, privateFields: ['exceptMakers'] }
    const text = textOf(markupOf({ ...racing, environment, races: { 'request-1': { ...race, bids } } }))
    expect(text).toContain('maker-9 Never ask this maker')
  })

  it('claims in no state that a purchase cannot lose, and names no gain before a quote', () => {
    for (const [name, state] of Object.entries(TRADE_STATES)) {
      const text = textOf(markupOf(state))
      expect(text, name).not.toMatch(/Most you lose [+-]?\$0\.00/)
      const hasMarks = state.marks.size > 0 || (state.positions?.rows ?? []).some(({ mark }) => mark !== null)
      if (!hasMarks) expect(text, name).not.toMatch(/(Profit|Value|Worth) now|at the mark/i)
      if (state.activeTradeId === null) expect(text, name).not.toContain('Most you gain')
    }
  })

  it('shows in no state a gain that no quote has given, nor a purchase without a loss', () => {
    for (const [name, state] of Object.entries(TRADE_STATES)) {
      const shown = [...markupOf(state).matchAll(/\+\$([\d,]+)/g)].map(([, dollars = '']) =>
        Number(dollars.replaceAll(',', '')),
      )
      expect(Math.max(0, ...shown), name).toBeLessThanOrEqual(100 * Number(EMPTY_TICKET.budgetText))
      const view = payoffView(state)
      const side = activeTrade(state)?.side ?? state.ticket.side
      if (side === 'buy' && view !== null && view.least !== null) expect(view.least, name).toBeLessThan(0n)
      // A quote of a hundredth of the payoff is the cheapest that real makers gave.
      if (view !== null && view.basis !== 'payoff') expect(view.most, name).toBeLessThanOrEqual(-100n * view.least)
    }
  })

  it('draws no list of figures without a figure', () => {
    for (const [name, state] of Object.entries(TRADE_STATES))
      expect(markupOf(state), name).not.toContain('<dl class="stats"></dl>')
  })

  it('a position whose cost is unknown claims no gain', () => {
    const moved = withPositions([positionOf(seriesAt(TOMORROW, 5_000), { long: 100n, cost: 'moved' })])
    const markup = markupOf({ ...moved, focus: moved.positions?.rows[0]?.series.seriesId ?? '' })
    expect(markup).toContain('aria-label="What the position pays by the price that YES resolves at: at most $50.00')
    expect(textOf(markup)).toContain('If YES stays at $0.55 $5.00')
  })

  it('shows what a stranger wrote as text, never as markup', () => {
    const hostile = '<img src=x onerror=alert(1)>\u202e"\'&'
    const { markets, trades } = TRADE_STATES['quotes racing'] as TradeState
    const state: TradeState = {
      ...(TRADE_STATES['quotes racing'] as TradeState),
      markets: (markets ?? []).map((market) => ({ ...market, name: hostile })),
      trades: trades.map((record) => ({
        ...record,
        question: hostile,
        failure: { code: 'x', message: hostile, hint: hostile, retryable: false },
      })),
    }
    const markup = markupOf(state)
    expect(markup).not.toContain('<img')
    // Nor may it turn the order of what is beside it.
    expect(markup).not.toContain('\u202e')
    expect(textOf(markup)).toContain('<img src=x onerror=alert(1)>')
  })

  it('cuts what a stranger wrote at length', () => {
    const { markets } = TRADE_STATES.ready as TradeState
    const long = 'x'.repeat(100_000)
    const state: TradeState = {
      ...(TRADE_STATES.ready as TradeState),
      markets: (markets ?? []).map((market) => ({ ...market, name: long })),
    }
    expect(markupOf(state).length).toBeLessThan(markupOf(TRADE_STATES.ready as TradeState).length + 5_000)
  })

  it('nothing can be pressed that needs the relay while it does not answer', () => {
    const markup = markupOf(TRADE_STATES.lost as TradeState)
    expect(markup).toMatch(/<button[^>]*button-primary[^>]*disabled=""[^>]*>Buy 2,510/)
    expect(markup).toMatch(/<main[^>]*class="trade-main stale"/)
    expect(markupOf(TRADE_STATES.ready as TradeState)).not.toContain('stale')
  })

  it('an amount that cannot be read keeps from asking, and the field says why', () => {
    const markup = markupOf(TRADE_STATES['amount unreadable'] as TradeState)
    expect(markup).toMatch(/<input[^>]*aria-invalid="true"[^>]*aria-describedby/)
    expect(markup).toMatch(/<button[^>]*button-primary[^>]*disabled=""[^>]*>Ask for quotes/)
  })

  it('the best price is read aloud as it changes, countdowns are not', () => {
    const markup = markupOf(TRADE_STATES['quotes racing'] as TradeState)
    expect(markup).toMatch(/<div class="best" aria-live="polite"><p class="best-price">\$0\.0996/)
    expect(markup).toMatch(/role="timer" aria-live="off"/)
  })

  it('every option of the ladder is a button that says what it is', () => {
    const markup = markupOf(TRADE_STATES['positions open'] as TradeState)
    expect(textOf(markup)).toContain('Call $0.50, pays if YES stays $0.0500 2,510 held up to $0.50')
    expect(textOf(markup)).toContain('Put $0.50, pays if YES stays $0.0000 400 written up to $0.50')
    expect(markup.match(/aria-pressed="true"/g)).toHaveLength(1)
  })

  it('a position that is looked at takes the place of the ticket', () => {
    const state = TRADE_STATES['positions open'] as TradeState
    const seriesId = state.positions?.rows[0]?.series.seriesId ?? ''
    const markup = markupOf({ ...state, focus: seriesId })
    expect(buttonsOf(markup, 'primary')).toEqual(['Go to expiry (sandbox)'])
    expect(textOf(markup)).toContain('Pays if YES stays at $0.55 $125.50 Cost $250.00 Expires')
    const outside = {
      ...state,
      environment: { ...(state.environment as NonNullable<typeof state.environment>), sandbox: false },
    }
    expect(buttonsOf(markupOf({ ...outside, focus: seriesId }), 'primary')).toEqual(['Ask for quotes to sell 2,510'])
  })

  it('a claimed position is not claimed a second time, while the chain does not show it yet', () => {
    const state = TRADE_STATES['position settled'] as TradeState
    const seriesId = state.positions?.rows[0]?.series.seriesId ?? ''
    const task = { kind: 'done', at: 0, outcome: { kind: 'claimed', paid: usd6(12_000_000n), hashes: [] } } as const
    const markup = markupOf({ ...state, tasks: { [`claim:${seriesId}`]: task }, focus: seriesId })
    expect(textOf(markup)).toContain('$12.00 was paid to your wallet. +$6.00 against what it cost.')
    expect(buttonsOf(markup, 'primary')).toEqual(['Trade again'])
  })

  it('a loss is not announced as good news', () => {
    const lost = withPositions([positionOf(settledCall, { long: 100n, cost: usd6(20_000_000n) })])
    const markup = markupOf({ ...lost, focus: settledCall.seriesId })
    expect(textOf(markup)).toContain('Settled at $0.62: $12.00 is yours. -$8.00 against what it cost.')
    expect(markup).not.toContain('notice-good')
    const won = withPositions([positionOf(settledCall, { long: 100n, cost: usd6(6_000_000n) })])
    expect(markupOf({ ...won, focus: settledCall.seriesId })).toContain('notice-good')
  })

  it('a refusal of the wallet is shown once: by its dialog while that is open, else by the page', () => {
    const refusals = (looks: Partial<Looks>) =>
      markupOf(TRADE_STATES['wallet refused'] as TradeState, looks).match(/rejected the request/g)
    expect(refusals({})).toHaveLength(1)
    expect(refusals({ isWalletOpen: true })).toHaveLength(1)
  })

  it('expiries have different names, and those that are over wait behind a button', () => {
    const [tomorrow] = seriesOf(MARKET, TOMORROW)
    const state = {
      ...READY,
      series: [...SERIES, { ...tomorrow, seriesId: '1', expiry: TOMORROW + 600 }],
    } as TradeState
    const tabs = [...markupOf(state).matchAll(/role="tab" id="ladder-[^>]*>([^<]*)</g)].map(([, text]) => text)
    expect(tabs).toEqual(['Today 12:15', 'Tomorrow 12:00', 'Tomorrow 12:10', '8 Jun 12:00'])
    expect(buttonsOf(markupOf(state), 'quiet')).toContain('2 earlier')
    const past = markupOf({ ...state, ticket: { ...state.ticket, expiry: PAST } })
    expect(past).toMatch(/aria-selected="true"[^>]*>Today 11:50 · expired</)
  })

  it('privacy that a relay does not know is not offered, and a full list takes no further maker', () => {
    expect(textOf(markupOf(READY))).not.toMatch(/Keep my wallet|Never ask/)
    expect(textOf(markupOf(TRADE_STATES['quotes racing'] as TradeState))).not.toContain('Never ask')
    const state = TRADE_STATES['filled, with makers to leave out'] as TradeState
    const exceptMakers = Array.from({ length: 50 }, (_, index) => `other-${index}`)
    const markup = markupOf({ ...state, privacy: { exceptMakers, isBlind: false } })
    expect(markup).toMatch(/<button[^>]*disabled=""[^>]*aria-label="Never ask this maker: maker-1"/)
  })

  it('a commit of which no answer came can be sent again', () => {
    const state = TRADE_STATES['waiting for the maker'] as TradeState
    const failure = { code: 'unreachable', message: 'The relay cannot be reached.', hint: null, retryable: true }
    const markup = markupOf({ ...state, trades: state.trades.map((record) => ({ ...record, failure })) })
    expect(textOf(markup)).toContain('The relay cannot be reached.')
    expect(buttonsOf(markup, 'primary')).toEqual(['Ask for the signature again'])
    expect(markup).not.toContain('aria-label="Dismiss"')
  })

  it('a trade whose position was sold since leads back to the ticket', () => {
    const state = TRADE_STATES.filled as TradeState
    expect(buttonsOf(markupOf({ ...state, now: state.now + 10_000 }), 'primary')).toEqual(['Trade again'])
  })

  it('a trade that was claimed says what it paid', () => {
    const state = TRADE_STATES.filled as TradeState
    const seriesId = state.trades[0]?.request.seriesId ?? ''
    const task = { kind: 'done', at: 0, outcome: { kind: 'claimed', paid: usd6(12_000_000n), hashes: [] } } as const
    const markup = markupOf({ ...state, list: 'trades', tasks: { [`claim:${seriesId}`]: task } })
    expect(textOf(markup)).toContain('$12.00 was paid to your wallet.')
    expect(buttonsOf(markup, 'primary')).toEqual(['Trade again'])
  })

  it('news of the faucet and of the sandbox goes by itself', () => {
    const state = TRADE_STATES['faucet done'] as TradeState
    expect(textOf(markupOf({ ...state, now: state.now + 7_999 }))).toContain('of test dollars are in your wallet')
    expect(textOf(markupOf({ ...state, now: state.now + 8_000 }))).not.toContain('of test dollars are in your wallet')
  })

  it('a transaction leads to the explorer of the relay, and without one is text that is copied whole', () => {
    const hash = `0x${'ab'.repeat(32)}`
    const linked = markupOf(TRADE_STATES['filled, with an explorer'] as TradeState)
    expect(linked).toContain(`href="https://polygonscan.com/tx/${hash}" target="_blank" rel="noopener noreferrer"`)
    const plain = markupOf(TRADE_STATES.filled as TradeState)
    expect(plain).not.toContain('href="https:')
    expect(plain.replace(/<[^>]+>/g, '')).toContain(hash)
  })

  it('a history is bounded: the file has what is not drawn', () => {
    const state = TRADE_STATES.history as TradeState
    const [trade] = state.history?.trades ?? []
    if (trade === undefined) throw new Error('the sample has no trade')
    const events = Array.from({ length: 500 }, () => trade.events).flat()
    const trades = Array.from({ length: 101 }, (_, openedAt) => ({ ...trade, openedAt, events }))
    const markup = markupOf({ ...state, history: { trades, isComplete: true, csv: '', failure: null } })
    expect(markup.match(/class="position"/g)).toHaveLength(100)
    expect(markup.match(/class="hex"/g)).toHaveLength(100 * 20)
    expect(textOf(markup)).toContain('The newest 100 are shown; the file has all of them.')
  })

  it('profits with options of another wallet are marked', () => {
    const state = TRADE_STATES.history as TradeState
    const trades = (state.history?.trades ?? []).map((trade) => ({ ...trade, hasTransfers: true }))
    const markup = markupOf({ ...state, history: { trades, isComplete: true, csv: '', failure: null } })
    expect(textOf(markup)).toContain('+$5.99 *')
    expect(textOf(markup)).toContain('* Options from or to another wallet count as free')
  })

  it('requests are listed with what became of them', () => {
    const text = textOf(markupOf({ ...(TRADE_STATES['order expired'] as TradeState), list: 'trades' }))
    expect(text).toContain('Buy Call $0.50 Will Norvik win the next election? Order expired')
  })
})

describe('the wallet', () => {
  const walletOf = (name: string) =>
    renderToStaticMarkup(<WalletBody state={TRADE_STATES[name] as TradeState} act={ACT} />)

  it('offers the wallets that there are', () => {
    const text = textOf(walletOf('no wallet'))
    expect(text).toContain('Sandbox account A key made by this page, for test dollars only')
    expect(text).toContain('Example Wallet In this browser')
    expect(textOf(walletOf('no wallet offered'))).toContain('No wallet found')
  })

  it('shows what is connected, what it holds, and the addresses that it deals with', () => {
    const text = textOf(walletOf('ready'))
    expect(text).toContain('0x1111111111111111111111111111111111111111')
    expect(text).toContain('Dollars $10,000.00')
    expect(text).toContain('Settlement contract 0x0000 0000')
  })

  it('leads from options that have expired to the next ones', () => {
    const ready = TRADE_STATES.ready as TradeState
    const later = { ...ready, now: (ready.ticket.expiry ?? 0) * 1_000 + 1_000 }
    const markup = markupOf(later)
    expect(textOf(markup)).toContain('These options have expired.')
    expect(buttonsOf(markup, 'primary')).toEqual([expect.stringMatching(/^Trade those until \d+ Jun, /)])
  })
})
