import type { Side, Usd6 } from '@rfqctl/client/index'
import { count, exactUsd, optionName } from '@rfqctl/lib/format'
import type { Tone } from '../../parts/Notice.tsx'
import type { PayBy } from '../trade-record.ts'
import type { TradePhase, TradeView } from '../trade-view.ts'
import type { SeriesPhase } from '../view-model.ts'

/** Null: the side of a request for both is not chosen. */
export const sideText = (side: Side | null): string => (side === null ? 'Both:' : side === 'buy' ? 'Buy' : 'Sell')

export const PHASE_TEXTS: Readonly<Record<SeriesPhase, { text: string; tone: Tone }>> = {
  open: { text: 'Open', tone: 'neutral' },
  window: { text: 'Price being averaged', tone: 'info' },
  expired: { text: 'Expired', tone: 'warning' },
  disputable: { text: 'Price not final', tone: 'warning' },
  settled: { text: 'Settled', tone: 'good' },
}

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
