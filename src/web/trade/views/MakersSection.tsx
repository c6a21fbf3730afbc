import type { ReactNode } from 'react'
import { isKept } from '../privacy.ts'
import type { TradeView } from '../trade-view.ts'
import { MakerRows } from './MakerRows.tsx'
import type { TradeProps } from './TradePanel.tsx'

/** Makers that the trade has shown, where the relay can leave one out: a list, as the best quote changes while a button is pressed. */
export function MakersSection({ state, act, trade }: Omit<TradeProps, 'chooseWallet'>): ReactNode {
  const makers = makersOf(trade)
  if (makers.length === 0 || !isKept(state, 'exceptMakers')) return null
  return (
    <details className="more">
      <summary>Makers of these quotes</summary>
      <div className="stack-tight">
        <p className="small muted">A maker that you never ask does not hear of your later requests.</p>
        <MakerRows {...{ state, act, makers }} label="Makers of these quotes" />
      </div>
    </details>
  )
}

/** In the order in which they appeared. */
function makersOf({ race, quote, fellBackFrom, record: { stage } }: TradeView): readonly string[] {
  const asked = stage.kind === 'committing' ? stage.askedMakerId : null
  const shown = [...(race?.points ?? []), ...(race?.bids ?? [])].toSorted((a, b) => a.at - b.at)
  const named = [...shown.map(({ makerId }) => makerId), fellBackFrom, quote?.makerId ?? null, asked]
  return [...new Set(named)].filter((makerId) => makerId !== null)
}
