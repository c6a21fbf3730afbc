import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { askedToSign } from '../kit/maker.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import type { Node } from './node.ts'
import { signEverything } from './sign-everything.ts'
import { useCluster } from './use-cluster.ts'
import { layWire, type Wire } from './wire.ts'

/** How long the parts of a cluster do not hear each other, in milliseconds; `npm run deep` takes the 43 s of a known outage. */
const PARTITION_MS = Number(process.env.RFQCTL_PARTITION_MS ?? 8_000)

const UNAVAILABLE = { status: 503, body: { success: false, code: 'store_unavailable' } }

const ready = (node: Node) => node.service.call('GET', '/readyz')
const isReady = ({ status }: { status: number }) => status === 200

describe.skipIf(!HAS_CLUSTER)(`a cluster whose parts do not hear each other${CLUSTER_HINT}`, () => {
  const inUse = useCluster(0, { confirmationMs: 6_000 })
  let a: Node
  let b: Node
  let c: Node
  let redisOfA: Wire
  let redisOfB: Wire
  let postgresOfA: Wire
  let postgresOfB: Wire
  let postgresOfC: Wire

  beforeAll(async () => {
    const { redis, databaseUrl, start } = inUse.cluster
    ;[redisOfA, redisOfB] = await Promise.all([layWire(redis.url), layWire(redis.url)])
    ;[postgresOfA, postgresOfB, postgresOfC] = await Promise.all([
      layWire(databaseUrl),
      layWire(databaseUrl),
      layWire(databaseUrl),
    ])
    ;[a, b, c] = await Promise.all([
      start({ redisUrl: redisOfA.url, databaseUrl: postgresOfA.url }),
      start({ redisUrl: redisOfB.url, databaseUrl: postgresOfB.url }),
      start({ databaseUrl: postgresOfC.url }),
    ])
  })

  const requestBody = async (node: Node) => ({
    ...(await node.service.option()),
    trade: { side: 'buy', budgetUsd: 100 },
  })

  /** Commits on a node and has ada sign on another. */
  async function tradeOn(node: Node, makersNode: Node): Promise<void> {
    const socket = await makersNode.maker('ada').connect()
    const { requestId } = await node.service.open()
    const quoteId = await makersNode.maker('ada').quoted(requestId)
    const committing = node.service.commit(requestId, { wallet: node.service.wallet().address })
    const accepted = await askedToSign(socket, requestId)
    const signature = await makersNode.maker('ada').sign(accepted)
    expect((await makersNode.maker('ada').confirm(quoteId, signature)).status).toBe(200)
    expect((await committing).status).toBe(200)
    socket.close()
  }

  it('a node that does not hear Redis says so, refuses, sends its readers elsewhere, and comes back (fault I5)', async () => {
    const stream = await a.maker('watcher').stream()
    await stream.until('snapshot_complete')
    const { requestId } = await b.service.open()
    const { id } = await stream.until('quote_request', (data) => data.requestId === requestId)
    inUse.cluster.collector.bookLost()
    const frozenAt = Date.now()
    redisOfA.freeze()
    await eventually(
      () => ready(a),
      (answer) => !isReady(answer),
    )
    expect(Date.now() - frozenAt).toBeLessThan(10_000)
    expect(await a.maker('ada').quote(requestId)).toMatchObject(UNAVAILABLE)
    expect(await a.service.call('POST', '/quote-requests', { body: await requestBody(a) })).toMatchObject(UNAVAILABLE)
    // The others trade on, and a maker of this one finds there what it has not heard.
    expect((await ready(b)).status).toBe(200)
    await tradeOn(b, c)
    await stream.ended
    expect(stream.text()).toMatch(/retry: \d+\n$/)
    const elsewhere = await c.maker('watcher').stream({ 'last-event-id': String(id) })
    await elsewhere.until('quote_request_expired')
    elsewhere.close()

    redisOfA.pass()
    await eventually(() => ready(a), isReady)
    const back = await a.maker('watcher').stream()
    await back.until('quote_request', (data) => data.requestId === requestId)
    await tradeOn(a, b)
    back.close()
  })

  it('a node with Postgres and the others with Redis: no one trades twice, and every promise is kept (fault I11)', async () => {
    const socket = await b.maker('ada').connect()
    const { requestId } = await a.service.open()
    const quoteId = await b.maker('ada').quoted(requestId)
    await c.maker('bob').quoted(requestId, { price: 0.2 })
    const wallet = a.service.wallet().address
    const committing = a.service.commit(requestId, { wallet }).catch(() => null)
    const accepted = await askedToSign(socket, requestId)
    inUse.cluster.collector.bookLost()
    redisOfA.freeze()
    postgresOfB.freeze()
    postgresOfC.freeze()
    const end = delay(PARTITION_MS)

    // Who has Redis only can promise nothing; who has Postgres only can neither ask a maker nor hear of a quote.
    const others = [b, c].map(async (node) => {
      const confirmed = await node.maker('ada').confirm(quoteId, await node.maker('ada').sign(accepted))
      expect(confirmed).toMatchObject(UNAVAILABLE)
      expect((await node.service.commit(requestId, { wallet: node.service.wallet().address })).status).toBeOneOf([
        409, 503,
      ])
      expect(await ready(node)).toMatchObject({ status: 503 })
    })
    await Promise.all(others)
    expect((await a.service.commit(requestId, { wallet: c.service.wallet().address })).status).toBeOneOf([409, 503])
    await end
    for (const wire of [redisOfA, postgresOfB, postgresOfC]) wire.pass()
    for (const node of [a, b, c]) await eventually(() => ready(node), isReady)

    const first = await committing
    const sockets = await Promise.all(['ada', 'bob'].map((name) => signEverything(name, [() => b, () => c])))
    const commit = (node: Node) => node.service.commit(requestId, { wallet })
    const again = await eventually(
      () => commit(c),
      ({ status }) => status === 200,
    )
    const answers = [first, again, await commit(a), await commit(b)]
    const texts = answers.flatMap((answer) => (answer?.status === 200 ? [answer.text] : []))
    expect(new Set(texts)).toEqual(new Set([again.text]))
    for (const { close } of [socket, ...sockets]) close()
    for (const node of [a, b, c]) await tradeOn(node, c)
  })

  it('a commit is followed by committed on every node, also while the news of the trade is held up (invariant V10)', async () => {
    const socket = await b.maker('ada').connect()
    const { requestId } = await b.service.open()
    const quoteId = await b.maker('ada').quoted(requestId)
    const committing = b.service.commit(requestId, { wallet: b.service.wallet().address })
    const accepted = await askedToSign(socket, requestId)
    const signature = await b.maker('ada').sign(accepted)
    // Its maker signs on a node that reaches Postgres, and Redis no more: the book stays open, and the commit reads the store.
    redisOfA.freeze()
    expect((await a.maker('ada').confirm(quoteId, signature)).status).toBe(200)
    expect((await committing).status).toBe(200)
    for (const node of [b, c]) {
      const poll = await node.service.call('GET', `/quote-requests/${requestId}/quotes`)
      expect(poll).toMatchObject({ status: 200, body: { status: 'committed', closed: true } })
      expect(await node.service.call('GET', `/quote-requests/${requestId}/stream`)).toMatchObject({ status: 404 })
    }
    redisOfA.pass()
    for (const node of [a, b, c]) await eventually(() => ready(node), isReady)
    socket.close()
  })

  it('connections that break in the middle, and a slow wire, cost no event and no order (invariant V6)', async () => {
    const streams = [await a.maker('watcher').stream(), await b.maker('cyd').stream()]
    for (const stream of streams) await stream.until('snapshot_complete')
    for (const wire of [redisOfA, redisOfB, postgresOfA]) wire.delay(60)
    for (let round = 0; round < 6; round += 1) {
      const opening = [b, c].map((node) =>
        eventually(
          () => node.service.open().catch(() => null),
          (made) => made !== null,
        ),
      )
      if (round % 2 === 0) redisOfA.reset()
      if (round % 3 === 0) redisOfB.reset()
      const opened = await Promise.all(opening)
      for (const stream of streams) {
        await Promise.all(
          opened.map((made) =>
            eventually(
              () => stream.events.all(),
              (events) => events.some(({ data }) => data.requestId === made?.requestId),
            ),
          ),
        )
      }
    }
    for (const wire of [redisOfA, redisOfB, postgresOfA]) wire.delay(0)
    await tradeOn(a, b)
    for (const stream of streams) stream.close()
  })
})
