import { centsText, count, gain, usd } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import { PayoffChart } from '../../parts/charts/PayoffChart.tsx'
import { Gain, Stat, Stats } from '../../parts/Stat.tsx'
import { type PayoffView, payoffView } from '../payoff-view.ts'
import type { TradeState } from '../state.ts'

export function PayoffSection({ state, size = 'normal' }: { state: TradeState; size?: 'small' | 'normal' }): ReactNode {
  const view = payoffView(state)
  if (view === null) return null
  const { points, spot, least } = view
  return (
    <div className="stack-tight payoff-section">
      <PayoffChart
        points={points}
        spot={spot}
        atMark={view.basis === 'payoff' ? null : view.atMark}
        size={size}
        isProfit={view.basis !== 'payoff'}
        label={payoffLabel(view)}
      />
      <Stats>
        {view.basis !== 'payoff' && (
          <Stat label="Most you gain">
            <Gain amount={view.most} />
          </Stat>
        )}
        {least !== null && (
          <Stat label="Most you lose">
            <Gain amount={least} />
          </Stat>
        )}
        {view.basis !== 'payoff' && view.breakEvens.length > 0 && (
          <Stat label="Even at">{view.breakEvens.map(centsText).join(', ')}</Stat>
        )}
      </Stats>
      <p className="faint small">{basisText(view)}</p>
    </div>
  )
}

/** Explains the figures: what is not known yet must not look like an offer. */
function basisText(view: PayoffView): string {
  if (view.basis !== 'payoff') {
    const by = view.basis === 'trade' ? 'By the signed order over' : 'By the best quote, for'
    return `${by} ${count(view.amount)} options, at expiry.${view.atMark === null ? '' : ' The mark is an estimate, at which no one has to trade.'}`
  }
  return view.side === 'buy'
    ? 'The picture shows what one option pays. Its price, and so what you can gain, comes with the first quote.'
    : 'The picture shows what one option takes from you. What you get for it comes with the first quote.'
}

function payoffLabel(view: PayoffView): string {
  if (view.basis === 'payoff')
    return `Payoff of one option by the price that YES resolves at: at most ${usd(view.maxPayoff)}`
  const { most, least, breakEvens, atMark } = view
  return [
    `Profit by the price that YES resolves at: at most ${gain(most)}, at least ${usd(least)}`,
    ...(breakEvens.length === 0 ? [] : [`even at ${breakEvens.map(centsText).join(' and ')}`]),
    ...(atMark === null ? [] : [`${gain(atMark)} if closed now, at the mark`]),
  ].join(', ')
}
