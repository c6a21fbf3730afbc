import type { Wallet } from 'ethers'
import { describe, expect, it } from 'vitest'
import { type Committed, openChainService } from './harness/service.ts'
import { trade } from './harness/trade.ts'

type Onchain = NonNullable<Committed['onchain']> & { takerApproval: { spender: string; amount: string } }

const service = openChainService(import.meta.url)
const { chain } = service

/** The taker's way to its option: one approval of exactly what the answer says, then fill(). */
async function fill(taker: Wallet, { order, makerSignature, takerApproval }: Onchain): Promise<void> {
  await chain.approve(taker, takerApproval.spender, BigInt(takerApproval.amount))
  const settlement = chain.settlement.connect(taker.connect(chain.provider)) as typeof chain.settlement
  const sent = await settlement.getFunction('fill')(order, makerSignature)
  await sent.wait()
}

const dollars = async (wallet: Wallet): Promise<bigint> => chain.token.getFunction('balanceOf')(wallet.address)
const options = async (wallet: Wallet, seriesId: string): Promise<bigint> =>
  chain.core.getFunction('balanceOf')(wallet.address, seriesId)

describe.concurrent('filling on chain', () => {
  async function fundedTrade(input: Parameters<typeof trade>[1]) {
    const taker = service.wallet()
    await service.fund(taker)
    for (const spender of [service.ready.coreAddress, service.ready.settlementAddress]) {
      await chain.approve(taker, spender, 0n)
    }
    const life = await trade(service, { ...input, commit: { wallet: taker.address } })
    return { ...life, taker, onchain: life.committed.body.onchain as Onchain }
  }

  it('one approval and fill() lock collateral, pay the premium and mint the option (protocol commit-10)', async () => {
    const { taker, maker, onchain, created } = await fundedTrade({ quote: { price: 0.12, size: 1_000 } })
    await fill(taker, onchain)
    // The seriesId is the ERC-1155 id of the position, and options are whole (decisions U1, U6).
    expect(await options(taker, created.seriesId)).toBe(833n)
    expect(await dollars(taker)).toBe(1_000_000_000n - 99_960_000n)
    // The maker took the premium and locked 833 x 0.55.
    expect(await dollars(maker.wallet)).toBe(1_000_000_000n + 99_960_000n - 458_150_000n)
  })

  it('a short fill works with the collateral approved to the core (protocol commit-10)', async () => {
    const { taker, maker, onchain, created } = await fundedTrade({
      request: { trade: { side: 'sell', size: 40 } },
      quote: { side: 'sell', price: 0.2, size: 40 },
    })
    await fill(taker, onchain)
    expect(await options(maker.wallet, created.seriesId)).toBe(40n)
    expect(await dollars(taker)).toBe(1_000_000_000n + 8_000_000n - 22_000_000n)
    expect(await dollars(maker.wallet)).toBe(1_000_000_000n - 8_000_000n)
  })

  it('a filled order is announced once its block is final, to a socket that subscribed, in history and in the poll (protocol order-1, order-2, order-3)', async () => {
    const { taker, maker, onchain, created, quoteId } = await fundedTrade({})
    const { requestId } = created
    const [subscribed, plain] = await Promise.all([maker.connect(), maker.connect()])
    subscribed.send({ type: 'subscribe', to: 'orders' })
    const status = async () => {
      const headers = { 'x-taker-secret': created.takerSecret }
      const polled = await service.call<{ orderStatus: unknown }>('GET', `/quote-requests/${requestId}/quotes`, {
        headers,
      })
      const { executions } = (await maker.call<{ executions: { orderStatus: unknown }[] }>('GET', '/v1/mm/executions'))
        .body
      return [polled.body.orderStatus, ...executions.map(({ orderStatus }) => orderStatus)]
    }
    expect(await status()).toEqual([{ state: 'open' }, { state: 'open' }])
    await fill(taker, onchain)
    const told = await subscribed.until('order:filled')
    const place = { transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/), blockNumber: expect.any(Number) }
    expect(told).toEqual({ type: 'order:filled', requestId, quoteId, ...place })
    const { transactionHash, blockNumber } = told
    const filled = { state: 'filled', transactionHash, blockNumber }
    expect(await status()).toEqual([filled, filled])
    expect(plain.messages.all().map(({ type }) => type)).not.toContain('order:filled')
  })

  it('a nonce that its maker cancels is announced as order:cancelled (protocol order-1)', async () => {
    const { maker, onchain } = await fundedTrade({})
    const socket = await maker.connect()
    socket.send({ type: 'subscribe', to: 'orders' })
    const settlement = chain.settlement.connect(maker.wallet.connect(chain.provider)) as typeof chain.settlement
    await (await settlement.getFunction('cancelNonce')(onchain.order.nonce)).wait()
    expect(await socket.until('order:cancelled')).toMatchObject({ blockNumber: expect.any(Number) })
  })

  it('an order whose maker takes its allowance away is announced as order:defunded, to a socket that subscribed, and in history (protocol order-5)', async () => {
    const { maker, created, quoteId } = await fundedTrade({})
    const [subscribed, plain] = await Promise.all([maker.connect(), maker.connect()])
    subscribed.send({ type: 'subscribe', to: 'orders' })
    await chain.approve(maker.wallet, service.ready.coreAddress, 0n)
    const told = await subscribed.until('order:defunded')
    const { requestId } = created
    const defunded = { code: 'maker_insufficient_allowance', blockNumber: expect.any(Number) }
    expect(told).toEqual({ type: 'order:defunded', requestId, quoteId, ...defunded })
    const { executions } = (await maker.call<{ executions: object[] }>('GET', '/v1/mm/executions')).body
    expect(executions).toMatchObject([{ orderStatus: { state: 'open' }, defunded }])
    expect(plain.messages.all().map(({ type }) => type)).not.toContain('order:defunded')
  })

  it('only the wallet that committed can fill (protocol auth-6)', async () => {
    const { onchain, created } = await fundedTrade({})
    const thief = service.wallet()
    await service.fund(thief)
    await expect(fill(thief, onchain)).rejects.toThrow()
    expect(await options(thief, created.seriesId)).toBe(0n)
  })
})
