import { isUtf8 } from 'node:buffer'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { parseJson } from '@rfqctl/protocol/wire/json'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientAddressOf } from '../client-address.ts'
import type { TurnBudget } from './turn-budget.ts'

/** The only media type that is taken, with no parameter but a charset of UTF-8. */
const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i

const MEDIA_TYPE = 'sentMediaType'

/** The most pieces that a chunked body may come in: each costs as much as a whole body of a usual size. */
const MAX_PIECES = 256

/** A longer body may wait for a turn of its own: to read 64 KB takes as long as many requests. */
const SHORT_BODY_BYTES = 1024

/**
 * Reads bodies by decision E2: JSON only, and an empty body counts as `{}` whatever its type. Fastify's own reading of
 * media types is laxer, so it is not shown the header.
 */
export function readJsonBodies(app: FastifyInstance, { isSpent, later }: TurnBudget): void {
  app.decorateRequest(MEDIA_TYPE, '')
  app.addHook('onRequest', (request, _, done) => {
    const { headers } = request.raw
    if (headers['transfer-encoding'] !== undefined) boundPieces(request)
    request.setDecorator(MEDIA_TYPE, isPlain(headers['content-encoding']) ? (headers['content-type'] ?? '') : 'encoded')
    headers['content-type'] = undefined
    done()
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    const read = () => {
      let body: unknown
      try {
        body = decodeBytes(bytes, request.getDecorator<string>(MEDIA_TYPE))
      } catch (fault) {
        return done(fault as Error)
      }
      done(null, body)
    }
    if (bytes.length > SHORT_BODY_BYTES && isSpent()) later(clientAddressOf(request), read)
    else read()
  })
}

/** The body of a request; one without any has an empty one. */
export const bodyOf = ({ body }: FastifyRequest): unknown => (body === undefined ? {} : body)

/** No one needs what comes after the bound: Fastify closes the connection behind the refusal of a body. */
function boundPieces({ raw }: FastifyRequest): void {
  let pieces = 0
  function count(): void {
    pieces += 1
    if (pieces <= MAX_PIECES) return
    raw.off('data', count)
    // It may have been refused for its length already: then no one listens.
    if (raw.listenerCount('error') === 0) return
    raw.emit('error', new RfqError('invalid_request', { detail: `The body comes in more than ${MAX_PIECES} chunks.` }))
  }
  // It flows when the body is asked for, not from here on.
  raw.pause().on('data', count)
}

const isPlain = (encoding: string | undefined): boolean => encoding === undefined || encoding === 'identity'

function decodeBytes(bytes: Buffer, mediaType: string): unknown {
  if (bytes.length === 0) return {}
  if (!JSON_TYPE.test(mediaType)) throw new RfqError('unsupported_media_type')
  if (!isUtf8(bytes)) throw new RfqError('invalid_json', { detail: 'The body is not UTF-8.' })
  return parseJson(bytes.toString('utf8'))
}
