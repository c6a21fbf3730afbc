import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { keep } from '../kit/keep.ts'
import { askedToSign } from '../kit/maker.ts'
import { createOwnRedis, type OwnRedis } from '../support/own-redis.ts'
import { createOwnSentinel, type OwnSentinel } from '../support/own-sentinel.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import type { Node } from './node.ts'
import { useCluster } from './use-cluster.ts'
import { layWire, type Wire } from './wire.ts'

/** For how long the primary is written to after its replica has heard from it for the last time, in milliseconds. */
const LOST_MS = 1_000

/**
 * A primary with a replica and a sentinel that watches both. The nodes know one address, which a load balancer, or who runs
 * a managed Redis, leads to whatever server the sentinel holds for the primary.
 */
describe.skipIf(!HAS_CLUSTER)(`nodes whose Redis fails over${CLUSTER_HINT}`, () => {
  const inUse = useCluster(0, { confirmationMs: 20_000 })
  let a: Node
  let b: Node
  /** What the replica and the sentinel hear of the primary; and what the nodes know as Redis. */
  let replication: Wire
  let address: Wire
  let replica: OwnRedis
  let sentinel: OwnSentinel

  beforeAll(async () => {
    const { redis, start } = inUse.cluster
    replication = await layWire(redis.url)
    // Else it waits five seconds for further replicas.
    await redis.send('CONFIG', 'SET', 'repl-diskless-sync-delay', '0')
    replica = await createOwnRedis({ replicaOf: replication.port })
    keep(() => void replica.kill())
    await isReplica('master_link_status:up')
    // The sentinel asks who the replicas are at once, and then every ten seconds.
    sentinel = await createOwnSentinel({ primaryPort: replication.port })
    keep(() => void sentinel.remove())
    address = await layWire(redis.url)
    await eventually(sentinel.countReplicas, (count) => count === 1)
    ;[a, b] = await Promise.all([start({ redisUrl: address.url }), start({ redisUrl: address.url })])
  })
  const isReplica = (what: string) =>
    eventually(
      () => replica.send<string>('INFO', 'replication'),
      (text) => text.includes(what),
    )
  const isReady = async (node: Node) => (await node.service.call('GET', '/readyz')).status === 200

  /** Waits for the sentinel to have made the replica the primary, ends the former one, and leads the nodes there. */
  async function failOver(): Promise<void> {
    const port = await eventually(sentinel.primaryPort, (found) => found !== replication.port)
    await isReplica('role:master')
    inUse.cluster.collector.bookLost()
    await inUse.cluster.redis.kill()
    address.pointTo({ host: '127.0.0.1', port })
  }

  async function tradeOn(node: Node, makersNode: Node): Promise<void> {
    const socket = await makersNode.maker('ada').connect()
    const { requestId } = await node.service.open()
    const quoteId = await makersNode.maker('ada').quoted(requestId)
    const committing = node.service.commit(requestId, { wallet: node.service.wallet().address })
    const accepted = await askedToSign(socket, requestId)
    expect((await node.maker('ada').confirm(quoteId, await node.maker('ada').sign(accepted))).status).toBe(200)
    expect((await committing).status).toBe(200)
    socket.close()
  }

  it('lose a second of quotes, and no order, no request and no event; what has ended stays so (fault I4)', async () => {
    const [atA, atB] = [await a.maker('watcher').stream(), await b.maker('cyd').stream()]
    for (const stream of [atA, atB]) await stream.until('snapshot_complete')
    const socket = await b.maker('ada').connect()
    const kept = await a.service.open()
    await a.maker('ada').quoted(kept.requestId)
    const pending = await a.service.open()
    const quoteId = await b.maker('ada').quoted(pending.requestId)
    const wallet = a.service.wallet().address
    const committing = a.service.commit(pending.requestId, { wallet })
    const accepted = await askedToSign(socket, pending.requestId)
    const ended = await b.service.open()
    await atA.until('quote_request', (data) => data.requestId === ended.requestId)
    // What is written from here on is on the primary only.
    await delay(300)
    replication.freeze()
    const lost = await b.service.open()
    await b.maker('bob').quoted(lost.requestId)
    const { takerSecret } = ended
    const cancelled = await b.service.call('POST', `/quote-requests/${ended.requestId}/cancel`, {
      body: { takerSecret },
    })
    expect(cancelled.status).toBe(200)
    const last = await atA.until('quote_request_expired', (data) => data.requestId === ended.requestId)
    await delay(LOST_MS)

    await failOver()
    for (const node of [a, b])
      await eventually(
        () => isReady(node),
        (ready) => ready,
      )
    expect((await b.maker('ada').confirm(quoteId, await b.maker('ada').sign(accepted))).status).toBe(200)
    expect(await committing).toMatchObject({ status: 200, body: { quote: { quote_id: quoteId } } })

    // Whoever listened is sent away, and finds everything as the store has it, under ids that nobody was told.
    await Promise.all([atA.ended, atB.ended])
    const back = await a.maker('watcher').stream({ 'last-event-id': String(last.id) })
    const again = await back.until('quote_request', (data) => data.requestId === lost.requestId)
    expect(Number(again.id)).toBeGreaterThan(Number(last.id))
    expect(back.events.all().map(({ event }) => event)).toContain('snapshot_begin')
    const book = async (node: Node, requestId: string) =>
      (await node.service.call('GET', `/quote-requests/${requestId}/quotes`)).body
    expect(await book(b, kept.requestId)).toMatchObject({ status: 'open', quoteCount: 1 })
    expect(await book(b, lost.requestId)).toMatchObject({ status: 'open', quoteCount: 0 })
    await eventually(
      () => book(b, ended.requestId),
      ({ status }) => status === 'cancelled',
    )
    await b.maker('bob').quoted(lost.requestId)
    await tradeOn(b, a)
    for (const { close } of [back, socket]) close()
  })
})
