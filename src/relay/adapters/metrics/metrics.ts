import { monitorEventLoopDelay } from 'node:perf_hooks'
import { AUTHORITY_KINDS, type AuthorityEvent } from '@rfqctl/protocol/domain/authority'
import { usd6ToNumber } from '@rfqctl/protocol/domain/decimal'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { AuditEvent, Channel, Gauges, Meter } from '../../core/ports/operations.ts'
import type { MemberStats } from '../signer/quorum.ts'
import type { PoolUse } from '../store/postgres/database.ts'
import { createAnswerTimes } from './answer-times.ts'
import { createRequestCounters } from './request-counters.ts'

const LAG_RESOLUTION_MS = 20

/** A lag is remembered this long, milliseconds: the figure shows the present. */
const LAG_WINDOW_MS = 10_000

/**
 * Metrics of this process in a registry of their own, under `rfqctl_`. `outages`: of its stores, so far; `lostWrites`: by them;
 * `wentBack`: how often the store was seen to have gone back in time; `pool`: the connections to Postgres, where there is one;
 * `signers`: what each answered, where several sign together.
 */
export function createMetrics(parts: {
  version: string
  outages: () => number
  lostWrites: () => number
  wentBack: () => number
  pool: (() => PoolUse) | null
  signers: (() => readonly MemberStats[]) | null
}) {
  const { version, outages, lostWrites, wentBack, pool, signers } = parts
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ prefix: 'rfqctl_', register: registry })
  const countEntry = createRequestCounters(registry)
  const connections = { maker_stream: 0, taker_stream: 0, operator_stream: 0, maker_socket: 0 }
  let droppedSlow = 0
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name: `rfqctl_${name}_total`, help, labelNames, registers })
  const droppedTotal = counter('stream_dropped', 'Streams dropped, by reason.', 'reason')
  droppedTotal.inc({ reason: 'slow' }, 0)
  const keysInQuery = counter('api_keys_in_query', 'Maker keys sent in a query, which proxies may log.')
  const readCounter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  readCounter('rfqctl_outages_total', 'Times that the store or Redis stopped answering.', outages)
  readCounter('rfqctl_store_notes_lost_total', 'Audit entries, rejections and key uses that were dropped.', lostWrites)
  readCounter('rfqctl_store_went_back_total', 'Times that the store was seen to have gone back in time.', wentBack)
  const authorityEvents = counter(
    'authority_events',
    'What those with a role on chain did, but for prices attested and series registered.',
    'event',
  )
  // Prometheus sees a rise only from an existing value: without a zero the first event, perhaps the only one, would go
  // unseen.
  for (const event of AUTHORITY_KINDS) authorityEvents.inc({ event }, 0)
  const attestations = counter('attestations', 'Attestations signed.')
  const build = { name: 'rfqctl_build_info', help: 'Version of the running program.', labelNames: ['version'] }
  new Gauge({ ...build, registers }).set({ version }, 1)
  if (pool !== null) addPoolGauge(registers, pool)
  if (signers !== null) addSignerCounter(registers, signers)
  const answers = createAnswerTimes()
  const setGauges = createGauges(registry, connections)
  const lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS })
  lag.enable()
  const forgetting = setInterval(() => lag.reset(), LAG_WINDOW_MS).unref()

  return {
    meter: {
      connected: (channel) => countOne(connections, channel),
      dropped: (reason) => {
        droppedSlow += 1
        droppedTotal.inc({ reason })
      },
      keyInQuery: () => keysInQuery.inc(),
      answersOf: answers.of,
      vitals: () => ({
        connections: { ...connections },
        droppedSlow,
        eventLoopLagMs: lagMs(lag),
        memoryBytes: process.memoryUsage.rss(),
        uptimeMs: Math.round(process.uptime() * 1_000),
      }),
    } satisfies Meter,
    exposition: async (gauges: Gauges) => {
      setGauges(gauges)
      return { contentType: registry.contentType, text: `${await registry.metrics()}\n${answers.expose()}` }
    },
    attested: () => attestations.inc(),
    authorityUsed: (event: AuthorityEvent['kind']) => authorityEvents.inc({ event }),
    count: (events: readonly AuditEvent[]) => {
      for (const { entry } of events) countEntry(entry)
    },
    stop: () => {
      clearInterval(forgetting)
      lag.disable()
    },
  }
}

