import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Answers with JSON under an ETag of what it says, and with 304 and no body where the client has that already. Caches may
 * keep it, and must ask each time.
 * @see RFC 9110, sections 8.8.3 and 13.1.2
 */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, body: unknown): FastifyReply {
  const text = JSON.stringify(body)
  const tag = `"${createHash('sha256').update(text).digest('base64url')}"`
  reply.headers({ etag: tag, 'cache-control': 'no-cache' })
  if (hasTag(request.headers['if-none-match'], tag)) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(text)
}

/** Whether a list of tags holds ours; weak ones compare alike. */
function hasTag(header: string | undefined, tag: string): boolean {
  const tags = (header ?? '').split(',').map((part) => part.trim().replace(/^W\//, ''))
  return tags.includes(tag) || tags.includes('*')
}
