import { memo, type ReactNode } from 'react'
import { plainText } from '../dashboard/line.ts'
import { selectedIndex } from '../dashboard/selectors.ts'
import { type Column, cellLine, type Scene, type TableView } from '../dashboard/views/view.ts'
import { Button } from '../parts/Button.tsx'
import { Bar } from '../parts/Countdown.tsx'
import type { OperateAct } from './act.ts'
import { ColumnHeads } from './ColumnHeads.tsx'
import { LineChart } from './charts.tsx'
import { Sentences, Spans } from './Spans.tsx'

/** Rows drawn at a time: a page redraws several times a second. */
export const PAGE_ROWS = 30

export function pageOf(chosen: number, count: number): { start: number; end: number } {
  const start = Math.floor(chosen / PAGE_ROWS) * PAGE_ROWS
  return { start, end: Math.min(count, start + PAGE_ROWS) }
}

type RowTableProps<Row> = {
  caption: string
  table: TableView<Row>
  scene: Scene
  selected: string | undefined
  act: OperateAct
}

export function RowTable<Row>({ caption, table, scene, selected, act }: RowTableProps<Row>): ReactNode {
  const rows = table.rowsOf(scene)
  if (rows.length === 0)
    return (
      <div className="empty">
        <Sentences advice={table.empty(scene)} title />
      </div>
    )
  const ids = rows.map(table.idOf)
  const chosen = selectedIndex(ids, selected)
  const { start, end } = pageOf(chosen, rows.length)
  const columns = Object.entries<Column<Row>>(table.columns)
  return (
    <>
      <div className="table-scroll">
        <table className="table table-pressable ops-table">
          <caption className="aloud">{caption}</caption>
          <ColumnHeads columns={columns} />
          <tbody>
            {rows.slice(start, end).map((row, i) => (
              <TableRow
                key={ids[start + i]}
                id={ids[start + i] as string}
                cells={columns.map(([name, column]) => drawnCell(name, column, row, scene))}
                isChosen={start + i === chosen}
                act={act}
              />
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > PAGE_ROWS && <Pager ids={ids} start={start} end={end} act={act} />}
    </>
  )
}

/** `text` distinguishes it from another. */
type DrawnCell = {
  name: string
  isFigure: boolean
  line: ReturnType<typeof cellLine>
  share: number | null
  values: readonly number[]
  text: string
}

function drawnCell<Row>(name: string, column: Column<Row>, row: Row, scene: Scene): DrawnCell {
  const line = cellLine(column.cell(row, scene))
  const share = column.share?.(row, scene) ?? null
  const values = column.values?.(row) ?? []
  const text = `${plainText(line)}|${line.map(({ style }) => style ?? '').join()}|${share ?? ''}|${values.join()}`
  return { name, isFigure: column.align === 'right', line, share, values, text }
}

type TableRowProps = { id: string; cells: readonly DrawnCell[]; isChosen: boolean; act: OperateAct }

/** Most rows do not change from one frame to the next. */
const isSame = (a: TableRowProps, b: TableRowProps): boolean =>
  a.id === b.id &&
  a.isChosen === b.isChosen &&
  a.act === b.act &&
  a.cells.length === b.cells.length &&
  a.cells.every(({ text }, i) => text === b.cells[i]?.text)

const TableRow = memo(function TableRow({ id, cells, isChosen, act }: TableRowProps): ReactNode {
  const choose = () => act.dispatch({ kind: 'select', id })
  return (
    <tr aria-current={isChosen || undefined} onClick={choose}>
      {cells.map((cell, i) => (
        <td key={cell.name} data-column={cell.name} className={cell.isFigure ? 'figure' : undefined}>
          {i === 0 ? (
            // The click reaches the row. Only one row is in the tab order: keys move between them.
            <button type="button" className="cell-button" tabIndex={isChosen ? 0 : -1}>
              <DrawnCellBody cell={cell} />
            </button>
          ) : (
            <DrawnCellBody cell={cell} />
          )}
        </td>
      ))}
    </tr>
  )
}, isSame)

function DrawnCellBody({ cell: { line, share, values } }: { cell: DrawnCell }): ReactNode {
  return (
    <>
      <Spans cell={line} />
      {share !== null && <Bar part={share} tone={share < 0.5 ? (share < 0.2 ? 'bad' : 'warning') : 'info'} />}
      <LineChart values={values} />
    </>
  )
}

function Pager({
  ids,
  start,
  end,
  act,
}: {
  ids: readonly string[]
  start: number
  end: number
  act: OperateAct
}): ReactNode {
  const choose = (index: number) => {
    const id = ids[index]
    if (id !== undefined) act.dispatch({ kind: 'select', id })
  }
  return (
    <div className="ops-pager row spread small muted">
      <span>{`${start + 1}-${end} of ${ids.length}`}</span>
      <span className="row">
        <Button size="small" isDisabled={start === 0} onPress={() => choose(start - PAGE_ROWS)}>
          Previous
        </Button>
        <Button size="small" isDisabled={end === ids.length} onPress={() => choose(end)}>
          Next
        </Button>
      </span>
    </div>
  )
}
