import type { IncomingMessage } from 'node:http'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { decodeLastEventId } from '@rfqctl/protocol/wire/sse'
import { decodeTraceparent } from '@rfqctl/protocol/wire/traceparent'
import type { FastifyRequest } from 'fastify'

const MAX_HEADERS = 100

/** Node stops reading here: one more than allowed shows that there are too many. */
export const HEADERS_READ = MAX_HEADERS + 1

/** A uint256 has 78 digits; longer ids are unknown. */
export const MAX_PARAM_LENGTH = 200

/**
 * Node drops further headers. A proxy may have added them behind its client's, and the request would mean something
 * else without them.
 */
export const hasTooManyHeaders = ({ rawHeaders }: IncomingMessage): boolean => rawHeaders.length > 2 * MAX_HEADERS

/** Later versions of Node refuse such a request themselves, with the code for more than 16 KiB of headers. */
export const tooManyHeaders = (): RfqError =>
  new RfqError('invalid_request', {
    detail: `There are more than ${MAX_HEADERS} headers, or more than 16 KiB of them.`,
  })

/** Drops the query, which may hold a key (decision M6). */
export const pathOf = ({ url }: FastifyRequest): string => {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

export function takerSecretOf({ headers }: FastifyRequest): string | null {
  const secret = headers['x-taker-secret']
  return typeof secret === 'string' && secret !== '' ? secret : null
}

export const traceparentOf = ({ headers }: FastifyRequest): string | null => decodeTraceparent(headers.traceparent)

/** Event id to resume after; null without a valid one (decision M1). */
export function lastEventIdOf({ headers }: FastifyRequest): number | null {
  const header = headers['last-event-id']
  return decodeLastEventId(Array.isArray(header) ? undefined : header)
}
