import type { Wallet } from 'ethers'
import { describe, expect, it } from 'vitest'
import { signAccepted } from './harness/eip712.ts'
import type { Accepted, Maker } from './harness/maker.ts'
import { failure } from './harness/match.ts'
import { type Committed, openChainService, openServices, type Service } from './harness/service.ts'
import { askedToSign } from './harness/trade.ts'
import { authorise, coldWalletOf, contractOf } from './harness/wallets.ts'
import { byWay, WAYS } from './harness/ways.ts'

const service = openChainService(import.meta.url)
const { chain } = service

const KINDS = { 'a contract (ERC-1271)': contractOf, 'a cold wallet that has authorised a key': coldWalletOf }
const CASES = Object.entries(KINDS).flatMap(([kind, make]) => WAYS.map((way) => ({ kind, make, way })))

/** The options that a taker has once it has filled its order. */
async function fill(taker: Wallet, { onchain, ...answer }: Committed): Promise<bigint> {
  if (onchain === undefined) throw new Error(`nothing to fill: ${answer.code}`)
  const settlement = chain.settlement.connect(taker.connect(chain.provider)) as typeof chain.settlement
  await (await settlement.getFunction('fill')(onchain.order, onchain.makerSignature)).wait()
  return chain.core.getFunction('balanceOf')(taker.address, onchain.order.seriesId)
}

async function fundedTaker(): Promise<Wallet> {
  const taker = service.wallet()
  await service.fund(taker)
  return taker
}

describe.concurrent.each(CASES)('$kind, over $way', ({ make, way }) => {
  const maker = async () => {
    const made = await service.maker()
    return { maker: await byWay(way, made), wallet: await make(service, made), socket: await made.connect() }
  }

  /** Quotes with the order, and has the key sign it. */
  async function makeFirm(maker: Maker, requestId: string, address: string) {
    const { body } = await maker.quote(requestId, { maker: address, firm: true })
    const signature = await signAccepted(maker.wallet, body as unknown as Accepted)
    const { status } = await maker.call('POST', `/v1/mm/quotes/${body.quoteId}/firm`, { signature })
    return { signature, status, order: body.order }
  }

  it('confirms, and its taker fills with what it signed (decision C15, protocol confirm-2)', async () => {
    const { maker: ada, wallet, socket } = await maker()
    const taker = await fundedTaker()
    const { requestId } = await service.open()
    const quoteId = await ada.quoted(requestId, { maker: wallet.address })
    const committing = service.commit(requestId, { wallet: taker.address })
    const accepted = await askedToSign(socket, requestId)
    const signature = await ada.sign(accepted)
    expect(await ada.confirm(quoteId, signature)).toMatchObject({ status: 200 })
    const { status, body } = await committing
    expect({ status, signature: body.onchain?.makerSignature }).toEqual({ status: 200, signature })
    expect(await fill(taker, body)).toBe(833n)
    await wallet.revoke()
    expect(await ada.confirm(quoteId, signature)).toMatchObject({ status: 200 })
    expect(await ada.confirm(quoteId, `0x${'12'.repeat(65)}`)).toMatchObject({ status: 404 })
  })

  it('makes its quote firm, which a commit takes as long as the chain counts its signature (decision F2, protocol firm-4)', async () => {
    const { maker: ada, wallet } = await maker()
    const taker = await fundedTaker()
    const [first, second] = [
      await service.open({ wallet: taker.address }),
      await service.open({ wallet: taker.address }),
    ]
    const { status, signature } = await makeFirm(ada, first.requestId, wallet.address)
    expect(status).toBe(200)
    expect((await makeFirm(ada, second.requestId, wallet.address)).status).toBe(200)
    const { body } = await service.commit(first.requestId, { wallet: taker.address })
    expect(body.onchain?.makerSignature).toBe(signature)
    expect(await fill(taker, body)).toBe(833n)
    await wallet.revoke()
    const refused = await service.commit(second.requestId, { wallet: taker.address })
    expect(refused).toMatchObject({ status: 409, body: failure('no_valid_quotes') })
  })

  it('is refused with 400 once its key is no longer one of it', async () => {
    const { maker: ada, wallet, socket } = await maker()
    const { requestId } = await service.open()
    const quoteId = await ada.quoted(requestId, { maker: wallet.address })
    const committing = service.commit(requestId, { wallet: service.wallet().address })
    const signature = await ada.sign(await askedToSign(socket, requestId))
    await wallet.revoke()
    const confirmed = await ada.confirm(quoteId, signature)
    expect(confirmed).toMatchObject({ status: 400, body: failure('invalid_signature') })
    await ada.call('POST', `/v1/mm/quotes/${quoteId}/decline`, {})
    expect(await committing).toMatchObject({ status: 503, body: failure('no_maker_confirmed') })
  })
})

