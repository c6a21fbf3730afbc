import type { QuoteRequest } from '../domain/request.ts'
import type { Context } from './context.ts'
import type { MakerEvent } from './ports/live.ts'

/**
 * The start of a maker's stream. `position` is the id up to which it tells everything: a snapshot tells of all that
 * happened before its newest request. Live events follow it.
 */
export type FeedOpening =
  | { kind: 'replay'; events: readonly MakerEvent[]; position: number }
  | { kind: 'snapshot'; requests: readonly { id: number; request: QuoteRequest }[]; position: number }

/**
 * Where a maker's stream starts: the events after `lastEventId` when the log still has them, else all open requests
 * (decision M1). The caller must be listening to the feed already, and skip live events up to `position`.
 */
export async function openMakerFeed(
  { book, clock, feed }: Pick<Context, 'book' | 'clock' | 'feed'>,
  lastEventId: number | null,
): Promise<FeedOpening> {
  const events = lastEventId === null ? null : await feed.since(lastEventId)
  if (events !== null) return { kind: 'replay', events, position: events.at(-1)?.id ?? (lastEventId as number) }
  // The position is read first: a request opened in between is sent twice under one id rather than never.
  const position = await feed.position()
  const opened = await book.openRequests()
  // One whose time is over takes no quote, though it may not be closed yet: a maker may still sign, or a relay has just begun.
  const requests = opened.filter(({ request }) => clock.now() < request.expiresAt)
  return { kind: 'snapshot', requests, position: Math.max(position, opened.at(-1)?.id ?? position) }
}
