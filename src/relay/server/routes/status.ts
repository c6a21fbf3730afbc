import type { FastifyInstance } from 'fastify'
import { sendPage } from '../pages/send-page.ts'
import { createStatusPage, STATUS_POLICY } from '../pages/status.ts'
import type { RouteContext } from '../route-context.ts'
import { documented } from '../route-docs.ts'

export function addStatusRoute(app: FastifyInstance, { relay, operations, settings }: RouteContext): void {
  app.get(
    '/status',
    documented({
      id: 'getStatusPage',
      summary: 'Shows people what works, since when, the newest block and the version',
      tag: 'service',
      answer: 'text/html',
      cost: 1,
    }),
    async (_, reply) =>
      sendPage(reply, {
        html: createStatusPage(await operations.health(), {
          software: settings.software,
          mode: relay.mode,
          chainId: relay.environment.chainId,
        }),
        policy: STATUS_POLICY,
      }),
  )
}
