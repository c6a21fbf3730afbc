import { RfqError } from '@rfqctl/protocol/domain/errors'
import { parseTilePath } from '@rfqctl/protocol/domain/log-tiles'
import * as field from '@rfqctl/protocol/wire/field'
import { decodeQualityQuery, encodeQuality, QualityAnswer, QualityQuery } from '@rfqctl/protocol/wire/quality'
import { described, Text } from '@rfqctl/protocol/wire/schemas'
import { encodeTranscript, TranscriptFile } from '@rfqctl/protocol/wire/transcript'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TranscriptReader } from '../../core/relay.ts'
import { clientAddressOf } from '../client-address.ts'
import { takerSecretOf } from '../headers.ts'
import { hasBearer } from '../plugins/bearer-auth.ts'
import { apiKeyOf, UNKNOWN_KEY_COST } from '../plugins/maker-auth.ts'
import type { RouteContext } from '../route-context.ts'
import { documented } from '../route-docs.ts'

/** A tile of one width never changes. */
const FOREVER = 'public, max-age=31536000, immutable'

const ANYONE = { kind: 'anyone' } as const

/** The log as C2SP's tlog-tiles serves it, and the transcripts that it proves (protocol transcript-1). */
export function addTransparencyRoutes(app: FastifyInstance, context: RouteContext): void {
  const { relay } = context
  const { transparency } = relay
  if (transparency === null) return

  app.get(
    '/v1/log/checkpoint',
    documented({
      id: 'getCheckpoint',
      summary: 'Shows the signed checkpoint of the transparency log',
      details:
        'Where the operator has switched the log on: a C2SP tlog-checkpoint; `GET /v1/environment` names the keys. A log without entries has none.',
      tag: 'service',
      answer: 'text/plain',
      errors: ['not_found', 'store_unavailable'],
      cost: 1,
    }),
    async (_, reply) => {
      const note = await transparency.checkpoint()
      if (note === null) throw new RfqError('not_found', { detail: 'The log has no entry yet.' })
      return reply.header('cache-control', 'public, max-age=1').type('text/plain; charset=utf-8').send(note)
    },
  )

  app.get<{ Params: { '*': string } }>(
    '/v1/log/tile/*',
    documented({
      id: 'getTile',
      summary: 'Returns a tile of hashes or a bundle of entries of the transparency log',
      details: 'C2SP tlog-tiles: `0/x001/234` is tile 1234 of the leaves, `entries/000.p/7` the first 7 commitments.',
      params: { path: described(Text, 'Level or `entries`, number, and width of a partial tile.', '0/000.p/7') },
      tag: 'service',
      answer: 'application/octet-stream',
      errors: ['not_found', 'store_unavailable'],
      cost: 1,
    }),
    async (request, reply) => {
      const tile = parseTilePath(`tile/${request.params['*']}`)
      const bytes = tile === null ? null : await transparency.readTile(tile)
      if (bytes === null) throw new RfqError('not_found')
      return reply.header('cache-control', FOREVER).type('application/octet-stream').send(Buffer.from(bytes))
    },
  )

  app.get(
    '/v1/quality',
    documented({
      id: 'getQuality',
      summary: 'Shows the quality of makers in a month, under pseudonyms',
      details:
        'Added up from the transparency log: `rfqctl audit quality FILE...` has the same figures from its transcripts. A maker that shows its key in `X-API-Key` finds itself by `makerId`, the operator all.',
      tag: 'service',
      query: QualityQuery,
      answer: QualityAnswer,
      errors: ['invalid_request', 'invalid_api_key', 'maker_blocked', 'store_unavailable'],
      cost: 2,
    }),
    async (request) => {
      const month = decodeQualityQuery(request.query)
      const reader = await readerOf(request, context)
      return encodeQuality(await relay.readQuality({ month, reader: reader.kind === 'taker' ? ANYONE : reader }))
    },
  )

  app.get<{ Params: { id: string } }>(
    '/v1/quote-requests/:id/transcript',
    documented({
      id: 'getTranscript',
      summary: 'Returns the life of a quote request with proofs, as one file',
      details:
        'By the taker secret, a maker key in `X-API-Key`, or the operator token. A maker sees its own lines, and commitments in place of the others.',
      tag: 'trading',
      params: { id: field.requestId },
      headers: ['X-Taker-Secret'],
      answer: TranscriptFile,
      errors: [
        'request_not_found',
        'taker_secret_required',
        'invalid_api_key',
        'maker_blocked',
        'transcript_not_ready',
        'store_unavailable',
      ],
      cost: 5,
    }),
    async (request, reply) => {
      const reader = await readerOf(request, context)
      const transcript = await relay.readTranscript({ requestId: request.params.id, reader })
      // It is for one reader.
      return reply.header('cache-control', 'no-store').type('application/json').send(encodeTranscript(transcript))
    },
  )
}

async function readerOf(request: FastifyRequest, context: RouteContext): Promise<TranscriptReader> {
  const { relay, settings } = context
  const { operatorToken } = settings
  if (operatorToken !== null && hasBearer(request, operatorToken)) return { kind: 'operator' }
  const apiKey = apiKeyOf(request, context)
  if (apiKey === null || takerSecretOf(request) !== null) return { kind: 'taker', takerSecret: takerSecretOf(request) }
  const charge = () => context.charge(clientAddressOf(request), UNKNOWN_KEY_COST)
  const { makerId } = await relay.authenticateMaker(apiKey, charge)
  if (makerId === 'anonymous') throw new RfqError('invalid_api_key')
  return { kind: 'maker', makerId }
}
