import type { FastifyInstance } from 'fastify'
import { AuditAnswer, encodeAuditLog } from '../../wire/audit.ts'
import { requireOperator } from '../bearer.ts'
import type { RouteContext } from '../route-context.ts'
import { documented } from '../route-docs.ts'
import { serveOperatorStream } from '../sse/operator-stream.ts'

/** What operators look at, always with the operator token. */
export function addOperationRoutes(app: FastifyInstance, context: RouteContext): void {
  const { operations, settings } = context
  const onRequest = requireOperator(settings.operatorToken)

  app.get(
    '/ops/v1/events',
    {
      ...documented({
        id: 'streamOperations',
        summary: 'Streams requests, quotes, confirmations, makers, series and health',
        tag: 'operations',
        credential: 'operator',
        headers: ['Last-Event-ID'],
        answer: 'text/event-stream',
        errors: ['operator_token_required', 'too_many_connections', 'store_unavailable'],
      }),
      onRequest,
    },
    (request, reply) => serveOperatorStream(context, request, reply),
  )

  app.get<{ Params: { requestId: string } }>(
    '/ops/v1/audit/:requestId',
    {
      ...documented({
        id: 'getAuditLog',
        summary: 'Shows the audit log of a request',
        tag: 'operations',
        credential: 'operator',
        answer: AuditAnswer,
        errors: ['operator_token_required', 'request_not_found', 'store_unavailable'],
      }),
      onRequest,
    },
    async (request) => encodeAuditLog(await operations.auditLogOf(request.params.requestId)),
  )
}
