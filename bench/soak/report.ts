import type { Colors } from '../../src/cli/terminal/colors.ts'
import { tableLines } from '../../src/cli/terminal/table.ts'
import { plural } from '../../src/lib/format.ts'
import { percentile } from '../../src/protocol/domain/reliability.ts'
import { INVARIANTS, type Invariant } from '../../test/invariants/invariants.ts'
import type { Report } from './collector.ts'
import type { Finding } from './drift.ts'
import type { Interval, SoakRun } from './intervals.ts'
import type { KillFigures } from './killed-makers.ts'
import type { RecordFigures } from './records.ts'

/** Rows of the table at the end. */
const ROWS = 10

/** A slice in a line, while the soak runs. */
export function sliceLine(slice: Interval): string {
  const { atMs, traded, cancelled, skipped, p50Ms, p99Ms, relayCpu, loadCpu, othersCpu } = slice
  const rounds = `${traded} traded, ${cancelled} cancelled${skipped === 0 ? '' : `, ${skipped} SKIPPED`}`
  return `${seconds(atMs)}  ${rounds}  commit ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms  relay ${percent(relayCpu)}, load ${percent(loadCpu)}, others ${percent(othersCpu)} of a core`
}

/** What was measured, a row for each tenth; then each invariant with its checks, and each figure that must stay flat. */
export function summaryLines(course: SoakRun, report: Report, findings: readonly Finding[], colors: Colors): string[] {
  return [
    '',
    ...tableLines(
      [
        { heading: 'until', cell: ({ slices }) => seconds(slices.at(-1)?.atMs ?? 0), align: 'right' },
        { heading: 'traded', cell: ({ slices }) => total(slices, 'traded'), align: 'right' },
        { heading: 'cancelled', cell: ({ slices }) => total(slices, 'cancelled'), align: 'right' },
        { heading: 'expired', cell: ({ slices }) => total(slices, 'expired'), align: 'right' },
        { heading: 'displaced', cell: ({ slices }) => total(slices, 'displaced'), align: 'right' },
        { heading: 'went on', cell: ({ slices }) => total(slices, 'wentOn'), align: 'right' },
        { heading: 'no maker', cell: ({ slices }) => total(slices, 'refused'), align: 'right' },
        { heading: 'skipped', cell: ({ slices }) => total(slices, 'skipped'), align: 'right' },
        { heading: 'commit p50', cell: ({ slices }) => ms(middle(slices, 'p50Ms')), align: 'right' },
        { heading: 'p99', cell: ({ slices }) => ms(middle(slices, 'p99Ms')), align: 'right' },
        { heading: 'live heap', cell: ({ liveBytes }) => mib(liveBytes), align: 'right' },
        { heading: 'resident', cell: ({ slices }) => mib(middle(slices, 'residentBytes')), align: 'right' },
        { heading: 'connections', cell: ({ slices }) => String(middle(slices, 'connections')), align: 'right' },
        { heading: 'other fds', cell: ({ slices }) => String(middle(slices, 'spareDescriptors')), align: 'right' },
        { heading: 'relay', cell: ({ slices }) => percent(middle(slices, 'relayCpu')), align: 'right' },
        { heading: 'load', cell: ({ slices }) => percent(middle(slices, 'loadCpu')), align: 'right' },
        { heading: 'others', cell: ({ slices }) => percent(middle(slices, 'othersCpu')), align: 'right' },
      ],
      rowsOf(course),
      { colors, width: null },
    ),
    '',
    ...tableLines(
      [
        { heading: 'invariant', cell: ({ name }) => name },
        { heading: 'checks', cell: ({ checks }) => checks.toLocaleString('en-US'), align: 'right' },
        { heading: 'violations', cell: ({ violations }) => String(violations), align: 'right' },
        { heading: '', cell: ({ words }) => words, overflow: 'wrap' },
      ],
      invariantRows(report),
      { colors, width: null },
    ),
    '',
    ...findings.map(({ figure, isFlat, words }) => `${isFlat ? 'flat' : colors.red('NOT FLAT')}  ${figure}: ${words}`),
  ]
}

/** What came of makers that are killed; `outcomes`: of the orders that they were asked for, or passed over for, by the relays. */
export type KillReport = KillFigures & {
  outcomes: Readonly<Record<string, number>>
  suspensions: number
  records: RecordFigures
}

/** What came of makers that are killed. */
export function killLines(report: KillReport, { slices }: SoakRun): string[] {
  const { kills, acceptances, trips, resets, outcomes, suspensions, quotesSuspended, records } = report
  const listOf = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([outcome, count]) => `${outcome} ${count}`)
      .join(', ')
  return [
    `${plural(kills, 'kill')}, ${plural(trips, 'trip')} heard of, ${plural(resets, 'reset')}, ${acceptances} orders to sign`,
    `commits: ${total(slices, 'traded')} traded, ${total(slices, 'wentOn')} of them with the next maker; ${total(slices, 'refused')} found no maker`,
    `orders, by what came of asking: ${listOf(outcomes)}`,
    `${plural(suspensions, 'suspension')}, ${plural(quotesSuspended, 'quote')} refused for them`,
    `records count ${listOf(records.outcomes)}; compared on two nodes ${records.compared} times, too long to be read whole ${records.unread} times`,
    '',
  ]
}

type Row = { slices: readonly Interval[]; liveBytes: number }

function rowsOf({ slices, heap }: SoakRun): Row[] {
  const size = Math.ceil(slices.length / ROWS)
  return Array.from({ length: Math.ceil(slices.length / Math.max(1, size)) }, (_, i) => {
    const some = slices.slice(i * size, (i + 1) * size)
    const until = some.at(-1)?.atMs ?? 0
    return { slices: some, liveBytes: heap.find(({ atMs }) => atMs >= until)?.liveBytes ?? Number.NaN }
  })
}

function invariantRows({ scores, unseen: allUnseen }: Report) {
  return (Object.keys(INVARIANTS) as Invariant[]).map((name) => {
    const score = scores[name]
    const unseen = allUnseen[name]
    const words = unseen === undefined ? INVARIANTS[name] : `not seen: ${unseen}`
    return { name, checks: score?.checks ?? 0, violations: score?.violations ?? 0, words }
  })
}

type Figure =
  | 'p50Ms'
  | 'p99Ms'
  | 'residentBytes'
  | 'connections'
  | 'spareDescriptors'
  | 'relayCpu'
  | 'loadCpu'
  | 'othersCpu'

const middle = (slices: readonly Interval[], figure: Figure): number =>
  percentile(
    slices.map((slice) => slice[figure]),
    0.5,
  ) ?? Number.NaN

type Count = 'traded' | 'wentOn' | 'cancelled' | 'expired' | 'displaced' | 'refused' | 'skipped'

const total = (slices: readonly Interval[], count: Count): string =>
  String(slices.reduce((sum, slice) => sum + slice[count], 0))

const seconds = (value: number): string => `${Math.round(value / 1_000)} s`.padStart(5)
const ms = (value: number): string => `${value.toFixed(1)} ms`
const percent = (share: number): string => `${Math.round(share * 100)} %`
const mib = (bytes: number): string => (Number.isNaN(bytes) ? '' : `${(bytes / 2 ** 20).toFixed(1)} MiB`)
