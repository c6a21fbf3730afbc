import type { Contract } from 'ethers'
import { describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { type Leg, newMarket, packageIdOf, seriesIdOf, type Terms } from './harness/chain.ts'
import { failure } from './harness/match.ts'
import { openChainService, openServices } from './harness/service.ts'
import { openStream } from './harness/sse.ts'
import { askedToSign } from './harness/trade.ts'

const SPREAD: readonly Leg[] = [
  { optionType: 'call', strikeBps: 4_000, quantity: 1 },
  { optionType: 'call', strikeBps: 6_000, quantity: -1 },
]
const A_DAY_S = 86_400

/** Enough for a trade, also on a machine that is held back. */
const TO_TRADE_S = 30

const bodyOf = (
  market: Pick<Terms, 'conditionId' | 'yesTokenId'>,
  expiry: number,
  legs: readonly object[] = SPREAD,
) => ({
  market: { ...market, question: 'Will it rain?' },
  option: { legs, expiryMs: expiry * 1_000 },
  trade: { side: 'buy', budgetUsd: 100 },
})

describe.concurrent.each(openServices(import.meta.url))('packages, $mode', (service) => {
  const expiry = Math.floor(Date.now() / 1_000) + A_DAY_S
  const post = (body: object) => service.call('POST', '/quote-requests', { body })

  it('a package is asked for by its legs, and answered with its id, max payoff and floor (protocol open-5, decisions K1, K2)', async () => {
    const market = newMarket()
    const { status, body } = await post(bodyOf(market, expiry, SPREAD.toReversed()))
    const id = packageIdOf({ ...market, expiry, legs: SPREAD })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { seriesId: id, packageId: id, maxPayoff: 0.2, floor: 0, seriesListed: false },
    })
    const sold = SPREAD.map((leg) => ({ ...leg, quantity: -leg.quantity }))
    expect((await post(bodyOf(market, expiry, sold))).body).toMatchObject({ maxPayoff: 0.2, floor: -0.2 })
  })

  it('legs that make no package are refused, and so are both forms together (protocol open-5)', async () => {
    const twice = bodyOf(newMarket(), expiry, [SPREAD[0], SPREAD[0]] as object[])
    expect(await post(twice)).toMatchObject({ status: 400, body: failure('invalid_package') })
    const both = bodyOf(newMarket(), expiry)
    expect(await post({ ...both, option: { ...both.option, strikeBps: 4_500, optionType: 'call' } })).toMatchObject({
      status: 400,
      body: failure('invalid_request'),
    })
  })

  it('only a maker that asks for packages receives one and its end (protocol stream-8, decision K4)', async () => {
    const [plain, asking] = [await service.maker({ funded: false }), await service.maker({ funded: false })]
    const stream = await plain.stream()
    const all = await openStream(`${service.ready.url}/v1/mm/quote-requests/stream?packages=true`, {
      'x-api-key': asking.apiKey,
    })
    await Promise.all([stream.until('snapshot_complete'), all.until('snapshot_complete')])
    const { body } = await post(bodyOf(newMarket(), expiry))
    const { requestId, takerSecret } = body as { requestId: string; takerSecret: string }
    const about = (data: Record<string, unknown>) => data.requestId === requestId
    expect((await all.until('quote_request', about)).data).toMatchObject({ params: { option: { legs: SPREAD } } })
    await service.call('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })
    await all.until('quote_request_expired', about)
    const later = await service.open()
    await stream.until('quote_request', (data) => data.requestId === later.requestId)
    expect(stream.events.all().filter(({ data }) => about(data))).toEqual([])
  })
})

