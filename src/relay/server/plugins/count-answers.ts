import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Meter } from '../../core/ports/operations.ts'

const RECEIVED_AT = 'receivedAt'

/**
 * Times every answer by its route; must see all routes: call it before they are added. In `onSend`, because an `onResponse`
 * hook makes Fastify watch each response with listeners of its own; streams and sockets take their connection away before
 * and are not counted.
 */
export function countAnswers(app: FastifyInstance, meter: Pick<Meter, 'answersOf'>): void {
  app.decorateRequest(RECEIVED_AT, 0)
  app.addHook('onRequest', (request, _, done) => {
    request.setDecorator<number>(RECEIVED_AT, performance.now())
    done()
  })
  // What a request belongs to is not asked with each one: Fastify would make an object of all that it knows of the route.
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
