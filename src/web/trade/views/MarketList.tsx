import { yesPriceText } from '@rfqctl/lib/format'
import { type ReactNode, useState } from 'react'
import { Field } from '../../parts/Field.tsx'
import { Empty, Skeleton } from '../../parts/Notice.tsx'
import type { TradeAct } from '../act.ts'
import type { TradeState } from '../state.ts'
import { type MarketRow, marketRows } from '../view-model.ts'
import { Stranger } from './parts.tsx'

const MANY = 8

export function MarketList({ state, act }: { state: TradeState; act: TradeAct }): ReactNode {
  const [search, setSearch] = useState('')
  const rows = marketRows(state)
  return (
    <section className="panel markets" aria-labelledby="markets-title">
      <div className="panel-head">
        <h2 id="markets-title">Markets</h2>
        <span className="faint small">YES price</span>
      </div>
      {rows !== null && rows.length > MANY && (
        <div className="panel-search">
          <Field label="Find a market" type="search" value={search} onChange={setSearch} />
        </div>
      )}
      <Markets rows={rows === null ? null : matching(rows, search)} isFiltered={search !== ''} act={act} />
    </section>
  )
}

export function matching(rows: readonly MarketRow[], search: string): readonly MarketRow[] {
  const words = search.toLowerCase().split(/\s+/)
  return rows.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
}

type MarketsProps = { rows: readonly MarketRow[] | null; isFiltered: boolean; act: TradeAct }

function Markets({ rows, isFiltered, act }: MarketsProps): ReactNode {
  if (rows === null) {
    return (
      <div className="panel-body">
        <Skeleton lines={5} label="Reading the markets" />
      </div>
    )
  }
  if (rows.length === 0) {
    return isFiltered ? (
      <Empty title="No market has these words" />
    ) : (
      <Empty
        title="No market yet"
        hint="The relay lists no market. An operator registers series, and they appear here."
      />
    )
  }
  return (
    <ul className="market-list">
      {rows.map((row) => (
        <li key={row.key}>
          <button
            type="button"
            className="market"
            aria-current={row.isChosen || undefined}
            onClick={() => act.chooseMarket(row.key)}
          >
            <span className="market-name">
              <Stranger text={row.name} lines={2} />
              <span className="faint small">
                {row.openCount === 0 ? 'nothing to trade' : `${row.openCount} options`}
              </span>
            </span>
            <span className="market-price">{yesPriceText(row)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
