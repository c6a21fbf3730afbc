import { createPublicClient, createWalletClient, http, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startAnvil } from '../../../src/onchain/devnet/anvil.ts'
import { createDevClient, devnetChain } from '../../../src/onchain/devnet/client.ts'
import { createNodeCalls } from '../../../src/onchain/devnet/node-calls.ts'
import { httpServer, type Play } from '../../kit/server.ts'
import { startServer } from '../../relay/server/support.ts'

/** A node that answers as it is told. */
const startNode = async (play: Play): Promise<string> => (await httpServer(play)).url

const CALLS = [
  { method: 'eth_chainId', params: [] },
  { method: 'eth_call', params: [{}] },
]

describe('calls of a node', () => {
  it('go as one batch under ids of their own, and each gets its answer whatever their order', async () => {
    let sent: unknown
    const url = await startNode((response, { body }) => {
      sent = JSON.parse(body)
      response.end(
        JSON.stringify([
          { id: 1, error: { code: 3, message: 'execution reverted', data: '0x12' } },
          { id: 0, result: null },
        ]),
      )
    })
    expect(await createNodeCalls(url)(CALLS)).toEqual([
      { result: null },
      { error: { code: 3, message: 'execution reverted', data: '0x12' } },
    ])
    expect(sent).toEqual(CALLS.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
  })

  it('end in an error where the answer is longer than anyone needs, and no more of it is read', async () => {
    let written = 0
    const url = await startNode((response) => {
      const chunk = Buffer.alloc(1024 * 1024, 32)
      const write = (): void => {
        if (response.destroyed || written > 256) return
        written += 1
        if (response.write(chunk)) setImmediate(write)
        else response.once('drain', write)
      }
      write()
    })
    const outcomes = await createNodeCalls(url)(CALLS)
    expect(outcomes).toEqual([
      expect.objectContaining({ error: expect.objectContaining({ code: -32_005 }) }),
      expect.objectContaining({ error: expect.objectContaining({ code: -32_005 }) }),
    ])
    expect(written).toBeLessThan(64)
  })

  it.each([
    ['nothing', ''],
    ['a page', '<html>'],
    ['an error for the batch', '{"error":{"code":-32600,"message":"no batches"}}'],
    ['an answer to one of them', '[{"id":0,"result":"0x1"}]'],
    ['answers to no one', '[{"id":"0","result":1},{"id":7,"result":1}]'],
  ])('are refused where the node answers %s', async (_, text) => {
    const url = await startNode((response) => response.end(text))
    await expect(createNodeCalls(url)(CALLS)).rejects.toMatchObject({ code: 'chain_unavailable' })
  })

  it('are refused where no node is', async () => {
    const url = await startNode((response) => response.destroy())
    await expect(createNodeCalls(url)(CALLS)).rejects.toMatchObject({ code: 'chain_unavailable' })
  })
})

it('a wallet of viem reads, pays and waits over the route of the sandbox alone', async () => {
  const anvil = await startAnvil({ port: 0, statePath: null, outlives: false })
  onTestFinished(anvil.stop)
  const { url } = await startServer({ sandbox: { call: createNodeCalls(anvil.rpcUrl), warp: async () => 0 } })
  const account = privateKeyToAccount(generatePrivateKey())
  await createDevClient(anvil.rpcUrl).setBalance({ address: account.address, value: parseEther('2') })
  for (const batch of [false, true]) {
    const transport = http(`${url}/sandbox/rpc`, { batch, retryCount: 0 })
    const chain = createPublicClient({ chain: devnetChain, transport, pollingInterval: 10 })
    const wallet = createWalletClient({ account, chain: devnetChain, transport })
    const to = privateKeyToAccount(generatePrivateKey()).address
    const hash = await wallet.sendTransaction({ to, value: parseEther('0.5') })
    expect((await chain.waitForTransactionReceipt({ hash })).status).toBe('success')
    expect(await chain.getBalance({ address: to })).toBe(parseEther('0.5'))
    await expect(
      chain.request({ method: 'anvil_setBalance' as 'eth_chainId', params: [to, '0xff'] as never }),
    ).rejects.toThrow('anvil_setBalance')
  }
})
