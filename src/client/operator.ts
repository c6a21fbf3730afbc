import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import type { ResolvedSeries, ReviewDecision, ReviewDetails, ReviewItem } from '@rfqctl/protocol/domain/review'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import { decodeAuditLog } from '@rfqctl/protocol/wire/audit'
import {
  type Block,
  type BlockTerms,
  decodeBlocked,
  decodeMakers,
  encodeBlock,
  type MakersView,
} from '@rfqctl/protocol/wire/blocks'
import { parseJson } from '@rfqctl/protocol/wire/json'
import { decodeOperatorEvent, type OperatorEvent } from '@rfqctl/protocol/wire/operator-stream'
import { decodeDecided, decodeReview, decodeReviews, encodeDecision } from '@rfqctl/protocol/wire/reviews'
import { decodeEach, type OnConnectionState, TIMING, type Timing } from './connection.ts'
import { type CallOptions, createHttp } from './http.ts'
import { followStream } from './sse.ts'

/** Options of an operator's client. */
export type OperatorOptions = {
  /** The relay's HTTP address. */
  url: string
  /** The relay's operator token; it travels in a header only. */
  token: string
  /** Replacement for the global `fetch`. */
  fetch?: typeof globalThis.fetch
  /** Replacement for the machine's clock and the usual pauses. */
  timing?: Partial<Timing>
}

/**
 * Client of an operator. Besides the errors named, every call rejects with `RelayError` (`operator_token_required` for a wrong token),
 * with `RelayUnreachableError`, or with the reason of its signal.
 */
export type OperatorClient = {
  /**
   * Watches the state of the relay and its events: a snapshot, then each change, over as many connections as needed.
   * @param input.onConnectionState - Receives each change of the connection.
   * @returns The events, without an end of their own.
   * @throws RelayError `operator_token_required`.
   * @example
   * for await (const event of operator.watchEvents({ signal })) {
   *   if (event.kind === 'health' && !event.health.isReady) console.error('the relay is not ready')
   * }
   */
  watchEvents: (input?: { onConnectionState?: OnConnectionState } & CallOptions) => AsyncGenerator<OperatorEvent, void>
  /**
   * Watches the same events undecoded, for programs that pass them on.
   * @param input.onConnectionState - Receives each change of the connection.
   * @returns The events, undecoded.
   * @throws RelayError `operator_token_required`.
   * @example for await (const frame of operator.watchFrames({ signal })) console.log(JSON.stringify(frame))
   */
  watchFrames: (input?: { onConnectionState?: OnConnectionState } & CallOptions) => AsyncGenerator<OperatorFrame, void>
  /**
   * Reads the life of a request.
   * @param input.requestId - The request.
   * @returns Its audit log, oldest first.
   * @throws RelayError `request_not_found`.
   * @example
   * for (const entry of await operator.getAuditLog({ requestId: request.requestId })) console.log(entry.at, entry.kind)
   */
  getAuditLog: (input: { requestId: string } & CallOptions) => Promise<AuditEntry[]>
  /**
   * Lists the makers' present records, and the decisions on makers that were ever blocked.
   * @param options - May carry a signal.
   * @returns The makers and the decisions.
   * @throws RelayError `operator_token_required`.
   * @example
   * const { makers } = await operator.listMakers()
   * const slow = makers.filter(({ missed }) => missed > 10)
   */
  listMakers: (options?: CallOptions) => Promise<MakersView>
  /**
   * Shuts a maker out, or lets it in again and forgets its misses.
   * @param input.makerId - The maker.
   * @returns The present decision.
   * @throws RelayError `operator_token_required`.
   * @example
   * await operator.blockMaker({ makerId: 'maker-3', isBlocked: true, by: 'Ada', reason: 'quotes and never signs' })
   */
  blockMaker: (input: { makerId: string } & BlockTerms & CallOptions) => Promise<Block>
  /**
   * Lists the series that wait for a person.
   * @param options - May carry a signal.
   * @returns The series, longest waiting first.
   * @throws RelayError `operator_token_required`.
   * @example for (const { series, reason } of await operator.listReviews()) console.log(series.seriesId, reason)
   */
  listReviews: (options?: CallOptions) => Promise<ReviewItem[]>
  /**
   * Reads the prices and the resolution of a series.
   * @param input.seriesId - The series.
   * @returns All known details of it.
   * @throws RelayError `series_not_found`.
   * @example const { points, twap } = await operator.getReview({ seriesId })
   */
  getReview: (input: { seriesId: SeriesId } & CallOptions) => Promise<ReviewDetails>
  /**
   * Resolves a series by a decision, which cannot be taken back.
   * @param input.seriesId - The series.
   * @returns The resolution.
   * @throws RelayError `already_resolved`, `series_not_expired`, `series_not_found`.
   * @example
   * import type { ResolutionBps } from 'rfqctl/client'
   *
   * // The YES token is worth $1: a hundred hundredths.
   * const resolutionBps = 100 as ResolutionBps
   * await operator.resolveReview({ seriesId, resolutionBps, by: 'Ada', reason: 'the official result' })
   */
  resolveReview: (input: { seriesId: SeriesId } & ReviewDecision & CallOptions) => Promise<ResolvedSeries>
}

/** An event of the operator's stream, undecoded. */
export type OperatorFrame = {
  /** The name of the event. */
  event: string
  /** Place in the audit log; null without one. */
  id: string | null
  /** Data of the event, parsed as JSON. */
  data: unknown
}

/**
 * Makes a client for the operator of a relay. Nothing is sent until it is called.
 * @param options - The relay and its operator token.
 * @returns The client.
 * @example
 * import { createOperatorClient } from 'rfqctl/client'
 *
 * const operator = createOperatorClient({ url: 'http://127.0.0.1:8787', token: 'the OPERATOR_TOKEN of the relay' })
 */
export function createOperatorClient({ url, token, fetch, timing: ownTiming }: OperatorOptions): OperatorClient {
  const timing = { ...TIMING, ...ownTiming }
  const headers = { authorization: `Bearer ${token}` }
  const http = createHttp({ url, headers, clock: timing.clock, ...(fetch === undefined ? {} : { fetch }) })

  function follow({ onConnectionState, signal }: { onConnectionState?: OnConnectionState } & CallOptions) {
    const path = '/ops/v1/events'
    const open: Parameters<typeof followStream>[0]['open'] = (extra, link) =>
      http.openStream(path, { headers: extra, link })
    return followStream({ url: `${url}${path}`, open, signal, timing, onConnectionState })
  }

  return {
    watchEvents: (input = {}) =>
      decodeEach(
        follow(input),
        ({ event = '', data, id }) => decodeOperatorEvent({ event, data, id }),
        input.onConnectionState,
      ),
    watchFrames: (input = {}) =>
      decodeEach(
        follow(input),
        ({ event = '', data, id = null }) => ({ event, id, data: parseJson(data) }),
        input.onConnectionState,
      ),
    getAuditLog: ({ requestId, signal }) =>
      http.call('GET', `/ops/v1/audit/${encodeURIComponent(requestId)}`, { signal, decode: decodeAuditLog }),
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
