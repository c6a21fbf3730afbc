import { RfqError } from '@rfqctl/protocol/domain/errors'
import { type MakerQuality, monthOf, type QualityReport } from '@rfqctl/protocol/domain/quality'
import type { Context } from './context.ts'

/** A reader of makers' quality: the operator sees who they are, a maker sees itself. */
export type QualityReader = { kind: 'anyone' } | { kind: 'maker'; makerId: string } | { kind: 'operator' }

/**
 * The quality of makers in a month, null: this one. Only the operator sees the gain of single trades, which a loser's price
 * follows from. Refuses with `not_found` where there is no transparency log.
 */
export async function readQuality(
  { transparency, clock }: Context,
  { month, reader }: { month: string | null; reader: QualityReader },
): Promise<QualityReport> {
  if (transparency === null) throw new RfqError('not_found')
  const asked = month ?? monthOf(clock.now())
  const { from, to, makers } = await transparency.quality(asked)
  const isOperator = reader.kind === 'operator'
  const isShown = (makerId: string) => isOperator || (reader.kind === 'maker' && reader.makerId === makerId)
  const shown = makers.map(({ makerId, quality, improvementInTens }) => ({
    ...quality,
    pseudonym: transparency.pseudonymOf(makerId),
    makerId: isShown(makerId) ? makerId : null,
    improvement: isOperator ? quality.improvement : improvementInTens,
  }))
  return { month: asked, from, to, makers: isOperator ? shown : shown.sort(byActivity) }
}

/** Makers that are equally active have the order of their pseudonyms, since that of their names would tell them. */
const byActivity = (a: MakerQuality, b: MakerQuality): number =>
  b.filled - a.filled || b.requests - a.requests || (a.pseudonym < b.pseudonym ? -1 : 1)
