import type { Usd6 } from '@rfqctl/client/index'
import { capital, count, exactUsd, markText, priceText, strike } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import { Word } from '../../parts/Word.tsx'
import type { TradeAct } from '../act.ts'
import type { LadderCell, LadderRow } from '../view-model.ts'

type LadderTableProps = {
  rows: readonly LadderRow[]
  spot: Usd6 | null
  /** Whether a press adds to a package instead of replacing the choice. */
  isPackage: boolean
  act: TradeAct
  onChosen: () => void
}

export function LadderTable({ rows, spot, isPackage, act, onChosen }: LadderTableProps): ReactNode {
  const press = (cell: LadderCell) => {
    const { optionType, strikeBps, quantity } = cell
    if (isPackage) act.setLeg({ optionType, strikeBps, quantity: quantity === 0 ? 1 : 0 })
    else {
      act.chooseOption({ optionType, strikeBps })
      onChosen()
    }
  }
  const isMarked = rows.some(({ call, put }) => call?.mark != null || put?.mark != null)
  const shown = (
    <span className="faint">{isMarked ? <Word of="mark" /> : <Word of="intrinsic">if YES stays</Word>}</span>
  )
  return (
    <table className="ladder-table">
      <caption className="aloud">
        Options by strike: {isMarked ? 'the mark of each' : 'what each pays if YES stays at its price'}
      </caption>
      <thead>
        <tr>
          <th scope="col">
            <Word of="call">Call</Word> {shown}
          </th>
          <th scope="col">
            <Word of="strike">Strike</Word>
          </th>
          <th scope="col">
            <Word of="put">Put</Word> {shown}
          </th>
        </tr>
      </thead>
      {rows.map((row) => (
        <tbody key={row.strikeBps}>
          <tr>
            <td>
              <Cell cell={row.call} isMarked={isMarked} isCounted={isPackage} onPress={press} />
            </td>
            <th scope="row">{strike(row.strikeBps)}</th>
            <td>
              <Cell cell={row.put} isMarked={isMarked} isCounted={isPackage} onPress={press} />
            </td>
          </tr>
          {row.isBelowSpot && spot !== null && (
            <tr className="ladder-spot">
              <td colSpan={3}>
                <span>YES {exactUsd(spot)} now</span>
              </td>
            </tr>
          )}
        </tbody>
      ))}
    </table>
  )
}

const priceOrDash = (price: Usd6 | null): string => (price === null ? '–' : priceText(price))

type CellProps = { cell: LadderCell | null; isMarked: boolean; isCounted: boolean; onPress: (cell: LadderCell) => void }

function Cell({ cell, isMarked, isCounted, onPress }: CellProps): ReactNode {
  if (cell === null) return <span className="faint">–</span>
  const { quantity, mark, valueNow, maxPayoff, long, short, phase } = cell
  const isOver = phase !== 'open' && phase !== 'window'
  return (
    <button
      type="button"
      className={valueNow !== null && valueNow > 0n ? 'cell cell-in' : 'cell'}
      aria-pressed={quantity !== 0}
      disabled={isOver}
      onClick={() => onPress(cell)}
    >
      <span className="aloud">{`${capital(cell.optionType)} ${strike(cell.strikeBps)}, `}</span>
      {isMarked && (
        <span>
          <span className="aloud">mark </span>
          {mark === null ? '–' : markText(mark)}
        </span>
      )}
      <span className={isMarked ? 'aloud' : undefined}>
        <span className="aloud">{isMarked ? ', ' : ''}pays if YES stays </span>
        {priceOrDash(valueNow)}
      </span>
      {isCounted && quantity !== 0 && (
        <span className="badge badge-info">{quantity > 0 ? `+${quantity}` : `−${-quantity}`}</span>
      )}
      {long > 0n && <span className="badge badge-good">{count(long)} held</span>}
      {short > 0n && <span className="badge badge-warning">{count(short)} written</span>}
      <span className="cell-most">up to {exactUsd(maxPayoff)}</span>
    </button>
  )
}
