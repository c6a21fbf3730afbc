import { percent, strike as strikeText } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import { Plot } from './Plot.tsx'
import { dotPath, linePath, rangeOf, scaleOf, spaced, ticksOf } from './scale.ts'

/** Volatilities by strike (dollars, ascending) at one expiry; 1 is a hundred percent. */
type Smile = {
  expiry: number
  text: string
  isChosen: boolean
  points: readonly { strike: number; volatility: number; isSeen: boolean }[]
}

/** Narrowest range of volatilities. */
const LEAST = 0.1

/** A curve for each expiry, the chosen one in front; dots are at the strikes that were seen. */
export function SmileChart({ smiles, label }: { smiles: readonly Smile[]; label: string }): ReactNode {
  const all = smiles.flatMap(({ points }) => points)
  const strikes = all.map(({ strike }) => strike)
  const shown = rangeOf(
    all.map(({ volatility }) => volatility),
    { margin: 0.2, least: LEAST },
  )
  const xOf = scaleOf([Math.min(...strikes), Math.max(...strikes)], [2, 84])
  const yOf = scaleOf(shown, [96, 4])
  const curves = smiles
    .toSorted((a, b) => Number(a.isChosen) - Number(b.isChosen))
    .map((smile) => ({
      ...smile,
      places: smile.points.map(({ strike, volatility, isSeen }) => ({ x: xOf(strike), y: yOf(volatility), isSeen })),
    }))
  const ends = curves.toReversed().map(({ places, text }) => ({ at: places.at(-1)?.y ?? 0, text }))
  return (
    <Plot
      label={label}
      xLabels={spaced(
        [...new Set(strikes)]
          .toSorted((a, b) => a - b)
          .map((strike) => ({ at: xOf(strike), text: strikeText(Math.round(strike * 10_000)) })),
      )}
      yLabels={ticksOf(shown, 4).map((volatility) => ({ at: yOf(volatility), text: percent(volatility) }))}
      lineLabels={spaced(ends)}
    >
      {curves.map(({ expiry, isChosen, places }) => (
        <g key={expiry}>
          <path className={isChosen ? 'line-main' : 'line-faint'} d={linePath(places)} />
          {places
            .filter(({ isSeen }) => isSeen || places.length === 1)
            .map((place) => (
              <path key={place.x} className={isChosen ? 'dot-quote' : 'dot-faint'} d={dotPath(place)} />
            ))}
        </g>
      ))}
    </Plot>
  )
}
