import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Output } from '../../src/cli/terminal/output.ts'
import { newPrivateKey } from '../../src/client/from-text.ts'
import { createTakerClient, type ListedSeries } from '../../src/client/index.ts'
import { linkAbort } from '../../src/lib/abort.ts'
import { CliError } from '../../src/lib/cli-error.ts'
import { EXIT } from '../../src/lib/exit.ts'
import { duration, plural } from '../../src/lib/format.ts'
import { COVERAGE, COVERAGE_OF_KILLS, createCollector, type Report } from './collector.ts'
import { type ConnectionPool, createConnectionPool } from './connection-pool.ts'
import { type Finding, findDrift } from './drift.ts'
import { createHistories } from './histories.ts'
import type { SoakRun } from './intervals.ts'
import { connectKilledMakers, SIGN_MS } from './killed-makers.ts'
import type { SoakMaker } from './maker-session.ts'
import { connectMakers } from './makers.ts'
import { measure } from './measure.ts'
import { outcomesOf } from './outcomes.ts'
import { createRecords, createSuspensions, SUSPENSION_MS } from './records.ts'
import type { Programs } from './relay-process.ts'
import { type SoakRelays, startRelays } from './relays.ts'
import { type KillReport, killLines, sliceLine, summaryLines } from './report.ts'
import { secretsOf, sinkOf } from './secrets.ts'
import { createRounds, PATIENCE, type Patience } from './takers.ts'

/** How much is asked of the relay, and how long, milliseconds. `kill`: makers are killed all the time, and have protections. */
export type SoakOptions = { makers: number; rounds: number; quotes: number; for: number; kill: boolean; nodes: number }

/** Where a soak speaks, what ends it before its time, and what it starts its relay with. */
export type SoakTools = { out: Output; stop: AbortSignal; programs: Programs }

/** Rounds before anything is measured, milliseconds: machine code is made, connections are opened. */
const WARM_UP_MS = 10_000

const KEY_BYTES = 24

/** News of a request that ended longer ago than this is complete. */
const SETTLED_MS = 5_000

/** The same at the end of a soak that somebody waits for. */
const HASTE_MS = 1_000

/** The same where makers come back and hear what they have missed: none is away for so long. */
const SETTLED_WITH_KILLS_MS = 15_000

/**
 * Settings of a relay whose makers are killed: they have a short time to sign, and are not ranked behind for what they miss,
 * which the collector could not know, but suspended for one miss among few outcomes. Orders expire while the soak still looks.
 */
const SETTINGS_WITH_KILLS = {
  MAKER_CONFIRMATION_MS: String(SIGN_MS),
  UNPROVEN_CONFIRMATION_MS: String(SIGN_MS),
  MAKER_MISSES_BEFORE_DEMOTION: '1000',
  ORDER_VALIDITY_MS: '15000',
  MAKER_SUSPENSION_MS: String(SUSPENSION_MS),
  MAKER_SUSPENSION_MAX_MS: String(SUSPENSION_MS),
  MAKER_SUSPENSION_MIN_OUTCOMES: '2',
  MAKER_SUSPENSION_BELOW: '90',
}

/** How long requests live that their takers leave open, where some do, milliseconds. */
const TTL_MS = 100_000

/**
 * Settings of a relay that ends requests itself, too: those left open by their time, and beyond so many in all those of whoever has
 * most. Rounds may take seven seconds before an honest taker is refused.
 */
const settingsWithEnds = (roundsPerSecond: number) => ({
  QUOTE_REQUEST_TTL_MS: String(TTL_MS),
  MAX_OPEN_REQUESTS: String(Math.max(50, 10 * roundsPerSecond)),
  TRUST_PROXY: 'true',
})

/** Takers whose makers may be killed at any moment: some of them think for so long that a maker dies and returns meanwhile. */
const PATIENCE_WITH_KILLS: Patience = {
  quotesMs: 400,
  isContent: true,
  thinksMs: [4_000, 12_000],
  repeatAfterMs: 8_000,
}

/**
 * Keeps relays of its own busy with makers and takers on the public protocol while a collector observes them, and fails when an
 * invariant was broken, or when memory, descriptors or latency did not stay flat (fault I13). Ctrl-C ends it with
 * what was seen so far.
 */
