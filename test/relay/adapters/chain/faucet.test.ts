import { decodeFunctionData, HttpRequestError, keccak256, parseTransaction, toHex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { testUsdAbi } from '../../../../src/protocol/contracts/abi.ts'
import { type Hex, usd6 } from '../../../../src/protocol/domain/units.ts'
import { createFaucet } from '../../../../src/relay/adapters/chain/faucet.ts'
import { createRpc } from '../../../../src/relay/adapters/chain/rpc.ts'
import type { Faucet } from '../../../../src/relay/core/ports/chain.ts'
import { createFakeNode, ENVIRONMENT, type FakeNode, STABLECOIN } from './fake-node.ts'
import { WALLET } from './terms.ts'

const AMOUNT = usd6(1_000_000_000n)
const down = () => new HttpRequestError({ url: 'http://node/secret-key', details: 'down' })

describe('the faucet', () => {
  let node: FakeNode
  let faucet: Faucet
  /** What the node took in, in order. */
  let taken: Hex[]

  const sent = () => taken.map((raw) => parseTransaction(raw))
  const callsOf = () => sent().map(({ data }) => decodeFunctionData({ abi: testUsdAbi, data: data as Hex }))
  const take = ([raw]: unknown[]) => {
    taken.push(raw as Hex)
    return keccak256(raw as Hex)
  }

  beforeEach(() => {
    node = createFakeNode()
    taken = []
    node.answers.set(`${STABLECOIN}.MINTER_ROLE`, { value: `0x${'ab'.repeat(32)}` })
    node.answers.set(`${STABLECOIN}.hasRole`, { value: true })
    node.methods.set('eth_getTransactionCount', ([, tag]) => toHex(tag === 'pending' ? 7 + taken.length : 7))
    node.methods.set('eth_estimateGas', () => '0x10000')
    node.methods.set('eth_maxPriorityFeePerGas', () => '0x1')
    node.methods.set('eth_sendRawTransaction', take)
    node.methods.set('eth_getTransactionByHash', () => null)
    faucet = createFaucet({
      rpc: createRpc(node.transport, async () => {}),
      environment: ENVIRONMENT,
      privateKey: `0x${'01'.repeat(32)}`,
    })
  })

  it('mints when its wallet is a minter, and returns the hash of the transaction', async () => {
    const hash = await faucet.send(WALLET, AMOUNT)
    expect(callsOf()).toEqual([{ functionName: 'mint', args: [WALLET, AMOUNT] }])
    expect(sent()[0]).toMatchObject({ to: STABLECOIN.toLowerCase(), chainId: 80_002, nonce: 7 })
    expect(hash).toBe(keccak256(taken[0] as Hex))
  })

  it.each([
    ['has roles, but not this one', 'hasRole', { value: false }],
    ['has no roles at all', 'MINTER_ROLE', { reverts: null }],
    ['answers nothing', 'MINTER_ROLE', { raw: '0x' }],
  ] as const)('transfers when the stablecoin %s', async (_, getter, answer) => {
    node.answers.set(`${STABLECOIN}.${getter}`, answer)
    await faucet.send(WALLET, AMOUNT)
    expect(callsOf()).toEqual([{ functionName: 'transfer', args: [WALLET, AMOUNT] }])
  })

  it('has a balance where it transfers, and none where it mints', async () => {
    node.answers.set(`${STABLECOIN}.balanceOf`, { value: 7_000_000n })
    expect(await faucet.balance()).toBeNull()
    node.answers.set(`${STABLECOIN}.hasRole`, { value: false })
    const poor = createFaucet({
      rpc: createRpc(node.transport, async () => {}),
      environment: ENVIRONMENT,
      privateKey: `0x${'01'.repeat(32)}`,
    })
    expect(await poor.balance()).toBe(7_000_000n)
    node.answers.set(`${STABLECOIN}.balanceOf`, { reverts: null })
    await expect(poor.balance()).rejects.toMatchObject({ code: 'chain_unavailable' })
  })

  it('sends one after the other, so that each has its own nonce', async () => {
    await Promise.all(Array.from({ length: 5 }, () => faucet.send(WALLET, AMOUNT)))
    expect(sent().map(({ nonce }) => nonce)).toEqual([7, 8, 9, 10, 11])
  })

  it('gives gas money first on a chain of its own, and pays nothing when that fails', async () => {
    const given: string[] = []
    const options = { rpc: createRpc(node.transport, async () => {}), environment: ENVIRONMENT }
    const giveGas = async (wallet: string) => {
      given.push(wallet)
      if (given.length > 1) throw down()
    }
    const generous = createFaucet({ ...options, privateKey: `0x${'01'.repeat(32)}`, giveGas })
    await generous.send(WALLET, AMOUNT)
    expect({ given, payments: taken.length }).toEqual({ given: [WALLET], payments: 1 })
    await expect(generous.send(WALLET, AMOUNT)).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(taken).toHaveLength(1)
  })

  it('pays while no other process does from its wallet, and lets go when a payment fails', async () => {
    const story: string[] = []
    const withLock = async (work: () => Promise<Hex>) => {
      story.push('mine')
      return work().finally(() => story.push('yours'))
    }
    const privateKey: Hex = `0x${'01'.repeat(32)}`
    const shared = createFaucet({
      rpc: createRpc(node.transport, async () => {}),
      environment: ENVIRONMENT,
      privateKey,
      withLock,
    })
    node.methods.set('eth_getTransactionCount', () => {
      story.push('nonce')
      return '0x7'
    })
    await shared.send(WALLET, AMOUNT)
    node.methods.set('eth_sendRawTransaction', () => Promise.reject(new Error('insufficient funds for gas')))
    await expect(shared.send(WALLET, AMOUNT)).rejects.toMatchObject({ code: 'faucet_unavailable' })
    expect(story).toEqual(['mine', 'nonce', 'yours', 'mine', 'nonce', 'yours'])
  })

  it('leaves no gap behind a failed payment', async () => {
    let sends = 0
    node.methods.set('eth_sendRawTransaction', (params) => {
      sends += 1
      if (sends === 2) throw Object.assign(new Error('insufficient funds for gas'), { code: -32_003 })
      return take(params)
    })
    const results = await Promise.allSettled([1, 2, 3].map(() => faucet.send(WALLET, AMOUNT)))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(results[1]).toMatchObject({ reason: { code: 'faucet_unavailable' } })
    expect(sent().map(({ nonce }) => nonce)).toEqual([7, 8])
  })

  it('lets only so many wait for a node that does not answer', async () => {
    node.methods.set('eth_getTransactionCount', () => new Promise(() => {}))
    const sends = Array.from({ length: 600 }, () => faucet.send(WALLET, AMOUNT).catch((fault: unknown) => fault))
    const first = await Promise.race(sends)
    expect(first).toMatchObject({ code: 'chain_unavailable', data: { retryAfterS: 2 } })
    const waits = Symbol('waits')
    const answers = await Promise.all(sends.map((send) => Promise.race([send, Promise.resolve(waits)])))
    expect(answers.filter((answer) => answer === waits)).toHaveLength(513)
  })

  it('says faucet_unavailable when the token refuses', async () => {
    node.methods.set('eth_estimateGas', () => {
      throw Object.assign(new Error('execution reverted: blacklisted'), { code: 3, data: '0x' })
    })
    await expect(faucet.send(WALLET, AMOUNT)).rejects.toMatchObject({ code: 'faucet_unavailable' })
    expect(taken).toEqual([])
  })

  it('says chain_unavailable, and nothing of the URL, when the node is down', async () => {
    node.methods.set('eth_estimateGas', () => {
      throw down()
    })
    const refusal = await faucet.send(WALLET, AMOUNT).catch((error: unknown) => error as Error)
    expect(refusal).toMatchObject({ code: 'chain_unavailable' })
    expect(`${(refusal as Error).stack} ${((refusal as Error).cause as Error).stack}`).not.toContain('secret-key')
  })

  it('asks again whether it is a minter when that could not be read at first', async () => {
    node.faults = [down(), down(), down()]
    await expect(faucet.send(WALLET, AMOUNT)).rejects.toMatchObject({ code: 'chain_unavailable' })
    await faucet.send(WALLET, AMOUNT)
    expect(callsOf()).toMatchObject([{ functionName: 'mint' }])
  })

  it('counts a payment as made when only the answer to it was lost', async () => {
    node.methods.set('eth_sendRawTransaction', (params) => {
      take(params)
      throw down()
    })
    node.methods.set('eth_getTransactionByHash', ([hash]) => ({ hash, type: '0x2', nonce: '0x7', value: '0x0' }))
    expect(await faucet.send(WALLET, AMOUNT)).toBe(keccak256(taken[0] as Hex))
  })

  it('refuses when the answer was lost and the node does not know the payment', async () => {
    node.methods.set('eth_sendRawTransaction', () => {
      throw down()
    })
    await expect(faucet.send(WALLET, AMOUNT)).rejects.toMatchObject({ code: 'chain_unavailable' })
  })
})
