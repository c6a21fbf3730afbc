import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../cli/support.ts'
import { buildWhenStale } from '../kit/build.ts'
import type { Child } from '../kit/child.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { spawnRfqctl } from '../kit/relay-process.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'

it('up with several nodes says what to install where there is neither Redis nor Postgres', async () => {
  const { code, stderr } = await run(['up', '--nodes', '3'], { environment: { PATH: '/nonexistent' }, cwd: tmpdir() })
  expect(code).not.toBe(0)
  expect(stderr).toMatch(/several nodes need redis-server/)
  expect(stderr).toMatch(/apt-get install redis-server/)
})

describe.skipIf(!HAS_CLUSTER)(`up with several nodes${CLUSTER_HINT}`, () => {
  const dir = newFolder()
  let up: Child

  beforeAll(buildWhenStale)
  afterAll(() => {
    up?.signal('SIGKILL')
    removeFolder(dir)
  })

  it('is one address behind which a trade is lived to its fill, and leaves nothing running', async () => {
    up = spawnRfqctl(['up', '--nodes', '2', '--port', '0', '--json', '--data-dir', dir])
    const ready = await up.ready<{ url: string; tradeUrl: string; nodes: string[] }>()
    expect(ready.nodes).toHaveLength(2)
    expect(ready.tradeUrl).toBe(`${ready.url}/`)
    // Whichever node a page's connection comes to, it is served there, and reaches the one chain.
    for (const url of ready.nodes) {
      expect(await (await fetch(`${url}/v1/environment`)).json()).toMatchObject({ sandbox: true })
      expect((await fetch(`${url}/desk`)).headers.get('content-type')).toMatch(/^text\/html/)
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${url}/sandbox/rpc`, { method: 'POST', headers, body })
      expect(await answer.json()).toMatchObject({ result: '0x13882' })
    }
    const trade = spawnRfqctl(['taker', 'buy', '@1', '--budget', '50', '--fill', '--json', '--data-dir', dir])
    expect(await trade.left()).toMatchObject({ code: 0 })
    expect(trade.stdout()).toContain('"type":"fill"')
    up.signal('SIGTERM')
    expect((await up.exited).code).toBe(0)
    for (const url of [ready.url, ...ready.nodes]) await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  })
})
