import type { FastifyRequest } from 'fastify'

/** The taker's secret in the header; null for none. */
export function takerSecretOf({ headers }: FastifyRequest): string | null {
  const secret = headers['x-taker-secret']
  return typeof secret === 'string' && secret !== '' ? secret : null
}
