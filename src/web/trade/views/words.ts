import type { Side, Usd6 } from '@rfqctl/client/index'
import { count, exactUsd, optionName } from '@rfqctl/lib/format'
import type { Tone } from '../../parts/Notice.tsx'
import type { PayBy } from '../trade-record.ts'
import type { TradePhase, TradeView } from '../trade-view.ts'
import type { SeriesPhase } from '../view-model.ts'

export const sideText = (side: Side): string => (side === 'buy' ? 'Buy' : 'Sell')

export const PHASE_TEXTS: Readonly<Record<SeriesPhase, { text: string; tone: Tone }>> = {
  open: { text: 'Open', tone: 'neutral' },
  window: { text: 'Price being averaged', tone: 'info' },
  expired: { text: 'Expired', tone: 'warning' },
  disputable: { text: 'Price not final', tone: 'warning' },
  settled: { text: 'Settled', tone: 'good' },
}

/** Explained where they stand: the page has no other word of the trade that a newcomer cannot know. */
export const WORDS: readonly (readonly [word: string, meaning: string])[] = [
  ['Strike', 'The price of YES that an option compares with. It is in the middle of the list.'],
  [
    'Call',
    'Pays what YES ends above the strike: a call at $0.40 pays $0.15 if YES ends at $0.55, and nothing below $0.40.',
  ],
  [
    'Put',
    'Pays what YES ends below the strike: a put at $0.60 pays $0.05 if YES ends at $0.55, and nothing above $0.60.',
  ],
  [
    'Buy or sell',
    'Who buys can lose no more than the price. Who sells gets the price, and locks the most that the options can pay.',
  ],
  ['Package', 'Two to four options that trade as one.'],
  ['Expiry', 'When the options end. YES ends at its average price of the last half hour before, to the cent.'],
]

/** The last half hour before an expiry. */
export const WINDOW_TEXT = 'The price is being averaged: the average of the last half hour settles the options.'

/** The news of a fill, in a sentence. */
export const filledText = ({ side, amount, premium, option }: TradeView): string =>
  `You have ${side === 'buy' ? 'bought' : 'sold'} ${amount === null ? '' : count(amount)} ${optionName(option)}${premium === null ? '' : ` for ${exactUsd(premium)}`}.`

/** The news of a claim, in a sentence. */
export const paidText = (paid: Usd6): string => `${exactUsd(paid)} was paid to your wallet.`

/** `step` is the place of a phase in the steps of a trade, from 0. */
export const TRADE_TEXTS: Readonly<Record<TradePhase, { text: string; tone: Tone; step: number }>> = {
  'no-quotes': { text: 'Waiting for quotes', tone: 'info', step: 1 },
  'no-quotes-slow': { text: 'No quotes yet', tone: 'warning', step: 1 },
  racing: { text: 'Quotes racing', tone: 'info', step: 1 },
  signing: { text: 'Waiting for the maker', tone: 'info', step: 2 },
  fallback: { text: 'Asking the next maker', tone: 'warning', step: 2 },
  committed: { text: 'Signed, not paid', tone: 'warning', step: 3 },
  paying: { text: 'In your wallet', tone: 'info', step: 3 },
  pending: { text: 'On its way', tone: 'info', step: 3 },
  filled: { text: 'Filled', tone: 'good', step: 4 },
  simulated: { text: 'Signed', tone: 'good', step: 4 },
  expired: { text: 'Expired', tone: 'neutral', step: 1 },
  cancelled: { text: 'Cancelled', tone: 'neutral', step: 1 },
  'order-expired': { text: 'Order expired', tone: 'bad', step: 3 },
  'order-cancelled': { text: 'Order cancelled', tone: 'bad', step: 3 },
  gone: { text: 'Gone', tone: 'neutral', step: 1 },
}

export const PAY_TEXTS: Readonly<Record<PayBy, string>> = {
  approve: 'Approve, then fill (two transactions)',
  permit: 'Sign a permit, then fill (EIP-2612)',
  authorization: 'Sign an authorization, then fill (EIP-3009)',
  permit2: 'Sign with Permit2, then fill',
  relayer: 'Sign only: a relayer fills for a fee',
}
