import { RfqError } from '@rfqctl/protocol/domain/errors'
import { monthOf, type QualityReport } from '@rfqctl/protocol/domain/quality'
import type { Context } from './context.ts'

/** A reader of makers' quality: the operator sees who they are, a maker sees itself. */
export type QualityReader = { kind: 'anyone' } | { kind: 'maker'; makerId: string } | { kind: 'operator' }

/**
 * The quality of makers in a month, null: this one. Refuses with `not_found` where there is no transparency log.
 */
export async function readQuality(
  { transparency, clock }: Context,
  { month, reader }: { month: string | null; reader: QualityReader },
): Promise<QualityReport> {
  if (transparency === null) throw new RfqError('not_found')
  const asked = month ?? monthOf(clock.now())
  const { from, to, makers } = await transparency.quality(asked)
  const isShown = (makerId: string) =>
    reader.kind === 'operator' || (reader.kind === 'maker' && reader.makerId === makerId)
  return {
    month: asked,
    from,
    to,
    makers: makers.map(({ makerId, quality }) => ({
      pseudonym: transparency.pseudonymOf(makerId),
      makerId: isShown(makerId) ? makerId : null,
      ...quality,
    })),
  }
}
