import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  decodeSeriesFilter,
  encodeMarkets,
  encodeSeries,
  encodeSeriesList,
  MarketsAnswer,
  SeriesAnswer,
  SeriesListAnswer,
  SeriesQuery,
} from '../../wire/discovery.ts'
import { decodePositionsQuery, encodePositions, PositionsAnswer, PositionsQuery } from '../../wire/positions.ts'
import { encodeWindowPrices, WindowPricesAnswer } from '../../wire/window-prices.ts'
import type { RouteContext } from '../route-context.ts'
import { documented } from '../route-docs.ts'

/** Markets, series, and what wallets hold and have written, which anyone can read on the chain (protocol series-1). */
export function addDiscoveryRoutes(app: FastifyInstance, { relay }: RouteContext): void {
  app.get(
    '/v1/markets',
    documented({
      id: 'listMarkets',
      summary: 'Lists markets that have series',
      tag: 'discovery',
      answer: MarketsAnswer,
      isTagged: true,
    }),
    async (request, reply) => sendTagged(request, reply, encodeMarkets(await relay.listMarkets())),
  )

  app.get(
    '/v1/series',
    documented({
      id: 'listSeries',
      summary: 'Lists series',
      tag: 'discovery',
      query: SeriesQuery,
      answer: SeriesListAnswer,
      isTagged: true,
    }),
    async (request, reply) => {
      const filter = decodeSeriesFilter(request.query)
      return sendTagged(request, reply, encodeSeriesList(await relay.listSeries(filter)))
    },
  )

  app.get<{ Params: { seriesId: string } }>(
    '/v1/series/:seriesId',
    documented({
      id: 'getSeries',
      summary: 'Shows one series',
      tag: 'discovery',
      answer: SeriesAnswer,
      errors: ['series_not_found', 'chain_unavailable'],
      cost: 1,
    }),
    async (request) => encodeSeries(await relay.findSeries(request.params.seriesId)),
  )

  app.get<{ Params: { seriesId: string } }>(
    '/v1/series/:seriesId/prices',
    documented({
      id: 'getWindowPrices',
      summary: 'Shows the prices that settle a series, or will',
      details: 'Those of the half-hour before its expiry; none before it begins.',
      tag: 'discovery',
      answer: WindowPricesAnswer,
      errors: ['series_not_found', 'chain_unavailable', 'store_unavailable'],
      cost: 5,
    }),
    async (request) => encodeWindowPrices(await relay.readWindowPrices(request.params.seriesId)),
  )

  app.get(
    '/v1/positions',
    documented({
      id: 'listPositions',
      summary: 'Lists the positions of a wallet',
      tag: 'discovery',
      query: PositionsQuery,
      answer: PositionsAnswer,
      errors: ['chain_unavailable', 'store_unavailable'],
      cost: 5,
    }),
    async (request) => {
      const wallet = decodePositionsQuery(request.query)
      return encodePositions(wallet, await relay.readPositions(wallet))
    },
  )
}

/**
 * Answers with JSON under an ETag of what it says, and with 304 and no body where the client has that already. Caches may
 * keep it, and must ask each time.
 * @see RFC 9110, sections 8.8.3 and 13.1.2
 */
function sendTagged(request: FastifyRequest, reply: FastifyReply, body: unknown): FastifyReply {
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
