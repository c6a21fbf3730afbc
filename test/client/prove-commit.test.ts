import { privateKeyToAccount } from 'viem/accounts'
import { recoverAddress } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import {
  type Address,
  contracts,
  type Hex,
  requestIdOf,
  type StandingInput,
  signCommit,
  type TakerOptions,
  usd6,
} from '../../src/client/index.ts'
import { createTakerClient } from '../../src/client/taker.ts'
import { commitDigest } from '../../src/protocol/domain/commit-proof.ts'
import { orderDomain } from '../../src/protocol/domain/order.ts'
import { startServer } from '../relay/server/support.ts'
import { settle } from '../support/fake-clock.ts'
import { CALL_BUY, START_MS } from '../support/test-relay.ts'
import { createFakeWallet } from './fake-wallet.ts'

const TAKER = privateKeyToAccount(`0x${'02'.repeat(32)}`)
const COLD: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const PROTECTIONS = { limitPrice: usd6(130_000n), minContracts: contracts(1n), expectedQuoteId: null }

type Market = {
  options?: Partial<TakerOptions>
  commitProof?: 'optional' | 'required'
  wallet?: Address
  isOlder?: boolean
}

/** A relay with a firm quote on the request of a taker, whose commits are seen as they are sent. */
async function market({
  options = {},
  commitProof = 'optional',
  wallet = TAKER.address,
  isOlder = false,
}: Market = {}) {
  const fixture = await startServer({ relay: { commitProof } })
  const sent: { proof?: Hex }[] = []
  const asked: string[] = []
  const watched: typeof fetch = async (input, init) => {
    const { pathname } = new URL(String(input))
    asked.push(pathname.replace(/[\w-]{36}/, ':id'))
    if (pathname.endsWith('/commit')) sent.push(JSON.parse(String(init?.body)))
    if (isOlder && pathname === '/v1/environment') return fetch(`${fixture.url}/none`, init)
    return fetch(input, init)
  }
  const taker = createTakerClient({ url: fixture.url, account: TAKER, fetch: watched, ...options })
  const { market: asks, option, trade } = CALL_BUY
  const request = await taker.openQuoteRequest({ market: asks, option, trade, wallet })
  await fixture.quoteFirm('ada', request.requestId)
  asked.length = 0
  const isProven = async () =>
    (await fixture.ports.store.executions.findByRequest(request.requestId))?.acceptance.proven === true
  return { ...fixture, taker, request, sent, asked, isProven }
}

