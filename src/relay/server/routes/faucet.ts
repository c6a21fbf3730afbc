import * as wire from '@rfqctl/protocol/wire/faucet'
import type { FastifyInstance } from 'fastify'
import { createFaucetShares } from '../faucet-shares.ts'
import { bodyOf } from '../plugins/body.ts'
import type { RouteContext } from '../route-context.ts'
import { documented } from '../route-docs.ts'

/** Test stablecoin for a wallet (protocol faucet-1). */
export function addFaucetRoutes(app: FastifyInstance, { relay, settings, clock }: RouteContext): void {
  const withinShare = createFaucetShares(settings.faucetShare, clock)

  app.post(
    '/faucet',
    documented({
      id: 'drip',
      summary: 'Sends test stablecoin to a wallet',
      tag: 'testnet',
      body: wire.DripBody,
      answer: wire.DripAnswer,
      errors: [
        'faucet_cooldown',
        'faucet_exhausted',
        'faucet_not_configured',
        'faucet_unavailable',
        'chain_unavailable',
        'store_unavailable',
      ],
      cost: 5,
    }),
    async (request) => {
      const wallet = wire.decodeDrip(bodyOf(request))
      return wire.encodeDripped(await withinShare(request, () => relay.drip(wallet)))
    },
  )

  app.get(
    '/faucet/status',
    documented({
      id: 'getFaucetStatus',
      summary: 'Shows what the faucet gives',
      tag: 'testnet',
      answer: wire.FaucetStatusAnswer,
    }),
    async () => wire.encodeFaucetStatus(relay.faucetTerms),
  )
}
