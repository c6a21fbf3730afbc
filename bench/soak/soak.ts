import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Output } from '../../src/cli/terminal/output.ts'
import { linkAbort } from '../../src/client/abort.ts'
import { accountOf, newPrivateKey } from '../../src/client/from-text.ts'
import { createTakerClient, type ListedSeries } from '../../src/client/index.ts'
import { CliError } from '../../src/lib/cli-error.ts'
import { EXIT } from '../../src/lib/exit.ts'
import { duration, plural } from '../../src/lib/format.ts'
import { createCollector, type Report } from './collector.ts'
import { createConnectionPool } from './connection-pool.ts'
import { type Finding, findDrift } from './drift.ts'
import type { SoakRun } from './intervals.ts'
import { connectMakers, type SoakMaker } from './makers.ts'
import { measure } from './measure.ts'
import { type Programs, startRelayProcess } from './relay-process.ts'
import { sliceLine, summaryLines } from './report.ts'
import { secretsOf, sinkOf } from './secrets.ts'
import { createRounds } from './takers.ts'

/** How much is asked of the relay, and how long, milliseconds. */
export type SoakOptions = { makers: number; rounds: number; quotes: number; for: number }

/** Where a soak speaks, what ends it before its time, and what it starts its relay with. */
export type SoakTools = { out: Output; stop: AbortSignal; programs: Programs }

/** Rounds before anything is measured, milliseconds: machine code is made, connections are opened. */
const WARM_UP_MS = 10_000

const KEY_BYTES = 24

/** News of a request that ended longer ago than this is complete. */
const SETTLED_MS = 5_000

/** The same at the end of a soak that somebody waits for. */
const HASTE_MS = 1_000

/**
 * Keeps a relay of its own busy with makers and takers on the public protocol while a collector observes them, and fails when an
 * invariant was broken, or when memory, descriptors or latency did not stay flat (fault I13). Ctrl-C ends it with
 * what was seen so far.
 */
export async function runSoak(
  { out, stop, programs }: SoakTools,
  { makers: count, rounds: perSecond, quotes, for: ms }: SoakOptions,
): Promise<void> {
  const makers = Array.from({ length: count }, createMaker)
  const quotesPerRequest = Math.min(quotes, count)
  const collector = createCollector(Date.now)
  for (const secret of makers.flatMap(secretsOf)) collector.observe(secret)
  out.note(`starting a relay with ${plural(count, 'maker')}`)
  const relay = await startRelayProcess(makers, programs)
  const over = new AbortController()
  const enough = linkAbort(stop)
  const connections = createConnectionPool(relay.url)
  try {
    const series = await longestSeries(relay.url)
    await connectMakers({ connections, makers, quotesPerRequest, collector, signal: over.signal })
    out.note(`${plural(count, 'maker')}, ${perSecond} rounds a second, ${quotesPerRequest} quotes on each`)
    const wallet = accountOf(newPrivateKey()).address
    const rounds = createRounds({
      connections,
      wallet,
      series,
      quotesPerRequest,
      makerCount: count,
      collector,
      signal: enough.signal,
    })
    const playing = rounds.run(perSecond)
    const warmUpMs = Math.min(WARM_UP_MS, ms)
    out.note(`warming up for ${duration(warmUpMs)}`)
    await pause(warmUpMs, undefined, { signal: stop }).catch(() => {})
    const course = await measure({
      relay,
      connections,
      figures: rounds.figures,
      ended: () => collector.report().checked,
      ms,
      signal: stop,
      onSlice: (slice) => out.print({ type: 'slice', ...slice }, sliceLine(slice)),
      onLook: () => collector.settle(Date.now() - SETTLED_MS),
    })
    enough.abort()
    // The makers go on: what was under way ends, and they hear of it. Whoever pressed Ctrl-C does not wait for the last round.
    const patience = stop.aborted ? HASTE_MS : SETTLED_MS
    out.note('waiting for requests in flight, then checking them')
    await Promise.race(stop.aborted ? [playing, pause(HASTE_MS)] : [playing])
    await pause(patience)
    collector.settle(Date.now() - patience / 2)
    for (const file of relay.files()) collector.observe(sinkOf(file))
    conclude({ out, stop }, course, collector.report(), findDrift(course, quotesPerRequest))
  } catch (error) {
    const lastWords = relay.lastWords()
    if (lastWords === null) throw error
    const why = lastWords === '' ? [] : [lastWords]
    throw new CliError('the relay of the soak exited', { exitCode: EXIT.unexpected, why, cause: error })
  } finally {
    enough.abort()
    enough.release()
    over.abort()
    connections.closeAll()
    await relay.stop()
  }
}

async function longestSeries(url: string): Promise<ListedSeries> {
  const all = await createTakerClient({ url }).listSeries({ settled: false })
  const [series] = all.toSorted((a, b) => b.expiry - a.expiry)
  if (series === undefined) throw new CliError('the relay lists no series', { exitCode: EXIT.unexpected })
  return series
}

function conclude(
  { out, stop }: Pick<SoakTools, 'out' | 'stop'>,
  course: SoakRun,
  report: Report,
  findings: readonly Finding[],
): void {
  const { checked, violations, broken, examples } = report
  const skipped = course.slices.reduce((sum, slice) => sum + slice.skipped, 0)
  const uneven = findings.flatMap(({ figure, isFlat, words }) => (isFlat ? [] : [`${figure}: ${words}`]))
  const reasons = [
    ...(violations === 0 ? [] : [plural(violations, 'broken invariant')]),
    ...(broken === 0 ? [] : [plural(broken, 'call')].map((calls) => `${calls} that failed`)),
    ...(skipped === 0 ? [] : [`${plural(skipped, 'round')} skipped, because this machine did not keep up`]),
    ...uneven,
  ]
  const verdict = reasons.length === 0 ? 'no invariant broke, and nothing grew' : 'FAILED'
  out.print({ type: 'soak', isWhole: !stop.aborted, requests: checked, reasons, ...report, findings, ...course }, [
    ...summaryLines(course, report, findings, out.colors),
    `${plural(checked, 'request')} checked${stop.aborted ? ' before it was stopped' : ''}: ${verdict}`,
  ])
  if (reasons.length === 0) return
  throw new CliError(reasons.join('; '), { code: 'soak_failed', exitCode: EXIT.unexpected, why: examples })
}

const createMaker = (_: unknown, index: number): SoakMaker => ({
  makerId: `soak-${index}`,
  apiKey: `soak-${randomBytes(KEY_BYTES).toString('base64url')}`,
  privateKey: newPrivateKey(),
})
