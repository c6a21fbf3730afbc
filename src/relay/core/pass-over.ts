import type { Outcome, Over } from '@rfqctl/protocol/domain/commit-machine'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Quote } from '@rfqctl/protocol/domain/quote'
import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import { type Context, record } from './context.ts'
import { noteInsolvent, type Solvency } from './solvency.ts'

export const over = (outcome: Outcome): Over<never> => ({ kind: 'over', outcome })

/** A maker that is not asked. Operators learn why; a taker does not. */
export function passOver(
  context: Pick<Context, 'audit' | 'clock'>,
  { requestId, makerId, quoteId }: Quote,
  outcome: Outcome,
  { code, message }: { code: string; message: string },
): Over<never> {
  record(context, requestId, { kind: 'passed_over', makerId, quoteId, code, detail: message })
  return over(outcome)
}

/** The same for want of money or room, which a taker learns. */
export const passOverShort = (
  context: Pick<Context, 'audit' | 'clock'>,
  quote: Quote,
  outcome: 'insolvent' | 'too_large',
  shortfall: RfqError,
): Over<never> => ({ ...passOver(context, quote, outcome, shortfall), shortfall })

/** This maker would be asked for a taker that has proved its wallet (decision C17). */
export const passOverUnproven = (context: Pick<Context, 'audit' | 'clock'>, quote: Quote): Over<never> =>
  passOver(context, quote, 'unproven', new RfqError('proof_required'))

/**
 * Counts against the maker only if its wallet could not pay this order alone, not if takers owe it fills (invariant
 * V12). Null if the wallet can pay.
 */
export function passOverInsolvent(
  context: Context,
  quote: Quote,
  { shortfall, isOwnFault }: Pick<Solvency, 'shortfall' | 'isOwnFault'>,
): Over<never> | null {
  if (shortfall === null) return null
  if (shortfall.code === 'proof_required') return passOverUnproven(context, quote)
  noteInsolvent(context, quote, { isOwnFault })
  return passOverShort(context, quote, 'insolvent', shortfall)
}

/** Null if neither a suspension nor its protections hold the maker back. */
export async function passOverHeldBack(
  context: Context,
  request: QuoteRequest,
  quote: Quote,
): Promise<Over<never> | null> {
  const { records, protections } = context
  const refusal = records.refusalOf(quote.makerId) ?? (await protections.askRefusal(request, quote))
  return refusal === null ? null : passOver(context, quote, 'withdrawn', refusal)
}
