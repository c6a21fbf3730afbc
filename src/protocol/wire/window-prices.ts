import Type, { type Static } from 'typebox'
import type { WindowPrices } from '../domain/review.ts'
import type { ResolutionBps } from '../domain/units.ts'
import { createReader } from './reader.ts'
import { Dollars, nullable, oneOf, ResolutionPrice, successOf, Uint256Text, UnixSeconds } from './schemas.ts'

/** The prices that settle a series, or will. */
export const WindowPricesAnswer = successOf({
  seriesId: Uint256Text,
  windowStart: UnixSeconds,
  windowEnd: UnixSeconds,
  points: Type.Array(Type.Object({ t: UnixSeconds, price: Dollars })),
  twap: nullable(Dollars),
  resolutionBps: nullable(ResolutionPrice),
  method: nullable(oneOf('outcome', 'twap', 'manual')),
})

const readWindowPrices = createReader(WindowPricesAnswer, 'the answer')

/** The prices that settle a series, or will. */
export const encodeWindowPrices = ({ points, ...prices }: WindowPrices): Static<typeof WindowPricesAnswer> => ({
  success: true,
  ...prices,
  points: points.map(({ t, p }) => ({ t, price: p })),
})

/** The prices that settle a series, or will. */
export function decodeWindowPrices(answer: unknown): WindowPrices {
  const { success: _, points, resolutionBps, ...prices } = readWindowPrices(answer)
  return {
    ...prices,
    points: points.map(({ t, price }) => ({ t, p: price })),
    resolutionBps: resolutionBps as ResolutionBps | null,
  }
}
