import * as wire from '@rfqctl/protocol/wire/discovery'
import { decodePositionsQuery, encodePositions, PositionsAnswer, PositionsQuery } from '@rfqctl/protocol/wire/positions'
import {
  decodePriceHistoryQuery,
  encodePriceHistory,
  PriceHistoryAnswer,
  PriceHistoryQuery,
} from '@rfqctl/protocol/wire/price-history'
import { decodeSurfaceQuery, encodeSurface, SurfaceAnswer, SurfaceQuery } from '@rfqctl/protocol/wire/surface'
import { decodeTradesQuery, encodeTrades, TradesAnswer, TradesQuery } from '@rfqctl/protocol/wire/trades'
import { encodeWindowPrices, WindowPricesAnswer } from '@rfqctl/protocol/wire/window-prices'
import type { FastifyInstance } from 'fastify'
import { clientAddressOf } from '../client-address.ts'
import { createEncodedLists, sendTagged } from '../plugins/encoded-lists.ts'
import type { RouteContext } from '../route-context.ts'
import { documentedAs } from '../route-docs.ts'

const discovery = documentedAs({ tag: 'discovery', cost: 1 })

/** Reading the positions of this many series costs one unit more. */
const SERIES_PER_UNIT = 50

/** Public, because anyone can read the same on the chain (protocol series-1). */
export function addDiscoveryRoutes(app: FastifyInstance, { relay, charge }: RouteContext): void {
  const markets = createEncodedLists(wire.encodeMarkets)
  const series = createEncodedLists(wire.encodeSeriesList)

  app.get(
    '/v1/markets',
    discovery({
      id: 'listMarkets',
      summary: 'Lists markets that have series',
      answer: wire.MarketsAnswer,
      isTagged: true,
    }),
    async (request, reply) => sendTagged(request, reply, markets('all', await relay.listMarkets())),
  )

  app.get(
    '/v1/series',
    discovery({
      id: 'listSeries',
      summary: 'Lists series',
      query: wire.SeriesQuery,
      answer: wire.SeriesListAnswer,
      isTagged: true,
    }),
    async (request, reply) => {
      const filter = wire.decodeSeriesFilter(request.query)
      return sendTagged(request, reply, series(JSON.stringify(filter), await relay.listSeries(filter)))
    },
  )

  app.get<{ Params: { seriesId: string } }>(
    '/v1/series/:seriesId',
    discovery({
      id: 'getSeries',
      summary: 'Shows one series',
      answer: wire.SeriesAnswer,
      errors: ['series_not_found', 'chain_unavailable'],
    }),
    async (request) => wire.encodeSeries(await relay.findSeries(request.params.seriesId)),
  )

  app.get<{ Params: { seriesId: string } }>(
    '/v1/series/:seriesId/prices',
    discovery({
      id: 'getWindowPrices',
      summary: 'Shows the prices that settle a series, or will',
      details: 'Those of the half-hour before its expiry; none before it begins.',
      answer: WindowPricesAnswer,
      errors: ['series_not_found', 'chain_unavailable', 'store_unavailable'],
      cost: 5,
    }),
    async (request) => encodeWindowPrices(await relay.readWindowPrices(request.params.seriesId)),
  )

  app.get(
    '/v1/trades',
    discovery({
      id: 'listTrades',
      summary: 'Lists trades, newest first',
      details: 'Signed trades, a while after they were made, without wallets, makers and requests.',
      query: TradesQuery,
      answer: TradesAnswer,
      errors: ['store_unavailable'],
      cost: 5,
    }),
    async (request) => {
      const { trades, next } = await relay.listTrades(decodeTradesQuery(request.query))
      return encodeTrades(trades, next)
    },
  )

  app.get(
    '/v1/prices',
    discovery({
      id: 'listPrices',
      summary: 'Lists the YES prices of a market in the last day',
      query: PriceHistoryQuery,
      answer: PriceHistoryAnswer,
      errors: ['not_found', 'chain_unavailable', 'store_unavailable'],
      cost: 5,
    }),
    async (request) => {
      const yesTokenId = decodePriceHistoryQuery(request.query)
      return encodePriceHistory(yesTokenId, await relay.readPriceHistory(yesTokenId))
    },
  )

  app.get(
    '/v1/surface',
    discovery({
      id: 'getSurface',
      summary: 'Shows what the open series of a market are worth',
      details:
        'The volatilities that levels and filled trades show, smoothed without arbitrage, and the marks that follow.',
      query: SurfaceQuery,
      answer: SurfaceAnswer,
      errors: ['chain_unavailable', 'store_unavailable'],
      cost: 10,
    }),
    async (request) => encodeSurface(await relay.readSurface(decodeSurfaceQuery(request.query))),
  )

  app.get(
    '/v1/positions',
    discovery({
      id: 'listPositions',
      summary: 'Lists the positions of a wallet',
      query: PositionsQuery,
      answer: PositionsAnswer,
      errors: ['chain_unavailable', 'store_unavailable'],
      cost: 5,
    }),
    async (request) => {
      const wallet = decodePositionsQuery(request.query)
      const { length } = await relay.listSeries({ packages: true })
      const refusal = charge(clientAddressOf(request), Math.floor(length / SERIES_PER_UNIT))
      if (refusal !== null) throw refusal
      return encodePositions(wallet, await relay.readPositions(wallet))
    },
  )
}
