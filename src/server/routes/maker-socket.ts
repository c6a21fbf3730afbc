import type { FastifyInstance } from 'fastify'
import { clientAddressOf } from '../client-address.ts'
import { apiKeyOf } from '../maker-auth.ts'
import { assertLocalOrigin, isOpen } from '../open-mode.ts'
import type { RouteContext } from '../route-context.ts'
import { documented } from '../route-docs.ts'
import { serveMakerSocket } from '../ws/maker-socket.ts'
import type { Upgrade } from '../ws/upgrade.ts'

/** The WebSocket of makers (protocol socket-1). */
export function addMakerSocketRoute(app: FastifyInstance, context: RouteContext, upgrade: Upgrade): void {
  app.get(
    '/maker/v1/ws',
    documented({
      id: 'openMakerSocket',
      summary: 'Carries post-trade messages to a maker',
      tag: 'maker',
      credential: 'makerSocket',
      details: `The key comes in one of three ways: in the \`X-API-Key\` header, in the query, or, when neither is there, as the
first message: \`{"type": "auth", "apiKey": "..."}\`. A wrong key closes the socket with 4001 at once, a missing key after
three seconds (\`WS_AUTH_TIMEOUT_MS\`).`,
      answer: 'websocket',
      errors: ['origin_not_allowed'],
    }),
    async (request, reply) => {
      const takesAnyone = await isOpen(context.relay)
      if (takesAnyone) assertLocalOrigin(request.headers.origin)
      const call = { apiKey: apiKeyOf(request, context), address: clientAddressOf(request), isOpen: takesAnyone }
      upgrade(request, reply, (socket) => serveMakerSocket(context, socket, call))
    },
  )
}
