import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { askedToSign } from '../kit/maker.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import { type Node, OPERATOR_TOKEN } from './node.ts'
import { useCluster } from './use-cluster.ts'

describe.skipIf(!HAS_CLUSTER)(`three nodes${CLUSTER_HINT}`, () => {
  const inUse = useCluster(3, { confirmationMs: 20_000 })
  let a: Node
  let b: Node
  let c: Node

  beforeAll(async () => {
    ;[a, b, c] = inUse.nodes as [Node, Node, Node]
    for (const [node, name] of [
      [a, 'watcher'],
      [b, 'watcher'],
      [c, 'bob'],
    ] as const) {
      await node.maker(name).connect()
      await (await node.maker(name).stream()).until('snapshot_complete')
    }
  })

  it('a commit on one reaches the maker on another, which confirms on the third (fault I1)', async () => {
    const socket = await b.maker('ada').connect()
    const { requestId } = await a.service.open()
    const quoteId = await c.maker('ada').quoted(requestId)
    await b.maker('bob').quoted(requestId, { price: 0.2 })
    const wallet = a.service.wallet().address
    const committing = a.service.commit(requestId, { wallet })
    const accepted = await askedToSign(socket, requestId)
    expect(accepted).toMatchObject({
      quoteId,
      order: { taker: wallet, optionAmount: '833', premiumAmount: '99960000' },
    })
    const confirmed = await c.maker('ada').confirm(quoteId, await c.maker('ada').sign(accepted))
    expect(confirmed.status).toBe(200)
    const committed = await committing
    expect(committed).toMatchObject({ status: 200, body: { quote: { quote_id: quoteId } } })
    await socket.until('quote:confirmed', requestId)
    // Whoever asks again gets the same order, wherever it asks.
    for (const node of [a, b, c]) {
      const again = await node.service.commit(requestId, { wallet })
      expect(again.text).toBe(committed.text)
      const { body } = await node.service.call('GET', `/quote-requests/${requestId}/quotes`)
      expect(body).toMatchObject({ status: 'committed', closed: true })
    }
    socket.close()
  })

  it('a call that opens a request waits for quotes that come to other nodes (protocol open-7)', async () => {
    const stream = await c.maker('bob').stream()
    await stream.until('snapshot_complete')
    const { market, option } = await a.service.option()
    const body = { market, option, trade: { side: 'buy', budgetUsd: 321 } }
    const answer = a.service.call('POST', '/quote-requests?quotes=2&waitMs=30000', { body })
    const { data } = await stream.until('quote_request', ({ params }) => JSON.stringify(params).includes('321'))
    const requestId = String(data.requestId)
    await b.maker('bob').quoted(requestId, { price: 0.13 })
    await c.maker('ada').quoted(requestId, { price: 0.12 })
    expect(await answer).toMatchObject({ status: 200, body: { requestId, quoteCount: 2, bestQuote: { price: 0.12 } } })
    stream.close()
  })

  it('a request that is opened on several at the same moment is one, announced to makers once (protocol open-6)', async () => {
    const stream = await c.maker('bob').stream()
    await stream.until('snapshot_complete')
    const { market, option } = await a.service.option()
    const body = { market, option, trade: { side: 'buy', budgetUsd: 100 }, clientRequestId: crypto.randomUUID() }
    const open = (node: Node) => node.service.call('POST', '/quote-requests', { body })
    const answers = await Promise.all([a, b, c, a, b, c].map(open))
    const told = answers.map(({ status, body: { requestId, takerSecret, expiresAt } }) => ({
      status,
      requestId,
      takerSecret,
      expiresAt,
    }))
    expect(told[0]?.status).toBe(200)
    for (const answer of told) expect(answer).toEqual(told[0])
    const marker = await b.service.open()
    await eventually(
      () => stream.events.all().map(({ data }) => data.requestId),
      (heard) => heard.includes(marker.requestId),
    )
    expect(stream.events.all().filter(({ data }) => data.requestId === told[0]?.requestId)).toHaveLength(1)
    const other = { ...body, locked: true }
    for (const node of [a, b, c]) {
      const refused = await node.service.call('POST', '/quote-requests', { body: other })
      expect(refused).toMatchObject({ status: 409, body: { code: 'client_request_id_reused' } })
    }
    stream.close()
  })

  it('a quote that is made firm on one is taken on another, without a word to its maker (invariant V13)', async () => {
    const maker = c.maker('ada')
    const wallet = a.service.wallet().address
    const { requestId } = await a.service.open({ wallet })
    const quoted = await maker.quote(requestId, { firm: true })
    const signature = await maker.sign(quoted.body as never)
    const makeFirm = () => maker.call('POST', `/v1/mm/quotes/${quoted.body.quoteId}/firm`, { signature })
    expect((await makeFirm()).status).toBe(200)
    const committed = await b.service.commit(requestId, { wallet, firmOnly: true })
    expect(committed).toMatchObject({ status: 200, body: { quote: { quote_id: quoted.body.quoteId, firm: true } } })
    const again = await a.service.commit(requestId, { wallet, firmOnly: true })
    expect(again.text).toBe(committed.text)
  })

  it('a firm signature is of no use once its quote is another one; one that waits is read by no one (invariants V8, V13)', async () => {
    const maker = c.maker('ada')
    const wallet = a.service.wallet().address
    const madeFirm = async () => {
      const { requestId } = await a.service.open({ wallet })
      const { body } = await maker.quote(requestId, { firm: true })
      const signature = await maker.sign(body as never)
      expect((await maker.call('POST', `/v1/mm/quotes/${body.quoteId}/firm`, { signature })).status).toBe(200)
      return requestId
    }
    // What Redis holds of it is searched when all is over.
    await madeFirm()
    const replaced = await madeFirm()
    await b.maker('ada').quote(replaced)
    const commit = await b.service.commit(replaced, { wallet, firmOnly: true })
    expect(commit).toMatchObject({ status: 409, body: { code: 'no_acceptable_quote' } })
  })

  it('a commit that runs on one is joined from another, and refused to other terms there (faults C1, C2)', async () => {
    const socket = await c.maker('ada').connect()
    const { requestId } = await a.service.open()
    const quoteId = await c.maker('ada').quoted(requestId)
    const wallet = a.service.wallet().address
    const first = a.service.commit(requestId, { wallet })
    const accepted = await askedToSign(socket, requestId)
    const joined = b.service.commit(requestId, { wallet })
    const other = await c.service.commit(requestId, { wallet: a.service.wallet().address })
    expect(other).toMatchObject({ status: 409, body: { code: 'commit_in_progress' } })
    expect((await c.maker('ada').confirm(quoteId, await c.maker('ada').sign(accepted))).status).toBe(200)
    const answers = await Promise.all([first, joined])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[0]?.text).toBe(answers[1]?.text)
    expect(socket.messages.all().filter(({ type }) => type === 'quote:accepted')).toHaveLength(1)
    socket.close()
  })

  it('a maker that declines on another node is followed by the next one at once (decision C9)', async () => {
    const ada = await b.maker('ada').connect()
    const cyd = await c.maker('cyd').connect()
    const { requestId } = await a.service.open()
    const adas = await b.maker('ada').quoted(requestId, { price: 0.1 })
    const cyds = await c.maker('cyd').quoted(requestId, { price: 0.11 })
    const committing = a.service.commit(requestId, { wallet: a.service.wallet().address })
    await askedToSign(ada, requestId)
    expect((await c.maker('ada').call('POST', `/v1/mm/quotes/${adas}/decline`)).status).toBe(200)
    const accepted = await askedToSign(cyd, requestId)
    expect((await b.maker('cyd').confirm(cyds, await b.maker('cyd').sign(accepted))).status).toBe(200)
    const committed = await committing
    expect(committed.body.quote).toMatchObject({ maker_id: 'cyd' })
    expect(await ada.until('quote:rejected', requestId)).toMatchObject({ reason: 'another_quote_won' })
    ada.close()
    cyd.close()
  })

  it('a quote on one is the best quote of a taker that watches on another, until the end (invariants V7, V4)', async () => {
    const { requestId, takerSecret } = await a.service.open()
    const stream = await b.service.stream(`/quote-requests/${requestId}/stream`)
    expect((await stream.events.next()).data).toMatchObject({ bestQuote: null, quoteCount: 0 })
    await c.maker('ada').quoted(requestId, { price: 0.2 })
    await stream.until('best_quote', ({ bestQuote }) => (bestQuote as { price: number } | null)?.price === 0.2)
    await a.maker('cyd').quoted(requestId, { price: 0.19, expires_in_ms: 300 })
    await stream.until('best_quote', ({ bestQuote }) => (bestQuote as { price: number } | null)?.price === 0.19)
    await stream.until('best_quote', ({ bestQuote }) => (bestQuote as { price: number } | null)?.price === 0.2)
    const cancelled = await c.service.call('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })
    expect(cancelled.status).toBe(200)
    await stream.until('closed')
    await stream.ended
    expect((await b.service.stream(`/quote-requests/${requestId}/stream`)).status).toBe(404)
  })

  it('a stream that broke on one continues on another after the last id, without a gap (fault D3, invariant V6)', async () => {
    const first = await a.maker('cyd').stream()
    await first.until('snapshot_complete')
    const opened = await b.service.open()
    const { id } = await first.until('quote_request', ({ requestId }) => requestId === opened.requestId)
    first.close()
    const missed = [await c.service.open(), await a.service.open()].map(({ requestId }) => requestId)
    const second = await b.maker('cyd').stream({ 'last-event-id': String(id) })
    expect((await second.events.next()).event).toBe('connected')
    const replayed = [await second.until('quote_request'), await second.until('quote_request')]
    expect(replayed.map(({ data }) => data.requestId)).toEqual(missed)
    expect(second.events.all().map(({ event }) => event)).not.toContain('snapshot_begin')
    second.close()
  })

  it('makers are counted over all nodes, each one once (invariant V9)', async () => {
    const streams = [await a.maker('ada').stream(), await b.maker('ada').stream(), await c.maker('cyd').stream()]
    // The watcher and bob are there all the time.
    for (const node of [a, b, c]) {
      await eventually(
        () => node.service.open(),
        ({ makersConnected }) => makersConnected === 4,
      )
    }
    for (const { close } of streams) close()
    await eventually(
      () => b.service.open(),
      ({ makersConnected }) => makersConnected === 2,
    )
  })

  it('an operator who looks at one sees what happens on the others', async () => {
    const operator = { authorization: `Bearer ${OPERATOR_TOKEN}` }
    const stream = await c.service.stream('/ops/v1/events', operator)
    await stream.until('snapshot_complete')
    const { requestId } = await a.service.open()
    await b.maker('ada').quoted(requestId)
    // Each node tells of its own work, once a second: one of them first.
    const told = () => stream.events.all().filter(({ data }) => data.requestId === requestId)
    await eventually(told, (events) => ['opened', 'quoted'].every((name) => events.some(({ event }) => event === name)))
    stream.close()
  })

  it('a key that is revoked on one closes what it opened on the others (fault B6)', async () => {
    const headers = await a.accountHeaders()
    const created = await a.service.call<{ key: string; apiKey: { id: string } }>('POST', '/v1/user/api-keys', {
      headers,
    })
    const { key, apiKey } = created.body
    const maker = { 'x-api-key': key }
    const streams = [
      await b.service.stream('/v1/mm/quote-requests/stream', maker),
      await c.service.stream('/v1/mm/quote-requests/stream', maker),
    ]
    for (const stream of streams) await stream.until('snapshot_complete')
    expect((await a.service.call('DELETE', `/v1/user/api-keys/${apiKey.id}`, { headers })).status).toBe(200)
    await Promise.all(streams.map(({ ended }) => ended))
    for (const node of [a, b, c]) {
      expect((await node.service.call('GET', '/v1/mm/quotes', { headers: maker })).status).toBe(401)
    }
  })
})
