import type { FastifyInstance } from 'fastify'
import { clientAddressOf } from '../client-address.ts'
import { documented } from '../docs.ts'
import type { Door } from '../door.ts'
import { apiKeyInQuery } from '../maker-auth.ts'
import { assertLocalOrigin, isOpen } from '../open-mode.ts'
import { serveMakerSocket } from '../ws/maker-socket.ts'
import type { Upgrade } from '../ws/upgrade.ts'

/** @see spec "WebSocket /maker/v1/ws" */
export function addMakerSocketRoute(app: FastifyInstance, door: Door, upgrade: Upgrade): void {
  app.get(
    '/maker/v1/ws',
    documented({
      id: 'openMakerSocket',
      summary: 'Carries post-trade messages to a maker',
      tag: 'maker',
      credential: 'maker',
      answer: 'websocket',
      errors: ['origin_not_allowed'],
    }),
    async (request, reply) => {
      const takesAnyone = await isOpen(door.relay)
      if (takesAnyone) assertLocalOrigin(request.headers.origin)
      const call = { apiKey: apiKeyInQuery(request, door), address: clientAddressOf(request), isOpen: takesAnyone }
      upgrade(request, reply, (socket) => serveMakerSocket(door, socket, call))
    },
  )
}
