import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { WindowPrices } from '../domain/review.ts'
import type { ResolutionBps } from '../domain/units.ts'
import * as field from './field.ts'
import { createReader } from './reader.ts'
import { Dollars, described, nullable, successOf } from './schemas.ts'

/** A price and its time. */
export const PointFields = Type.Object({
  t: field.t,
  price: described(Dollars, 'Price of the YES token in dollars.', 0.5884),
})

export const WindowPricesAnswer = successOf({
  seriesId: field.seriesId,
  windowStart: field.windowStart,
  windowEnd: field.windowEnd,
  points: described(Type.Array(PointFields), 'Prices of the YES token.'),
  twap: nullable(field.twap),
  resolutionBps: nullable(field.resolutionBps),
  method: nullable(field.method),
})

const readWindowPrices = createReader(WindowPricesAnswer, 'the answer')

export const encodeWindowPrices = ({ points, ...prices }: WindowPrices): Static<typeof WindowPricesAnswer> => ({
  success: true,
  ...prices,
  points: points.map(({ t, p }) => ({ t, price: p })),
})

export function decodeWindowPrices(answer: unknown): WindowPrices {
  const { success: _, points, resolutionBps, ...prices } = readWindowPrices(answer)
  return {
    ...prices,
    points: points.map(({ t, price }) => ({ t, p: price })),
    resolutionBps: resolutionBps as ResolutionBps | null,
  }
}
