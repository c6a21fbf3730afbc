import { PRIVATE_FIELDS } from '@rfqctl/protocol/domain/audience'
import { encodeVerifierKey } from '@rfqctl/protocol/domain/checkpoint'
import { EnvironmentAnswer, encodeEnvironment } from '@rfqctl/protocol/wire/environment'
import type { FastifyInstance } from 'fastify'
import type { RouteContext } from '../route-context.ts'
import { documented } from '../route-docs.ts'

export function addEnvironmentRoute(app: FastifyInstance, { relay, settings, sandbox }: RouteContext): void {
  app.get(
    '/v1/environment',
    documented({
      id: 'getEnvironment',
      summary: 'Shows where trades are settled, and what the relay offers beside',
      details: 'A program that pays should have the addresses of the contracts from a source of its own.',
      tag: 'discovery',
      answer: EnvironmentAnswer,
      cost: 1,
    }),
    async () =>
      encodeEnvironment({
        mode: relay.mode,
        ...relay.environment,
        chainTime: await relay.chainTime(),
        faucet: relay.faucetTerms,
        relayerUrl: settings.relayerUrl,
        partnerFee: settings.partnerFee,
        sandbox: sandbox !== null,
        commitProof: relay.commitProof,
        privateFields: PRIVATE_FIELDS,
        twoSided: true,
        logKeys: (relay.transparency?.keys ?? []).map(encodeVerifierKey),
        explorerUrl: settings.explorerUrl,
        formerSettlementAddresses: settings.formerSettlementAddresses,
      }),
  )
}
