import Type, { type Static } from 'typebox'
import type { SeriesId } from '../domain/series.ts'
import { decodeBytes32, decodeUint256 } from './fields.ts'
import { createReader } from './reader.ts'
import { Bytes32Text, Count, successOf, Uint256Text } from './schemas.ts'

/** Which quotes are withdrawn; all of the maker's without a field (protocol quote-9). */
export const WithdrawQueryFields = Type.Object({
  seriesId: Type.Optional(Uint256Text),
  conditionId: Type.Optional(Bytes32Text),
})

/** How many quotes were withdrawn. */
export const WithdrawnAnswer = successOf({ withdrawn: Count })

const readQuery = createReader(WithdrawQueryFields, 'the query')
const readAnswer = createReader(WithdrawnAnswer, 'the answer')

/** Which quotes of a maker are meant. */
export type WithdrawTerms = {
  /** Those of this series. */
  seriesId?: SeriesId
  /** Those of this market. */
  conditionId?: string
}

/** Which quotes are withdrawn. */
export function decodeWithdrawQuery(query: unknown): WithdrawTerms {
  const { seriesId, conditionId } = readQuery(query)
  return {
    ...(seriesId === undefined ? {} : { seriesId: decodeUint256(seriesId, 'seriesId') }),
    ...(conditionId === undefined ? {} : { conditionId: decodeBytes32(conditionId) }),
  }
}

/** How many quotes were withdrawn. */
export const encodeWithdrawn = (withdrawn: number): Static<typeof WithdrawnAnswer> => ({ success: true, withdrawn })

/** How many quotes were withdrawn. */
export const decodeWithdrawn = (answer: unknown): number => readAnswer(answer).withdrawn
