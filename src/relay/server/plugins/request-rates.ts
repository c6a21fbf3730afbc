import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../core/ports/runtime.ts'
import { clientAddressOf } from '../client-address.ts'
import type { RouteDocs } from '../route-docs.ts'

/** Units per second, and units at once after a rest. */
export type RequestRate = { perS: number; burst: number }

/** Clients per generation, of which there are two; beyond that, those not seen lately start with a full bucket. */
const MAX_CLIENTS = 50_000

/** A token bucket. Takes `units` and returns 0, or takes nothing and returns the wait in milliseconds. */
export function createBucket(rate: RequestRate, clock: Pick<Clock, 'now'>): (units: number) => number {
  let fullAt = 0
  return (units) => {
    const { next, waitMs } = draw(rate, { fullAt, units, now: clock.now() })
    if (waitMs === 0) fullAt = next
    return waitMs
  }
}

/** `next` is when the bucket is full again after this draw; `waitMs` is 0 when it has the units now. */
function draw({ perS, burst }: RequestRate, { fullAt, units, now }: { fullAt: number; units: number; now: number }) {
  const next = Math.max(fullAt, now) + (Math.min(units, burst) * 1_000) / perS
  return { next, waitMs: Math.max(0, next - now - (burst * 1_000) / perS) }
}

/**
 * One token bucket per client, kept as the moment at which it is full again. The bucket of a client that pauses for the
 * time that it takes to fill is full, so two generations of clients are all there is to remember.
 */
export function createAllowances(rate: RequestRate, clock: Pick<Clock, 'now'>) {
  const fillMs = (rate.burst * 1_000) / rate.perS
  let current = new Map<string, number>()
  let former = new Map<string, number>()
  let begunAt = clock.now()

  return {
    /** Takes `units` and returns 0, or takes nothing and returns the wait in milliseconds. Units below 0 give back. */
    take: (client: string, units: number): number => {
      const now = clock.now()
      if (now - begunAt >= fillMs || current.size >= MAX_CLIENTS) {
        former = now - begunAt >= 2 * fillMs ? new Map() : current
        current = new Map()
        begunAt = now
      }
      const fullAt = current.get(client) ?? former.get(client) ?? now
      const { next, waitMs } = draw(rate, { fullAt, units, now })
      if (waitMs === 0) current.set(client, next)
      return waitMs
    },
  }
}

/** Charges a client address, or returns the refusal of one that has asked for too much. */
export type Charge = (address: string, cost: number) => RfqError | null

/** Null: no bound. */
export function createCharge(rate: RequestRate | null, clock: Pick<Clock, 'now'>): Charge {
  if (rate === null) return () => null
  const { take } = createAllowances(rate, clock)
  return (address, cost) => {
    const waitMs = take(address, cost)
    return waitMs === 0 ? null : new RfqError('too_many_requests', { data: { retryAfterS: Math.ceil(waitMs / 1_000) } })
  }
}

/** Refuses before the body is read, on each route that names its cost. Must be called before routes are added. */
export function boundRequestRates(app: FastifyInstance, charge: Charge): void {
  app.addHook('onRoute', (route) => {
    const { docs } = (route.config ?? {}) as { docs?: RouteDocs }
    if (docs?.cost === undefined) return
    const { cost } = docs
    route.onRequest = [
      (request, _, done) => done(charge(clientAddressOf(request), cost) ?? undefined),
      ...[route.onRequest ?? []].flat(),
    ]
  })
}
