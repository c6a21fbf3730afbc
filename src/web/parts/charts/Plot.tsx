import type { ReactNode } from 'react'

/** `at` is in hundredths of the chart. */
export type AxisLabel = { at: number; text: string }

type PlotProps = {
  /** A sentence with figures, read in place of the picture. */
  label: string
  /** `xLabels` run along the bottom from the left, `yLabels` along the left side from the top. */
  xLabels?: readonly AxisLabel[]
  yLabels?: readonly AxisLabel[]
  /** Within the field, above a line at its right edge. */
  lineLabels?: readonly AxisLabel[]
  size?: 'small' | 'normal'
  /** SVG on a field of 100 by 100, stretched to the available room. */
  children: ReactNode
  overlay?: ReactNode
}

export function Plot(props: PlotProps): ReactNode {
  const { label, xLabels = [], yLabels = [], lineLabels = [], size = 'normal', children, overlay } = props
  return (
    <figure className={`plot plot-${size}`}>
      <div className="plot-field">
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={label}>
          {children}
        </svg>
        {yLabels.map(({ at, text }) => (
          <span key={`${at} ${text}`} className="plot-y" style={{ top: `${at}%` }} aria-hidden="true">
            {text}
          </span>
        ))}
        {lineLabels.map(({ at, text }) => (
          <span key={`${at} ${text}`} className="plot-line" style={{ top: `${at}%` }} aria-hidden="true">
            {text}
          </span>
        ))}
        {overlay}
      </div>
      {xLabels.length > 0 && (
        <div className="plot-axis" aria-hidden="true">
          {xLabels.map(({ at, text }) => (
            <span
              key={`${at} ${text}`}
              className={at > 90 ? 'plot-x plot-x-last' : at < 10 ? 'plot-x plot-x-first' : 'plot-x'}
              style={{ left: `${at}%` }}
            >
              {text}
            </span>
          ))}
        </div>
      )}
    </figure>
  )
}
