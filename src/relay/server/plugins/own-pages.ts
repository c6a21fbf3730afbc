import { isIP } from 'node:net'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** The host of a `Host` header, an IPv6 address in its brackets; the port is no part of it. */
const HOST = /^(\[[^\]]+\]|[^:]+)(?::\d{1,5})?$/

/** What browsers say of a request that the page of this very address makes, or that its reader typed. */
const OWN_SITES = ['same-origin', 'none']

/**
 * Lets only the relay's own pages use the routes of a scope, and what is no browser. A page elsewhere is told by what its browser
 * says of it; one that has its own name lead here (DNS rebinding) by that name, which is neither an address nor `localhost`.
 */
export function requireOwnPages(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (request) => {
    if (!isOwnPage(request))
      throw new RfqError('origin_not_allowed', { detail: "The sandbox takes calls of the relay's own pages only." })
  })
}

function isOwnPage({ raw: { headers } }: FastifyRequest): boolean {
  const { host = '', origin } = headers
  const site = headers['sec-fetch-site']
  if (!isPlainHost(host)) return false
  if (site !== undefined && !OWN_SITES.includes(String(site))) return false
  return origin === undefined || isOriginOf(origin, host)
}

/** Whether a `Host` header names an address or `localhost`, and not a name, which can be made to lead anywhere. */
export function isPlainHost(host: string): boolean {
  const name = HOST.exec(host)?.[1]?.toLowerCase() ?? ''
  const address = name.startsWith('[') ? name.slice(1, -1) : name
  return name === 'localhost' || isIP(address) !== 0
}

/** Whether an origin is of this host and port; a proxy in front may speak TLS, which we cannot see. */
const isOriginOf = (origin: string, host: string): boolean =>
  URL.canParse(origin) && [`http://${host}`, `https://${host}`].some((own) => new URL(own).origin === origin)
