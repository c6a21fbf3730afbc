import { RfqError } from '@rfqctl/protocol/domain/errors'
import { type OwnStanding, standingOf } from '@rfqctl/protocol/domain/maker-record'
import type { OrderState } from '@rfqctl/protocol/domain/order-end'
import type { Context } from './context.ts'
import type { OrderWatch } from './order-watch.ts'
import type { HistoryQuery, Outcome } from './ports/store.ts'

/** Null: standing not known. */
export type MakerOutcome =
  | Extract<Outcome, { status: 'rejected' }>
  | (Extract<Outcome, { status: 'confirmed' }> & { standing: OrderState | null })

export async function readMakerBook({ book, store }: Pick<Context, 'book' | 'store'>, makerId: string) {
  const [quotes, pending] = await Promise.all([book.quotesOf(makerId), store.acceptances.pending({ makerId })])
  return { quotes, pending }
}

/** Oldest first, for a maker that was away. Refuses a cursor that is not one of the maker's outcomes. */
export async function readMakerHistory({ store }: Context, { standingOf }: OrderWatch, query: HistoryQuery) {
  const outcomes = await store.history.list(query)
  if (outcomes === null) {
    throw new RfqError('invalid_request', { detail: 'cursor must be the quoteId of one of your outcomes' })
  }
  return outcomes.map((outcome) =>
    outcome.status === 'rejected'
      ? outcome
      : { ...outcome, standing: standingOf(outcome.execution.acceptance.order, outcome.end) },
  )
}

/** Read from the store: the same on all nodes. */
export async function readStanding({ store, clock, settings }: Context, makerId: string): Promise<OwnStanding> {
  const [record, lastDay] = await Promise.all([store.makerRecords.find(makerId), store.history.countWins(makerId)])
  return standingOf(record, { now: clock.now(), windowMs: settings.breaker.windowMs, lastDay })
}
