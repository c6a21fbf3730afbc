import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Meter } from '../../core/ports/operations.ts'

const RECEIVED_AT = 'receivedAt'

/**
 * Must be called before routes are added. Uses `onSend`, because an `onResponse` hook makes Fastify watch each response
 * with listeners of its own. Streams and sockets take their connection away before, and are not counted.
 */
export function countAnswers(app: FastifyInstance, meter: Pick<Meter, 'answersOf'>): void {
  app.decorateRequest(RECEIVED_AT, 0)
  app.addHook('onRequest', (request, _, done) => {
    request.setDecorator<number>(RECEIVED_AT, performance.now())
    done()
  })
  // Looked up once per route: for each request, Fastify would make an object of all that it knows of the route.
  app.addHook('onRoute', (route) => {
    const count = meter.answersOf({ method: String(route.method), route: route.url })
    route.onSend = [
      (request, reply, _, done) => {
        count(answerOf(request, reply))
        done()
      },
      ...[route.onSend ?? []].flat(),
    ]
  })
  app.addHook('onSend', (request, reply, _, done) => {
    if (request.is404) meter.answersOf({ method: request.method, route: 'none' })(answerOf(request, reply))
    done()
  })
}

const answerOf = (request: FastifyRequest, { statusCode: status }: FastifyReply) => ({
  status,
  durationMs: performance.now() - request.getDecorator<number>(RECEIVED_AT),
})
