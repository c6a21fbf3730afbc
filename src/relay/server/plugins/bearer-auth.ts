import { createHash, timingSafeEqual } from 'node:crypto'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { User } from '../../core/ports/store.ts'
import type { Relay } from '../../core/relay.ts'

const USER = 'user'

/** Without a token no one may use the routes. Runs before bodies are read. */
export function requireOperator(scope: FastifyInstance, token: string | null): void {
  scope.addHook('onRequest', async (request) => {
    if (token === null || !hasBearer(request, token)) throw new RfqError('operator_token_required')
  })
}

/** Runs before bodies are read. */
export function requireUser(scope: FastifyInstance, relay: Pick<Relay, 'authenticateUser'>): void {
  scope.decorateRequest(USER, null)
  scope.addHook('onRequest', async (request) => {
    request.setDecorator<User>(USER, await relay.authenticateUser(bearerOf(request)))
  })
}

/** Only for requests that `requireUser` let through. */
export const userOf = (request: FastifyRequest): User => request.getDecorator<User>(USER)

/** Its duration reveals nothing of the secret. */
export function hasBearer(request: FastifyRequest, secret: string): boolean {
  const sent = bearerOf(request)
  return sent !== null && timingSafeEqual(digest(sent), digest(secret))
}

const bearerOf = ({ headers }: FastifyRequest): string | null =>
  /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? null

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()