describe('a commit', () => {
  test('proves the wallet of its account, by what the relay says of the domain, which it asks for once', async () => {
    const { taker, request, sent, asked, isProven, chain } = await market()
    await taker.commitToBestQuote({ request, ...PROTECTIONS })
    expect(await isProven()).toBe(true)
    const { chainId, settlementAddress } = chain.environment
    const { requestId } = request
    const hash = commitDigest(
      { requestId, wallet: TAKER.address, ...PROTECTIONS },
      orderDomain(chainId, settlementAddress),
    )
    expect(await recoverAddress({ hash, signature: sent[0]?.proof as Hex })).toBe(TAKER.address)
    await taker.commitToBestQuote({ request, ...PROTECTIONS })
    expect(asked).toEqual(['/v1/environment', '/quote-requests/:id/commit', '/quote-requests/:id/commit'])
  })

  test('is proven for the contracts of the client’s own settings, whatever the relay says', async () => {
    const settlementAddress: Address = '0x00000000000000000000000000000000000000A1'
    const chain = { chainId: 80_002, settlementAddress, coreAddress: settlementAddress }
    const strict = await market({ options: { chain }, commitProof: 'required' })
    const refused = strict.taker.commitToBestQuote({ request: strict.request, ...PROTECTIONS })
    await expect(refused).rejects.toMatchObject({ code: 'invalid_signature' })
    expect(strict.sent).toHaveLength(1)
  })

  test('proceeds without a proof that the relay does not count, as of a wallet that checks no signatures', async () => {
    const { taker, request, sent, isProven } = await market({
      options: { account: { ...TAKER, signTypedData: async (): Promise<Hex> => '0x5afe' } },
    })
    await taker.commitToBestQuote({ request, ...PROTECTIONS })
    expect(await isProven()).toBe(false)
    expect(sent.map(({ proof }) => proof)).toEqual(['0x5afe', undefined])
    const given = taker.commitToBestQuote({ request, ...PROTECTIONS, proof: '0x5afe' })
    await expect(given).rejects.toMatchObject({ code: 'invalid_signature' })
  })

  test('goes without a proof to a relay that is older than proofs, which would refuse it', async () => {
    const { taker, request, sent } = await market({ isOlder: true })
    await taker.commitToBestQuote({ request, ...PROTECTIONS })
    expect(sent).toEqual([expect.not.objectContaining({ proof: expect.anything() })])
  })

  test.each([
    ['an address alone', { account: COLD }, undefined],
    ['a wallet that is not the account’s', { account: TAKER }, COLD],
    ['a wallet and no account', {}, COLD],
  ])(
    'goes without one for %s, and asks nothing for it',
    async (_, { account }: { account?: TakerOptions['account'] }, wallet) => {
      const fixture = await market({ wallet: COLD, options: { account: account as never } })
      await fixture.taker.commitToBestQuote({ request: fixture.request, ...PROTECTIONS, ...(wallet && { wallet }) })
      expect(await fixture.isProven()).toBe(false)
      expect(fixture.asked).toEqual(['/quote-requests/:id/commit'])
    },
  )

  test('sends the given proof, as of a key that its wallet has authorised, or none on request', async () => {
    const { taker, request, chain, sent, isProven } = await market({ wallet: COLD })
    chain.authorised.set(COLD, new Map([[TAKER.address, START_MS / 1_000 + 60]]))
    const commit = { requestId: request.requestId, wallet: COLD, ...PROTECTIONS }
    const proof = await signCommit({ account: TAKER, chain: await taker.getEnvironment(), commit })
    await taker.commitToBestQuote({ request, wallet: COLD, ...PROTECTIONS, proof })
    expect(await isProven()).toBe(true)
    await taker.commitToBestQuote({ request, wallet: COLD, ...PROTECTIONS, proof: null })
    expect(sent.map((body) => body.proof)).toEqual([proof, undefined])
  })
})

