import type { FastifyInstance } from 'fastify'
import {
  encodeHome,
  encodeMakerStatus,
  encodeNow,
  HomeAnswer,
  MakerStatusAnswer,
  TimeAnswer,
} from '../../wire/status.ts'
import type { RouteContext } from '../route-context.ts'
import { documented } from '../route-docs.ts'

/** That the relay is alive, what it is and what time it has. */
export function addServiceRoutes(app: FastifyInstance, { relay, settings }: RouteContext): void {
  const home = { summary: 'Reports that the relay is alive', tag: 'service', answer: HomeAnswer } as const
  const sayHome = async () => encodeHome({ mode: relay.mode, chainId: relay.environment.chainId }, settings.software)
  app.get('/', documented({ ...home, id: 'getHome' }), sayHome)
  app.get('/healthz', documented({ ...home, id: 'getLiveness' }), sayHome)

  app.get(
    '/time',
    documented({ id: 'getTime', summary: "Returns the relay's clock", tag: 'service', answer: TimeAnswer }),
    async () => encodeNow(relay.now()),
  )

  app.get(
    '/maker/v1/status',
    documented({
      id: 'getMakerStatus',
      summary: 'Shows the status of the maker channels',
      tag: 'maker',
      answer: MakerStatusAnswer,
      errors: ['store_unavailable'],
      cost: 1,
    }),
    async () => encodeMakerStatus({ mode: relay.mode, now: relay.now(), connected: await relay.countConnected() }),
  )
}
