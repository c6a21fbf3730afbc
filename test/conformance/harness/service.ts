import { HDNodeWallet, Wallet, ZeroAddress } from 'ethers'
import { inject } from 'vitest'
import { type Answer, type CallInput, call } from '../../kit/http.ts'
import { keep } from '../../kit/keep.ts'
import type { Ready } from '../../kit/relay-process.ts'
import { newMarket, openChain, seriesIdOf, type TestChain } from './chain.ts'
import { type Order, proveCommit } from './eip712.ts'
import { keysOf, type MakerKey } from './keys.ts'
import { createMaker, type Maker } from './maker.ts'
import { openStream, type SseStream } from './sse.ts'

/** How a relay was started: without a chain, or on the one that it starts by itself. */
export type Mode = 'simulated' | 'embedded'

/** What opening a request answers. */
export type Created = {
  requestId: string
  expiresAt: string
  makersConnected: number
  takerSecret: string
  seriesId: string
  seriesListed: boolean
}

/** What committing answers, as far as tests look into it. */
export type Committed = {
  success: boolean
  mode: string
  code?: string
  quote: Record<string, unknown>
  execution: Record<string, unknown>
  onchain?: { order: Order; makerSignature: string } & Record<string, unknown>
}

/** An option that can be traded on the relay, as the body of a request names it. */
export type TestOption = {
  market: { conditionId: string; yesTokenId: string; question: string }
  option: { strikeBps: number; expiryMs: number; optionType: 'call' | 'put' }
  seriesId: string
}

/** The body of a commit with the proof of its wallet. */
export type ProvenCommit = { wallet: string; limitPrice?: number; proof: string }

type OptionInput = { strikeBps?: number; optionType?: 'call' | 'put'; expiresInS?: number }

/** One relay with what a test needs around it. */
export type Service = {
  mode: Mode
  ready: Ready
  chain: TestChain | null
  call: <Body = Record<string, unknown>>(method: string, path: string, input?: CallInput) => Promise<Answer<Body>>
  /** With a body, by a POST. */
  stream: (path: string, headers?: Record<string, string>, body?: unknown) => Promise<SseStream>
  /** A maker that no other test knows; on a chain its wallet has 1000 dollars and has approved all of them. */
  maker: (options?: { funded?: boolean; wallet?: Wallet }) => Promise<Maker>
  /** A fresh address. */
  wallet: () => Wallet
  /** Gives a wallet gas, the faucet's dollars and approvals. */
  fund: (wallet: Wallet) => Promise<void>
  /** An option that can be committed; the same terms are the same option throughout a file. */
  option: (input?: OptionInput) => Promise<TestOption>
  /** Opens a request, by default to buy calls of strike 0.45 for 100 dollars; fields given replace those of the body. */
  open: (fields?: Record<string, unknown>, option?: OptionInput) => Promise<Created>
  commit: (requestId: string, body: Record<string, unknown>) => Promise<Answer<Committed>>
  /** The body of a commit that proves its wallet, by default one that no one knows. */
  proven: (requestId: string, wallet?: Wallet, limitPrice?: number) => Promise<ProvenCommit>
}

const A_DAY_S = 86_400
const ALL = 2n ** 255n

/** The shared relays, one per mode, each with makers of its own for this file. */
export function openServices(file: string): Service[] {
  const { simulated, embedded } = inject('relays')
  return [createService('simulated', simulated, keysOf(file)), createService('embedded', embedded, keysOf(file))]
}

/** The one shared relay that stands on a chain. */
export function openChainService(file: string): Service & { chain: TestChain } {
  const service = createService('embedded', inject('relays').embedded, keysOf(file))
  return { ...service, chain: service.chain as TestChain }
}

/** A service around any relay whose makers' keys are known. */
export function createService(mode: Mode, ready: Ready, keys: MakerKey[]): Service {
  const { url } = ready
  const chain = mode === 'embedded' ? openChain(ready) : null
  if (chain !== null) keep(chain.close)
  const options = new Map<string, Promise<TestOption>>()

  async function fund(wallet: Wallet): Promise<void> {
    if (chain === null) return
    const [{ status, text }] = await Promise.all([
      call('POST', `${url}/faucet`, { body: { wallet: wallet.address } }),
      chain.giveGas(wallet),
    ])
    if (status !== 200) throw new Error(`the faucet did not pay: ${text}`)
    await chain.approve(wallet, ready.coreAddress, ALL)
    await chain.approve(wallet, ready.settlementAddress, ALL)
  }

  async function makeOption({ strikeBps = 4_500, optionType = 'call', expiresInS = A_DAY_S }: OptionInput) {
    const market = newMarket()
    const expiry = Math.floor(Date.now() / 1_000) + expiresInS
    const terms = { ...market, strikeBps, expiry, optionType }
    await chain?.register(terms)
    return {
      market: { ...market, question: 'Will it rain?' },
      option: { strikeBps, expiryMs: expiry * 1_000, optionType },
      seriesId: seriesIdOf(terms),
    }
  }

  async function option(input: OptionInput = {}): Promise<TestOption> {
    const name = JSON.stringify(input)
    const made = options.get(name) ?? makeOption(input)
    options.set(name, made)
    return made
  }

  return {
    mode,
    ready,
    chain,
    call: (method, path, input) => call(method, `${url}${path}`, input),
    stream: (path, headers, body) => openStream(`${url}${path}`, headers, body),
    maker: async ({ funded = true, wallet = newWallet() } = {}) => {
      const key = keys.shift()
      if (key === undefined) throw new Error('there are no maker keys left for this file')
      if (funded) await fund(wallet)
      return createMaker(ready, key, wallet)
    },
    wallet: newWallet,
    fund,
    option,
    open: async (fields = {}, terms = {}) => {
      const { market, option: asked } = await option(terms)
      const body = { market, option: asked, trade: { side: 'buy', budgetUsd: 100 }, ...fields }
      const answer = await call<Created>('POST', `${url}/quote-requests`, { body })
      if (answer.status !== 200) throw new Error(`the request was refused: ${answer.status} ${answer.text}`)
      return answer.body
    },
    commit: (requestId, body) => call('POST', `${url}/quote-requests/${requestId}/commit`, { body }),
    proven: async (requestId, wallet = newWallet(), limitPrice) => {
      // Without a chain orders are signed for no contract.
      const settlementAddress = chain === null ? ZeroAddress : ready.settlementAddress
      const limit = limitPrice === undefined ? {} : { limitPrice }
      const signed = { requestId, limitPrice: Math.round((limitPrice ?? 0) * 1e6) }
      return {
        wallet: wallet.address,
        ...limit,
        proof: await proveCommit(wallet, signed, { ...ready, settlementAddress }),
      }
    },
  }
}

const newWallet = (): Wallet => new Wallet(HDNodeWallet.createRandom().privateKey)
