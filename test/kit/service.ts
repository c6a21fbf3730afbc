import { randomBytes } from 'node:crypto'
import { zeroAddress } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { commitTypedData } from '../../src/protocol/domain/commit-proof.ts'
import { orderDomain } from '../../src/protocol/domain/order.ts'
import { seriesIdOf, type VanillaTerms } from '../../src/protocol/domain/series.ts'
import { type Address, type Hex, type StrikeBps, usd6 } from '../../src/protocol/domain/units.ts'
import { openChain, type TestChain } from './chain.ts'
import { type Answer, type CallInput, call } from './http.ts'
import { askedToSign, createMaker, type Maker, type MakerKey, type OrderJson } from './maker.ts'
import type { Ready } from './relay-process.ts'
import { openStream, type SseStream } from './sse.ts'

/** What opening a request answers. */
export type Created = {
  requestId: string
  expiresAt: string
  makersConnected: number
  takerSecret: string
  seriesId: string
}

/** What committing answers, as far as tests look into it. */
export type Committed = {
  success?: boolean
  code?: string
  quote: Record<string, unknown>
  execution: Record<string, unknown>
  onchain?: { order: OrderJson; makerSignature: string } & Record<string, unknown>
}

/** An option that can be traded on the relay, as the body of a request names it. */
type TestOption = {
  market: { conditionId: string; yesTokenId: string; question: string }
  option: { strikeBps: number; expiryMs: number; optionType: 'call' | 'put' }
  seriesId: string
}

type OptionInput = { strikeBps?: number; optionType?: 'call' | 'put'; expiresInS?: number }

/** One relay with what a test needs around it. */
export type Service = {
  ready: Ready
  chain: TestChain | null
  call: <Body = Record<string, unknown>>(method: string, path: string, input?: CallInput) => Promise<Answer<Body>>
  stream: (path: string, headers?: Record<string, string>) => Promise<SseStream>
  /** A maker that no other test knows; on a chain its wallet has 1000 dollars and has approved all of them. */
  maker: (options?: { funded?: boolean; wallet?: PrivateKeyAccount }) => Promise<Maker>
  /** A fresh address. */
  wallet: () => PrivateKeyAccount
  /** Gives a wallet gas, the faucet's dollars and approvals. */
  fund: (wallet: PrivateKeyAccount) => Promise<void>
  /** An option that can be committed; the same terms are the same option throughout a file. */
  option: (input?: OptionInput) => Promise<TestOption>
  /** Opens a request, by default to buy calls of strike 0.45 for 100 dollars; fields given replace those of the body. */
  open: (fields?: Record<string, unknown>, option?: OptionInput) => Promise<Created>
  commit: (requestId: string, body: Record<string, unknown>) => Promise<Answer<Committed>>
  /** The body of a commit that proves its wallet, by default one that no one knows. */
  proven: (
    requestId: string,
    wallet?: PrivateKeyAccount,
    limitPrice?: number,
  ) => Promise<{ wallet: string; limitPrice?: number; proof: string }>
}

const A_DAY_S = 86_400

/** A service around any relay, with makers of these keys. */
export function createService(ready: Ready, keys: MakerKey[] = []): Service {
  const { url, chainId } = ready
  const chain = ready.rpcUrl === null ? null : openChain(ready)
  const options = new Map<string, Promise<TestOption>>()

  async function fund(wallet: PrivateKeyAccount): Promise<void> {
    if (chain === null) return
    await payFromFaucet(ready, wallet.address)
    await chain.giveGas(wallet.address)
    await chain.approveAll(wallet)
  }

  async function makeOption({ strikeBps = 4_500, optionType = 'call', expiresInS = A_DAY_S }: OptionInput) {
    const market = newMarket()
    const expiry = Math.floor(Date.now() / 1_000) + expiresInS
    const terms: VanillaTerms = { ...market, strikeBps: strikeBps as StrikeBps, expiry, optionType }
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
    ready,
    chain,
    call: (method, path, input) => call(method, `${url}${path}`, input),
    stream: (path, headers) => openStream(`${url}${path}`, headers),
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
      const domain = orderDomain(chainId, chain === null ? zeroAddress : (ready.settlementAddress as Address))
      const limit = limitPrice === undefined ? null : usd6(BigInt(Math.round(limitPrice * 1e6)))
      const terms = { wallet: wallet.address, limitPrice: limit, minContracts: null, expectedQuoteId: null }
      const proof = await wallet.signTypedData(commitTypedData({ ...terms, requestId }, domain))
      return { wallet: wallet.address, ...(limitPrice === undefined ? {} : { limitPrice }), proof }
    },
  }
}

/** Lets a relay's faucet pay a wallet. */
export async function payFromFaucet({ url }: Ready, wallet: string): Promise<void> {
  const { status, text } = await call('POST', `${url}/faucet`, { body: { wallet } })
  if (status !== 200) throw new Error(`the faucet did not pay: ${text}`)
}

/** A market that nobody has asked about before. */
export const newMarket = () => ({
  conditionId: `0x${randomBytes(32).toString('hex')}` as Hex,
  yesTokenId: BigInt(`0x${randomBytes(31).toString('hex')}`).toString(),
})

/** A wallet that nobody knows. */
export const newWallet = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())

/** The wallet whose key repeats a digit. */
export const walletOf = (digit: number): PrivateKeyAccount => privateKeyToAccount(`0x${`${digit}`.repeat(64)}`)

/** A commit that waits for the signature of its maker; `request`: one that is open already. */
export async function pendingCommit(service: Service, maker: Maker, request?: Created) {
  const taker = service.wallet()
  const socket = await maker.connect()
  const created = request ?? (await service.open())
  const { requestId, takerSecret } = created
  const quoteId = await maker.quoted(requestId)
  const committing = service.call<Committed>('POST', `/quote-requests/${requestId}/commit`, {
    body: { wallet: taker.address },
    headers: { 'x-taker-secret': takerSecret },
  })
  const accepted = await askedToSign(socket, requestId)
  return { created, taker, maker, socket, quoteId, accepted, committing }
}

/** Lives a request from opening to the signed order, with one maker. */
export async function trade(service: Service) {
  const pending = await pendingCommit(service, await service.maker())
  const { maker, quoteId, accepted, committing } = pending
  const signature = await maker.sign(accepted)
  const confirmed = await maker.confirm(quoteId, signature)
  return { ...pending, signature, confirmed, committed: await committing }
}
