import { cpus } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { percentile } from '../../src/protocol/domain/reliability.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { encodeRequest, openHttpConnection } from './http-connection.ts'
import type { HeapSample, Interval, SoakRun } from './intervals.ts'
import type { SoakRelay } from './relay-process.ts'
import type { RoundFigures } from './takers.ts'

/** Slices of a soak: at ten minutes 10 s each, with enough trades for a p99. */
const SLICES = 60

/** A shorter slice says nothing. */
const LEAST_SLICE_MS = 1_000

/** Looks at the heap, each of which stops the relay for a moment: one beginning and ten more. */
const HEAP_LOOKS = 10

/** How often the relay is asked how it is: its answer takes it some milliseconds. */
const POLL_INTERVAL_MS = 1_000

type Look = Vitals & { connections: number }

/** Measures for so long, or until the signal ends it, and tells each slice as it comes. */
export async function measure({
  relay,
  connections,
  figures,
  ended,
  ms,
  signal,
  onSlice,
  onLook,
}: {
  relay: SoakRelay
  connections: ConnectionPool
  figures: () => RoundFigures
  /** How many requests have ended so far. */
  ended: () => number
  ms: number
  signal: AbortSignal
  onSlice: (slice: Interval) => void
  onLook: () => void
}): Promise<SoakRun> {
  const connection = openHttpConnection(connections)
  const metrics = encodeRequest('GET', '/metrics')
  const sliceMs = Math.max(LEAST_SLICE_MS, ms / SLICES)
  const count = Math.max(1, Math.round(ms / sliceMs))
  const slices: Interval[] = []
  const heap: HeapSample[] = []
  const startedAt = performance.now()
  const sinceStart = () => performance.now() - startedAt

  async function look(): Promise<Look> {
    const { text } = await connection.call(metrics)
    return { ...parseVitals(text), connections: connections.live() }
  }

  async function lookAtHeap(): Promise<void> {
    heap.push({ atMs: sinceStart(), ended: ended(), liveBytes: await relay.liveHeap() })
  }

  async function slice(endsAt: number, before: Look): Promise<{ last: Look; looks: Look[] }> {
    const looks: Look[] = []
    let last = before
    do {
      await pause(Math.min(POLL_INTERVAL_MS, Math.max(1, endsAt - sinceStart())), undefined, { signal }).catch(() => {})
      last = await look()
      looks.push(last)
      onLook()
    } while (sinceStart() < endsAt && !signal.aborted)
    return { last, looks }
  }

  await lookAtHeap()
  figures()
  let before = await look()
  let cpu = process.cpuUsage()
  let busy = busyMs()
  let begunAt = sinceStart()
  for (let n = 1; n <= count && !signal.aborted; n += 1) {
    const { last, looks } = await slice(n * sliceMs, before)
    const tookMs = sinceStart() - begunAt
    const { user, system } = process.cpuUsage(cpu)
    const relayCpu = ((last.cpuS - before.cpuS) * 1_000) / tookMs
    const loadCpu = (user + system) / 1_000 / tookMs
    const { commitMs, ...counts } = figures()
    slices.push({
      ...counts,
      atMs: sinceStart(),
      p50Ms: middle(commitMs),
      p99Ms: percentile(commitMs, 0.99) ?? 0,
      spareDescriptors: middle(looks.map(({ descriptors, connections }) => descriptors - connections)),
      connections: Math.max(...looks.map(({ connections }) => connections)),
      residentBytes: last.residentBytes,
      relayCpu,
      loadCpu,
      othersCpu: Math.max(0, (busyMs() - busy) / tookMs - relayCpu - loadCpu),
    })
    onSlice(slices.at(-1) as Interval)
    before = last
    cpu = process.cpuUsage()
    busy = busyMs()
    begunAt = sinceStart()
    if (n % Math.ceil(count / HEAP_LOOKS) === 0 || n === count) await lookAtHeap()
  }
  return { slices, heap }
}

const middle = (figures: readonly number[]): number => percentile(figures, 0.5) ?? 0

/** What all processors of the machine have worked so far, whoever for. */
const busyMs = (): number => cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)

/** What a relay says of itself at `/metrics`. `cpuS`: seconds of processor time that it has taken so far. */
export type Vitals = { residentBytes: number; descriptors: number; cpuS: number }

/** How much of what is no exposition is shown. */
const SHOWN = 200

/** The vitals of a relay in what `/metrics` tells. Fails when it is none of ours. */
export function parseVitals(exposition: string): Vitals {
  const figureOf = (name: string): number => {
    const value = new RegExp(`^rfqctl_${name} (\\S+)$`, 'm').exec(exposition)?.[1]
    if (value === undefined) throw new Error(`the relay has no metric ${name}: ${exposition.slice(0, SHOWN)}`)
    return Number(value)
  }
  return {
    residentBytes: figureOf('process_resident_memory_bytes'),
    descriptors: figureOf('process_open_fds'),
    cpuS: figureOf('process_cpu_seconds_total'),
  }
}
