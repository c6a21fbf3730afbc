import type { IncomingMessage } from 'node:http'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { decodeLastEventId } from '@rfqctl/protocol/wire/sse'
import { decodeTraceparent } from '@rfqctl/protocol/wire/traceparent'
import type { FastifyRequest } from 'fastify'

/** Headers that a request may have. */
const MAX_HEADERS = 100

/** At how many Node stops reading: one more than may be, so that a request with too many is told from one that has them all. */
export const HEADERS_READ = MAX_HEADERS + 1

/** Longer ids are unknown ones; a uint256 has 78 digits. */
export const MAX_PARAM_LENGTH = 200

/**
 * Whether a request has more headers than are read. What Node leaves out could be what a proxy has added behind those of its
 * client, and a request without it would be another one.
 */
export const hasTooManyHeaders = ({ rawHeaders }: IncomingMessage): boolean => rawHeaders.length > 2 * MAX_HEADERS

/** The refusal of such a request. Later versions of Node refuse it themselves, by the code of headers beyond their 16 KiB. */
export const tooManyHeaders = (): RfqError =>
  new RfqError('invalid_request', {
    detail: `There are more than ${MAX_HEADERS} headers, or more than 16 KiB of them.`,
  })

/** The path of a request without its query, which may hold a key (decision M6). */
export const pathOf = ({ url }: FastifyRequest): string => {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

/** The taker's secret in the header; null for none. */
export function takerSecretOf({ headers }: FastifyRequest): string | null {
  const secret = headers['x-taker-secret']
  return typeof secret === 'string' && secret !== '' ? secret : null
}

/** The trace that a client's call belongs to; null for none. */
export const traceparentOf = ({ headers }: FastifyRequest): string | null => decodeTraceparent(headers.traceparent)

/** The id after which a reader wants to go on; null for none, and for garbage (decision M1). */
export function lastEventIdOf({ headers }: FastifyRequest): number | null {
  const header = headers['last-event-id']
  return decodeLastEventId(Array.isArray(header) ? undefined : header)
}
