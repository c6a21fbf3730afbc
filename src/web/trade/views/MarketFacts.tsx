import {
  count,
  expiryText,
  minuteTime,
  optionName,
  percent,
  plural,
  priceText,
  strike,
  timeText,
  usd,
} from '@rfqctl/lib/format'
import { type ReactNode, useState } from 'react'
import { Button } from '../../parts/Button.tsx'
import { SmileChart } from '../../parts/charts/SmileChart.tsx'
import { Word } from '../../parts/Word.tsx'
import { smilesView, tapeView } from '../market-view.ts'
import type { TradeState } from '../state.ts'
import { chainNow, isPaid, relayNow } from '../view-model.ts'

/** Trades that are listed before more are asked for, and at most. */
const FEW = 8
const MOST = 100

/** Trades of the market, and the volatilities that its prices imply. */
export const MarketFacts = ({ state }: { state: TradeState }): ReactNode => (
  <>
    <Tape state={state} />
    <Volatility state={state} />
  </>
)

function Tape({ state }: { state: TradeState }): ReactNode {
  const [showsAll, setShowsAll] = useState(false)
  const view = tapeView(state)
  if (view === null) return null
  const { trades, since, volume } = view
  const shown = trades.slice(0, showsAll ? MOST : FEW)
  const day = relayNow(state) - since > FULL_DAY_MS ? 'in the last day' : `since ${timeText(since / 1_000)}`
  return (
    <section className="panel" aria-labelledby="tape-title">
      <div className="panel-head">
        <h2 id="tape-title">Trades</h2>
        <p className="small muted">
          {trades.length === 0 ? (
            `None ${day}`
          ) : (
            <>
              {usd(volume)} of <Word of="premium" /> {day}
            </>
          )}
        </p>
      </div>
      {trades.length > 0 && (
        <table className="table tape">
          <caption className="aloud">Trades of this market, the newest first</caption>
          <thead>
            <tr>
              <th scope="col">Option</th>
              <th scope="col" className="figure">
                Taker
              </th>
              <th scope="col" className="figure">
                Price
              </th>
              <th scope="col" className="figure">
                UTC
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((trade) => (
              <tr key={trade.tradeId}>
                <td>
                  {optionName(trade)}{' '}
                  <span className="faint">
                    {expiryText(trade.expiry, chainNow(state))}
                    {!isPaid(trade) && (trade.state === 'open' ? ', not paid yet' : ', never paid')}
                  </span>
                </td>
                <td className="figure">{`${trade.side === 'buy' ? 'bought' : 'sold'} ${count(trade.size)}`}</td>
                <td className="figure">{priceText(trade.price)}</td>
                <td className="figure faint">{minuteTime(trade.at)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {trades.length > shown.length && !showsAll && (
        <div className="panel-more">
          <Button kind="quiet" size="small" onPress={() => setShowsAll(true)}>
            {plural(Math.min(trades.length, MOST) - shown.length, 'earlier trade')}
          </Button>
        </div>
      )}
      <p className="panel-note small faint">The relay shows a trade a while after it is signed, without its parties.</p>
    </section>
  )
}

/** A tape that begins within a minute of a day ago is that of a day. */
const FULL_DAY_MS = 86_400_000 - 60_000

function Volatility({ state }: { state: TradeState }): ReactNode {
  const smiles = smilesView(state)
  if (smiles === null) return null
  const chosen = smiles.find(({ isChosen }) => isChosen) ?? smiles[0]
  return (
    <section className="panel" aria-labelledby="volatility-title">
      <div className="panel-head">
        <h2 id="volatility-title">
          <Word of="volatility">Volatility</Word> by strike
        </h2>
        {chosen !== undefined && <p className="small muted">{chosen.text}</p>}
      </div>
      <div className="panel-body stack-tight">
        {chosen === undefined ? (
          <p className="small muted">
            No level of a maker and no filled trade shows a volatility of these options yet.
          </p>
        ) : (
          <>
            <SmileChart smiles={smiles} label={smileLabel(chosen, smiles.length - 1)} />
            <p className="small faint">
              It is for a year, by a model of a price between $0 and $1, and comes from levels of makers and filled
              trades. Dots are strikes at which these were seen. Marks follow from the curves.
            </p>
          </>
        )}
      </div>
    </section>
  )
}

type Smiles = NonNullable<ReturnType<typeof smilesView>>

function smileLabel({ text, points }: Smiles[number], others: number): string {
  const figures = points.map((point) => `${percent(point.volatility)} at ${strike(point.strike * 10_000)}`).join(', ')
  const rest = others === 0 ? '' : `; ${others} more ${others === 1 ? 'expiry' : 'expiries'}`
  return `Implied volatility by strike, for ${text}: ${figures}${rest}`
}
