import type { Usd6 } from '@rfqctl/client/index'
import { gain, usd } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import { PayoffChart } from '../../parts/charts/PayoffChart.tsx'
import type { PositionRow } from '../position-view.ts'
import { positionPoints } from './position-words.ts'

export function PositionPayoff({ row }: { row: PositionRow }): ReactNode {
  const points = positionPoints(row)
  const profits = points.map(({ profit }) => profit)
  const [most, least] = [profits.reduce(larger), profits.reduce(smaller)]
  return (
    <PayoffChart
      size="small"
      points={points}
      spot={row.price === null ? null : row.price * 100}
      label={`What the position makes by the price that YES resolves at: at most ${gain(most)}, at least ${usd(least)}`}
    />
  )
}

const larger = (a: Usd6, b: Usd6): Usd6 => (a > b ? a : b)
const smaller = (a: Usd6, b: Usd6): Usd6 => (a < b ? a : b)
