import { beforeAll, describe, expect, it } from 'vitest'
import type { MakerSocket } from '../kit/socket.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import type { Node } from './node.ts'
import { signEverything } from './sign-everything.ts'
import { useCluster } from './use-cluster.ts'

const TAKERS = 6
/** Trades that are done on each node that is killed, before it is. */
const TRADES_PER_KILL = 15
const KILLS = Number(process.env.RFQCTL_CROWD_KILLS ?? 3)

/** What a kill takes at most, with the trades before it and the start of another node, in milliseconds. */
const KILL_MS = 40_000

/** What makers have the nodes hold for them, which trips again and again. Ada is always there. */
const PROTECTIONS: Readonly<Record<string, object>> = {
  bob: { cancelOnDisconnect: { graceMs: 1_000 } },
  cyd: { windows: [{ ms: 10_000, maxAccepted: 2 }], freezeMs: 1_000 },
}

describe.skipIf(!HAS_CLUSTER)(`a crowd on three nodes${CLUSTER_HINT}`, { timeout: KILLS * KILL_MS }, () => {
  const inUse = useCluster(3, { confirmationMs: 4_000 })
  let stable: [Node, Node]
  /** The node that is killed and replaced. */
  let frail: Node
  let trades = 0
  const sockets = new Map<string, MakerSocket>()

  beforeAll(async () => {
    const [a, b, c] = inUse.nodes as [Node, Node, Node]
    stable = [b, c]
    frail = a
    for (const [index, name] of ['ada', 'bob', 'cyd'].entries()) {
      const node = stable[index % 2] as Node
      await node.maker(name).connect()
      await (await node.maker(name).stream()).until('snapshot_complete')
      const { status } = await node.maker(name).call('PUT', '/v1/mm/protections', PROTECTIONS[name] ?? {})
      expect(status).toBe(200)
      sockets.set(name, await signEverything(name, [() => stable[1], () => frail, () => stable[0]]))
    }
  })

  /** Any node, for the n-th time that one is asked. */
  const nodeFor = (n: number): Node => [stable[0], frail, stable[1]][n % 3] as Node

  /** A taker that trades on whatever node comes next, and asks elsewhere when one has gone. */
  async function takeWhile(seed: number, goesOn: () => boolean): Promise<void> {
    for (let n = seed; goesOn(); n += 1) await trade(n).catch(() => {})
  }

  async function trade(n: number): Promise<void> {
    const { requestId } = await nodeFor(n).service.open()
    for (const [index, name] of ['ada', 'bob', 'cyd'].entries()) {
      await nodeFor(n + index)
        .maker(name)
        .quote(requestId, { price: 0.1 + ((n + index) % 5) / 100 })
    }
    // What is best is seen by the collector, which knows what was quoted (invariant V7).
    await nodeFor(n + 1).service.call('GET', `/quote-requests/${requestId}/quotes`)
    const commit = await stable[0].service.proven(requestId)
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const answer = await nodeFor(n + attempt)
        .service.commit(requestId, commit)
        .catch(() => null)
      if (answer?.status !== 200) continue
      await (stable[n % 2] as Node).service.commit(requestId, commit)
      trades += 1
      return
    }
  }

  it('trades on while one of them is killed again and again, and nothing that must hold is broken (invariants V1 to V11)', async () => {
    let goesOn = true
    const takers = Array.from({ length: TAKERS }, (_, index) => takeWhile(index, () => goesOn))
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = trades
      await expect.poll(() => trades - before).toBeGreaterThan(TRADES_PER_KILL)
      frail.process.signal('SIGKILL')
      await frail.process.exited
      // What it has promised, another one keeps.
      await inUse.cluster.collector.reread(stable[0])
      frail = await inUse.cluster.start()
      inUse.cluster.collector.check()
    }
    const heard = () => sockets.get('cyd')?.messages.all() ?? []
    await expect.poll(() => heard().some(({ type }) => type === 'protection:tripped')).toBe(true)
    goesOn = false
    await Promise.all(takers)
    inUse.cluster.collector.check()
  })
})