describe.concurrent('any wallet', () => {
  it('a key that lapses before validUntil does not sign; one that lasts to that second does (decision C15)', async () => {
    const ada = await service.maker()
    const cold = service.wallet()
    await service.fund(cold)
    const taker = await fundedTaker()
    const { requestId } = await service.open({ wallet: taker.address })
    const { body } = await ada.quote(requestId, { maker: cold.address, firm: true })
    const { order } = body as unknown as Accepted
    const signature = await signAccepted(ada.wallet, body as unknown as Accepted)
    const making = () => ada.call('POST', `/v1/mm/quotes/${body.quoteId}/firm`, { signature })
    await authorise(chain, cold, ada.wallet.address, order.validUntil - 1)
    expect(await making()).toMatchObject({ status: 400, body: failure('invalid_signature') })
    await authorise(chain, cold, ada.wallet.address, order.validUntil)
    expect(await making()).toMatchObject({ status: 200 })
  })

  it.each(WAYS)(
    'over %s a signature has up to 4,096 bytes, and the taker gets them all (decision C15)',
    async (way) => {
      const made = await service.maker()
      const maker = await byWay(way, made)
      const wallet = await contractOf(service, made)
      const taker = await fundedTaker()
      const { requestId } = await service.open({ wallet: taker.address })
      const { body } = await maker.quote(requestId, { maker: wallet.address, firm: true })
      const short = await signAccepted(maker.wallet, body as unknown as Accepted)
      const long = `0x${short.slice(2).padEnd(2 * 4_096, '5e')}`
      const makeFirm = (signature: string) => maker.call('POST', `/v1/mm/quotes/${body.quoteId}/firm`, { signature })
      expect(await makeFirm(`${long}5e`)).toMatchObject({ status: 400, body: failure('invalid_request') })
      expect(await makeFirm(`${short}${'6492'.repeat(16)}`)).toMatchObject({
        status: 400,
        body: { ...failure('invalid_signature'), error: expect.stringContaining('deploy the wallet') },
      })
      expect((await makeFirm(long)).status).toBe(200)
      const committed = await service.commit(requestId, { wallet: taker.address })
      expect(committed.body.onchain?.makerSignature).toBe(long)
      expect(await fill(taker, committed.body)).toBe(833n)
    },
  )
})

it('without a chain keys alone sign (decision C12)', async () => {
  const simulated = openServices(import.meta.url)[0] as Service
  const maker = await simulated.maker()
  const socket = await maker.connect()
  const { requestId } = await simulated.open()
  const quoteId = await maker.quoted(requestId, { maker: simulated.wallet().address })
  const committing = simulated.commit(requestId, { wallet: simulated.wallet().address })
  const signature = await maker.sign(await askedToSign(socket, requestId))
  expect(await maker.confirm(quoteId, signature)).toMatchObject({ status: 400, body: failure('invalid_signature') })
  await maker.call('POST', `/v1/mm/quotes/${quoteId}/decline`, {})
  await committing
})