function addPoolGauge(registers: Registry[], pool: () => PoolUse): void {
  new Gauge({
    name: 'rfqctl_postgres_connections',
    help: 'Postgres connections in use, and calls that wait for one.',
    labelNames: ['state'],
    registers,
    collect() {
      const { inUse, waiting } = pool()
      this.set({ state: 'in_use' }, inUse)
      this.set({ state: 'waiting' }, waiting)
    },
  })
}

function addSignerCounter(registers: Registry[], stats: () => readonly MemberStats[]): void {
  new Counter({
    name: 'rfqctl_signer_answers_total',
    help: 'Answers of each of several signers, to questions for resolutions and to probes.',
    labelNames: ['signer', 'outcome'],
    registers,
    collect() {
      this.reset()
      for (const { path, outcome, count } of stats()) this.inc({ signer: path, outcome }, count)
    },
  })
}

function countOne(connections: Record<Channel, number>, channel: Channel): () => void {
  connections[channel] += 1
  let left = false
  return () => {
    if (!left) connections[channel] -= 1
    left = true
  }
}

/** The monitor's figures include its own interval; the rest is the lag. */
function lagMs(lag: ReturnType<typeof monitorEventLoopDelay>): number {
  if (lag.count === 0) return 0
  return Math.max(0, lag.percentile(99) / 1e6 - LAG_RESOLUTION_MS)
}

function createGauges(registry: Registry, connections: Readonly<Record<Channel, number>>): (gauges: Gauges) => void {
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name: `rfqctl_${name}`, help, labelNames, registers: [registry] })
  const up = gauge('up', 'Whether a component answers: 1 or 0.', 'part')
  const headAge = gauge('chain_head_age_seconds', 'Age of the last block.')
  const makers = gauge('makers_connected', 'Distinct makers with a live stream.')
  const open = gauge('quote_requests_open', 'Open quote requests.')
  const signer = gauge(
    'resolution_signer_in_office',
    'Whether the core accepts the attestations of this relay: 1 or 0.',
  )
  const document = gauge(
    'store_document_bytes',
    'Bytes that each change of the embedded store writes beside what it changes.',
  )
  const reviews = gauge('reviews_pending', 'Series in manual review.')
  const rolesPending = gauge('roles_pending', 'Roles of the core for which someone is proposed.')
  const faucet = gauge('faucet_balance_usd', 'Balance of the faucet, unless it mints.')
  const suspended = gauge('makers_suspended', 'Makers that are suspended for what they did.')
  const watchLag = gauge(
    'order_watch_lag_blocks',
    'Blocks between the head and the last one whose ended orders are known.',
  )
  const live = gauge('connections', 'Live streams and sockets.', 'channel')

  return ({ up: parts, ...known }) => {
    const { headAgeMs, makersConnected, openRequests, isSignerActive, storeDocumentBytes } = known
    for (const [part, isUp] of Object.entries(parts)) up.set({ part }, isUp ? 1 : 0)
    for (const [channel, count] of Object.entries(connections)) live.set({ channel }, count)
    // Unknown figures are not exported: an old one, and zero too, would be wrong.
    setOrRemove(headAge, headAgeMs === null ? null : headAgeMs / 1_000)
    setOrRemove(makers, makersConnected)
    setOrRemove(open, openRequests)
    setOrRemove(signer, isSignerActive === null ? null : Number(isSignerActive))
    setOrRemove(document, storeDocumentBytes)
    setOrRemove(reviews, known.reviewsPending)
    setOrRemove(rolesPending, known.rolesPending)
    setOrRemove(suspended, known.makersSuspended)
    setOrRemove(watchLag, known.orderWatchLagBlocks)
    setOrRemove(faucet, known.faucetBalance === null ? null : usd6ToNumber(known.faucetBalance))
  }
}

function setOrRemove(gauge: Gauge, value: number | null): void {
  if (value === null) gauge.remove()
  else gauge.set(value)
}
