import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import { eventually } from '../kit/eventually.ts'
import { closeAll } from '../kit/keep.ts'
import { askedToSign } from '../kit/maker.ts'
import { drawTrace } from '../support/draw-trace.ts'
import { createOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.ts'
import { CLUSTER_HINT, type Cluster, createCluster, HAS_CLUSTER } from './cluster.ts'
import type { Node } from './node.ts'

const PICTURE = new URL('../../docs/guides/operator/trace.svg', import.meta.url)
const STEPS = ['create', 'quote', 'commit', 'ask', 'tell', 'confirm'].map((name) => `rfq ${name}`)

/** Whether vitest was told to renew what tests have written: `-u`. */
const isRenewing = (): boolean =>
  (expect.getState().snapshotState as unknown as { _updateSnapshot: string })._updateSnapshot === 'all'

describe.skipIf(!HAS_CLUSTER)(`two nodes that trace${CLUSTER_HINT}`, () => {
  let collector: OtlpReceiver
  let cluster: Cluster
  let a: Node
  let b: Node

  beforeAll(async () => {
    await buildWhenStale()
    collector = await createOtlpReceiver()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    cluster = await createCluster({ confirmationMs: 20_000, env })
    ;[a, b] = (await cluster.startAll(2)) as [Node, Node]
  })
  afterAll(async () => {
    closeAll()
    await cluster.remove()
    await collector.close()
  })

  /** A trade whose taker is on one node and whose maker is on the other; its spans. */
  async function traceOfTrade() {
    const socket = await b.maker('ada').connect()
    await (await b.maker('ada').stream()).until('snapshot_complete')
    const { requestId } = await a.service.open()
    const quoteId = await b.maker('ada').quoted(requestId)
    const committing = a.service.commit(requestId, { wallet: a.service.wallet().address })
    const accepted = await askedToSign(socket, requestId)
    expect((await b.maker('ada').confirm(quoteId, await b.maker('ada').sign(accepted))).status).toBe(200)
    expect((await committing).status).toBe(200)
    socket.close()
    const ofTrade = () => collector.spans.filter(({ attributes }) => attributes['rfq.request_id'] === requestId)
    return eventually(ofTrade, ({ length }) => length === STEPS.length)
  }

  it('a commit on one, whose maker quotes and signs on the other, is one trace', async () => {
    const spans = await traceOfTrade()
    expect(spans.map(({ name }) => name).toSorted()).toEqual(STEPS.toSorted())
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    const step = (name: string) => spans.find((span) => span.name === `rfq ${name}`)
    const parents = ['quote', 'commit', 'ask', 'tell', 'confirm'].map((name) => step(name)?.parentSpanId)
    const [create, commit, ask] = ['create', 'commit', 'ask'].map((name) => step(name)?.spanId)
    expect(parents).toEqual([create, create, commit, ask, ask])
    const [here, there] = [step('commit')?.node, step('confirm')?.node]
    expect(here).not.toBe(there)
    const nodes = ['create', 'quote', 'commit', 'ask', 'tell', 'confirm'].map((name) => step(name)?.node)
    expect(nodes).toEqual([here, there, here, here, there, there])
    // What is drawn is a relay that has traded before.
    if (isRenewing()) writeFileSync(PICTURE, drawTrace(await traceOfTrade()))
  })

  it('a node that dies in the middle leaves a trace that continues elsewhere', async () => {
    const c = await cluster.start({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
    const socket = await b.maker('bob').connect()
    const { requestId } = await a.service.open()
    const quoteId = await b.maker('bob').quoted(requestId)
    void c.service.commit(requestId, { wallet: a.service.wallet().address }).catch(() => {})
    const accepted = await askedToSign(socket, requestId)
    c.process.signal('SIGKILL')
    expect((await b.maker('bob').confirm(quoteId, await b.maker('bob').sign(accepted))).status).toBe(200)
    socket.close()
    const ofTrade = () => collector.spans.filter(({ attributes }) => attributes['rfq.request_id'] === requestId)
    const spans = await eventually(ofTrade, (found) => found.some(({ name }) => name === 'rfq confirm'))
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    expect(spans.some(({ name }) => name === 'rfq commit')).toBe(false)
  })
})

it('the picture of a trace in the guide shows every step on two nodes', () => {
  expect(existsSync(PICTURE)).toBe(true)
  const picture = readFileSync(PICTURE, 'utf8')
  expect([...picture.matchAll(/<title>(rfq \w+) on/g)].map(([, name]) => name)).toEqual(STEPS)
  expect(picture).toContain('on node B')
})
