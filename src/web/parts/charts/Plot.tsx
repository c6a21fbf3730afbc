import type { ReactNode } from 'react'

/** A label of an axis: where it is, in hundredths of the chart, and what it says. */
export type AxisLabel = { at: number; text: string }

type PlotProps = {
  /** What the chart shows, in a sentence with its figures: it is read in place of the picture. */
  label: string
  /** Along the bottom, from the left; and along the left side, from the top. */
  xLabels?: readonly AxisLabel[]
  yLabels?: readonly AxisLabel[]
  size?: 'small' | 'normal' | 'large'
  /** What is drawn: SVG on a field of 100 by 100, which is stretched to the room that there is. */
  children: ReactNode
  /** What lies on top of it in HTML, which is not stretched. */
  overlay?: ReactNode
}

/** A chart: lines and areas are stretched to the room that there is, words and the width of lines are not. */
export function Plot({ label, xLabels = [], yLabels = [], size = 'normal', children, overlay }: PlotProps): ReactNode {
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
