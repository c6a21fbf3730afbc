import type { FastifyInstance } from 'fastify'
import { documented } from '../docs.ts'
import type { Door } from '../door.ts'
import { apiKeyInQuery } from '../maker-auth.ts'
import { serveMakerSocket } from '../ws/maker-socket.ts'
import { assertLocalOrigin } from '../ws/origin.ts'
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
      const isOpen = await isOpenTo(door)
      if (isOpen) assertLocalOrigin(request.headers.origin)
      const call = { apiKey: apiKeyInQuery(request, door), address: request.ip, isOpen }
      upgrade(request, reply, (socket) => serveMakerSocket(door, socket, call))
    },
  )
}

/** Whether this relay takes makers without a key (ruling M5). */
async function isOpenTo({ relay }: Door): Promise<boolean> {
  try {
    await relay.authenticateMaker(null)
    return true
  } catch {
    return false
  }
}