export async function runSoak(
  { out, stop, programs }: SoakTools,
  { makers: count, rounds: perSecond, quotes, for: ms, kill, nodes }: SoakOptions,
): Promise<void> {
  const makers = Array.from({ length: count }, createMaker)
  const quotesPerRequest = Math.min(quotes, count)
  const coverage = kill ? COVERAGE_OF_KILLS : COVERAGE
  const collector = createCollector(Date.now, coverage)
  for (const secret of makers.flatMap(secretsOf)) collector.observe(secret)
  out.note(`starting ${plural(nodes, 'relay')} with ${plural(count, 'maker')}`)
  const relays = await startRelays(
    { makers, nodes, env: kill ? SETTINGS_WITH_KILLS : settingsWithEnds(perSecond) },
    programs,
  )
  const over = new AbortController()
  const enough = linkAbort(stop)
  const pools = relays.all.map(({ url }) => createConnectionPool(url))
  const [relay, connections] = [relays.all[0], pools[0]] as [SoakRelays['all'][number], ConnectionPool]
  try {
    const series = await longestSeries(relay.url)
    const crowd = { pools, makers, quotesPerRequest, collector, signal: over.signal }
    const suspensions = createSuspensions(collector)
    const killed = kill ? await connectKilledMakers({ ...crowd, suspensions, lagMs: coverage.lagMs }) : null
    if (killed === null) await connectMakers(crowd)
    const histories = kill ? createHistories({ pools, makers, collector }) : null
    const records = kill ? createRecords({ pools, makers, collector, suspensions }) : null
    out.note(`${plural(count, 'maker')}, ${perSecond} rounds a second, ${quotesPerRequest} quotes on each`)
    const rounds = createRounds({
      ...{ pools, series, quotesPerRequest, collector, signal: enough.signal },
      privateKey: newPrivateKey(),
      makersSince: killed?.countSince ?? (() => [count, count]),
      patience: kill ? PATIENCE_WITH_KILLS : PATIENCE,
      ttlMs: kill ? null : TTL_MS,
    })
    const playing = [rounds.run(perSecond), killed?.run(enough.signal)]
    const reading = Promise.all([histories?.run(over.signal), records?.run(over.signal)])
    const warmUpMs = Math.min(WARM_UP_MS, ms)
    out.note(`warming up for ${duration(warmUpMs)}`)
    await pause(warmUpMs, undefined, { signal: stop }).catch(() => {})
    const settledMs = kill ? SETTLED_WITH_KILLS_MS : SETTLED_MS
    const course = await measure({
      relay,
      connections,
      figures: rounds.figures,
      ended: () => collector.report().checked,
      ms,
      signal: stop,
      onSlice: (slice) => out.print({ type: 'slice', ...slice }, sliceLine(slice)),
      onLook: () =>
        collector.settle(Math.min(Date.now() - settledMs, (histories?.readUntil() ?? Infinity) - SETTLED_MS)),
    })
    enough.abort()
    // The makers go on: what was under way ends, and they hear of it. Whoever pressed Ctrl-C does not wait for the last round.
    const patience = stop.aborted ? HASTE_MS : SETTLED_MS
    out.note('waiting for requests in flight, then checking them')
    await Promise.race(stop.aborted ? [Promise.all(playing), pause(HASTE_MS)] : [Promise.all(playing)])
    await pause(patience)
    over.abort()
    await reading
    collector.settle(Date.now() - patience / 2)
    collector.judgeRecords()
    for (const file of relays.all.flatMap(({ files }) => [...files()])) collector.observe(sinkOf(file))
    const kills =
      killed === null || records === null
        ? null
        : {
            ...{ ...killed.figures(), outcomes: await outcomesOf(pools) },
            ...{ suspensions: suspensions.count(), records: records.figures() },
          }
    // What several relays share, and makers that come and go, are not what the figures of one were set for.
    const findings = kill || nodes > 1 ? [] : findDrift(course, quotesPerRequest)
    conclude({ out, stop }, { course, report: collector.report(), findings, kills })
  } catch (error) {
    const lastWords = relays.lastWords()
    if (lastWords === null) throw error
    const why = lastWords === '' ? [] : [lastWords]
    throw new CliError('the relay of the soak exited', { exitCode: EXIT.unexpected, why, cause: error })
  } finally {
    enough.abort()
    enough.release()
    over.abort()
    for (const pool of pools) pool.closeAll()
    await relays.stop()
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
  {
    course,
    report,
    findings,
    kills,
  }: { course: SoakRun; report: Report; findings: readonly Finding[]; kills: KillReport | null },
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
  const whole = findings.length === 0 ? 'no invariant broke' : 'no invariant broke, and nothing grew'
  const verdict = reasons.length === 0 ? whole : 'FAILED'
  out.print(
    { type: 'soak', isWhole: !stop.aborted, requests: checked, reasons, ...report, findings, ...course, kills },
    [
      ...summaryLines(course, report, findings, out.colors),
      ...(kills === null ? [] : killLines(kills, course)),
      `${plural(checked, 'request')} checked${stop.aborted ? ' before it was stopped' : ''}: ${verdict}`,
    ],
  )
  if (reasons.length === 0) return
  throw new CliError(reasons.join('; '), { code: 'soak_failed', exitCode: EXIT.unexpected, why: examples })
}

const createMaker = (_: unknown, index: number): SoakMaker => ({
  makerId: `soak-${index}`,
  apiKey: `soak-${randomBytes(KEY_BYTES).toString('base64url')}`,
  privateKey: newPrivateKey(),
})
