import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Log } from '../core/ports/runtime.ts'

/** Groups of an IPv6 address that one client holds: a provider gives each customer at least a /64. */
const IPV6_GROUPS = 4

/** An IPv4 address as it appears on a dual-stack socket. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** The address that limits count, named by proxies as far as `TRUST_PROXY` allows. Short whatever a proxy sent. */
export const clientAddressOf = ({ ip }: Pick<FastifyRequest, 'ip'>): string => bucketOf(ip)

/** An IPv4 address, the /64 of an IPv6 address, or `unknown`. */
export function bucketOf(address: string): string {
  const plain = MAPPED.exec(address)?.[1] ?? address
  const kind = isIP(plain)
  if (kind === 4) return plain
  return kind === 6 ? `${groupsOf(plain).slice(0, IPV6_GROUPS).join(':')}::/64` : 'unknown'
}

/** Warns once when an untrusted proxy names clients, which then count as one. Anyone can send the header. */
export function warnOfProxies(app: FastifyInstance, log: Log, isTrusted: boolean): void {
  let warned = isTrusted
  app.addHook('onRequest', ({ headers }, _, done) => {
    if (!warned && headers['x-forwarded-for'] !== undefined) {
      warned = true
      log.warn('forwarded_for_ignored', {
        reason: 'TRUST_PROXY is not set: all clients behind the proxy share the limits of one address',
      })
    }
    done()
  })
}

/** Eight groups without leading zeros; the zone is dropped. */
function groupsOf(address: string): string[] {
  const [head = '', tail = ''] = (address.split('%')[0] as string).toLowerCase().split('::')
  const [before, after] = [head, tail].map((part) => part.split(':').filter((group) => group !== ''))
  const known = [...(before as string[]), ...(after as string[])]
  // The last 32 bits may be written as an IPv4 address, which is one part here and two groups in truth.
  const missing = 8 - known.length - (known.at(-1)?.includes('.') ? 1 : 0)
  const zeros = address.includes('::') ? Array<string>(missing).fill('0') : []
  return [...(before as string[]), ...zeros, ...(after as string[])].map((group) => group.replace(/^0+(?=.)/, ''))
}
