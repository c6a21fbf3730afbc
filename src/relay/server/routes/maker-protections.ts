import { activeTrip, type ProtectionState } from '@rfqctl/protocol/domain/maker-protections'
import * as wire from '@rfqctl/protocol/wire/maker-protections'
import type { FastifyInstance } from 'fastify'
import { bodyOf } from '../plugins/body.ts'
import { namedMakerOf, requireMaker } from '../plugins/maker-auth.ts'
import type { RouteContext } from '../route-context.ts'
import { forMakers } from './maker.ts'

/** Protections that the relay holds for a maker (protocol protect-1). */
export function addMakerProtectionRoutes(scope: FastifyInstance, context: RouteContext): void {
  const { relay } = context
  requireMaker(scope, context)

  const answerOf = (state: ProtectionState | null) =>
    wire.encodeProtectionsAnswer(state === null ? null : { ...state, trip: activeTrip(state, relay.now()) })

  scope.get(
    '/v1/mm/protections',
    forMakers({ id: 'getProtections', summary: "Shows the maker's protections", answer: wire.ProtectionsAnswer }),
    async (request) => answerOf(await relay.protections.read(namedMakerOf(request))),
  )

  scope.put(
    '/v1/mm/protections',
    forMakers({
      id: 'putProtections',
      summary: "Replaces the maker's protections",
      details: 'A protection that is left out is off. A trip stays until it is reset, or its freeze is over.',
      body: wire.ProtectionsBody,
      answer: wire.ProtectionsAnswer,
      errors: ['too_many_requests'],
    }),
    async (request) => {
      const protections = wire.decodeProtections(bodyOf(request), relay.now())
      return answerOf(await relay.protections.put(namedMakerOf(request), protections))
    },
  )

  scope.post(
    '/v1/mm/protections/reset',
    forMakers({
      id: 'resetProtections',
      summary: 'Ends a trip and begins to count again',
      answer: wire.ProtectionsAnswer,
    }),
    async (request) => answerOf(await relay.protections.reset(namedMakerOf(request))),
  )
}
