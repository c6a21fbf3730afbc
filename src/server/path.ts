import type { FastifyRequest } from 'fastify'

/** The path of a request without its query, which may hold a key (ruling M6). */
export const pathOf = ({ url }: FastifyRequest): string => {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}
