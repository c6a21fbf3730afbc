import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import type { Node } from './node.ts'
import { signEverything } from './sign-everything.ts'
import { useCluster } from './use-cluster.ts'

describe.skipIf(!HAS_CLUSTER)(`protections of makers on three nodes${CLUSTER_HINT}`, () => {
  const inUse = useCluster(3, { confirmationMs: 20_000 })
  let a: Node
  let b: Node
  let c: Node

  beforeAll(() => {
    ;[a, b, c] = inUse.nodes as [Node, Node, Node]
  })

  const put = (node: Node, name: string, body: object) => node.maker(name).call('PUT', '/v1/mm/protections', body)

  /** Requests that a maker quotes, each opened on the next node. */
  async function quoted(name: string, count: number): Promise<string[]> {
    const nodes = [a, b, c]
    const opening = Array.from({ length: count }, async (_, i) => {
      const { requestId } = await (nodes[i % 3] as Node).service.open()
      await (nodes[(i + 1) % 3] as Node).maker(name).quoted(requestId)
      return requestId
    })
    return Promise.all(opening)
  }

  const commit = async (node: Node, requestId: string) =>
    node.service.commit(requestId, await node.service.proven(requestId))

  it('a window is never exceeded by commits on all of them at the same time (invariant V11)', async () => {
    await put(a, 'cyd', { windows: [{ ms: 600_000, maxAccepted: 2 }] })
    const socket = await signEverything('cyd', [() => b])
    const requests = await quoted('cyd', 9)
    const answers = await Promise.all(requests.map((requestId, i) => commit([a, b, c][i % 3] as Node, requestId)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(answers.filter(({ body }) => body.code === 'no_valid_quotes')).toHaveLength(7)
    for (const node of [a, b, c]) {
      const shown = await node.maker('cyd').call('GET', '/v1/mm/protections')
      expect(shown.body).toMatchObject({ trip: { used: { accepted: 2 } } })
      expect((await node.maker('cyd').call('GET', '/v1/mm/quotes')).body).toMatchObject({ quotes: [] })
      const { requestId } = await node.service.open()
      const refused = await eventually(
        () => node.maker('cyd').quote(requestId),
        ({ status }) => status === 409,
      )
      expect(refused.body).toMatchObject({ code: 'protection_tripped' })
    }
    await c.maker('cyd').call('POST', '/v1/mm/protections/reset')
    const { requestId } = await a.service.open()
    // Another node hears of the reset a moment later.
    await eventually(
      () => b.maker('cyd').quote(requestId),
      ({ status }) => status === 200,
    )
    expect((await commit(a, requestId)).status).toBe(200)
    socket.close()
  })

  it('a maker that has left is asked on none of them, and its quotes go, also when its node was killed (invariant V11)', {
    timeout: 120_000,
  }, async () => {
    await put(a, 'bob', { cancelOnDisconnect: { graceMs: 300 } })
    const liveQuotes = async () =>
      ((await a.maker('bob').call('GET', '/v1/mm/quotes')).body as unknown as { quotes: object[] }).quotes.length
    const socket = await b.maker('bob').connect()
    const [first] = await quoted('bob', 1)
    expect(await liveQuotes()).toBe(1)
    socket.close()
    await socket.closed
    await eventually(liveQuotes, (count) => count === 0)
    expect((await commit(a, String(first))).body).toMatchObject({ code: 'no_valid_quotes' })
    const other = await c.maker('bob').connect()
    const [second] = await quoted('bob', 1)
    expect(await liveQuotes()).toBe(1)
    c.process.signal('SIGKILL')
    await other.closed
    await eventually(liveQuotes, (count) => count === 0)
    expect((await commit(b, String(second))).body).toMatchObject({ code: 'no_valid_quotes' })
  })
})
