import Fastify, { type FastifyInstance } from 'fastify'
import type { Log } from '../core/ports/runtime.ts'
import { answerBrokenRequest, createFailureHandler } from './failures.ts'
import { HEADERS_READ, MAX_PARAM_LENGTH } from './headers.ts'
import { WITHOUT_NODE_ANSWERS } from './plugins/refusals.ts'
import type { ServerSettings } from './route-context.ts'

/** The longest body (protocol message-4). */
const BODY_LIMIT_BYTES = 64 * 1024

/** Time for the headers, and for a whole request, to arrive; a slower one is closed within 15 s. */
const HEADERS_TIMEOUT_MS = 8_000
const REQUEST_TIMEOUT_MS = 10_000
const TIMEOUT_CHECK_MS = 2_000

/** Has no routes yet; every fault is answered in the envelope. */
export function createHttpApp(
  log: Log,
  { keepAliveMs, trustProxy }: Pick<ServerSettings, 'keepAliveMs' | 'trustProxy'>,
): FastifyInstance {
  const fail = createFailureHandler(log)
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: keepAliveMs,
    http: {
      ...WITHOUT_NODE_ANSWERS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    trustProxy: trustOf(trustProxy),
    exposeHeadRoutes: true,
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: fail,
    clientErrorHandler: answerBrokenRequest,
  })
  app.server.maxHeadersCount = HEADERS_READ
  app.setErrorHandler(fail)
  return app
}

/** Fastify takes a number of trusted hops as a function. */
const trustOf = (trustProxy: ServerSettings['trustProxy']) =>
  typeof trustProxy === 'number' ? (_: string, hop: number) => hop < trustProxy : trustProxy
