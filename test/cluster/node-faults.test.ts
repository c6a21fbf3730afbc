import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { askedToSign } from '../kit/maker.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import { KEYS, type Node } from './node.ts'
import { useCluster } from './use-cluster.ts'

/** Short enough to wait for, long enough to sign on a busy machine. */
const SIGN_WITHIN_MS = 4_000

/** A node that is not heard of is forgotten after 35 s; the rest is for a busy machine. */
const FORGOTTEN_WITHIN_MS = 40_000

describe.skipIf(!HAS_CLUSTER)(`a node that fails among others${CLUSTER_HINT}`, () => {
  const inUse = useCluster(2, { confirmationMs: SIGN_WITHIN_MS })
  let b: Node
  let c: Node

  beforeAll(async () => {
    ;[b, c] = inUse.nodes as [Node, Node]
    for (const [node, name] of [
      [b, 'watcher'],
      [c, 'cyd'],
    ] as const) {
      await node.maker(name).connect()
      await (await node.maker(name).stream()).until('snapshot_complete')
    }
  })

  /** A commit on a node that waits for ada, who is connected to another one. */
  async function pendingOn(node: Node) {
    const socket = await b.maker('ada').connect()
    const { requestId } = await node.service.open()
    const quoteId = await b.maker('ada').quoted(requestId)
    await b.maker('bob').quoted(requestId, { price: 0.2 })
    const wallet = node.service.wallet().address
    const committing = node.service.commit(requestId, { wallet }).catch(() => null)
    const accepted = await askedToSign(socket, requestId)
    return { socket, requestId, quoteId, wallet, committing, accepted }
  }

  it('and dies with a commit under way: its maker confirms on another, its taker gets the order on a third (fault I6)', async () => {
    const a = await inUse.cluster.start()
    const { requestId, quoteId, wallet, accepted, socket } = await pendingOn(a)
    a.process.signal('SIGKILL')
    await a.process.exited
    const retrying = c.service.commit(requestId, { wallet })
    expect((await b.maker('ada').confirm(quoteId, await b.maker('ada').sign(accepted))).status).toBe(200)
    const committed = await retrying
    expect(committed).toMatchObject({ status: 200, body: { quote: { quote_id: quoteId } } })
    const again = await b.service.commit(requestId, { wallet })
    expect(again.text).toBe(committed.text)
    await socket.until('quote:confirmed', requestId)
    socket.close()
  })

  it('and dies with a commit that no one confirms: the others end it, and the next commit asks the next maker (fault I6)', async () => {
    const a = await inUse.cluster.start()
    const { requestId, quoteId, accepted, socket } = await pendingOn(a)
    a.process.signal('SIGKILL')
    const poll = () => c.service.call('GET', `/quote-requests/${requestId}/quotes`)
    const { body } = await eventually(poll, ({ body }) => body.confirming === false)
    expect(body).toMatchObject({ status: 'open', bestQuote: { maker_id: 'bob' } })
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(accepted.confirmationDeadline))
    const late = await b.maker('ada').confirm(quoteId, await b.maker('ada').sign(accepted))
    expect(late).toMatchObject({ status: 404, body: { code: 'no_pending_acceptance' } })
    const bob = await b.maker('bob').connect()
    const committing = c.service.commit(requestId, { wallet: c.service.wallet().address })
    const next = await askedToSign(bob, requestId)
    expect((await c.maker('bob').confirm(next.quoteId, await c.maker('bob').sign(next))).status).toBe(200)
    expect(await committing).toMatchObject({ status: 200, body: { quote: { maker_id: 'bob' } } })
    await socket.until('quote:rejected', requestId)
    socket.close()
    bob.close()
  })

  it('and freezes past its deadline: its actions afterwards change nothing (fault I7)', async () => {
    const a = await inUse.cluster.start()
    const { requestId, wallet, committing, socket } = await pendingOn(a)
    a.process.signal('SIGSTOP')
    const poll = () => c.service.call('GET', `/quote-requests/${requestId}/quotes`)
    await eventually(poll, ({ body }) => body.confirming === false)
    const bob = await b.maker('bob').connect()
    const taken = c.service.commit(requestId, { wallet })
    const next = await askedToSign(bob, requestId)
    a.process.signal('SIGCONT')
    await delay(1_500)
    expect((await c.maker('bob').confirm(next.quoteId, await c.maker('bob').sign(next))).status).toBe(200)
    const committed = await taken
    expect(committed).toMatchObject({ status: 200, body: { quote: { maker_id: 'bob' } } })
    // The frozen one answers its own taker with that order, or with a refusal, and never with another order.
    const answer = await committing
    expect(answer?.status === 200 ? answer.text : committed.text).toBe(committed.text)
    expect(socket.messages.all().filter(({ type }) => type === 'quote:accepted')).toHaveLength(1)
    await a.process.stop()
    socket.close()
    bob.close()
  })

  it('and dies after it has given out a key, and after it has ended one: both hold on the others (invariant V10)', async () => {
    const a = await inUse.cluster.start()
    const headers = await a.accountHeaders()
    type Made = { key: string; apiKey: { id: string } }
    const create = async () => (await a.service.call<Made>('POST', '/v1/user/api-keys', { headers })).body
    const [kept, ended] = [await create(), await create()]
    const revoked = await a.service.call('DELETE', `/v1/user/api-keys/${ended.apiKey.id}`, { headers })
    a.process.signal('SIGKILL')
    expect(revoked.status).toBe(200)
    const statusFor = async (key: string) =>
      (await c.service.call('GET', '/v1/mm/quotes', { headers: { 'x-api-key': key } })).status
    expect([await statusFor(kept.key), await statusFor(ended.key)]).toEqual([200, 401])
  })

  it('and dies with forty makers on it: the others do not count them any more within 35 s (fault I10, invariant V9)', async () => {
    const many = Array.from({ length: 40 }, (_, n) => ({
      makerId: `one-of-many-${n}`,
      apiKey: `key-of-one-of-many-${n}`,
    }))
    const a = await inUse.cluster.start({ env: { MAKER_API_KEYS: JSON.stringify([...KEYS, ...many]) } })
    const count = async () => (await b.service.open()).makersConnected
    const before = await count()
    const streams = await Promise.all(
      many.map(({ apiKey }) => a.service.stream('/v1/mm/quote-requests/stream', { 'x-api-key': apiKey })),
    )
    for (const stream of streams) await stream.until('snapshot_complete')
    await eventually(count, (makers) => makers === before + many.length)
    a.process.signal('SIGKILL')
    const killedAt = Date.now()
    await expect.poll(count, { timeout: 60_000, interval: 500 }).toBe(before)
    expect(Date.now() - killedAt).toBeLessThan(FORGOTTEN_WITHIN_MS)
  })

  it('and dies with open requests: they expire on time all the same', async () => {
    const a = await inUse.cluster.start({ env: { QUOTE_REQUEST_TTL_MS: '3000' } })
    const stream = await c.maker('bob').stream()
    await stream.until('snapshot_complete')
    const { requestId } = await a.service.open()
    a.process.signal('SIGKILL')
    await stream.until('quote_request_expired', (data) => data.requestId === requestId)
    const poll = await b.service.call('GET', `/quote-requests/${requestId}/quotes`)
    expect(poll).toMatchObject({ status: 404, body: { code: 'request_expired' } })
    stream.close()
  })
})
