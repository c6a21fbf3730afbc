import { createHttp } from '@rfqctl/client/http'
import type { Signer, TakerClient } from '@rfqctl/client/index'
import { createTakerClient } from '@rfqctl/client/taker'
import { type EIP1193Provider, http, type Transport } from 'viem'
import type { Trader, TraderInput } from './ports.ts'

type Options = { url: string; fetch?: typeof globalThis.fetch }

export function createTraderOpener({ url, fetch = globalThis.fetch.bind(globalThis) }: Options) {
  const relay = createHttp({ url, fetch })
  const inTurn = createTurns()
  const sandbox = http(`${url}/sandbox/rpc`, { retryCount: 2, fetchFn: fetch })

  return ({ signer, onSent }: TraderInput): Trader => {
    const client = createTakerClient({ url, fetch, ...(signer === undefined ? {} : signerOf(signer, onSent, sandbox)) })
    const own = signer?.usesSandboxChain === true ? sendingInTurn(client, inTurn) : client
    return {
      ...own,
      getTranscript: async ({ requestId, takerSecret, signal }) => {
        const { createLogClient } = await import('@rfqctl/client/transparency')
        return createLogClient({ url, fetch }).getTranscript({ requestId, credential: { takerSecret }, signal })
      },
      warp: ({ seconds, signal }) =>
        relay.call('POST', '/sandbox/warp', {
          body: { seconds },
          signal,
          decode: (answer) => {
            const { chainTime } = answer as { chainTime?: unknown }
            if (typeof chainTime !== 'number') throw new Error('chainTime is not a number')
            return chainTime
          },
        }),
    }
  }
}

function createTurns(): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }
}

/** The page's own key has no wallet that numbers its transactions: two at a time would take the same nonce. */
const sendingInTurn = (client: TakerClient, inTurn: ReturnType<typeof createTurns>): TakerClient => ({
  ...client,
  fillOrder: (input) => inTurn(() => client.fillOrder(input)),
  approveInventory: (options) => inTurn(() => client.approveInventory(options)),
  registerPackage: (input) => inTurn(() => client.registerPackage(input)),
  closePosition: (input) => inTurn(() => client.closePosition(input)),
  settleSeries: (input) => inTurn(() => client.settleSeries(input)),
  claimHolderPayout: (input) => inTurn(() => client.claimHolderPayout(input)),
  claimWriterCollateral: (input) => inTurn(() => client.claimWriterCollateral(input)),
})

function signerOf(
  { account, environment, usesSandboxChain }: NonNullable<TraderInput['signer']>,
  onSent: TraderInput['onSent'],
  sandbox: Transport,
) {
  const { chainId, settlementAddress, coreAddress } = environment
  const chain = { chainId, settlementAddress, coreAddress, pollingIntervalMs: POLL_MS }
  if (usesSandboxChain) return { account, chain: { ...chain, transport: observed(sandbox, onSent) } }
  return { account: isProvider(account) ? observedProvider(account, onSent) : account, chain }
}

/** A sandbox mines at once, and a wallet's own node is asked no more often than people notice. */
const POLL_MS = 1_000

const isProvider = (account: Signer): account is EIP1193Provider =>
  typeof account === 'object' && 'request' in account && !('writeContract' in account)

/** Reports transactions when they are sent, long before they are mined. Uses nothing else of a provider. */
const observedProvider = (provider: EIP1193Provider, onSent: TraderInput['onSent']): EIP1193Provider =>
  ({
    request: async (call: { method: string }) => {
      const answer = await provider.request(call as never)
      tell(call.method, answer, onSent)
      return answer
    },
  }) as unknown as EIP1193Provider

const observed =
  (transport: Transport, onSent: TraderInput['onSent']): Transport =>
  (config) => {
    const made = transport(config)
    const request: typeof made.request = async (call, options) => {
      const answer = await made.request(call, options)
      tell(call.method, answer, onSent)
      return answer as never
    }
    return { ...made, request }
  }

function tell(method: string, answer: unknown, onSent: TraderInput['onSent']): void {
  if (method !== 'eth_sendTransaction' && method !== 'eth_sendRawTransaction') return
  if (typeof answer === 'string' && /^0x[0-9a-fA-F]{64}$/.test(answer)) onSent?.(answer as `0x${string}`)
}
