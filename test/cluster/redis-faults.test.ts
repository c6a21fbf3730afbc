import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { askedToSign } from '../kit/maker.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import type { Node } from './node.ts'
import { useCluster } from './use-cluster.ts'

describe.skipIf(!HAS_CLUSTER)(`nodes whose Redis fails${CLUSTER_HINT}`, () => {
  const inUse = useCluster(2, { confirmationMs: 30_000 })
  let a: Node
  let b: Node

  beforeAll(() => {
    ;[a, b] = inUse.nodes as [Node, Node]
  })

  const ready = (node: Node) => node.service.call('GET', '/readyz')
  const isReady = ({ status }: { status: number }) => status === 200

  it('go on with all that is in Postgres, and with everything once it was emptied (fault I3)', async () => {
    const [one, two] = [await a.maker('watcher').stream(), await b.maker('watcher').stream()]
    const before = [await one.until('snapshot_complete'), await two.until('snapshot_complete')]
    const { requestId } = await a.service.open()
    const announced = await one.until('quote_request', (data) => data.requestId === requestId)
    await a.maker('ada').quoted(requestId)
    inUse.cluster.collector.bookLost()
    await inUse.cluster.redis.send('FLUSHALL')
    await Promise.all([one.ended, two.ended])
    // A fresh snapshot: the request is there again, under a higher id, without its quotes.
    const again = await b.maker('watcher').stream({ 'last-event-id': String(announced.id) })
    const listed = await again.until('quote_request', (data) => data.requestId === requestId)
    expect(again.events.all().map(({ event }) => event)).toContain('snapshot_begin')
    expect(Number(listed.id)).toBeGreaterThan(Number(announced.id))
    expect(Number(announced.id)).toBeGreaterThan(Number(before[0]?.id))
    const poll = await b.service.call('GET', `/quote-requests/${requestId}/quotes`)
    expect(poll).toMatchObject({ status: 200, body: { status: 'open', bestQuote: null } })
    const socket = await b.maker('ada').connect()
    const quoteId = await b.maker('ada').quoted(requestId)
    const committing = a.service.commit(requestId, { wallet: a.service.wallet().address })
    const accepted = await askedToSign(socket, requestId)
    expect((await a.maker('ada').confirm(quoteId, await a.maker('ada').sign(accepted))).status).toBe(200)
    const committed = await committing
    expect(committed.status).toBe(200)
    again.close()
    socket.close()
  })

  it('say that they are not ready, refuse what needs it, take a confirmation, and recover (fault I2)', async () => {
    const socket = await b.maker('ada').connect()
    const stream = await a.maker('watcher').stream()
    await stream.until('snapshot_complete')
    const { requestId } = await a.service.open()
    const quoteId = await a.maker('ada').quoted(requestId)
    const wallet = a.service.wallet().address
    const committing = a.service.commit(requestId, { wallet })
    const accepted = await askedToSign(socket, requestId)

    inUse.cluster.collector.bookLost()
    await inUse.cluster.redis.kill()
    await eventually(
      () => ready(a),
      (answer) => !isReady(answer),
    )
    const refused = { status: 503, body: { success: false, code: 'store_unavailable' } }
    expect(await b.maker('bob').quote(requestId)).toMatchObject(refused)
    const body = { ...(await a.service.option()), trade: { side: 'buy', budgetUsd: 100 } }
    expect(await a.service.call('POST', '/quote-requests', { body })).toMatchObject(refused)
    expect((await b.maker('ada').confirm(quoteId, await b.maker('ada').sign(accepted))).status).toBe(200)
    const committed = await committing
    expect(committed.status).toBe(200)
    // A stream is kept for a while, so that a short outage costs no reconnection.
    await delay(8_000)
    expect(stream.text()).not.toMatch(/retry: \d+\n$/)

    await inUse.cluster.redis.start()
    await eventually(() => ready(a), isReady)
    await eventually(() => ready(b), isReady)
    const again = await eventually(
      () => b.service.commit(requestId, { wallet }),
      ({ status }) => status === 200,
    )
    expect(again.text).toBe(committed.text)
    const opened = await b.service.open()
    const fresh = await b.maker('watcher').stream()
    await fresh.until('quote_request', (data) => data.requestId === opened.requestId)
    fresh.close()
    socket.close()
  })

  it('end their streams with a delay to come back after, when it freezes for 15 s (faults I2, I5)', async () => {
    const { requestId } = await a.service.open()
    const maker = await a.maker('watcher').stream()
    await maker.until('snapshot_complete')
    const taker = await a.service.stream(`/quote-requests/${requestId}/stream`)
    await taker.until('best_quote')
    inUse.cluster.collector.bookLost()
    inUse.cluster.redis.freeze()
    await Promise.all([maker.ended, taker.ended])
    for (const { text } of [maker, taker]) expect(text()).toMatch(/retry: \d+\n$/)
    expect((await ready(a)).status).toBe(503)
    inUse.cluster.redis.thaw()
    await eventually(() => ready(a), isReady)
    const back = await a.maker('watcher').stream()
    await back.until('quote_request', (data) => data.requestId === requestId)
    back.close()
  })
})
