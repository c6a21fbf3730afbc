import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../conformance/harness/eventually.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import { type Node, OPERATOR_TOKEN } from './node.ts'
import { useCluster } from './use-cluster.ts'

const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }

describe.skipIf(!HAS_CLUSTER)(`makers on three nodes${CLUSTER_HINT}`, () => {
  const inUse = useCluster(3, { confirmationMs: 20_000, env: { MAKER_MISSES_BEFORE_DEMOTION: '2' } })
  let a: Node
  let b: Node
  let c: Node

  beforeAll(() => {
    ;[a, b, c] = inUse.nodes as [Node, Node, Node]
  })

  /** The price of the best quote, asked for past who watches: that one knows of no block and of no other request's misses. */
  async function bestPrice(node: Node, requestId: string): Promise<number | null> {
    const answer = await fetch(`${node.process.ready.url}/quote-requests/${requestId}/quotes`)
    const { bestQuote } = (await answer.json()) as { bestQuote: { price: number } | null }
    return bestQuote?.price ?? null
  }

  it('one that is blocked on one is out on all, with its quotes and connections, until it is let in again', async () => {
    const socket = await b.maker('cyd').connect()
    const stream = await c.maker('cyd').stream()
    await stream.until('snapshot_complete')
    const { requestId } = await a.service.open()
    await b.maker('cyd').quoted(requestId)
    expect((await a.service.call('POST', '/ops/v1/makers/cyd/block', { headers })).status).toBe(200)
    await Promise.all([socket.closed, stream.ended])
    const answersOf = (status: number) =>
      Promise.all(
        [a, b, c].map((node) =>
          eventually(
            () => node.maker('cyd').call('GET', '/v1/mm/quotes'),
            (answer) => answer.status === status,
          ),
        ),
      )
    await answersOf(403)
    expect(await Promise.all([a, b, c].map((node) => bestPrice(node, requestId)))).toEqual([null, null, null])
    expect((await c.service.call('DELETE', '/ops/v1/makers/cyd/block', { headers })).status).toBe(200)
    await answersOf(200)
  })

  it('what one misses on two nodes ranks it behind on the third, until the operator forgives it', async () => {
    const open = async (node: Node) => (await node.service.open()).requestId
    const wallet = a.service.wallet().address
    const before = await open(c)
    await c.maker('cyd').quoted(before, { price: 0.1 })
    await c.maker('bob').quoted(before, { price: 0.2 })
    expect(await bestPrice(b, before)).toBe(0.1)
    // Without a socket it misses after a second.
    for (const node of [a, b]) {
      const requestId = await open(node)
      await node.maker('cyd').quoted(requestId, { price: 0.1 })
      expect((await node.service.commit(requestId, { wallet, limitPrice: 0.15 })).status).toBe(503)
    }
    expect(await bestPrice(b, before)).toBe(0.2)
    const after = await open(b)
    await a.maker('cyd').quoted(after, { price: 0.1 })
    await c.maker('bob').quoted(after, { price: 0.2 })
    expect(await bestPrice(a, after)).toBe(0.2)
    await c.service.call('DELETE', '/ops/v1/makers/cyd/block', { headers })
    expect(await bestPrice(a, after)).toBe(0.1)
  })
})
