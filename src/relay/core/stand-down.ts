import { endDeclined } from './confirm.ts'
import type { Context } from './context.ts'
import { removeQuotes } from './withdraw-quotes.ts'

/**
 * No one should wait for a maker that cannot sign or may not. Its quotes and their signatures go even while a commit judges
 * them. `reason` is for operators.
 */
export async function standDown(context: Context, makerId: string, reason: string): Promise<void> {
  await removeQuotes(context, makerId, { held: 'taken' })
  const pending = await context.store.acceptances.pending({ makerId })
  for (const acceptance of pending) await endDeclined(context, acceptance, reason)
}
