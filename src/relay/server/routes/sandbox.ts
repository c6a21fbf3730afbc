import * as wire from '@rfqctl/protocol/wire/sandbox'
import type { FastifyInstance } from 'fastify'
import type { SandboxChain } from '../pages/sandbox-chain.ts'
import { bodyOf } from '../plugins/body.ts'
import { requireOwnPages } from '../plugins/own-pages.ts'
import type { RouteContext } from '../route-context.ts'
import { documentedAs } from '../route-docs.ts'

const ofTestnet = documentedAs({ tag: 'testnet', cost: 1 })

/** A warp makes the relay list the series of the new time, and read the chain again. */
const WARP_COST = 50

/** Browsers have no other way to the chain of a sandbox. */
export function addSandboxRoutes(app: FastifyInstance, { sandbox }: RouteContext): void {
  if (sandbox === null) return
  requireOwnPages(app)

  app.post(
    '/sandbox/rpc',
    ofTestnet({
      id: 'callSandbox',
      summary: "Calls the node of a sandbox for the relay's own pages",
      details:
        'JSON-RPC 2.0: a call, or a batch of at most 20. What a wallet needs is offered, and nothing that needs an owner.',
      body: wire.RpcBody,
      answer: wire.RpcAnswer,
      errors: ['origin_not_allowed', 'chain_unavailable'],
    }),
    async (request) => {
      const { calls, answer } = wire.decodeRpc(bodyOf(request))
      return answer(await callOffered(sandbox, calls))
    },
  )

  app.post(
    '/sandbox/warp',
    ofTestnet({
      id: 'warpSandbox',
      summary: 'Moves the time of a sandbox forward',
      body: wire.WarpBody,
      answer: wire.WarpAnswer,
      errors: ['origin_not_allowed', 'chain_unavailable'],
      cost: WARP_COST,
    }),
    async (request) => wire.encodeWarped(await sandbox.warp(wire.decodeWarp(bodyOf(request)))),
  )
}

/** Calls that pages may not make end in an error. */
async function callOffered(sandbox: SandboxChain, calls: readonly wire.RpcCall[]): Promise<wire.RpcOutcome[]> {
  const offered = calls.filter(wire.isSandboxCall)
  const outcomes = offered.length === 0 ? [] : await sandbox.call(offered)
  return calls.map((call) =>
    wire.isSandboxCall(call) ? (outcomes[offered.indexOf(call)] as wire.RpcOutcome) : wire.notOffered(call),
  )
}
