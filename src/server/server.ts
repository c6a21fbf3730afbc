import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Operations } from '../relay/operations.ts'
import type { Clock, Log } from '../relay/ports/runtime.ts'
import type { Relay } from '../relay/relay.ts'
import { warnOfProxies } from './client-address.ts'
import { capConnections, createConnectionLimits, watchSilentConnections } from './connections.ts'
import { answerBrokenRequest, createFailureHandler } from './failures.ts'
import { HEADERS_READ, MAX_PARAM_LENGTH } from './headers.ts'
import { readJsonBodies } from './plugins/body.ts'
import { allowOrigins } from './plugins/cors.ts'
import { countAnswers } from './plugins/count-answers.ts'
import { createQueryKeyWarning } from './plugins/maker-auth.ts'
import { refuseForNode, refuseUnknownRoutes, WITHOUT_NODE_ANSWERS } from './plugins/refusals.ts'
import { boundRequestRates } from './plugins/request-rates.ts'
import { createTurnBudget, spreadRequests, type Turns } from './plugins/turn-budget.ts'
import { boundUnreadAnswers } from './plugins/unread-answers.ts'
import type { RouteContext, ServerSettings } from './route-context.ts'
import { addRoutes } from './routes/add-routes.ts'
import { createShutdown, refuseWhileClosing } from './shutdown.ts'
import { createFold, createHold } from './sse/fan-out.ts'
import { createMakerHub } from './sse/maker-hub.ts'
import { createOperatorHub } from './sse/operator-stream.ts'
import { createStreamRegistry } from './sse/stream-registry.ts'
import { createSocketRegistry } from './ws/socket-registry.ts'

/** The relay over HTTP, SSE and WebSocket. */
export type Server = {
  /** Listens; port 0 picks a free one. */
  listen: (at: { host: string; port: number }) => Promise<{ url: string; wsUrl: string }>
  /** Ends the streams, lets running requests finish for up to 15 s, and closes; further calls join the first. */
  close: () => Promise<void>
}

/** The longest body (protocol message-4). */
const BODY_LIMIT_BYTES = 64 * 1024

/** How long headers, and a whole request, may take to arrive; what is slower is closed within 15 s. */
const HEADERS_TIMEOUT_MS = 8_000
const REQUEST_TIMEOUT_MS = 10_000
const TIMEOUT_CHECK_MS = 2_000

/** How long running requests may still take at shutdown, in milliseconds, and how long their answers then get. */
const DRAIN_MS = 15_000
const ANSWER_MS = 1_000

/** A server that is not listening yet; `turns` are those of the process, but in tests. */
export function createServer(parts: {
  relay: Relay
  operations: Operations
  clock: Clock
  log: Log
  settings: ServerSettings
  turns?: Turns
}): Server {
  const { relay, operations, clock, log, settings } = parts
  const { meter } = operations
  const app = createApp(log, settings)
  capConnections(app.server, parts)
  const answers = boundUnreadAnswers(app, clock)
  const budget = createTurnBudget(parts.turns)
  const hold = createHold(clock)
  const context: RouteContext = {
    ...parts,
    turns: budget,
    limits: createConnectionLimits(settings),
    shutdown: createShutdown(),
    streams: createStreamRegistry({ clock, log, meter, onOpen: answers.leave }),
    makerHub: createMakerHub({ relay, hold }),
    foldTops: createFold(hold),
    hold,
    operatorHub: createOperatorHub({ ...operations, hold }),
    sockets: createSocketRegistry({ clock, meter }),
    onQueryKey: createQueryKeyWarning({ log, meter }),
  }
  relay.onFeedBreak(context.streams.endMarket)
  countAnswers(app, meter)
  spreadRequests(app, budget)
  refuseForNode(app)
  refuseWhileClosing(app, context.shutdown)
  allowOrigins(app, settings.corsOrigins)
  warnOfProxies(app, log, settings.trustProxy !== false)
  refuseUnknownRoutes(app)
  boundRequestRates(app, settings.requestRate, clock)
  readJsonBodies(app, budget)
  addRoutes(app, context)

  const endSilentConnections = watchSilentConnections(app.server)
  let closing: Promise<void> | undefined

  return {
    listen: async (at) => {
      await app.listen(at)
      return urlsOf(app.server.address() as AddressInfo)
    },
    close: () => {
      closing ??= close(app, context, endSilentConnections).finally(answers.stop)
      return closing
    },
  }
}

function createApp(log: Log, settings: ServerSettings): FastifyInstance {
  const fail = createFailureHandler(log)
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: settings.keepAliveMs,
    http: {
      ...WITHOUT_NODE_ANSWERS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    trustProxy: trustOf(settings.trustProxy),
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

/** While commits run, the server keeps listening: for their makers, and to answer everyone else that it closes (fault H1). */
async function close(
  app: FastifyInstance,
  { shutdown, makerHub, streams, sockets, clock }: RouteContext,
  endSilentConnections: () => void,
): Promise<void> {
  shutdown.begin()
  makerHub.stop()
  streams.endAll()
  sockets.closeAll()
  let stopTimer = clock.schedule(clock.now() + DRAIN_MS, () => {
    shutdown.giveUp()
    stopTimer = clock.schedule(clock.now() + ANSWER_MS, () => {
      sockets.terminateAll()
      app.server.closeAllConnections()
    })
  })
  await shutdown.finished()
  endSilentConnections()
  await app.close()
  stopTimer()
}

/** A wildcard address is no place to connect to: the loopback is. */
function urlsOf({ address, family, port }: AddressInfo): { url: string; wsUrl: string } {
  const isWildcard = address === '0.0.0.0' || address === '::'
  const host = isWildcard ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address
  return { url: `http://${host}:${port}`, wsUrl: `ws://${host}:${port}` }
}
