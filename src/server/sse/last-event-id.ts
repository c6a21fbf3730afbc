import type { FastifyRequest } from 'fastify'
import { decodeLastEventId } from '../../wire/sse.ts'

/** The id after which a reader wants to go on; null for none, and for garbage (decision M1). */
export function lastEventIdOf({ headers }: FastifyRequest): number | null {
  const header = headers['last-event-id']
  return decodeLastEventId(Array.isArray(header) ? undefined : header)
}
