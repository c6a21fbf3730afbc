import { isIP } from 'node:net'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** An IPv6 address keeps its brackets; the port is dropped. */
const HOST = /^(\[[^\]]+\]|[^:]+)(?::\d{1,5})?$/

/** `Sec-Fetch-Site` of a request by a page of this very address, or one that its reader typed. */
const OWN_SITES = ['same-origin', 'none']

/**
 * Lets in the relay's own pages, and clients that are not browsers. The browser's headers show a page from elsewhere;
 * with DNS rebinding, the host does, which is neither an address nor `localhost`.
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

/** An address or `localhost`: any other name can be made to lead anywhere. */
export function isPlainHost(host: string): boolean {
  const name = HOST.exec(host)?.[1]?.toLowerCase() ?? ''
  const address = name.startsWith('[') ? name.slice(1, -1) : name
  return name === 'localhost' || isIP(address) !== 0
}

/** A proxy in front may speak TLS, which the relay cannot see. */
const isOriginOf = (origin: string, host: string): boolean =>
  URL.canParse(origin) && [`http://${host}`, `https://${host}`].some((own) => new URL(own).origin === origin)
