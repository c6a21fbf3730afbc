import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import type { Child } from '../kit/child.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { spawnRfqctl } from '../kit/relay-process.ts'
import { newWallet } from '../kit/service.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'

describe.skipIf(!HAS_CLUSTER)(`the faucet of three nodes on one chain${CLUSTER_HINT}`, () => {
  const dir = newFolder()
  let up: Child
  let nodes: string[]

  beforeAll(async () => {
    await buildWhenStale()
    up = spawnRfqctl(['up', '--nodes', '3', '--makers', '1', '--port', '0', '--json', '--data-dir', dir])
    nodes = (await up.ready<{ nodes: string[] }>()).nodes
  })
  afterAll(async () => {
    up.signal('SIGTERM')
    await up.exited
    removeFolder(dir)
  })

  async function ask(n: number, wallet: string): Promise<{ status: number; body: { txHash?: string } }> {
    const answer = await fetch(`${nodes[n % nodes.length]}/faucet`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ wallet }),
    })
    return { status: answer.status, body: (await answer.json()) as { txHash?: string } }
  }

  it('pays many wallets that ask at once, each in a transaction of its own', async () => {
    const answers = await Promise.all(Array.from({ length: 18 }, (_, n) => ask(n, newWallet().address)))
    expect(answers.map(({ status }) => status)).toEqual(Array(18).fill(200))
    expect(new Set(answers.map(({ body }) => body.txHash)).size).toBe(18)
  })

  it('pays one wallet that asks on all of them, in any case, once (fault C16)', async () => {
    const { address } = newWallet()
    const calls = Array.from({ length: 50 }, (_, n) => ask(n, n % 2 === 0 ? address : address.toLowerCase()))
    const statuses = (await Promise.all(calls)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(49).fill(429)])
  })
})
