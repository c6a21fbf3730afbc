import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import type { Accepted } from './harness/maker.ts'
import { namedFailure } from './harness/match.ts'
import { openChainService } from './harness/service.ts'
import { askedToSign } from './harness/trade.ts'

const service = openChainService(import.meta.url)
const { settlementAddress, coreAddress } = service.ready
const { chain } = service

/** The relay may believe what it read a few seconds ago; the suite waits that long for a quote to be judged anew. */
const judgedAnew = (quote: () => Promise<{ status: number }>, status: number) =>
  eventually(quote, (answer) => answer.status === status)

describe.concurrent('solvency of makers', () => {
  const poor = () => service.maker({ funded: false })
  const buyOf = async (budgetUsd: number) => (await service.open({ trade: { side: 'buy', budgetUsd } })).requestId

  it('a maker that sells needs the collateral of the fill in its wallet, 422 with wallet and amounts (protocol quote-6)', async () => {
    const maker = await poor()
    const { status, body } = await maker.quote(await buyOf(12))
    expect({ status, body }).toMatchObject({ status: 422, body: namedFailure('maker_insufficient_balance') })
    // 100 options of a 0.45 call lock 55 dollars.
    expect(body.detail).toContain(maker.wallet.address)
    expect(body.detail).toMatch(/\b55\b/)
  })

  it('and has to approve it to the core contract, whose address the detail gives (protocol quote-6)', async () => {
    const maker = await poor()
    await service.call('POST', '/faucet', { body: { wallet: maker.wallet.address } })
    await chain.giveGas(maker.wallet)
    await chain.approve(maker.wallet, settlementAddress, 2n ** 255n)
    const { status, body } = await maker.quote(await buyOf(12))
    expect({ status, body }).toMatchObject({ status: 422, body: namedFailure('maker_insufficient_allowance') })
    expect(body.detail).toContain(coreAddress)
    expect(body.detail).toContain(maker.wallet.address)
  })

  it('a maker that buys needs the premium, approved to the settlement contract (protocol quote-6)', async () => {
    const maker = await poor()
    const { requestId } = await service.open({ trade: { side: 'sell', size: 100 } })
    const terms = { side: 'sell', price: 0.2, size: 100 }
    expect(await maker.quote(requestId, terms)).toMatchObject({
      status: 422,
      body: { ...namedFailure('maker_insufficient_balance'), detail: expect.stringMatching(/\b20\b/) },
    })
    await service.call('POST', '/faucet', { body: { wallet: maker.wallet.address } })
    await chain.giveGas(maker.wallet)
    await chain.approve(maker.wallet, coreAddress, 2n ** 255n)
    const { body } = await judgedAllowance()
    expect(body).toMatchObject(namedFailure('maker_insufficient_allowance'))
    expect(body.detail).toContain(settlementAddress)

    async function judgedAllowance() {
      return eventually(
        () => maker.quote(requestId, terms),
        (answer) => answer.body.code === 'maker_insufficient_allowance',
      )
    }
  })

  it('the collateral that is checked is that of the fill, not of the whole size, and exact to the unit (protocol quote-6)', async () => {
    const maker = await poor()
    await service.call('POST', '/faucet', { body: { wallet: maker.wallet.address } })
    await chain.giveGas(maker.wallet)
    await chain.approve(maker.wallet, coreAddress, 55_000_000n)
    // 12 dollars buy 100 options at 0.12 of the million offered.
    expect(await maker.quote(await buyOf(12), { size: 1_000_000 })).toMatchObject({ status: 200 })
    expect(await maker.quote(await buyOf(12.12), { size: 1_000_000 })).toMatchObject({ status: 422 })
  })

  it('a re-quote that is refused with 422 removes the old quote (decision Q4)', async () => {
    const maker = await service.maker()
    const requestId = await buyOf(100)
    await maker.quoted(requestId, { price: 0.2 })
    const { status } = await maker.quote(requestId, { price: 0.01, size: 100_000 })
    expect(status).toBe(422)
    const { body } = await service.call('GET', `/quote-requests/${requestId}/quotes`)
    expect(body).toMatchObject({ quoteCount: 0, bestQuote: null })
  })

  it('solvency is checked again at commit, past the cache; who cannot pay any more is skipped (protocol commit-2, fault C15)', async () => {
    const [spent, solvent] = await Promise.all([service.maker(), service.maker()])
    const [spentSocket, socket] = await Promise.all([spent.connect(), solvent.connect()])
    const requestId = await buyOf(10)
    await spent.quoted(requestId, { price: 0.1 })
    const quoteId = await solvent.quoted(requestId, { price: 0.2 })
    await chain.approve(spent.wallet, coreAddress, 0n)
    const committing = service.commit(requestId, { wallet: service.wallet().address })
    await solvent.confirm(quoteId, await solvent.sign(await askedToSign(socket, requestId)))
    expect((await committing).body.quote).toMatchObject({ quote_id: quoteId })
    await spentSocket.until('quote:rejected', requestId)
    expect(spentSocket.messages.all().map(({ type }) => type)).toEqual(['connected', 'quote:rejected'])
  })

  it('a commit is 422 when every candidate fails, with the code of the best one (decision C2)', async () => {
    const [best, other] = await Promise.all([service.maker(), service.maker()])
    const requestId = await buyOf(10)
    await best.quoted(requestId, { price: 0.1 })
    await other.quoted(requestId, { price: 0.2 })
    await chain.approve(best.wallet, coreAddress, 0n)
    await chain.send(other.wallet, 'transfer', service.wallet().address, 1_000_000_000n)
    const { status, body } = await service.commit(requestId, { wallet: service.wallet().address })
    expect({ status, body }).toMatchObject({ status: 422, body: namedFailure('maker_insufficient_allowance') })
  })

  it("a wallet's debt to confirmed orders counts while their taker can pay (decision C13, fault C14)", async () => {
    const maker = await service.maker()
    const socket = await maker.connect()
    const taker = service.wallet()
    await service.fund(taker)
    // 60 dollars at 0.05 are 1200 options, 660 dollars of collateral: of 1000 dollars that goes once.
    const [one, two] = [await buyOf(60), await buyOf(60)]
    for (const requestId of [one, two]) await maker.quoted(requestId, { price: 0.05, size: 2_000 })
    const committing = service.commit(one, await service.proven(one, taker))
    const accepted = await askedToSign(socket, one)
    await maker.confirm(accepted.quoteId, await maker.sign(accepted))
    expect((await committing).status).toBe(200)
    const second = await service.commit(two, { wallet: service.wallet().address })
    expect(second).toMatchObject({ status: 422, body: namedFailure('maker_insufficient_balance') })
    await judgedAnew(() => maker.quote(two, { price: 0.05, size: 2_000 }), 422)
  })

  it('a commit without a proof binds a quarter beside commits with one, and all beside others (decisions C16, C17)', async () => {
    const maker = await service.maker()
    const socket = await maker.connect()
    const taker = service.wallet()
    await service.fund(taker)
    const [one, two] = [await buyOf(60), await buyOf(60)]
    for (const requestId of [one, two]) await maker.quoted(requestId, { price: 0.05, size: 2_000 })
    const first = service.commit(one, { wallet: taker.address })
    const accepted = await askedToSign(socket, one)
    await maker.confirm(accepted.quoteId, await maker.sign(accepted))
    expect((await first).status).toBe(200)
    const unproven = await service.commit(two, { wallet: service.wallet().address })
    const body = { ...namedFailure('maker_insufficient_balance'), proofRequired: true }
    expect(unproven).toMatchObject({ status: 422, body })
    const proven = service.commit(two, await service.proven(two))
    const asked = await askedToSign(socket, two)
    await maker.confirm(asked.quoteId, await maker.sign(asked))
    expect((await proven).status).toBe(200)
    socket.close()
  })

  it("no one can block a stranger's wallet by quoting with it (decision C13)", async () => {
    const owner = await service.maker()
    const thief = await service.maker({ funded: false, wallet: owner.wallet })
    const [ownerSocket, thiefSocket] = await Promise.all([owner.connect(), thief.connect()])
    const [one, two] = [await buyOf(60), await buyOf(60)]
    await thief.quoted(one, { price: 0.05, size: 2_000 })
    const quoteId = await owner.quoted(two, { price: 0.05, size: 2_000 })
    const blocked = service.commit(one, { wallet: service.wallet().address })
    const asked = await askedToSign(thiefSocket, one)
    const committing = service.commit(two, { wallet: service.wallet().address })
    await owner.confirm(quoteId, await owner.sign(await askedToSign(ownerSocket, two)))
    expect((await committing).status).toBe(200)
    await thief.call('POST', `/v1/mm/quotes/${asked.quoteId}/decline`)
    expect((await blocked).status).toBe(503)
  })

  it.each([0, 5, 30, 300])(
    'one of two commits %s ms apart against a wallet that can pay one is 200 (decision C13)',
    async (apartMs) => {
      const maker = await service.maker()
      const socket = await maker.connect()
      const [one, two] = [await buyOf(60), await buyOf(60)]
      for (const requestId of [one, two]) await maker.quoted(requestId, { price: 0.05, size: 2_000 })
      // A confirmed order counts as far as its taker can pay, and the first may be confirmed before the second commit.
      const takers = [service.wallet(), service.wallet()]
      await Promise.all(takers.map(service.fund))
      const commits = takers.map(async ({ address }, i) => {
        if (i === 1) await delay(apartMs)
        return service.commit(i === 0 ? one : two, { wallet: address })
      })
      const accepted = (await socket.until('quote:accepted')) as Accepted
      await maker.confirm(accepted.quoteId, await maker.sign(accepted))
      const statuses = (await Promise.all(commits)).map(({ status }) => status)
      expect(statuses.sort()).toEqual([200, 422])
      expect(socket.messages.all().filter(({ type }) => type === 'quote:accepted')).toHaveLength(1)
    },
  )

  it('two makers with one wallet that can pay one: the second to sign is 422, and its commit falls back (decision C13)', async () => {
    const owner = await service.maker()
    const other = await service.maker({ funded: false, wallet: owner.wallet })
    const next = await service.maker()
    const [ownerSocket, otherSocket, nextSocket] = await Promise.all([owner.connect(), other.connect(), next.connect()])
    const taker = service.wallet()
    await service.fund(taker)
    const [one, two] = [await buyOf(60), await buyOf(60)]
    await owner.quoted(one, { price: 0.05, size: 2_000 })
    await other.quoted(two, { price: 0.05, size: 2_000 })
    await next.quoted(two, { price: 0.06, size: 2_000 })
    const commits = [one, two].map((requestId) => service.commit(requestId, { wallet: taker.address }))
    const [first, second] = [await askedToSign(ownerSocket, one), await askedToSign(otherSocket, two)]
    expect(await owner.confirm(first.quoteId, await owner.sign(first))).toMatchObject({ status: 200 })
    expect(await other.confirm(second.quoteId, await other.sign(second))).toMatchObject({
      status: 422,
      body: namedFailure('maker_insufficient_balance'),
    })
    const third = await askedToSign(nextSocket, two)
    await next.confirm(third.quoteId, await next.sign(third))
    const makers = (await Promise.all(commits)).map(({ body }) => body.execution.maker_id)
    expect(makers).toEqual([owner.makerId, next.makerId])
  })
})
