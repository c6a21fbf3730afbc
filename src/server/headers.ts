import type { FastifyRequest } from 'fastify'
import { decodeLastEventId } from '../wire/sse.ts'

/** Longer ids are unknown ones; a uint256 has 78 digits. */
export const MAX_PARAM_LENGTH = 200

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

/** The id after which a reader wants to go on; null for none, and for garbage (decision M1). */
export function lastEventIdOf({ headers }: FastifyRequest): number | null {
  const header = headers['last-event-id']
  return decodeLastEventId(Array.isArray(header) ? undefined : header)
}
