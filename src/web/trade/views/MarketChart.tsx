import { duration, exactUsd, expiryText } from '@rfqctl/lib/format'
import { usd6 } from '@rfqctl/protocol/domain/units'
import { type ReactNode, useState } from 'react'
import { Choice } from '../../parts/Choice.tsx'
import { PriceChart } from '../../parts/charts/PriceChart.tsx'
import { Gain } from '../../parts/Stat.tsx'
import { Word } from '../../parts/Word.tsx'
import { type PriceView, priceView, type Span } from '../market-view.ts'
import type { TradeState } from '../state.ts'
import { chainNow, chosenMarket, marketKeyOf, spotOf } from '../view-model.ts'
import { Stranger } from './parts.tsx'

/** The name of the market with its YES price: now, and over the last hours. */
export function MarketChart({ state }: { state: TradeState }): ReactNode {
  const [span, setSpan] = useState<Span | null>(null)
  const market = chosenMarket(state)
  if (market === null) return null
  const spot = spotOf(state)
  const view = priceView(state, span)
  return (
    <section className="panel market-chart" aria-labelledby="market-title">
      <div className="panel-head">
        <h2 id="market-title" className="market-title">
          <Stranger text={market.name} lines={2} />
        </h2>
        {spot !== null && (
          <p className="market-now">
            <span className="small muted">YES</span> {exactUsd(spot)}
          </p>
        )}
      </div>
      {view === null && state.prices?.marketKey === marketKeyOf(market) && (
        <p className="panel-body small muted">The relay knows no earlier prices of it.</p>
      )}
      {view !== null && (
        <div className="panel-body stack-tight">
          <div className="row spread">
            <p className="small muted">
              <Gain amount={usd6(view.latest - view.start)} /> in {duration(view.span * 1_000)}
            </p>
            {view.spans.length > 1 && (
              <Choice
                label="Time shown"
                value={`${view.span}`}
                onChange={(value) => setSpan(Number(value) as Span)}
                choices={view.spans.map((each) => ({ value: `${each}`, text: duration(each * 1_000) }))}
              />
            )}
          </div>
          <PriceChart {...view} past={pastOf(view)} label={chartLabel(view)} />
          <Expiries view={view} now={chainNow(state)} />
        </div>
      )}
    </section>
  )
}

const pastOf = ({ span }: PriceView) => [`${duration(span * 1_000)} ago`, `${duration(span * 500)} ago`] as const

function chartLabel({ span, start, least, most, latest, strikes }: PriceView): string {
  const at = strikes.map(({ text }) => text).join(', ')
  return [
    `YES price of the last ${duration(span * 1_000)}: ${exactUsd(start)} at first, ${exactUsd(least)} at least`,
    `${exactUsd(most)} at most, ${exactUsd(latest)} now${at === '' ? '' : `; strikes ${at}`}`,
  ].join(', ')
}

/** Lines to the right of the present have no room for their words. */
function Expiries({ view, now }: { view: PriceView; now: number }): ReactNode {
  const { expiries, later } = view
  const textOf = (list: PriceView['later']) => list.map(({ expiry }) => expiryText(expiry, now)).join(', ')
  if (expiries.length + later.length === 0) return null
  return (
    <p className="small faint">
      Lines across are <Word of="strike">strikes</Word>.{' '}
      {expiries.length > 0 && (
        <>
          Lines down are <Word of="expiry">expiries</Word>: {textOf(expiries)} UTC.{' '}
        </>
      )}
      {later.length > 0 && `${expiries.length > 0 ? 'Later ones' : 'Options expire'}: ${textOf(later)} UTC.`}
    </p>
  )
}
