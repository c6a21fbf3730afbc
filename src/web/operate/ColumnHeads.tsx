import type { ReactNode } from 'react'
import type { Column } from '../dashboard/views/view.ts'

/** Columns by their names, from which the style has their widths. */
type Heads = readonly (readonly [name: string, column: Pick<Column<never>, 'heading' | 'align'>])[]

/** What stands above the columns of a table. */
export function ColumnHeads({ columns }: { columns: Heads }): ReactNode {
  return (
    <thead>
      <tr>
        {columns.map(([name, { heading, align }]) => (
          <th key={name} scope="col" data-column={name} className={align === 'right' ? 'figure' : undefined}>
            {heading}
          </th>
        ))}
      </tr>
    </thead>
  )
}
