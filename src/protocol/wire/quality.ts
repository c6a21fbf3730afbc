import type { Static } from 'typebox'
import * as Type from 'typebox'
import { usd6ToNumber } from '../domain/decimal.ts'
import type { MakerQuality, QualityReport } from '../domain/quality.ts'
import { decodeUsd6 } from './fields.ts'
import { createReader } from './reader.ts'
import { Count, Dollars, described, nullable, successOf, Text } from './schemas.ts'

const MonthText = Type.String({ pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$', must: 'a month such as 2027-01' })
const month = described(MonthText, 'A month of UTC.', '2027-01')

const durations = (what: string) =>
  described(
    Type.Object({
      count: described(Count, 'Number of times that were measured.', 412),
      p50Ms: nullable(described(Count, 'Median in milliseconds, to two digits; null without any.', 120)),
      p95Ms: nullable(described(Count, 'What 19 of 20 did not exceed, in milliseconds; null without any.', 410)),
    }),
    what,
  )

const MakerQualityFields = Type.Object({
  pseudonym: described(Text, "Name in place of the maker's, always the same.", 'b3a1f09c5d2e7788'),
  makerId: nullable(described(Text, 'The maker, for itself and for the operator; else null.', null)),
  requests: described(Count, 'Requests with a commit that the maker quoted on.', 412),
  response: durations("From a request's opening to the maker's first quote."),
  asked: described(Count, 'Orders that the maker was asked to sign.', 90),
  signed: described(Count, 'Orders that the maker signed, those of firm quotes beforehand.', 88),
  declined: described(Count, 'Orders that it declined to sign.', 1),
  missed: described(Count, 'Orders that it did not sign in time.', 1),
  held: durations('From the ask to its answer; to the deadline, where it gave none.'),
  filled: described(Count, 'Orders that were filled on the chain.', 86),
  improvement: described(
    Type.Object({
      trades: described(Count, "Trades with another maker's quote behind the one that won.", 80),
      amount: described(Dollars, 'Dollars that their takers paid less, or got more, than by that quote.', 41.25),
    }),
    'What its quotes were better than the next ones; all but the operator see full tens of trades alone.',
  ),
})

export const QualityQuery = Type.Object({ month: Type.Optional(month) })

export const QualityAnswer = successOf({
  month,
  from: described(Count, 'The first leaf of the log that the figures have.', 0),
  to: described(Count, 'The leaf after the last one that they have.', 4_712),
  makers: described(Type.Array(MakerQualityFields), 'The most active makers first, at most 500.'),
})

const readQuery = createReader(QualityQuery, 'the query')
const readAnswer = createReader(QualityAnswer, 'the answer')

export const decodeQualityQuery = (query: unknown): string | null => readQuery(query).month ?? null

export const encodeQuality = ({ makers, ...report }: QualityReport): Static<typeof QualityAnswer> => ({
  success: true,
  ...report,
  makers: makers.map(encodeMakerQuality),
})

/** `pseudonym` is null where the log's own name for the maker is not known. */
export const encodeMakerQuality = <Pseudonym extends string | null>({
  improvement,
  ...quality
}: Omit<MakerQuality, 'pseudonym'> & { pseudonym: Pseudonym }) => ({
  ...quality,
  improvement: { trades: improvement.trades, amount: usd6ToNumber(improvement.amount) },
})

export function decodeQuality(answer: unknown): QualityReport {
  const { success: _, makers, ...report } = readAnswer(answer)
  return {
    ...report,
    makers: makers.map(({ improvement, ...quality }) => ({
      ...quality,
      improvement: { trades: improvement.trades, amount: decodeUsd6(improvement.amount, 'half-up', 'amount') },
    })),
  }
}
