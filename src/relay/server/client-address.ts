import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Log } from '../core/ports/runtime.ts'

/** Groups of an IPv6 address that one client holds: a provider gives each customer at least a /64. */
const IPV6_GROUPS = 4

/** An IPv4 address as it looks on a socket that takes both kinds. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/**
 * Whom a request counts for where clients are bounded: the address of its client, as `TRUST_PROXY` lets proxies name it.
 * The text is short whatever a proxy sent.
 */
export const clientAddressOf = ({ ip }: Pick<FastifyRequest, 'ip'>): string => bucketOf(ip)

/** The addresses that count as one client: an IPv4 address, or the /64 of an IPv6 address; `unknown` for what is neither. */
export function bucketOf(address: string): string {
  const plain = MAPPED.exec(address)?.[1] ?? address
  const kind = isIP(plain)
  if (kind === 4) return plain
  return kind === 6 ? `${groupsOf(plain).slice(0, IPV6_GROUPS).join(':')}::/64` : 'unknown'
}

/**
 * Warns once where a proxy names clients and is not believed: then they all count as one. Someone else than a proxy may
 * send the header, too, so that it can be no more than a line.
 */
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

/** The eight groups of an IPv6 address, without leading zeros; a zone is no part of them. */
function groupsOf(address: string): string[] {
  const [head = '', tail = ''] = (address.split('%')[0] as string).toLowerCase().split('::')
  const [before, after] = [head, tail].map((part) => part.split(':').filter((group) => group !== ''))
  const known = [...(before as string[]), ...(after as string[])]
  // The last 32 bits may be written as an IPv4 address, which is one group here and two in truth.
  const missing = 8 - known.length - (known.at(-1)?.includes('.') ? 1 : 0)
  const zeros = address.includes('::') ? Array<string>(missing).fill('0') : []
  return [...(before as string[]), ...zeros, ...(after as string[])].map((group) => group.replace(/^0+(?=.)/, ''))
}
