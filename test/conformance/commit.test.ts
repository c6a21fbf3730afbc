import { getAddress, verifyTypedData, ZeroAddress } from 'ethers'
import { describe, expect, it } from 'vitest'
import { ORDER_TYPES, orderDigest } from './harness/eip712.ts'
import { decimalText, failure, isoTime, signatureText, uuid } from './harness/match.ts'
import { type Committed, openServices } from './harness/service.ts'
import { askedToSign, trade } from './harness/trade.ts'

type Onchain = NonNullable<Committed['onchain']>

describe.concurrent.each(openServices(import.meta.url))('commit, $mode', (service) => {
  const { settlementAddress, coreAddress } = service.ready
  const onChain = it.skipIf(service.chain === null)
  const simulated = it.skipIf(service.chain !== null)

  it('POST /quote-requests/{id}/commit answers message, mode, quote and execution', async () => {
    const { committed, created, maker, quoteId } = await trade(service, { quote: { price: 0.12, size: 1_000 } })
    expect(committed.status).toBe(200)
    expect(committed.body).toMatchObject({
      success: true,
      message: expect.any(String),
      mode: service.mode === 'simulated' ? 'simulated' : 'onchain',
      quote: {
        maker_id: maker.makerId,
        quote_id: quoteId,
        maker: maker.wallet.address,
        side: 'buy',
        price: 0.12,
        size: 1_000,
        expires_in_ms: expect.any(Number),
      },
      execution: {
        execution_id: uuid(),
        request_id: created.requestId,
        quote_id: quoteId,
        maker_id: maker.makerId,
        executed_at: isoTime(),
      },
    })
  })

  onChain(
    'onchain: addresses, order, signature, domain, chainId and the approval of a long fill (decision U1)',
    async () => {
      const { committed, created, maker, taker } = await trade(service)
      const { onchain } = committed.body
      expect(onchain).toMatchObject({
        settlementAddress,
        coreAddress,
        order: {
          maker: maker.wallet.address,
          seriesId: created.seriesId,
          // 833 options at 0.12 (decision U1).
          optionAmount: '833',
          premiumAmount: '99960000',
          makerSelling: true,
          taker: taker.address,
          validUntil: expect.any(Number),
          nonce: expect.any(Number),
        },
        makerSignature: signatureText(),
        domain: { name: 'ServiceRFQSettlement', version: '1', chainId: 80_002, verifyingContract: settlementAddress },
        chainId: 80_002,
        takerApproval: { spender: settlementAddress, amount: '99960000', reason: 'premium' },
      })
    },
  )

  onChain(
    'for a short fill the spender of the approval is the core and the amount the collateral (protocol commit-10, decision U4)',
    async () => {
      const { committed } = await trade(service, {
        request: { trade: { side: 'sell', size: 40 } },
        quote: { side: 'sell', price: 0.1, size: 30 },
      })
      const { order, takerApproval } = committed.body.onchain as Onchain
      expect(order).toMatchObject({ makerSelling: false, optionAmount: '30', premiumAmount: '3000000' })
      // 30 calls of strike 0.45 lock 30 x 0.55 dollars (decisions U4, C11).
      expect(takerApproval).toEqual({ spender: coreAddress, amount: '16500000', reason: 'collateral' })
    },
  )

  onChain(
    'the signature of an order recovers to the maker, and the contract hashes the same digest (protocol commit-7)',
    async () => {
      const { committed, maker } = await trade(service)
      const { order, makerSignature, domain } = committed.body.onchain as Onchain & { domain: typeof anyDomain }
      expect(verifyTypedData(domain, ORDER_TYPES, order, makerSignature)).toBe(maker.wallet.address)
      expect(await service.chain?.settlement.getFunction('hashOrder')(order)).toBe(orderDigest(domain, order))
    },
  )

  simulated(
    'mode is simulated without a chain: no onchain, and the domain has no contract (decision C12)',
    async () => {
      const { committed, accepted } = await trade(service)
      expect(committed.body).not.toHaveProperty('onchain')
      expect(accepted.domain).toEqual({ ...anyDomain, verifyingContract: ZeroAddress })
    },
  )

  it('seriesId, optionAmount and premiumAmount of an order are decimal strings, validUntil and nonce numbers (protocol commit-7)', async () => {
    const { accepted } = await trade(service)
    const { order } = accepted
    expect(order).toMatchObject({
      seriesId: decimalText(),
      optionAmount: decimalText(),
      premiumAmount: decimalText(),
      makerSelling: true,
    })
    expect(Object.keys(order)).toEqual(ORDER_TYPES.Order?.map(({ name }) => name))
    expect(Number.isSafeInteger(order.nonce)).toBe(true)
  })

  it('validUntil is the time of the order + confirmation time + 120 s, in seconds (decision C7)', async () => {
    const { accepted } = await trade(service)
    const builtAtMs = Date.parse(accepted.confirmationDeadline)
    expect(Math.abs(accepted.order.validUntil - builtAtMs / 1_000 - 120)).toBeLessThan(6)
  })

  it("a wallet's nonces are sequential (decision C7)", async () => {
    const maker = await service.maker()
    const socket = await maker.connect()
    const nonces: number[] = []
    for (let round = 0; round < 3; round += 1) {
      const { requestId } = await service.open({ trade: { side: 'buy', budgetUsd: 2 } })
      const quoteId = await maker.quoted(requestId)
      const committing = service.commit(requestId, { wallet: service.wallet().address })
      const accepted = await askedToSign(socket, requestId)
      await maker.confirm(quoteId, await maker.sign(accepted))
      expect((await committing).status).toBe(200)
      nonces.push(accepted.order.nonce)
    }
    const [first = 0] = nonces
    expect(nonces).toEqual([first, first + 1, first + 2])
  })

  it('POST /quote-requests/{id}/commit: the wallet becomes the taker of the order, checksummed', async () => {
    const wallet = service.wallet().address
    const { accepted, committed } = await trade(service, { commit: { wallet: wallet.toLowerCase() } })
    expect(committed.status).toBe(200)
    expect(accepted.order.taker).toBe(getAddress(wallet))
  })

  it('a missing or bad wallet and an unknown field are 400 (decision C2)', async () => {
    const { requestId } = await service.open()
    const { address } = service.wallet()
    const bodies = [
      {},
      { wallet: null },
      { wallet: ZeroAddress },
      { wallet: 'taker.eth' },
      { wallet: address, slippage: 0.1 },
      { wallet: address, limit_price: 0.1 },
      { wallet: address, limitPrice: '0.1' },
      { wallet: address, limitPrice: 1.1 },
      { wallet: address, limitPrice: -0.1 },
      { wallet: address, limitPrice: 0.1234567 },
      { wallet: address, minContracts: 0 },
      { wallet: address, minContracts: 1.5 },
      { wallet: address, expectedQuoteId: 7 },
    ]
    for (const body of bodies) {
      const answer = await service.commit(requestId, body)
      expect({ body, answer }).toMatchObject({ answer: { status: 400, body: failure('invalid_request') } })
    }
    expect((await service.commit(requestId, { wallet: address, slippage: 1 })).text).toContain('slippage')
  })

  onChain('the contracts themselves cannot be a taker (fault A12)', async () => {
    const maker = await service.maker({ funded: false })
    const { requestId } = await service.open()
    const { market, option } = await service.option()
    for (const wallet of [settlementAddress, coreAddress, service.ready.stablecoinAddress]) {
      const trade = { side: 'buy', budgetUsd: 1 }
      const answers = [
        await service.call('POST', '/quote-requests', { body: { market, option, trade, wallet } }),
        await service.commit(requestId, { wallet }),
        await maker.quote(requestId, { maker: wallet }),
        await service.call('POST', '/faucet', { body: { wallet } }),
      ]
      for (const answer of answers) expect(answer).toMatchObject({ status: 400, body: failure('invalid_request') })
    }
  })

  it("a quote of the committing wallet's own is not asked (decision Q6)", async () => {
    const maker = await service.maker()
    const socket = await maker.connect()
    const { requestId } = await service.open()
    await maker.quoted(requestId)
    const { status, body } = await service.commit(requestId, { wallet: maker.wallet.address })
    expect({ status, body }).toMatchObject({ status: 409, body: failure('no_valid_quotes') })
    socket.send({ type: 'ping' })
    await socket.until('pong')
    expect(socket.messages.all().map(({ type }) => type)).toEqual(['connected', 'pong'])
  })

  it('a commit of an unknown request is 404 (protocol commit-6)', async () => {
    const { status, body } = await service.commit(crypto.randomUUID(), { wallet: service.wallet().address })
    expect({ status, body }).toMatchObject({ status: 404, body: failure('request_not_found') })
  })

  it('without a quote there is nothing to commit to (decision C2)', async () => {
    const { requestId } = await service.open()
    const { status, body } = await service.commit(requestId, { wallet: service.wallet().address })
    expect({ status, body }).toMatchObject({ status: 409, body: failure('no_valid_quotes') })
  })

  it('a request that names a wallet is committed by no other (decision C2)', async () => {
    const { requestId } = await service.open({ wallet: service.wallet().address })
    const { status, body } = await service.commit(requestId, { wallet: service.wallet().address })
    expect({ status, body }).toMatchObject({ status: 409, body: failure('wallet_mismatch') })
  })

  it('protections that no quote keeps (decisions C1, C2)', async () => {
    const maker = await service.maker()
    const { requestId } = await service.open()
    await maker.quoted(requestId, { price: 0.12, size: 500 })
    const wallet = service.wallet().address
    const bodies = [{ limitPrice: 0.119999 }, { minContracts: 501 }]
    for (const protections of bodies) {
      const { status, body } = await service.commit(requestId, { wallet, ...protections })
      expect({ status, body }).toMatchObject({ status: 409, body: failure('no_acceptable_quote') })
    }
    const changed = await service.commit(requestId, { wallet, expectedQuoteId: crypto.randomUUID() })
    expect(changed).toMatchObject({ status: 409, body: failure('quote_changed') })
  })

  it('protections that the best quote keeps to the unit let the commit through (decision C1)', async () => {
    const maker = await service.maker()
    const socket = await maker.connect()
    const { requestId } = await service.open()
    const quoteId = await maker.quoted(requestId, { price: 0.12, size: 500 })
    const protections = { limitPrice: 0.12, minContracts: 500, expectedQuoteId: quoteId }
    const committing = service.commit(requestId, { wallet: service.wallet().address, ...protections })
    await maker.confirm(quoteId, await maker.sign(await askedToSign(socket, requestId)))
    expect((await committing).status).toBe(200)
  })

  it('on a sell limitPrice is the least price (decision C1)', async () => {
    const maker = await service.maker()
    const { requestId } = await service.open({ trade: { side: 'sell', size: 10 } })
    await maker.quoted(requestId, { side: 'sell', price: 0.2, size: 10 })
    const { body } = await service.commit(requestId, { wallet: service.wallet().address, limitPrice: 0.200001 })
    expect(body).toMatchObject(failure('no_acceptable_quote'))
  })

  it('a locked request needs its secret for commit, poll and stream; header and body both do (decision Q1)', async () => {
    const { requestId, takerSecret } = await service.open({ locked: true })
    const path = `/quote-requests/${requestId}`
    const wallet = service.wallet().address
    const refused = [
      await service.call('POST', `${path}/commit`, { body: { wallet } }),
      await service.call('POST', `${path}/commit`, { body: { wallet, takerSecret: 'guess' } }),
      await service.call('GET', `${path}/quotes`),
      await service.call('GET', `${path}/stream`),
      await service.call('GET', `${path}/quotes`, { headers: { 'x-taker-secret': 'guess' } }),
      await service.call('POST', `${path}/cancel`),
    ]
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 403, body: failure('taker_secret_required') })
    }
    const headers = { 'x-taker-secret': takerSecret }
    expect((await service.call('GET', `${path}/quotes`, { headers })).status).toBe(200)
    expect((await service.stream(`${path}/stream`, headers)).status).toBe(200)
    const [inHeader, inBody] = [
      await service.call('POST', `${path}/commit`, { body: { wallet }, headers }),
      await service.commit(requestId, { wallet, takerSecret }),
    ]
    expect([inHeader.body.code, inBody.body.code]).toEqual(['no_valid_quotes', 'no_valid_quotes'])
  })

  onChain('a series that is not registered on chain cannot be committed (protocol commit-6, decision C2)', async () => {
    const maker = await service.maker()
    const { market, option } = await service.option()
    const { requestId } = await service.open({ option: { ...option, strikeBps: 4_567 }, market })
    await maker.quoted(requestId)
    const { status, body } = await service.commit(requestId, { wallet: service.wallet().address })
    expect({ status, body }).toMatchObject({ status: 409, body: failure('series_not_registered') })
  })

  onChain('a halted series is not traded (decision C2)', async () => {
    const maker = await service.maker()
    const terms = { strikeBps: 4_444 }
    const { seriesId } = await service.option(terms)
    const { requestId } = await service.open({}, terms)
    await maker.quoted(requestId)
    await service.chain?.halt(seriesId)
    const { status, body } = await service.commit(requestId, { wallet: service.wallet().address })
    expect({ status, body }).toMatchObject({ status: 409, body: failure('series_halted') })
  })

  it('the EIP-712 domain version is 1, on the chain id of the environment (protocol commit-7)', async () => {
    const { accepted } = await trade(service)
    expect(accepted.domain).toEqual({ ...anyDomain, verifyingContract: settlementAddress })
  })
})

const anyDomain = { name: 'ServiceRFQSettlement', version: '1', chainId: 80_002, verifyingContract: '' }
