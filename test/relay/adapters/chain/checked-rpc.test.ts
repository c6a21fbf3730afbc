import { HttpRequestError } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { serviceCoreAbi } from '../../../../src/protocol/contracts/abi.ts'
import { assertEnvironment, createCheckedRpc } from '../../../../src/relay/adapters/chain/assert-environment.ts'
import { createRpc, type Rpc } from '../../../../src/relay/adapters/chain/rpc.ts'
import { CORE, createFakeNode, ENVIRONMENT, type FakeNode, SETTLEMENT, STABLECOIN } from './fake-node.ts'

describe('a node that was checked', () => {
  let node: FakeNode
  let rpc: Rpc

  const down = () => new HttpRequestError({ url: 'http://node', details: 'down' })
  const readBlock = () => rpc.read((client) => client.getBlock({ blockTag: 'latest' }))
  const checks = () => node.requests.filter(({ method }) => method === 'eth_chainId').length

  beforeEach(() => {
    node = createFakeNode()
    node.answers.set(`${CORE}.stablecoin`, { value: STABLECOIN })
    node.answers.set(`${CORE}.settlement`, { value: SETTLEMENT })
    node.answers.set(`${SETTLEMENT}.core`, { value: CORE })
    node.answers.set(`${SETTLEMENT}.stablecoin`, { value: STABLECOIN })
    rpc = createCheckedRpc(
      createRpc(node.transport, async () => {}),
      (once) => assertEnvironment(once, ENVIRONMENT),
    )
  })

  it('is read without another check while it answers', async () => {
    await Promise.all([readBlock(), readBlock()])
    expect(checks()).toBe(0)
  })

  it('is checked again after a fault, before the next attempt of the same read', async () => {
    node.faults = [down()]
    expect((await readBlock()).number).toBe(0n)
    expect(checks()).toBe(1)
    await readBlock()
    expect(checks()).toBe(1)
  })

  it('is checked once for all reads that wait for it', async () => {
    node.faults = [down(), down()]
    await Promise.all([readBlock(), readBlock(), readBlock()])
    expect(checks()).toBe(1)
  })

  it('that came back as another chain is not read, and the reason is reported', async () => {
    node.faults = [down()]
    node.chainId = 137
    await expect(readBlock()).rejects.toMatchObject({
      code: 'chain_unavailable',
      message: 'The node serves chain 137, not chain 80002.',
    })
    await expect(readBlock()).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(node.requests.filter(({ method }) => method === 'eth_getBlockByNumber')).toHaveLength(1)
    node.chainId = 80_002
    expect((await readBlock()).number).toBe(0n)
  })

  it('that came back without the contracts is not read', async () => {
    node.faults = [down()]
    node.codes.delete(CORE)
    await expect(readBlock()).rejects.toThrow(`there is no contract at the core address ${CORE}`)
  })

  it('that stays away is refused as before, and checked when it is back', async () => {
    node.faults = Array.from({ length: 6 }, down)
    await expect(readBlock()).rejects.toMatchObject({ code: 'chain_unavailable' })
    node.faults = []
    await readBlock()
    expect(checks()).toBeGreaterThanOrEqual(1)
  })

  it('is not doubted for what a contract refuses', async () => {
    node.answers.set(`${CORE}.getSeries`, { reverts: 'SeriesUnknown', args: [7n] })
    const core = { address: CORE, abi: serviceCoreAbi } as const
    const read = rpc.read((client) => client.readContract({ ...core, functionName: 'getSeries', args: [7n] }))
    await expect(read).rejects.toMatchObject({ code: 'chain_unavailable' })
    await readBlock()
    expect(checks()).toBe(0)
  })
})
