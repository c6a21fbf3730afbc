import * as wire from '@rfqctl/protocol/wire/account'
import { OK, OkAnswer } from '@rfqctl/protocol/wire/envelope'
import type { FastifyInstance } from 'fastify'
import { requireUser, userOf } from '../plugins/bearer-auth.ts'
import { bodyOf } from '../plugins/body.ts'
import type { RouteContext } from '../route-context.ts'
import { documentedAs } from '../route-docs.ts'

type ById = { Params: { id: string } }

/** Profile and maker keys of the signed-in user (protocol account-1, account-2). */
export function addAccountRoutes(scope: FastifyInstance, { relay }: RouteContext): void {
  requireUser(scope, relay)

  scope.get(
    '/v1/user/profile',
    forUsers({ id: 'getProfile', summary: 'Shows who is signed in', answer: wire.ProfileAnswer }),
    async (request) => wire.encodeProfile(userOf(request)),
  )

  scope.get(
    '/v1/user/api-keys',
    forUsers({ id: 'listApiKeys', summary: 'Lists active maker keys', answer: wire.ApiKeysAnswer }),
    async (request) => wire.encodeApiKeys(await relay.listApiKeys(userOf(request))),
  )

  scope.post(
    '/v1/user/api-keys',
    forUsers({
      id: 'createApiKey',
      summary: 'Creates a maker key and returns its secret only once',
      body: wire.CreateApiKeyBody,
      answer: wire.CreatedApiKeyAnswer,
      errors: ['too_many_api_keys', 'maker_id_taken', 'maker_id_settled'],
    }),
    async (request, reply) => {
      const { name, makerId } = wire.decodeCreateApiKey(bodyOf(request))
      const { secret, apiKey } = await relay.createApiKey({ user: userOf(request), name, makerId })
      // No cache on the way may keep the secret.
      reply.header('cache-control', 'no-store')
      return wire.encodeCreatedApiKey(secret, apiKey)
    },
  )

  scope.delete<ById>(
    '/v1/user/api-keys/:id',
    forUsers({
      id: 'revokeApiKey',
      summary: 'Revokes a maker key, which stops working at once',
      params: { id: wire.ApiKeyFields.properties.id },
      answer: OkAnswer,
      errors: ['api_key_not_found'],
    }),
    async (request) => {
      await relay.revokeApiKey({ user: userOf(request), keyId: request.params.id })
      return OK
    },
  )
}

const forUsers = documentedAs({
  tag: 'account',
  credential: 'account',
  // Checking a token costs something even when it is invalid.
  cost: 1,
  errors: ['invalid_access_token', 'identity_not_configured', 'identity_unavailable', 'store_unavailable'],
})
