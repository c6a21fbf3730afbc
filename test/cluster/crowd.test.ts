import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildWhenStale } from '../conformance/harness/build.ts'
import { closeAll } from '../conformance/harness/keep.ts'
import { CLUSTER_HINT, type Cluster, createCluster, HAS_CLUSTER, type Node } from './cluster.ts'
import { createObserver, type Observer } from './observer.ts'

const TAKERS = 6
/** Trades that are done on each node that is killed, before it is. */
const TRADES_PER_KILL = 15
const KILLS = 3

const ENV = { MAKER_CONFIRMATION_MS: '4000' }

describe.skipIf(!HAS_CLUSTER)(`a crowd on three nodes${CLUSTER_HINT}`, { timeout: 120_000 }, () => {
  let cluster: Cluster
  let stable: [Node, Node]
  /** The node that is killed and replaced. */
  let frail: Node
  let observer: Observer
  let trades = 0

  beforeAll(async () => {
    await buildWhenStale()
    cluster = await createCluster()
    const [a, b, c] = (await cluster.startAll(3, ENV)) as [Node, Node, Node]
    stable = [b, c]
    frail = a
    observer = createObserver()
    for (const [index, name] of ['ada', 'bob', 'cyd'].entries()) {
      await observer.follow(stable[index % 2] as Node, name)
      void signFor(name)
    }
  }, 120_000)
  afterAll(async () => {
    closeAll()
    await cluster?.remove()
  }, 60_000)

  /** Any node, for the n-th time that one is asked. */
  const nodeFor = (n: number): Node => [stable[0], frail, stable[1]][n % 3] as Node

  /** A maker that signs whatever it is asked to, on a node in turn. */
  async function signFor(name: string): Promise<void> {
    const socket = await (stable[1] as Node).maker(name).connect()
    for (let n = 0; ; n += 1) {
      const accepted = await socket.until('quote:accepted').catch(() => null)
      if (accepted === null) return
      const { quoteId } = accepted
      const maker = stable[n % 2] as Node
      const signature = await maker.maker(name).sign(accepted)
      await nodeFor(n)
        .maker(name)
        .confirm(quoteId, signature)
        .catch(() => maker.maker(name).confirm(quoteId, signature))
    }
  }

  /** A taker that trades on whatever node comes next, and asks elsewhere when one has gone. */
  async function takeWhile(seed: number, goesOn: () => boolean): Promise<void> {
    for (let n = seed; goesOn(); n += 1) await trade(n).catch(() => {})
  }

  async function trade(n: number): Promise<void> {
    const { requestId } = await nodeFor(n).house.open()
    for (const [index, name] of ['ada', 'bob', 'cyd'].entries()) {
      await nodeFor(n + index)
        .maker(name)
        .quote(requestId, { price: 0.1 + ((n + index) % 5) / 100 })
    }
    const wallet = stable[0].house.wallet().address
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const answer = await nodeFor(n + attempt)
        .house.commit(requestId, { wallet })
        .catch(() => null)
      if (answer?.status !== 200) continue
      observer.committed(requestId, answer)
      observer.committed(requestId, await (stable[n % 2] as Node).house.commit(requestId, { wallet }))
      trades += 1
      return
    }
  }

  it('trades on while one of them is killed again and again, and nothing that must hold is broken (V1 to V6, V10)', async () => {
    let goesOn = true
    const takers = Array.from({ length: TAKERS }, (_, index) => takeWhile(index, () => goesOn))
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = trades
      await expect.poll(() => trades - before, { timeout: 30_000 }).toBeGreaterThan(TRADES_PER_KILL)
      frail.process.signal('SIGKILL')
      await frail.process.exited
      frail = await cluster.start(ENV)
      observer.check()
    }
    goesOn = false
    await Promise.all(takers)
    observer.check()
  })
})
