import { expiryText, plural, usd, yesPriceText } from '@rfqctl/lib/format'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Field, Select } from '../../parts/Field.tsx'
import { Empty, Skeleton } from '../../parts/Notice.tsx'
import type { TradeAct } from '../act.ts'
import type { TradeState } from '../state.ts'
import { chainNow, type MarketRow, marketRows } from '../view-model.ts'
import { Stranger } from './parts.tsx'

const MANY = 8

/** Rows that are drawn before more are asked for: a relay may have hundreds. */
const PAGE = 40

export function MarketList({ state, act }: { state: TradeState; act: TradeAct }): ReactNode {
  const [search, setSearch] = useState('')
  const [order, setOrder] = useState<Order>('listed')
  const [most, setMost] = useState(PAGE)
  const rows = marketRows(state)
  const found = rows === null ? [] : inOrder(matching(rows, search), order)
  return (
    <section className="panel markets" aria-labelledby="markets-title" onKeyDown={moveFocus}>
      <div className="panel-head">
        <h2 id="markets-title">Markets</h2>
        <span className="faint small">YES price</span>
      </div>
      {rows !== null && rows.length > MANY && (
        <div className="panel-search">
          <Field label={`Find one of ${rows.length} markets`} type="search" value={search} onChange={setSearch} />
          <Select label="Sort by" value={order} onChange={setOrder} options={ORDERS} />
        </div>
      )}
      {rows === null || found.length === 0 ? (
        <NoRows isRead={rows !== null} isFiltered={search !== ''} />
      ) : (
        <ul className="market-list">
          {found.slice(0, most).map((row) => (
            <li key={row.key}>
              <Market row={row} now={chainNow(state)} onPress={() => act.chooseMarket(row.key)} />
            </li>
          ))}
          {found.length > most && (
            <li className="panel-more">
              <Button kind="quiet" size="small" onPress={() => setMost(most + PAGE)}>
                {`${found.length - most} more`}
              </Button>
            </li>
          )}
        </ul>
      )}
    </section>
  )
}

export function matching(rows: readonly MarketRow[], search: string): readonly MarketRow[] {
  const words = search.toLowerCase().split(/\s+/)
  return rows.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
}

type Order = 'listed' | 'expiry' | 'volume' | 'name'

const ORDERS: readonly { value: Order; text: string }[] = [
  { value: 'listed', text: 'As listed' },
  { value: 'expiry', text: 'Next expiry' },
  { value: 'volume', text: 'Most traded lately' },
  { value: 'name', text: 'Name' },
]

const BEFORE: Readonly<Record<Order, (a: MarketRow, b: MarketRow) => number>> = {
  listed: () => 0,
  expiry: (a, b) => (a.nextExpiry ?? Number.MAX_VALUE) - (b.nextExpiry ?? Number.MAX_VALUE),
  volume: (a, b) => (a.volume === b.volume ? 0 : a.volume < b.volume ? 1 : -1),
  name: (a, b) => a.name.localeCompare(b.name, 'en'),
}

export const inOrder = (rows: readonly MarketRow[], order: Order): readonly MarketRow[] => rows.toSorted(BEFORE[order])

/** Arrows lead from the search through the markets; Tab leads on from them. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0 || event.target instanceof HTMLSelectElement) return
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input[type=search], .market')]
  const next = stops[stops.indexOf(event.target as HTMLElement) + step]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

function NoRows({ isRead, isFiltered }: { isRead: boolean; isFiltered: boolean }): ReactNode {
  if (!isRead) {
    return (
      <div className="panel-body">
        <Skeleton lines={5} label="Reading the markets" />
      </div>
    )
  }
  return isFiltered ? (
    <Empty title="No market has these words" />
  ) : (
    <Empty
      title="No market yet"
      hint="The relay lists no market. An operator registers series, and they appear here."
    />
  )
}

const Market = ({ row, now, onPress }: { row: MarketRow; now: number; onPress: () => void }): ReactNode => (
  <button type="button" className="market" aria-current={row.isChosen || undefined} onClick={onPress}>
    <span className="market-name">
      <Stranger text={row.name} lines={2} />
      <span className="faint small">{factsOf(row, now)}</span>
    </span>
    <span className="market-price">{yesPriceText(row)}</span>
  </button>
)

function factsOf({ openCount, nextExpiry, volume }: MarketRow, now: number): string {
  if (nextExpiry === null) return 'nothing to trade'
  const traded = volume > 0n ? `, ${usd(volume, 'column')} traded` : ''
  return `${plural(openCount, 'option')}, ${expiryText(nextExpiry, now)}${traded}`
}
