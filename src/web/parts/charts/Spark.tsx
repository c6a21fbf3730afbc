import type { ReactNode } from 'react'
import { barShapes, sparkPath } from './small.ts'

type SparkProps = { values: readonly number[] /** What they are and where they go, in words. */; label: string }

/** Values over time as a line of the height of a word. */
export function Sparkline({ values, label }: SparkProps): ReactNode {
  return (
    <svg className="spark" viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={label}>
      <path className="line-main" d={sparkPath(values)} />
    </svg>
  )
}

/** Values beside one another as bars. */
export function Bars({ values, label }: SparkProps): ReactNode {
  return (
    <svg className="spark" viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={label}>
      {barShapes(values).map((bar) => (
        <rect key={bar.x} className="area-main" {...bar} />
      ))}
    </svg>
  )
}
