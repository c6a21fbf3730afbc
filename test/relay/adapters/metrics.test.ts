import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AuditEntry } from '../../../src/protocol/domain/audit.ts'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { createAuditRecorder } from '../../../src/relay/adapters/audit.ts'
import { createMetrics } from '../../../src/relay/adapters/metrics/metrics.ts'
import { DECISIONS } from '../../docs/decisions.ts'
import { createFakeLog } from '../../support/fake-log.ts'
import { createTestRelay, refusal } from '../../support/test-relay.ts'

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url))

const KNOWN = {
  up: { store: true, bus: true, chain: false },
  headAgeMs: 2_500,
  makersConnected: 3,
  openRequests: 7,
  isSignerActive: false,
  storeDocumentBytes: 512,
  reviewsPending: 2,
  rolesPending: 1,
  makersSuspended: 1,
  faucetBalance: usd6(12_500_000n),
  orderWatchLagBlocks: 9,
}
const UNKNOWN = {
  ...KNOWN,
  headAgeMs: null,
  makersConnected: null,
  openRequests: null,
  isSignerActive: null,
  storeDocumentBytes: null,
  reviewsPending: null,
  rolesPending: null,
  makersSuspended: null,
  faucetBalance: null,
  orderWatchLagBlocks: 9,
}

function openMetrics() {
  const metrics = createMetrics({
    version: '1.2.3',
    outages: () => 2,
    lostWrites: () => 3,
    wentBack: () => 5,
    pool: () => ({ inUse: 4, waiting: 1 }),
    signers: () => [
      { path: '/run/one.sock', outcome: 'signed', count: 3 },
      { path: '/run/two.sock', outcome: 'silent', count: 0 },
    ],
  })
  onTestFinished(metrics.stop)
  return metrics
}

