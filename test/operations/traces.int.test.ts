import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { closeAll } from '../kit/keep.ts'
import { makerKeys } from '../kit/maker.ts'
import { type RelayProcess, startRelay } from '../kit/relay-process.ts'
import { createService, trade } from '../kit/service.ts'
import { createOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.ts'

const QUESTION = 'Will the words of a stranger be sent on?'

let collector: OtlpReceiver
const relays: RelayProcess[] = []

beforeAll(async () => {
  await buildWhenStale()
  collector = await createOtlpReceiver()
})
afterAll(async () => {
  closeAll()
  await Promise.all(relays.map(({ stop }) => stop()))
  await collector.close()
})

async function start(env: Record<string, string>) {
  const keys = makerKeys('traces', 4)
  const relay = await startRelay({ flags: ['--no-chain'], env: { MAKER_API_KEYS: JSON.stringify(keys), ...env } })
  relays.push(relay)
  return { relay, service: createService(relay.ready, keys) }
}

/** Every module that a process has loaded, by Node's own account; it is written as the process ends. */
function modulesIn(folder: string): string[] {
  const reports = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  return reports.flatMap(({ result }: { result: { url: string }[] }) => result.map(({ url }) => url))
}

/** What of OpenTelemetry a relay has loaded by the end of a trade. */
async function loadedOfOpenTelemetry(env: Record<string, string>): Promise<string[]> {
  const folder = newFolder()
  try {
    const { relay, service } = await start({ NODE_V8_COVERAGE: folder, ...env })
    expect((await trade(service)).committed.status).toBe(200)
    expect((await relay.stop()).code).toBe(0)
    const modules = modulesIn(folder)
    expect(modules.length).toBeGreaterThan(100)
    // prom-client brings the interface without anything behind it, and loads that by itself.
    return modules.filter((url) => url.includes('@opentelemetry/') && !url.includes('@opentelemetry/api/'))
  } finally {
    removeFolder(folder)
  }
}

it('without a collector a relay loads nothing of OpenTelemetry, and with one it does', async () => {
  expect(await loadedOfOpenTelemetry({})).toEqual([])
  expect(await loadedOfOpenTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })).not.toEqual([])
})

it('a trade is one trace at the collector, below that of its client, sent in full by the end of the relay', async () => {
  collector.spans.length = 0
  const { relay, service } = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
    OTEL_SERVICE_NAME: 'the-relay',
  })
  const { market, option } = await service.option()
  const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`
  const opened = await service.call<{ requestId: string; takerSecret: string }>('POST', '/quote-requests', {
    headers: { traceparent },
    body: { market: { ...market, question: QUESTION }, option, trade: { side: 'buy', budgetUsd: 100 } },
  })
  const { requestId, takerSecret } = opened.body
  const maker = await service.maker()
  const socket = await maker.connect()
  const quoteId = await maker.quoted(requestId)
  const committing = service.commit(requestId, { wallet: service.wallet().address })
  const accepted = await socket.until('quote:accepted', requestId)
  const signature = await maker.sign(accepted as never)
  expect((await maker.confirm(quoteId, signature)).status).toBe(200)
  expect((await committing).status).toBe(200)
  socket.close()
  expect((await relay.stop()).code).toBe(0)
  const names = ['create', 'quote', 'commit', 'ask', 'tell', 'confirm'].map((name) => `rfq ${name}`)
  expect(collector.spans.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set(['ab'.repeat(16)]))
  expect(collector.spans.find(({ name }) => name === 'rfq create')?.parentSpanId).toBe('cd'.repeat(8))
  expect(collector.headers.at(-1)).toMatchObject({ authorization: 'Bearer of-the-collector' })
  const told = collector.bodies.join()
  expect(told).toContain('the-relay')
  for (const secret of [takerSecret, signature, QUESTION, ...makerKeys('traces', 4).map(({ apiKey }) => apiKey)])
    expect(told).not.toContain(secret)
  expect(relay.stderr()).not.toContain('of-the-collector')
})

it('a collector that is not there, and one that never answers, cost no trade and no shutdown', async () => {
  const silent = await createOtlpReceiver()
  silent.status = null
  for (const url of ['http://127.0.0.1:9', silent.url]) {
    const { relay, service } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
    const { committed, confirmed } = await trade(service)
    expect([committed.status, confirmed.status]).toEqual([200, 200])
    expect((await relay.stop()).code).toBe(0)
  }
  await silent.close()
})
