import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../core/ports/runtime.ts'
import { clientAddressOf } from '../client-address.ts'
import type { RouteDocs } from '../route-docs.ts'

/** What a client address may ask of costly routes: so many units in a second, and so many at once after a rest. */
export type RequestRate = { perS: number; burst: number }

/** Lets each client ask for so much; what is beyond is refused. */
export type Allowances = {
  /**
   * Takes units from what a client has left. Returns 0, or takes nothing and returns in how many milliseconds it has them. Units below
   * 0 give back what was taken.
   */
  take: (client: string, units: number) => number
}

/** Clients remembered at most, twice: beyond it those that were not heard of lately start again. */
const MAX_CLIENTS = 50_000

/**
 * A token bucket of one client. Takes units from it and returns 0, or takes nothing and returns in how many milliseconds it has
 * them.
 */
export function createBucket(rate: RequestRate, clock: Pick<Clock, 'now'>): (units: number) => number {
  let fullAt = 0
  return (units) => {
    const { next, waitMs } = draw(rate, { fullAt, units, now: clock.now() })
    if (waitMs === 0) fullAt = next
    return waitMs
  }
}

/** When a bucket is full again once these units are taken from it, and in how many milliseconds it has them. */
function draw({ perS, burst }: RequestRate, { fullAt, units, now }: { fullAt: number; units: number; now: number }) {
  const next = Math.max(fullAt, now) + (Math.min(units, burst) * 1_000) / perS
  return { next, waitMs: Math.max(0, next - now - (burst * 1_000) / perS) }
}

/**
 * A token bucket per client, kept as one number: the moment at which it is full again. A client that was not heard of for
 * the time that a bucket takes to fill has a full one, so that two generations of clients are all there is to remember.
 */
export function createAllowances(rate: RequestRate, clock: Pick<Clock, 'now'>): Allowances {
  const fillMs = (rate.burst * 1_000) / rate.perS
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
      const fullAt = current.get(client) ?? former.get(client) ?? now
      const { next, waitMs } = draw(rate, { fullAt, units, now })
      if (waitMs === 0) current.set(client, next)
      return waitMs
    },
  }
}

/** Takes what something costs from what a client address may ask, or returns the refusal of one that has asked for too much. */
export type Charge = (address: string, cost: number) => RfqError | null

/** A charge by a rate; null: no bound. */
export function createCharge(rate: RequestRate | null, clock: Pick<Clock, 'now'>): Charge {
  if (rate === null) return () => null
  const { take } = createAllowances(rate, clock)
  return (address, cost) => {
    const waitMs = take(address, cost)
    return waitMs === 0 ? null : new RfqError('too_many_requests', { data: { retryAfterS: Math.ceil(waitMs / 1_000) } })
  }
}

/**
 * Puts a bound in front of each route that says what it costs: a client that asks for too much is refused with
 * `too_many_requests`, before its body is read. Must see all routes: call it before they are added.
 */
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
