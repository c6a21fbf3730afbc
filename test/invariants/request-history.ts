import type { ApartMs } from './clocks-apart.ts'
import type { Observation, ObservationOf } from './observation.ts'

/** What was observed of one request, by kind, in the order in which it was. */
export type RequestHistory = {
  requestId: string
  of: <Kind extends RequestKind>(kind: Kind) => readonly ObservationOf<Kind>[]
  add: (observation: Observation & { kind: RequestKind }) => void
}

/** Kinds of observations that are kept with their request. */
export type RequestKind =
  | 'request_opened'
  | 'quote'
  | 'quote_withdrawn'
  | 'quote_shown'
  | 'commit'
  | 'cancel'
  | 'polled'
  | 'order_sent'
  | 'quote_sealed'
  | 'order_taken'
  | 'order_released'
  | 'passed_over'
  | 'deadlines_missed'
  | 'confirm'
  | 'quote_ended'
  | 'maker_event'
  | 'taker_stream_opened'
  | 'taker_event'
  | 'news_lost'

/** A request of which nothing was observed yet. */
export function createRequestHistory(requestId: string): RequestHistory {
  const byKind = new Map<string, Observation[]>()
  return {
    requestId,
    of: <Kind extends RequestKind>(kind: Kind) => (byKind.get(kind) ?? []) as ObservationOf<Kind>[],
    add: (observation) => {
      const known = byKind.get(observation.kind)
      if (known === undefined) byKind.set(observation.kind, [observation])
      else known.push(observation)
    },
  }
}

/** What holds for all requests: what a collector can see, who is connected throughout, what makers read, what was lost. */
export type Surroundings = {
  /** How long news may take until they are observed, in milliseconds; exact: they take no time. */
  lagMs: number
  /** Null: misses are not observed. */
  takeoverMs: number | null
  clockErrorMs: number
  apartMs: ApartMs
  isExact: boolean
  /** Sockets that are open throughout, with their makers; streams of makers that are. */
  lastingSockets: ReadonlyMap<string, string>
  lastingStreams: ReadonlySet<string>
  /** Makers any socket of which was observed. */
  makersWithSocket: ReadonlySet<string>
  /** By maker: the endings of its own history, once it was read. */
  endingsRead: ReadonlyMap<string, readonly { requestId: string; quoteId: string; status: string }[]>
  bookLosses: readonly ObservationOf<'book_lost'>['moment'][]
  demotions: readonly ObservationOf<'maker_demoted'>[]
}
