import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

export type Tagged = { bytes: Buffer; tag: string }

/** Per kind of list; a long one takes half a megabyte. */
const MAX_KEPT = 32

/**
 * Encodes a list again only when an item differs: items are replaced, never changed. A list of a thousand packages
 * takes longer to encode than a commit.
 */
export function createEncodedLists<Item>(
  encode: (list: readonly Item[]) => unknown,
): (asked: string, list: readonly Item[]) => Tagged {
  /** In order of use, the latest last. */
  const kept = new Map<string, { list: readonly Item[]; tagged: Tagged }>()
  return (asked, list) => {
    const former = kept.get(asked)
    const tagged = former !== undefined && hasSameItems(former.list, list) ? former.tagged : tag(encode(list))
    kept.delete(asked)
    kept.set(asked, { list, tagged })
    for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest)
    return tagged
  }
}

function tag(answer: unknown): Tagged {
  const bytes = Buffer.from(JSON.stringify(answer))
  return { bytes, tag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}

const hasSameItems = <Item>(one: readonly Item[], other: readonly Item[]): boolean =>
  one.length === other.length && one.every((item, n) => item === other[n])

/**
 * Answers with 304 and no body when the client has the tag already. Caches may keep the answer, but must revalidate it
 * each time.
 * @see RFC 9110, sections 8.8.3 and 13.1.2
 */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, { bytes, tag }: Tagged): FastifyReply {
  reply.headers({ etag: tag, 'cache-control': 'no-cache' })
  if (hasTag(request.headers['if-none-match'], tag)) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(bytes)
}

/** Weak tags match like strong ones. */
function hasTag(header: string | undefined, tag: string): boolean {
  const tags = (header ?? '').split(',').map((part) => part.trim().replace(/^W\//, ''))
  return tags.includes(tag) || tags.includes('*')
}
