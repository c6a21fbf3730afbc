import type { FastifyInstance } from 'fastify'
import { RfqError } from '../../domain/errors.ts'
import { encodeReady, partStates, ReadyAnswer } from '../../wire/ready.ts'
import type { RouteContext } from '../route-context.ts'
import { documented } from '../route-docs.ts'

/** Whether the relay can serve, and all that it counts. */
export function addHealthRoutes(app: FastifyInstance, { operations }: RouteContext): void {
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
      const { contentType, text } = await operations.metrics()
      return reply.header('content-type', contentType).send(text)
    },
  )
}
