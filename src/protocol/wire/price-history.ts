import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { PricePoint } from '../domain/twap.ts'
import * as field from './field.ts'
import { createReader } from './reader.ts'
import { described, successOf } from './schemas.ts'
import { PointFields } from './window-prices.ts'

/** `GET /v1/prices`, query. */
export const PriceHistoryQuery = Type.Object({ yesClobTokenId: field.yesTokenId })

/** YES prices of the last day. */
export const PriceHistoryAnswer = successOf({
  yesClobTokenId: field.yesTokenId,
  points: described(Type.Array(PointFields), 'Prices of the YES token in the last day, at most a thousand.'),
})

const readQuery = createReader(PriceHistoryQuery, 'the query')
const readAnswer = createReader(PriceHistoryAnswer, 'the answer')

export const decodePriceHistoryQuery = (query: unknown): string => readQuery(query).yesClobTokenId

export const encodePriceHistory = (
  yesTokenId: string,
  points: readonly PricePoint[],
): Static<typeof PriceHistoryAnswer> => ({
  success: true,
  yesClobTokenId: yesTokenId,
  points: points.map(({ t, p }) => ({ t, price: p })),
})

export const decodePriceHistory = (answer: unknown): PricePoint[] =>
  readAnswer(answer).points.map(({ t, price }) => ({ t, p: price }))
