import type { QuoteRequest } from '../../domain/request.ts'
import type { Stop } from './clock.ts'

/** What makers hear on their stream; ids rise and are never repeated, also across restarts (decision M1). */
export type MakerEvent =
  | { id: number; kind: 'quote_request'; request: QuoteRequest }
  | { id: number; kind: 'quote_request_expired'; requestId: string }

/** The log behind the maker stream: the last 10,000 events. */
export type MakerFeed = {
  /** The id of the newest event, or the id before the first. */
  position: () => Promise<number>
  /** The events after an id, oldest first; null when that id is not one that the log can continue from. */
  since: (id: number) => Promise<readonly MakerEvent[] | null>
  /** Hears every event; the same object goes to all listeners. */
  listen: (onEvent: (event: MakerEvent) => void) => Stop
  /** Hears when events were missed, or may have been: whoever listens must start again. */
  onBreak: (onBreak: () => void) => Stop
}
