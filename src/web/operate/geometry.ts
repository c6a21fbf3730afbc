import { type PriceHistory, priceRange } from '../../dashboard/charts.ts'
import type { PriceDot } from '../../dashboard/request-view.ts'

/** A place in a chart of 0..1 by 0..1, from the upper left. */
export type Place = { x: number; y: number }

/** Values side by side as bars from the ground up: how high each is, 0..1. */
export function barHeights(values: readonly number[]): number[] {
  const most = Math.max(1, ...values)
  return values.map((value) => value / most)
}

/** Values as a line from the left to the right: the least at the bottom, the greatest at the top; equal ones in the middle. */
export function linePlaces(values: readonly number[]): Place[] {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return values.map((value, i) => ({
    x: values.length === 1 ? 0.5 : i / (values.length - 1),
    y: high === low ? 0.5 : (high - value) / (high - low),
  }))
}

/** The prices of a request as places: every quote a dot, the best price a path of steps to the end; null without any. */
export function pricePlaces(history: PriceHistory): { dots: Place[]; best: Place[] } | null {
  const { dots, bests, from, to } = history
  const range = priceRange(history)
  if (range === null) return null
  const { low, high } = range
  const x = (at: number) => Math.min(1, Math.max(0, (at - from) / Math.max(1, to - from)))
  const place = ({ at, price }: PriceDot): Place => ({
    x: x(at),
    y: high === low ? 0.5 : (high - Number(price)) / (high - low),
  })
  const steps = bests.map(place)
  const best = steps.flatMap((step, i) => [step, { x: steps[i + 1]?.x ?? 1, y: step.y }])
  return { dots: dots.map(place), best }
}

/** Places as the `d` of a path in a picture of so many units by so many; none for no place. */
export const pathOf = (places: readonly Place[], width: number, height: number): string =>
  places.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${round(x * width)} ${round(y * height)}`).join('')

const round = (value: number): number => Math.round(value * 10) / 10
