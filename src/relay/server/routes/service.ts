import { RfqError } from '@rfqctl/protocol/domain/errors'
import { encodeReady, partStates, ReadyAnswer } from '@rfqctl/protocol/wire/health'
import * as wire from '@rfqctl/protocol/wire/status'
import type { FastifyInstance } from 'fastify'
import { prefersPage } from '../pages/negotiate.ts'
import type { RouteContext } from '../route-context.ts'
import { documented } from '../route-docs.ts'
import { addVary, sendWebPage } from './web.ts'

export function addServiceRoutes(app: FastifyInstance, { relay, operations, settings, web }: RouteContext): void {
  const home = { summary: 'Reports that the relay is alive', tag: 'service', answer: wire.HomeAnswer } as const
  const answerHome = async () =>
    wire.encodeHome({ mode: relay.mode, chainId: relay.environment.chainId }, settings.software)
  app.get(
    '/',
    documented({
      ...home,
      id: 'getHome',
      details: 'Who prefers `text/html` gets the trade page, where the relay serves the web pages.',
      isPageToo: true,
    }),
    async (request, reply) => {
      if (web === null) return answerHome()
      addVary(reply, 'Accept')
      return prefersPage(request.headers.accept) ? sendWebPage(reply, web) : answerHome()
    },
  )
  app.get('/healthz', documented({ ...home, id: 'getLiveness' }), answerHome)

  app.get(
    '/time',
    documented({ id: 'getTime', summary: "Returns the relay's clock", tag: 'service', answer: wire.TimeAnswer }),
    async () => wire.encodeNow(relay.now()),
  )

  app.get(
    '/maker/v1/status',
    documented({
      id: 'getMakerStatus',
      summary: 'Shows the status of the maker channels',
      tag: 'maker',
      answer: wire.MakerStatusAnswer,
      errors: ['store_unavailable'],
      cost: 1,
    }),
    async () => wire.encodeMakerStatus({ mode: relay.mode, now: relay.now(), connected: await relay.countConnected() }),
  )

  app.get(
    '/readyz',
    documented({
      id: 'getReadiness',
      summary: 'Reports whether store, bus and chain answer',
      tag: 'service',
      answer: ReadyAnswer,
      errors: ['not_ready'],
      cost: 1,
    }),
    async () => {
      const { isReady, parts } = await operations.health()
      if (isReady) return encodeReady(parts)
      const down = Object.entries(parts).flatMap(([name, { state, detail }]) =>
        state === 'down' ? [`${name}: ${detail ?? 'down'}`] : [],
      )
      throw new RfqError('not_ready', { detail: `The relay is not ready. ${down.join('; ')}`, data: partStates(parts) })
    },
  )

  addMetricsRoute(app, () => operations.metrics())
}

export function addMetricsRoute(app: FastifyInstance, metrics: () => Promise<{ contentType: string; text: string }>) {
  app.get(
    '/metrics',
    documented({
      id: 'getMetrics',
      summary: 'Returns metrics in Prometheus format',
      tag: 'service',
      answer: 'text/plain',
      cost: 5,
    }),
    async (_, reply) => {
      const { contentType, text } = await metrics()
      return reply.header('content-type', contentType).send(text)
    },
  )
}
