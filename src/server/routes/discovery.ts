import type { FastifyInstance } from 'fastify'
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
import { sendTagged } from '../etag.ts'
import type { RouteContext } from '../route-context.ts'
import { documented } from '../route-docs.ts'

/** Markets and series, for anyone (protocol series-1). */
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
}
