import type { FastifyInstance } from 'fastify'
import type { Meter } from '../relay/ports/operations.ts'

const RECEIVED_AT = 'receivedAt'

/**
 * Times every answer by its route. In `onSend`, because an `onResponse` hook makes Fastify watch each response with
 * listeners of its own; streams and sockets take their connection away before and are not counted.
 */
export function countAnswers(app: FastifyInstance, meter: Meter): void {
  app.decorateRequest(RECEIVED_AT, 0)
  app.addHook('onRequest', (request, _, done) => {
    request.setDecorator<number>(RECEIVED_AT, performance.now())
    done()
  })
  app.addHook('onSend', (request, reply, _, done) => {
    const { method, routeOptions } = request
    const durationMs = performance.now() - request.getDecorator<number>(RECEIVED_AT)
    meter.answered({ method, route: routeOptions.url ?? 'none', status: reply.statusCode, durationMs })
    done()
  })
}
