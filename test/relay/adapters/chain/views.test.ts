import { encodeFunctionData } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { serviceCoreAbi, testUsdAbi } from '../../../../src/protocol/contracts/abi.ts'
import type { Hex } from '../../../../src/protocol/domain/units.ts'
import { createRpc, type Rpc } from '../../../../src/relay/adapters/chain/rpc.ts'
import { createView, encodeView, ViewRevertedError } from '../../../../src/relay/adapters/chain/views.ts'
import { CORE, createFakeNode, type FakeNode, STABLECOIN } from './fake-node.ts'
import { WALLET } from './terms.ts'

const BALANCE_OF: Hex = '0x70a08231'

describe('views', () => {
  let node: FakeNode
  let rpc: Rpc
  const calls = () => node.requests.filter(({ method }) => method === 'eth_call')

  beforeEach(() => {
    node = createFakeNode()
    rpc = createRpc(node.transport, async () => {})
    node.answers.set(`${STABLECOIN}.balanceOf`, ([wallet]) => ({ value: wallet === WALLET ? 7n : 0n }))
  })

  it('are encoded as the ABI says', () => {
    expect(encodeView(BALANCE_OF, WALLET)).toBe(
      encodeFunctionData({ abi: testUsdAbi, functionName: 'balanceOf', args: [WALLET] }).toLowerCase(),
    )
    const largest = 2n ** 256n - 1n
    expect(encodeView(selectorOfShort(largest), largest, WALLET)).toBe(shortOf(largest))
  })

  it('are one call to the node when they are asked in one turn, also through other promises', async () => {
    const view = createView(rpc.client)
    const later = Promise.resolve().then(() => view(STABLECOIN, encodeView(BALANCE_OF, CORE)))
    expect(await Promise.all([view(STABLECOIN, encodeView(BALANCE_OF, WALLET)), later])).toEqual([[7n], [0n]])
    expect(calls()).toHaveLength(1)
    expect(await view(STABLECOIN, encodeView(BALANCE_OF, WALLET))).toEqual([7n])
    expect(calls()).toHaveLength(2)
  })

  it('are split into calls of a bounded size, each with its own answers', async () => {
    const wallets = Array.from({ length: 1_000 }, (_, i): Hex => (i === 777 ? WALLET : `0x${`${i}`.padStart(40, '1')}`))
    const answers = await Promise.all(
      wallets.map((wallet) => rpc.client.view(STABLECOIN, encodeView(BALANCE_OF, wallet))),
    )
    expect(answers.flatMap(([word], i) => (word === 0n ? [] : [i]))).toEqual([777])
    expect(calls()).toHaveLength(4)
    // Code that creates a contract may be 49,152 bytes long.
    for (const { params } of calls()) expect((params[0] as { data: Hex }).data.length / 2).toBeLessThan(49_152)
  })

  it('fail alone when a contract reverts, with its reason', async () => {
    node.answers.set(`${CORE}.getSeries`, { reverts: 'SeriesUnknown', args: [1n] })
    const [balance, series] = await Promise.allSettled([
      rpc.client.view(STABLECOIN, encodeView(BALANCE_OF, WALLET)),
      rpc.client.view(CORE, getSeries(), 7),
    ])
    expect(balance).toMatchObject({ value: [7n] })
    expect(series).toMatchObject({ reason: expect.any(ViewRevertedError) })
    expect((series as PromiseRejectedResult).reason.data).toMatch(/^0x[0-9a-f]{8}0{63}1$/)
  })

  it('are not tried again when a contract reverts', async () => {
    node.answers.set(`${CORE}.getSeries`, { reverts: null })
    await expect(rpc.read(({ view }) => view(CORE, getSeries(), 7))).rejects.toMatchObject({
      code: 'chain_unavailable',
    })
    expect(calls()).toHaveLength(1)
  })

  it.each([
    ['nothing', '0x'],
    ['half a word', '0x0000'],
    ['a length beyond its end', `0x${'ff'.repeat(32)}`],
    ['no text', null],
  ])('are tried again and refused when the node answers %s', async (_, answer) => {
    node.methods.set('eth_call', () => answer)
    const read = rpc.read(({ view }) => view(STABLECOIN, encodeView(BALANCE_OF, WALLET)))
    await expect(read).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(calls()).toHaveLength(3)
  })

  it('share one fault of the node, however many they are', async () => {
    node.faults = [new Error('down')]
    const reads = await Promise.allSettled(
      Array.from({ length: 100 }, () => rpc.client.view(STABLECOIN, encodeView(BALANCE_OF, WALLET))),
    )
    expect(new Set(reads.map((read) => (read as PromiseRejectedResult).reason)).size).toBe(1)
  })
})

const getSeries = (): Hex => encodeFunctionData({ abi: serviceCoreAbi, functionName: 'getSeries', args: [1n] })
const shortOf = (id: bigint): Hex =>
  encodeFunctionData({ abi: serviceCoreAbi, functionName: 'shortOf', args: [id, WALLET] }).toLowerCase() as Hex
const selectorOfShort = (id: bigint): Hex => shortOf(id).slice(0, 10) as Hex
