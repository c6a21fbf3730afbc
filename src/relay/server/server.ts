import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Operations } from '../core/operations.ts'
import type { Clock, Log } from '../core/ports/runtime.ts'
import type { Relay } from '../core/relay.ts'
import { warnOfProxies } from './client-address.ts'
import { capConnections, createConnectionLimits, watchSilentConnections } from './connections.ts'
import { createHttpApp } from './http-app.ts'
import type { WebPages } from './pages/files.ts'
import type { SandboxChain } from './pages/sandbox-chain.ts'
import { createPlaceOf } from './place-of.ts'
import { readJsonBodies } from './plugins/body.ts'
import { allowOrigins } from './plugins/cors.ts'
import { countAnswers } from './plugins/count-answers.ts'
import { createQueryKeyWarning } from './plugins/maker-auth.ts'
import { refuseForNode, refuseUnknownRoutes } from './plugins/refusals.ts'
import { boundRequestRates, createCharge } from './plugins/request-rates.ts'
import { createTurnBudgets, spreadRequests, type Turns } from './plugins/turn-budget.ts'
import { boundUnreadAnswers } from './plugins/unread-answers.ts'
import type { RouteContext, ServerSettings } from './route-context.ts'
import { addRoutes } from './routes/add-routes.ts'
import { createShutdown, refuseWhileClosing } from './shutdown.ts'
import { createFold, createHold } from './sse/fan-out.ts'
import { createFeedPace } from './sse/feed-pace.ts'
import { createMakerHub } from './sse/maker-hub.ts'
import { createOperatorHub } from './sse/operator-stream.ts'
import { createStreamRegistry } from './sse/stream-registry.ts'
import { createSocketRegistry } from './ws/socket-registry.ts'

export type Server = ReturnType<typeof createServer>

/** Time for running requests at shutdown, then for their answers. */
const DRAIN_MS = 15_000
const ANSWER_MS = 1_000

/** Does not listen yet; only tests pass `turns`. */
export function createServer(parts: {
  relay: Relay
  operations: Operations
  clock: Clock
  log: Log
  settings: ServerSettings
  turns?: Turns
  web?: WebPages | null
  sandbox?: SandboxChain | null
}) {
  const { relay, operations, clock, log, settings } = parts
  const { meter } = operations
  const app = createHttpApp(log, settings)
  capConnections(app.server, parts)
  const answers = boundUnreadAnswers(app, clock)
  const turns = createTurnBudgets(parts.turns)
  const hold = createHold(clock)
  const context: RouteContext = {
    ...parts,
    web: parts.web ?? null,
    sandbox: parts.sandbox ?? null,
    turns,
    charge: createCharge(settings.requestRate, clock),
    limits: createConnectionLimits(settings),
    shutdown: createShutdown(),
    streams: createStreamRegistry({ clock, log, meter, onOpen: answers.leave }),
    makerHub: createMakerHub({ relay, hold }),
    feedPace: createFeedPace(clock),
    foldTops: createFold(hold),
    hold,
    operatorHub: createOperatorHub({ ...operations, hold }),
    sockets: createSocketRegistry({ clock, meter }),
    onQueryKey: createQueryKeyWarning({ log, meter }),
  }
  relay.onFeedBreak(context.streams.endMarket)
  countAnswers(app, meter)
  spreadRequests(app, createPlaceOf(context))
  refuseForNode(app)
  refuseWhileClosing(app, context.shutdown)
  allowOrigins(app, settings.corsOrigins)
  warnOfProxies(app, log, settings.trustProxy !== false)
  refuseUnknownRoutes(app)
  boundRequestRates(app, context.charge)
  readJsonBodies(app, turns.strangers)
  addRoutes(app, context)

  const endSilentConnections = watchSilentConnections(app.server)
  let closing: Promise<void> | undefined

  return {
    listen: async (at: { host: string; port: number }): Promise<{ url: string; wsUrl: string }> => {
      await app.listen(at)
      return urlsOf(app.server.address() as AddressInfo)
    },
    /** Ends the streams, lets running requests finish for up to 15 s, and closes; further calls join the first. */
    close: (): Promise<void> => {
      closing ??= close(app, context, endSilentConnections).finally(answers.stop)
      return closing
    },
  }
}

/** Keeps listening while commits run: for their makers, and to answer everyone else that it closes (fault H1). */
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

/** No one can connect to a wildcard address, so the loopback replaces it. */
export function urlsOf({ address, family, port }: AddressInfo): { url: string; wsUrl: string } {
  const isWildcard = address === '0.0.0.0' || address === '::'
  const host = isWildcard ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address
  return { url: `http://${host}:${port}`, wsUrl: `ws://${host}:${port}` }
}