describe('a request with a standing limit', () => {
  const STANDING = { limitPrice: usd6(130_000n), minContracts: contracts(1n) }

  async function standing(
    { proof, ...input }: { proof?: Hex | null; clientRequestId?: string; blind?: boolean } = {},
    options: { commitProof?: 'optional' | 'required'; account?: TakerOptions['account'] } = {},
  ) {
    const { commitProof = 'optional', account = TAKER } = options
    const fixture = await startServer({ relay: { commitProof } })
    const taker = createTakerClient({ url: fixture.url, account })
    const limit: StandingInput = proof === undefined ? STANDING : { ...STANDING, proof }
    const { market: asks, option, trade } = CALL_BUY
    const opening = { market: asks, option, trade, wallet: TAKER.address, standing: limit, ...input }
    const order = async (requestId: string) => {
      await fixture.quoteFirm('ada', requestId)
      await settle()
      return (await fixture.ports.store.executions.findByRequest(requestId))?.acceptance
    }
    return { ...fixture, taker, opening, order }
  }

  test('is opened with the proof of its account, and its order is that of a commit without other protections', async () => {
    const { taker, opening, order } = await standing({}, { commitProof: 'required' })
    const request = await taker.openQuoteRequest(opening)
    expect(request.terms.standing?.proof).toMatch(/^0x[0-9a-f]{130}$/)
    expect(await order(request.requestId)).toMatchObject({ proven: true, order: { taker: TAKER.address } })
    const trade = await taker.commitToBestQuote({ request })
    expect(trade.protections).toEqual({ ...STANDING, expectedQuoteId: null })
    expect(trade.execution.requestId).toBe(request.requestId)
  })

  test('is opened by each call that opens one, blind, too, and under the id that its client names', async () => {
    const { taker, opening, order } = await standing({ blind: true })
    const clientRequestId = '1F0E8D6C-5B4A-4C3D-9E2F-7A6B5C4D3E2F'
    const { request } = await taker.openForQuotes({ ...opening, clientRequestId, waitMs: 0 })
    expect(request.requestId).toBe(requestIdOf(clientRequestId))
    expect(request.terms).toMatchObject({ wallet: null, standing: { proof: expect.any(String) } })
    const watching = taker.openAndWatch({ ...opening, blind: false })
    const { value } = await watching.next()
    await watching.return()
    expect(await order(value?.request.requestId ?? '')).toMatchObject({ proven: true })
  })

  test('takes a proof that was made before, or none', async () => {
    const clientRequestId = '1f0e8d6c-5b4a-4c3d-9e2f-7a6b5c4d3e2f'
    const { taker, opening, order } = await standing({ clientRequestId })
    const commit = {
      requestId: requestIdOf(clientRequestId),
      wallet: TAKER.address,
      ...STANDING,
      expectedQuoteId: null,
    }
    const proof = await signCommit({ account: TAKER, chain: await taker.getEnvironment(), commit })
    const named = await taker.openQuoteRequest({ ...opening, standing: { ...STANDING, proof } })
    expect(await order(named.requestId)).toMatchObject({ proven: true })
    const unproven = await standing({ proof: null })
    const { requestId } = await unproven.taker.openQuoteRequest(unproven.opening)
    expect(await unproven.order(requestId)).not.toHaveProperty('proven')
  })

  test('is refused with a proof that the relay does not count', async () => {
    const { taker, opening } = await standing({ proof: '0x5afe' })
    await expect(taker.openQuoteRequest(opening)).rejects.toMatchObject({ code: 'invalid_signature' })
  })
})

describe('a wallet whose owner is asked', () => {
  const walletOf = (answers: ReturnType<typeof createFakeWallet>['answers'], chainId = 80_002) => {
    const wallet = createFakeWallet({ account: TAKER, chainId })
    Object.assign(wallet, { isConnected: true, answers })
    return wallet
  }

  test('signs once, however often the commit is sent', async () => {
    const wallet = walletOf('approves')
    const { taker, request, isProven } = await market({ options: { account: wallet.provider } })
    const commit = { request, wallet: TAKER.address, ...PROTECTIONS }
    const proof = await taker.proveCommit(commit)
    await taker.commitToBestQuote({ ...commit, proof })
    await taker.commitToBestQuote({ ...commit, proof })
    expect(await isProven()).toBe(true)
    expect(wallet.asked.filter((method) => method === 'eth_signTypedData_v4')).toHaveLength(1)
  })

  test.each([
    ['rejects', 80_002],
    ['breaks', 80_002],
    ['approves', 1],
  ] as const)(
    '%s, on chain %s: the commit proceeds without a proof, unless the relay requires one',
    async (answers, chainId) => {
      const account = walletOf(answers, chainId).provider
      const { taker, request, isProven } = await market({ options: { account } })
      await taker.commitToBestQuote({ request, wallet: TAKER.address, ...PROTECTIONS })
      expect(await isProven()).toBe(false)

      const strict = await market({ options: { account }, commitProof: 'required' })
      const commit = { request: strict.request, wallet: TAKER.address, ...PROTECTIONS }
      await expect(strict.taker.commitToBestQuote(commit)).rejects.toThrow()
      expect(strict.sent).toEqual([])
    },
  )

  test('is not waited for by a commit that is aborted, and nothing is sent', async () => {
    const { taker, request, sent } = await market({
      options: { account: { ...TAKER, signTypedData: () => new Promise<Hex>(() => {}) } },
    })
    const abort = new AbortController()
    const committed = taker.commitToBestQuote({ request, ...PROTECTIONS, signal: abort.signal })
    abort.abort(new Error('closed'))
    await expect(committed).rejects.toThrow('closed')
    expect(sent).toEqual([])
  })
})
