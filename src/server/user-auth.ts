import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { User } from '../relay/ports/store.ts'
import type { Relay } from '../relay/relay.ts'
import { bearerOf } from './bearer.ts'

const USER = 'user'

/** Makes room for the user of a request. */
export const acceptUsers = (app: FastifyInstance): void => void app.decorateRequest(USER, null)

/** Lets only signed-in people on; comes before the body is read. */
export const requireUser =
  (relay: Relay): onRequestAsyncHookHandler =>
  async (request) => {
    request.setDecorator<User>(USER, await relay.authenticateUser(bearerOf(request)))
  }

/** The user of a request that `requireUser` let on. */
export const userOf = (request: FastifyRequest): User => request.getDecorator<User>(USER)
