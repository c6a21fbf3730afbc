import type { AuditEntry } from '../domain/audit.ts'
import type { SeriesId } from '../domain/series.ts'
import {
  type Block,
  type BlockTerms,
  decodeBlocked,
  decodeMakers,
  encodeBlock,
  type MakersView,
} from '../wire/blocks.ts'
import { parseJson } from '../wire/json.ts'
import { decodeOperatorEvent, type OperatorEvent } from '../wire/operator-stream.ts'
import {
  type Decision,
  decodeDecided,
  decodeReview,
  decodeReviews,
  encodeDecision,
  type ResolvedSeries,
  type ReviewDetails,
  type ReviewItem,
} from '../wire/reviews.ts'
import { decodeTrail } from '../wire/trail.ts'
import { type CallOptions, createHttp } from './http.ts'
import { decodeEach, type OnLink, TIMING, type Timing } from './link.ts'
import { followStream } from './sse.ts'

/** How an operator's client is set up. */
export type OperatorOptions = {
  /** The relay's HTTP address. */
  url: string
  /** The relay's operator token; it travels in a header only. */
  token: string
  fetch?: typeof globalThis.fetch
  timing?: Partial<Timing>
}

/** An operator over the wire. A wrong token rejects with `operator_token_required`. */
export type OperatorClient = {
  /** How things stand and what happens, from a snapshot on, over as many connections as it takes. */
  watchEvents: (input?: { onLink?: OnLink } & CallOptions) => AsyncGenerator<OperatorEvent, void>
  /** The same as the relay sends it, for programs that pass it on. */
  watchFrames: (input?: { onLink?: OnLink } & CallOptions) => AsyncGenerator<OperatorFrame, void>
  /** The life of a request, oldest first. Refused with `request_not_found`. */
  getAuditTrail: (input: { requestId: string } & CallOptions) => Promise<AuditEntry[]>
  /** How makers stand, and what was decided of those that were ever blocked. */
  listMakers: (options?: CallOptions) => Promise<MakersView>
  /** Shuts a maker out, or lets it in again and forgets its misses. */
  blockMaker: (input: { makerId: string } & BlockTerms & CallOptions) => Promise<Block>
  /** The series that wait for a person, longest waiting first. */
  listReviews: (options?: CallOptions) => Promise<ReviewItem[]>
  /** The prices and the resolution of any series. Refused with `series_not_found`. */
  getReview: (input: { seriesId: SeriesId } & CallOptions) => Promise<ReviewDetails>
  /** Resolves a series by a decision, for ever. Refused with `already_resolved`, `series_not_expired` and others. */
  resolveReview: (input: { seriesId: SeriesId } & Decision & CallOptions) => Promise<ResolvedSeries>
}

/** An event of the stream, undecoded; `id` null for what has no place in the trail. */
export type OperatorFrame = { event: string; id: string | null; data: unknown }

/** A client for those who run a relay. */
export function createOperatorClient({ url, token, fetch, timing: ownTiming }: OperatorOptions): OperatorClient {
  const timing = { ...TIMING, ...ownTiming }
  const headers = { authorization: `Bearer ${token}` }
  const http = createHttp({ url, headers, clock: timing.clock, ...(fetch === undefined ? {} : { fetch }) })

  function follow({ onLink, signal }: { onLink?: OnLink } & CallOptions) {
    const path = '/ops/v1/events'
    const open: Parameters<typeof followStream>[0]['open'] = (extra, link) =>
      http.openStream(path, { headers: extra, link })
    return followStream({ url: `${url}${path}`, open, signal, timing, onLink })
  }

  return {
    watchEvents: (input = {}) =>
      decodeEach(follow(input), ({ event = '', data, id }) => decodeOperatorEvent({ event, data, id }), input.onLink),
    watchFrames: (input = {}) =>
      decodeEach(
        follow(input),
        ({ event = '', data, id = null }) => ({ event, id, data: parseJson(data) }),
        input.onLink,
      ),
    getAuditTrail: ({ requestId, signal }) =>
      http.call('GET', `/ops/v1/audit/${encodeURIComponent(requestId)}`, { signal, decode: decodeTrail }),
    listMakers: ({ signal } = {}) => http.call('GET', '/ops/v1/makers', { signal, decode: decodeMakers }),
    blockMaker: ({ makerId, signal, ...terms }) =>
      http.call('POST', `/ops/v1/makers/${encodeURIComponent(makerId)}/block`, {
        body: encodeBlock(terms),
        signal,
        decode: decodeBlocked,
      }),
    listReviews: ({ signal } = {}) => http.call('GET', '/ops/v1/reviews', { signal, decode: decodeReviews }),
    getReview: ({ seriesId, signal }) => http.call('GET', reviewPath(seriesId), { signal, decode: decodeReview }),
    resolveReview: ({ seriesId, signal, ...decision }) =>
      http.call('POST', reviewPath(seriesId), { body: encodeDecision(decision), signal, decode: decodeDecided }),
  }
}

const reviewPath = (seriesId: SeriesId): string => `/ops/v1/reviews/${encodeURIComponent(seriesId)}`
