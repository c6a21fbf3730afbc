import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { FastifyRequest } from 'fastify'
import { siteOf } from '../core/client-site.ts'
import type { Clock } from '../core/ports/runtime.ts'
import { bucketOf, clientAddressOf } from './client-address.ts'
import { createAllowances } from './plugins/request-rates.ts'

/** Drips per hour: for a client, an IPv6 /48 counting as one, and for all programs of this machine together. */
export type FaucetShare = { perHour: number; ofOwnMachine: number }

/** Runs `drip` within the client's share; a failed drip does not count. Refuses with `faucet_exhausted`. */
export type FaucetShares = <Result>(request: Pick<FastifyRequest, 'ip'>, drip: () => Promise<Result>) => Promise<Result>

const HOUR_S = 3_600

/** Addresses of local programs that no proxy names: simulated takers, tests, a page. */
const OWN_MACHINE: readonly string[] = ['127.0.0.1', '::1'].map(bucketOf)

/** A client begins with its full share, which grows again within an hour; null: no bound. */
export function createFaucetShares(share: FaucetShare | null, clock: Pick<Clock, 'now'>): FaucetShares {
  if (share === null) return (_, drip) => drip()
  const allowancesOf = (perHour: number) => createAllowances({ perS: perHour / HOUR_S, burst: perHour }, clock)
  const ofOthers = { perHour: share.perHour, allowances: allowancesOf(share.perHour) }
  const ofOwnMachine = { perHour: share.ofOwnMachine, allowances: allowancesOf(share.ofOwnMachine) }

  return async (request, drip) => {
    const address = clientAddressOf(request)
    const { perHour, allowances } = OWN_MACHINE.includes(address) ? ofOwnMachine : ofOthers
    const site = siteOf(address)
    const waitMs = allowances.take(site, 1)
    if (waitMs > 0) {
      const detail = `This address has had its share of the faucet: ${perHour} wallets in an hour.`
      throw new RfqError('faucet_exhausted', { detail, data: { retryAfterS: Math.ceil(waitMs / 1_000) } })
    }
    try {
      return await drip()
    } catch (fault) {
      allowances.take(site, -1)
      throw fault
    }
  }
}
