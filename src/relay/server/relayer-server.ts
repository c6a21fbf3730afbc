import type { AddressInfo } from 'node:net'
import type { Meter } from '../core/ports/operations.ts'
import type { Clock, Log } from '../core/ports/runtime.ts'
import type { Relayer } from '../relayer/relayer.ts'
import { warnOfProxies } from './client-address.ts'
import { capConnections, watchSilentConnections } from './connections.ts'
import { createHttpApp } from './http-app.ts'
import { readJsonBodies } from './plugins/body.ts'
import { allowOrigins } from './plugins/cors.ts'
import { countAnswers } from './plugins/count-answers.ts'
import { refuseForNode, refuseUnknownRoutes } from './plugins/refusals.ts'
import { boundRequestRates, createCharge, type RequestRate } from './plugins/request-rates.ts'
import { createTurnBudgets } from './plugins/turn-budget.ts'
import { boundUnreadAnswers } from './plugins/unread-answers.ts'
import type { ServerSettings } from './route-context.ts'
import { addRelayerRoutes } from './routes/relayer.ts'
import { urlsOf } from './server.ts'
import { createShutdown, refuseWhileClosing } from './shutdown.ts'

export type RelayerServerSettings = Pick<
  ServerSettings,
  'software' | 'trustProxy' | 'corsOrigins' | 'maxConnections' | 'maxConnectionsPerAddress' | 'keepAliveMs'
> & {
  /** Per client address; a submission costs ten units, whatever becomes of it. */
  requestRate: RequestRate
}

export type RelayerServer = ReturnType<typeof createRelayerServer>

/** Time for answers once the relayer has ended. */
const ANSWER_MS = 1_000

/** Does not listen yet. Collectors read `metrics`. */
export function createRelayerServer(parts: {
  relayer: Relayer
  meter: Pick<Meter, 'answersOf'>
  metrics: () => Promise<{ contentType: string; text: string }>
  clock: Clock
  log: Log
  settings: RelayerServerSettings
}) {
  const { relayer, meter, clock, log, settings } = parts
  const app = createHttpApp(log, settings)
  capConnections(app.server, parts)
  const answers = boundUnreadAnswers(app, clock)
  const shutdown = createShutdown()
  countAnswers(app, meter)
  refuseForNode(app)
  refuseWhileClosing(app, shutdown)
  allowOrigins(app, settings.corsOrigins)
  warnOfProxies(app, log, settings.trustProxy !== false)
  refuseUnknownRoutes(app)
  boundRequestRates(app, createCharge(settings.requestRate, clock))
  readJsonBodies(app, createTurnBudgets().strangers)
  addRelayerRoutes(app, parts)
  const endSilentConnections = watchSilentConnections(app.server)

  return {
    listen: async (at: { host: string; port: number }): Promise<{ url: string }> => {
      await app.listen(at)
      const { url } = urlsOf(app.server.address() as AddressInfo)
      return { url }
    },
    /** Refuses new requests, lets the relayer end what it has sent, and closes. */
    close: async (): Promise<void> => {
      shutdown.begin()
      await relayer.close()
      endSilentConnections()
      const stopTimer = clock.schedule(clock.now() + ANSWER_MS, () => app.server.closeAllConnections())
      await app.close()
      stopTimer()
      answers.stop()
    },
  }
}
