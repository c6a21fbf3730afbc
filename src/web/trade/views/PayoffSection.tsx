import { gain, usd } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import { PayoffChart } from '../../parts/charts/PayoffChart.tsx'
import { Gain, Stat, Stats } from '../../parts/Stat.tsx'
import { type PayoffView, payoffView } from '../payoff-view.ts'
import type { TradeState } from '../state.ts'
import { centsText, count } from './words.ts'

export function PayoffSection({ state, size = 'normal' }: { state: TradeState; size?: 'small' | 'normal' }): ReactNode {
  const view = payoffView(state)
  if (view === null) return null
  const { points, spot, most, least } = view
  return (
    <div className="stack-tight payoff-section">
      <PayoffChart points={points} spot={spot} size={size} label={payoffLabel(view)} />
      <Stats>
        <Stat label="Most you gain">
          <Gain amount={most} />
        </Stat>
        <Stat label="Most you lose">
          <Gain amount={least} />
        </Stat>
        {view.breakEvens.length > 0 && <Stat label="Even at">{view.breakEvens.map(centsText).join(', ')}</Stat>}
      </Stats>
      <p className="faint small">{BASIS_TEXTS[view.basis](view)}</p>
    </div>
  )
}

/** Explains the figures: an estimate must not look like an offer. */
const BASIS_TEXTS: Readonly<Record<PayoffView['basis'], (view: PayoffView) => string>> = {
  trade: ({ amount }) => `By the signed order over ${count(amount)} options.`,
  quote: ({ amount }) => `By the best quote, for ${count(amount)} options.`,
  value: ({ amount }) => `An estimate for ${count(amount)} options at what they are worth now: makers set the price.`,
  payoff: () => 'What one option pays. The price comes with the first quote.',
}

const payoffLabel = ({ most, least, breakEvens }: PayoffView): string =>
  [
    `Profit by the price that YES resolves at: at most ${gain(most)}, at least ${usd(least)}`,
    ...(breakEvens.length === 0 ? [] : [`even at ${breakEvens.map(centsText).join(' and ')}`]),
  ].join(', ')
