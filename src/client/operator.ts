import type { AuditEntry } from '../domain/audit.ts'
import { decodeOperatorEvent, type OperatorEvent } from '../wire/operator-stream.ts'
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

/** An operator over the wire: it looks on and changes nothing. A wrong token rejects with `operator_token_required`. */
export type OperatorClient = {
  /** How things stand and what happens, from a snapshot on, over as many connections as it takes. */
  events: (input?: { onLink?: OnLink } & CallOptions) => AsyncGenerator<OperatorEvent, void>
  /** The life of a request, oldest first. Refused with `request_not_found`. */
  trail: (input: { requestId: string } & CallOptions) => Promise<AuditEntry[]>
}

/** A client for those who run a relay. */
export function createOperatorClient({ url, token, fetch, timing: ownTiming }: OperatorOptions): OperatorClient {
  const timing = { ...TIMING, ...ownTiming }
  const headers = { authorization: `Bearer ${token}` }
  const http = createHttp({ url, headers, clock: timing.clock, ...(fetch === undefined ? {} : { fetch }) })
  return {
    events: ({ onLink, signal } = {}) => {
      const path = '/ops/v1/events'
      const open: Parameters<typeof followStream>[0]['open'] = (extra, link) =>
        http.openStream(path, { headers: extra, link })
      const messages = followStream({ url: `${url}${path}`, open, signal, timing, onLink })
      return decodeEach(messages, ({ event = '', data, id }) => decodeOperatorEvent({ event, data, id }), onLink)
    },
    trail: ({ requestId, signal }) =>
      http.call('GET', `/ops/v1/audit/${encodeURIComponent(requestId)}`, { signal, decode: decodeTrail }),
  }
}
