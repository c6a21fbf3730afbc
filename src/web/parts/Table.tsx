import type { ReactNode } from 'react'

/** A column: its id names the cells of each row. Figures are on the right. */
export type Column = { id: string; title: ReactNode; isFigure?: boolean; width?: string }

/** A row: a cell for each column, and whether it is the one that is chosen. */
export type Row = { key: string; cells: Readonly<Record<string, ReactNode>>; isCurrent?: boolean; onPress?: () => void }

type TableProps = {
  /** What the table is about, read aloud; `isCaptionSeen` shows it, too. */
  caption: string
  columns: readonly Column[]
  rows: readonly Row[]
}

/**
 * A table. A row that can be pressed is pressed by a button in its first cell; a click anywhere in the row does the same.
 * Cells that a stranger wrote are given as texts: React keeps them texts.
 */
export function Table({ caption, columns, rows }: TableProps): ReactNode {
  const isPressable = rows.some(({ onPress }) => onPress !== undefined)
  return (
    <div className="table-scroll">
      <table className={isPressable ? 'table table-pressable' : 'table'}>
        <caption className="aloud">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ id, title, isFigure, width }) => (
              <th key={id} scope="col" className={isFigure ? 'figure' : undefined} style={{ width }}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <TableRow key={row.key} row={row} columns={columns} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function TableRow({ row, columns }: { row: Row; columns: readonly Column[] }): ReactNode {
  const { cells, onPress, isCurrent } = row
  return (
    <tr aria-current={isCurrent || undefined} onClick={onPress}>
      {columns.map(({ id, isFigure }, i) => (
        <td key={id} className={isFigure ? 'figure' : undefined}>
          {i === 0 && onPress !== undefined ? (
            <button type="button" className="cell-button" onClick={(event) => pressOnce(event, onPress)}>
              {cells[id]}
            </button>
          ) : (
            cells[id]
          )}
        </td>
      ))}
    </tr>
  )
}

/** The row would hear of it a second time. */
function pressOnce(event: { stopPropagation: () => void }, onPress: () => void): void {
  event.stopPropagation()
  onPress()
}