describe.concurrent('packages on chain', () => {
  const service = openChainService(import.meta.url)
  const { chain } = service

  async function registered(expiry: number, market: Pick<Terms, 'conditionId' | 'yesTokenId'> = newMarket()) {
    for (const { optionType, strikeBps } of SPREAD) await chain.register({ ...market, optionType, strikeBps, expiry })
    const terms = { ...market, expiry, legs: SPREAD }
    await chain.registerPackage(terms)
    return { market, terms, seriesId: packageIdOf(terms) }
  }

  it('a package is listed for those that ask, traded, and filled for what can be lost (protocol series-5, decision K1)', async () => {
    const expiry = (await chain.now()) + A_DAY_S
    const { market, seriesId } = await registered(expiry)
    expect((await service.call('GET', `/v1/series/${seriesId}`)).body).toMatchObject({ series: { legs: SPREAD } })
    type Listed = { series: { seriesId: string }[] }
    const list = async (query: string) =>
      (await service.call<Listed>('GET', `/v1/series?conditionId=${market.conditionId}${query}`)).body.series
    expect((await list('&packages=true')).map((one) => one.seriesId)).toContain(seriesId)
    expect((await list('')).map((one) => one.seriesId)).not.toContain(seriesId)

    const { maker, taker } = await traded({ market, expiry })
    expect(await chain.core.getFunction('balanceOf')(taker.address, seriesId)).toBe(500n)
    // The premium of 50 dollars came, and 500 x 0.20 were locked: leg by leg the call sold at 0.40 alone would lock 300.
    expect(await chain.token.getFunction('balanceOf')(maker.wallet.address)).toBe(
      1_000_000_000n + 50_000_000n - 100_000_000n,
    )
  })

  /** A maker sells 500 of a package at 0.10 to a taker, which fills. */
  async function traded({ market, expiry }: { market: Pick<Terms, 'conditionId' | 'yesTokenId'>; expiry: number }) {
    const [maker, taker] = [await service.maker(), service.wallet()]
    await service.fund(taker)
    const socket = await maker.connect()
    const { requestId } = await service.open(bodyOf(market, expiry))
    const quoteId = await maker.quoted(requestId, { price: 0.1, size: 500 })
    const committing = service.commit(requestId, { wallet: taker.address })
    await maker.confirm(quoteId, await maker.sign(await askedToSign(socket, requestId)))
    const { order, makerSignature } = (await committing).body.onchain ?? {}
    const settlement = chain.settlement.connect(taker.connect(chain.provider)) as Contract
    await (await settlement.getFunction('fill')(order, makerSignature)).wait()
    return { maker, taker }
  }

  it('a package with a halted leg is not committed (decision K5)', async () => {
    const expiry = (await chain.now()) + A_DAY_S
    const { market } = await registered(expiry)
    const maker = await service.maker()
    const { requestId } = await service.open(bodyOf(market, expiry))
    await maker.quoted(requestId, { price: 0.1, size: 1_000 })
    // By the formula, not from the list: the index of series follows the chain a moment behind.
    await chain.halt(seriesIdOf({ ...market, expiry, optionType: 'call', strikeBps: 4_000 }))
    expect(await service.commit(requestId, { wallet: service.wallet().address })).toMatchObject({
      status: 409,
      body: failure('series_halted'),
    })
  })

  it('a package pays by the price that its legs resolve at, and both sides claim (protocol series-5, decision K1)', async () => {
    type Listed = { markets: { name: string; conditionId: string; yesClobTokenId: string }[] }
    const { markets } = (await service.call<Listed>('GET', '/v1/markets')).body
    const named = markets.find(({ name }) => name.startsWith('Will the Harbour Bridge'))
    const yesTokenId = named?.yesClobTokenId ?? ''
    const expiry = (await chain.now()) + TO_TRADE_S
    const { market, seriesId } = await registered(expiry, { conditionId: named?.conditionId ?? '', yesTokenId })
    const { maker, taker } = await traded({ market, expiry })
    await eventually(chain.now, (time) => time >= expiry)

    type Prepared = { seriesId: string; resolutionBps: number; validUntil: number; signature: string }
    const prepare = async (id: string) =>
      (await service.call<Prepared>('POST', '/settlement/prepare', { body: { seriesId: id } })).body
    const [attested, ofLeg] = [
      await prepare(seriesId),
      await prepare(seriesIdOf({ ...market, expiry, optionType: 'call', strikeBps: 4_000 })),
    ]
    expect(ofLeg.resolutionBps).toBe(attested.resolutionBps)
    await chain.settle(attested)

    // Calls at 0.40 and 0.60: a cent for each cent between the two, for 500 of them, of which 20 cents each were locked.
    const cents = Math.min(20, Math.max(0, attested.resolutionBps - 40))
    const before = { taker: 1_000_000_000n - 50_000_000n, maker: 1_000_000_000n + 50_000_000n - 100_000_000n }
    for (const wallet of [taker, maker.wallet]) {
      const core = chain.core.connect(wallet.connect(chain.provider)) as Contract
      await chain.giveGas(wallet)
      await (await core.getFunction('claimMany')([seriesId], wallet.address)).wait()
    }
    const has = (address: string) => chain.token.getFunction('balanceOf')(address)
    expect(await has(taker.address)).toBe(before.taker + BigInt(cents) * 5_000_000n)
    expect(await has(maker.wallet.address)).toBe(before.maker + BigInt(20 - cents) * 5_000_000n)
  })
})
