import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { RfqError } from '../domain/errors.ts'

/** The bearer token of a request; null for none. */
export const bearerOf = ({ headers }: FastifyRequest): string | null =>
  /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? null

/** Whether a request carries a secret as its bearer token; how long that takes says nothing of the secret. */
export function hasBearer(request: FastifyRequest, secret: string): boolean {
  const sent = bearerOf(request)
  return sent !== null && timingSafeEqual(digest(sent), digest(secret))
}

/** Lets only the operator on, and no one where there is no token; comes before the body is read. */
export const requireOperator =
  (token: string | null): onRequestAsyncHookHandler =>
  async (request) => {
    if (token === null || !hasBearer(request, token)) throw new RfqError('operator_token_required')
  }

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()
