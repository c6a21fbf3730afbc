import type { FastifyRequest } from 'fastify'

/** Longer ids are unknown ones; a uint256 has 78 digits. */
export const MAX_PARAM_LENGTH = 200

/** The path of a request without its query, which may hold a key (decision M6). */
export const pathOf = ({ url }: FastifyRequest): string => {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}
