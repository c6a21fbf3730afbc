import { beforeAll, describe, expect, it } from 'vitest'
import type { Leg } from '../../src/protocol/domain/option.ts'
import { seriesIdOf } from '../../src/protocol/domain/series.ts'
import type { StrikeBps } from '../../src/protocol/domain/units.ts'
import { eventually } from '../kit/eventually.ts'
import { askedToSign, streamOnSocket } from '../kit/maker.ts'
import { newMarket } from '../kit/service.ts'
import { openStream } from '../kit/sse.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import { type Node, OPERATOR_TOKEN } from './node.ts'
import { useCluster } from './use-cluster.ts'

const SPREAD: readonly Leg[] = [
  { optionType: 'call', strikeBps: 4_000 as StrikeBps, quantity: 1 },
  { optionType: 'call', strikeBps: 6_000 as StrikeBps, quantity: -1 },
]

const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }

describe.skipIf(!HAS_CLUSTER)(`makers on three nodes${CLUSTER_HINT}`, () => {
  // A stream that does not ask for packages leaves out their ids.
  const inUse = useCluster(3, { confirmationMs: 20_000, skipsIds: true, env: { MAKER_MISSES_BEFORE_DEMOTION: '2' } })
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

  it('a maker that misses on two nodes ranks behind on the third, until the operator forgives it', async () => {
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

  it('a maker that receives requests on its socket counts on all nodes like one on the stream, and continues by id on another node (decision X6)', async () => {
    const counted = async (count: number) => {
      for (const node of [a, b, c])
        await eventually(
          () => node.service.call<{ makersConnected: number }>('GET', '/maker/v1/status'),
          ({ body }) => body.makersConnected === count,
        )
    }
    const { body } = await a.service.call<{ makersConnected: number }>('GET', '/maker/v1/status')
    const first = await streamOnSocket(a.maker('cyd'))
    await first.until('snapshot_complete')
    await counted(body.makersConnected + 1)
    const stream = await b.maker('cyd').stream()
    await stream.until('snapshot_complete')
    await counted(body.makersConnected + 1)

    const about = (requestId: string) => (data: Record<string, unknown>) => data.requestId === requestId
    const heard = await b.service.open()
    const { id } = await first.until('quote_request', about(heard.requestId))
    expect((await stream.until('quote_request', about(heard.requestId))).id).toBe(id)
    first.close()
    stream.close()
    await counted(body.makersConnected)
    const missed = await c.service.open()
    const back = await streamOnSocket(c.maker('cyd'), String(id))
    await back.until('quote_request', about(missed.requestId))
    expect(back.events.all().map(({ event }) => event)).not.toContain('snapshot_begin')
    expect(back.events.all().some(({ data }) => data.requestId === heard.requestId)).toBe(false)
  })
  it('a maker that asks for packages receives on its node one that is asked for on another, and no other does; a third one takes it (decision K4)', async () => {
    const [expiry, market] = [Math.floor(Date.now() / 1_000) + 86_400, newMarket()]
    const connected = async () =>
      (await c.service.call<{ makersConnected: number }>('GET', '/maker/v1/status')).body.makersConnected
    const before = await connected()
    const plain = await b.maker('bob').stream()
    // The collector, which takes every stream for one that hears everything, does not see this one.
    const asking = await openStream(`${b.process.ready.url}/v1/mm/quote-requests/stream?packages=true`, {
      'x-api-key': b.maker('ada').apiKey,
    })
    await Promise.all([plain.until('snapshot_complete'), asking.until('snapshot_complete')])
    const fields = {
      market: { ...market, question: 'Will it rain?' },
      option: { legs: SPREAD, expiryMs: expiry * 1_000 },
    }
    const { requestId } = await eventually(
      () => a.service.open(fields),
      ({ makersConnected }) => makersConnected === 1,
    )
    const about = (data: Record<string, unknown>) => data.requestId === requestId
    expect((await asking.until('quote_request', about)).data).toMatchObject({ params: { option: { legs: SPREAD } } })

    const socket = await b.maker('ada').connect()
    const quoteId = await a.maker('ada').quoted(requestId, { price: 0.1 })
    const committing = c.service.commit(requestId, { wallet: c.service.wallet().address })
    const accepted = await askedToSign(socket, requestId)
    const seriesId = seriesIdOf({ ...market, expiry, legs: SPREAD })
    expect(accepted).toMatchObject({ quoteId, order: { seriesId, optionAmount: '1000', premiumAmount: '100000000' } })
    await a.maker('ada').confirm(quoteId, await b.maker('ada').sign(accepted))
    expect(await committing).toMatchObject({ status: 200, body: { quote: { quote_id: quoteId } } })

    await asking.until('quote_request_expired', about)
    asking.close()
    await eventually(connected, (count) => count === before + 1)
    const later = await c.service.open()
    await plain.until('quote_request', (data) => data.requestId === later.requestId)
    expect(plain.events.all().filter(({ data }) => about(data))).toEqual([])
    for (const connection of [plain, socket]) connection.close()
  })
})
