import type { FastifyInstance } from 'fastify'
import { RfqError } from '../../domain/errors.ts'
import type { Clock } from '../../relay/ports/runtime.ts'
import { clientAddressOf } from '../client-address.ts'
import type { RouteDocs } from '../route-docs.ts'

/** What a client address may ask of costly routes: so many units in a second, and so many at once after a rest. */
export type RequestRate = { perS: number; burst: number }

/** Lets each client ask for so much; what is beyond is refused. */
export type Allowances = {
  /** Takes units from what a client has left. Returns 0, or takes nothing and returns in how many milliseconds it has them. */
  take: (client: string, units: number) => number
}

/** Clients remembered at most, twice: beyond it those that were not heard of lately start again. */
const MAX_CLIENTS = 50_000

/**
 * A token bucket per client, kept as one number: the moment at which it is full again. A client that was not heard of for
 * the time that a bucket takes to fill has a full one, so that two generations of clients are all there is to remember.
 */
export function createAllowances({ perS, burst }: RequestRate, clock: Pick<Clock, 'now'>): Allowances {
  const fillMs = (burst * 1_000) / perS
  let current = new Map<string, number>()
  let former = new Map<string, number>()
  let begunAt = clock.now()

  return {
    take: (client, units) => {
      const now = clock.now()
      if (now - begunAt >= fillMs || current.size >= MAX_CLIENTS) {
        former = now - begunAt >= 2 * fillMs ? new Map() : current
        current = new Map()
        begunAt = now
      }
      const fullAt = Math.max(current.get(client) ?? former.get(client) ?? now, now)
      const next = fullAt + (Math.min(units, burst) * 1_000) / perS
      if (next - now > fillMs) return next - now - fillMs
      current.set(client, next)
      return 0
    },
  }
}

/**
 * Puts a bound in front of each route that says what it costs: a client that asks for too much is refused with
 * `too_many_requests`, before its body is read. Must see all routes: call it before they are added.
 */
export function boundRequestRates(app: FastifyInstance, rate: RequestRate | null, clock: Pick<Clock, 'now'>): void {
  if (rate === null) return
  const allowances = createAllowances(rate, clock)
  app.addHook('onRoute', (route) => {
    const { docs } = (route.config ?? {}) as { docs?: RouteDocs }
    if (docs?.cost === undefined) return
    const { cost } = docs
    route.onRequest = [
      (request, _, done) => {
        const waitMs = allowances.take(clientAddressOf(request), cost)
        done(
          waitMs === 0
            ? undefined
            : new RfqError('too_many_requests', { data: { retryAfterS: Math.ceil(waitMs / 1_000) } }),
        )
      },
      ...[route.onRequest ?? []].flat(),
    ]
  })
}
