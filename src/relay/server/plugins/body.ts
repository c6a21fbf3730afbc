import { isUtf8 } from 'node:buffer'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { parseJson } from '@rfqctl/protocol/wire/json'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientAddressOf } from '../client-address.ts'
import type { TurnBudget } from './turn-budget.ts'

/** The only media type accepted; its only parameter is a charset of UTF-8. */
const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i

const MEDIA_TYPE = 'sentMediaType'

/** Each piece of a chunked body costs as much as a whole body of a usual size. */
const MAX_PIECES = 256

/** Longer bodies may wait for a turn of their own: 64 KB takes as long to read as many requests. */
const SHORT_BODY_BYTES = 1024

/**
 * JSON only, and an empty body counts as `{}` whatever its type (decision E2). Fastify reads media types more laxly, so
 * the header is hidden from it.
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

/** An absent body counts as `{}`. */
export const bodyOf = ({ body }: FastifyRequest): unknown => (body === undefined ? {} : body)

/** No one needs the rest beyond the bound: Fastify closes the connection after it refuses a body. */
function boundPieces({ raw }: FastifyRequest): void {
  let pieces = 0
  function count(): void {
    pieces += 1
    if (pieces <= MAX_PIECES) return
    raw.off('data', count)
    // The body may have been refused for its length already: then no one listens.
    if (raw.listenerCount('error') === 0) return
    raw.emit('error', new RfqError('invalid_request', { detail: `The body comes in more than ${MAX_PIECES} chunks.` }))
  }
  // A data listener alone would start the flow before the body is asked for.
  raw.pause().on('data', count)
}

const isPlain = (encoding: string | undefined): boolean => encoding === undefined || encoding === 'identity'

function decodeBytes(bytes: Buffer, mediaType: string): unknown {
  if (bytes.length === 0) return {}
  if (!JSON_TYPE.test(mediaType)) throw new RfqError('unsupported_media_type')
  if (!isUtf8(bytes)) throw new RfqError('invalid_json', { detail: 'The body is not UTF-8.' })
  return parseJson(bytes.toString('utf8'))
}
