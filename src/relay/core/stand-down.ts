import { endDeclined } from './confirm.ts'
import { type Context, record } from './context.ts'

/**
 * No one should wait for a maker that cannot sign or may not. Its quotes and their signatures go even while a commit judges
 * them. `reason` is for operators.
 */
export async function standDown(context: Context, makerId: string, reason: string): Promise<void> {
  const { book, store } = context
  for (const { requestId, quoteId } of await book.removeAll(makerId, { held: 'taken' })) {
    record(context, requestId, { kind: 'quote_withdrawn', makerId, quoteId })
  }
  for (const acceptance of await store.acceptances.pending({ makerId })) await endDeclined(context, acceptance, reason)
}