describe('the metrics', () => {
  it('count the outages that the log tells of', async () => {
    for (const _ of [1, 2]) expect((await openMetrics().exposition(KNOWN)).text).toContain('rfqctl_outages_total 2')
  })

  it('count what the store gave up', async () => {
    expect((await openMetrics().exposition(KNOWN)).text).toContain('rfqctl_store_notes_lost_total 3')
  })

  it('count how often the store went back in time', async () => {
    expect((await openMetrics().exposition(KNOWN)).text).toContain('rfqctl_store_went_back_total 5')
  })

  it('tell what runs, what waits for a person, what the faucet has left, and how Postgres is used', async () => {
    const metrics = openMetrics()
    metrics.attested()
    const { text } = await metrics.exposition(KNOWN)
    for (const line of [
      'rfqctl_build_info{version="1.2.3"} 1',
      'rfqctl_reviews_pending 2',
      'rfqctl_faucet_balance_usd 12.5',
      'rfqctl_attestations_total 1',
      'rfqctl_postgres_connections{state="in_use"} 4',
      'rfqctl_postgres_connections{state="waiting"} 1',
      'rfqctl_signer_answers_total{signer="/run/one.sock",outcome="signed"} 3',
      'rfqctl_signer_answers_total{signer="/run/two.sock",outcome="silent"} 0',
    ])
      expect(text.split('\n')).toContain(line)
  })

  it('are those that the guides name', async () => {
    const { text } = await openMetrics().exposition(KNOWN)
    const exposed = new Set([...text.matchAll(/^# HELP (\w+)/gm)].map(([, name]) => name))
    const guides = ['guides/operator/monitoring.md', 'guides/operator/stores.md', 'deploy/alerts.yml'].map((name) =>
      readFileSync(`${DOCS}${name}`, 'utf8'),
    )
    const texts = [...guides, ...DECISIONS.map((page) => page.text)].join('\n')
    const named = [...texts.matchAll(/\brfqctl_\w+/g)].map(([name]) => name.replace(/_bucket$/, ''))
    expect(named.length).toBeGreaterThan(15)
    expect(named.filter((name) => !exposed.has(name))).toEqual([])
  })

  it('tell the life of requests by counters, and waits by a histogram', async () => {
    const metrics = openMetrics()
    const audit = createAuditRecorder({
      epoch: 1,
      auditLog: { record: () => {} },
      log: createFakeLog(),
      bytesPerRequest: 1_048_576,
    })
    audit.feed.listen(metrics.count)
    const fixture = createTestRelay({ ports: { audit } })
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    await refusal(fixture.quote('bob', requestId, { price: usd6(999_999n) }))
    const commit = fixture.commit(requestId)
    await fixture.clock.advance(300)
    await ada.confirm()
    await commit
    audit.flush()
    const { text, contentType } = await metrics.exposition(KNOWN)
    expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/)
    for (const line of [
      'rfqctl_quote_requests_opened_total{side="buy"} 1',
      'rfqctl_quotes_accepted_total 1',
      'rfqctl_quotes_refused_total{code="price_above_max_payoff"} 1',
      'rfqctl_commits_started_total 1',
      'rfqctl_orders_asked_total 1',
      'rfqctl_confirmations_total{outcome="confirmed"} 1',
      'rfqctl_confirm_seconds_sum 0.3',
      'rfqctl_quote_requests_closed_total{status="committed"} 1',
    ]) {
      expect(text.split('\n')).toContain(line)
    }
    for (const id of [requestId, 'ada', 'bob']) expect(text).not.toContain(id)
  })

  it('count every kind of entry', async () => {
    const metrics = openMetrics()
    const maker = { at: 1, requestId: 'r', makerId: 'm', quoteId: 'q' }
    const entries: AuditEntry[] = [
      { ...maker, kind: 'quote_withdrawn' },
      { ...maker, kind: 'quote_expired' },
      { ...maker, kind: 'passed_over', code: 'maker_unreachable', detail: 'away' },
      { ...maker, kind: 'signature_refused' },
      { ...maker, kind: 'declined', waitedMs: 5, reason: null },
      { ...maker, kind: 'missed' },
      { at: 1, requestId: 'r', kind: 'commit_refused', code: 'no_maker_confirmed' },
    ]
    metrics.count(entries.map((entry, i) => ({ id: i, entry })))
    const lines = (await metrics.exposition(KNOWN)).text.split('\n')
    for (const line of [
      'rfqctl_quotes_withdrawn_total 1',
      'rfqctl_quotes_expired_total 1',
      'rfqctl_confirmations_total{outcome="maker_unreachable"} 1',
      'rfqctl_confirmations_total{outcome="signature_refused"} 1',
      'rfqctl_confirmations_total{outcome="declined"} 1',
      'rfqctl_confirmations_total{outcome="missed"} 1',
      'rfqctl_commits_refused_total{code="no_maker_confirmed"} 1',
    ]) {
      expect(lines).toContain(line)
    }
  })

  it('count connections while they live, once each, and readers that were dropped', async () => {
    const { meter, exposition } = openMetrics()
    const leave = meter.connected('maker_stream')
    meter.connected('maker_socket')
    leave()
    leave()
    meter.dropped('slow')
    expect(meter.vitals()).toMatchObject({
      connections: { maker_stream: 0, taker_stream: 0, operator_stream: 0, maker_socket: 1 },
      droppedSlow: 1,
    })
    const lines = (await exposition(KNOWN)).text.split('\n')
    expect(lines).toContain('rfqctl_stream_dropped_total{reason="slow"} 1')
    expect(lines).toContain('rfqctl_connections{channel="maker_socket"} 1')
  })

  it('count keys that came in a query', async () => {
    const { meter, exposition } = openMetrics()
    expect((await exposition(KNOWN)).text).toContain('rfqctl_api_keys_in_query_total 0')
    meter.keyInQuery()
    expect((await exposition(KNOWN)).text).toContain('rfqctl_api_keys_in_query_total 1')
  })

  it('time answers by method, route and status', async () => {
    const { meter, exposition } = openMetrics()
    meter.answersOf({ method: 'POST', route: '/v1/mm/quotes' })({ status: 200, durationMs: 1.5 })
    const { text } = await exposition(KNOWN)
    expect(text).toContain('rfqctl_http_request_seconds_sum{method="POST",route="/v1/mm/quotes",status="200"} 0.0015')
  })

  it('tell gauges that are known and are silent about those that are not', async () => {
    const { exposition } = openMetrics()
    const known = (await exposition(KNOWN)).text.split('\n')
    for (const line of [
      'rfqctl_up{part="store"} 1',
      'rfqctl_up{part="chain"} 0',
      'rfqctl_chain_head_age_seconds 2.5',
      'rfqctl_makers_connected 3',
      'rfqctl_quote_requests_open 7',
      'rfqctl_store_document_bytes 512',
      'rfqctl_resolution_signer_in_office 0',
      'rfqctl_stream_dropped_total{reason="slow"} 0',
    ]) {
      expect(known).toContain(line)
    }
    const unknown = (await exposition(UNKNOWN)).text
    expect(unknown).not.toMatch(
      /^rfqctl_(chain_head_age_seconds|makers_connected|quote_requests_open|resolution_signer_in_office|store_document_bytes|reviews_pending|faucet_balance_usd) /m,
    )
  })

  it('name everything with the prefix, in base units', async () => {
    const { text } = await openMetrics().exposition(KNOWN)
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name as string)
    expect(names.length).toBeGreaterThan(20)
    for (const name of names) expect(name).toMatch(/^rfqctl_/)
    for (const name of names) expect(name).not.toMatch(/_(ms|milliseconds|kb|mb|minutes)(_|$)/)
  })

  it('tell how this process does', () => {
    const { eventLoopLagMs, memoryBytes, uptimeMs } = openMetrics().meter.vitals()
    expect(eventLoopLagMs).toBeGreaterThanOrEqual(0)
    expect(memoryBytes).toBeGreaterThan(1_000_000)
    expect(uptimeMs).toBeGreaterThan(0)
  })
})
