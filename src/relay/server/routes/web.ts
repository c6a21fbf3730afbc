import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { ASSETS_PATH, pagePolicy, type WebPages } from '../pages/files.ts'
import { encodingFor } from '../pages/negotiate.ts'
import { sendPage } from '../pages/send-page.ts'
import type { RouteContext } from '../route-context.ts'
import { forPeople } from '../route-docs.ts'

type ByName = { Params: { name: string } }

/** The content of an asset never changes under its name. */
const FOREVER = 'public, max-age=31536000, immutable'

/**
 * Addresses of the shell (`web/main.tsx`): a market, an option, a position, a trade and a wallet's history, which the trade page reads
 * (`web/trade/address.ts`), and the operator's page. The relay's home, `/`, is one as well.
 */
const PAGE_PATHS = ['/m/:conditionId/:yesTokenId', '/s/:seriesId', '/p/:seriesId', '/t/:requestId', '/history', '/desk']

export function addWebRoutes(app: FastifyInstance, { web }: RouteContext): void {
  if (web === null) return
  for (const path of PAGE_PATHS) app.get(path, forPeople, async (_, reply) => sendWebPage(reply, web))

  app.get<ByName>(`${ASSETS_PATH}:name`, forPeople, async (request, reply) => {
    const asset = web.files.assets.get(request.params.name)
    if (asset === undefined) throw new RfqError('not_found')
    const encoding = encodingFor(request.headers['accept-encoding'])
    const body = encoding === 'br' ? asset.brotli : encoding === 'gzip' ? asset.gzip : asset.bytes
    addVary(reply, 'Accept-Encoding')
    if (encoding !== null) reply.header('content-encoding', encoding)
    return reply.headers({ 'cache-control': FOREVER, 'x-content-type-options': 'nosniff' }).type(asset.type).send(body)
  })
}

export const sendWebPage = (reply: FastifyReply, web: WebPages): FastifyReply =>
  sendPage(reply, { html: web.files.page, policy: pagePolicy(web) })

/** Appends, because CORS may have set the header already. */
export function addVary(reply: FastifyReply, name: string): void {
  const vary = reply.getHeader('vary')
  reply.header('vary', vary === undefined ? name : `${vary}, ${name}`)
}
