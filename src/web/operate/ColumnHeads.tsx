import type { ReactNode } from 'react'
import type { Column } from '../dashboard/views/view.ts'

/** The style sheet sets widths by column name. */
type Heads = readonly (readonly [name: string, column: Pick<Column<never>, 'heading' | 'align'>])[]

export const ColumnHeads = ({ columns }: { columns: Heads }): ReactNode => (
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
