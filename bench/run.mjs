// `npm run bench`: all benchmarks, or those that are named (`npm run bench -- P1 P3`), each beside its comparator. Prints a
// table, writes JSON beside itself, and exits 1 when a goal is missed; with `--times=5` when one is missed five times over.
// `--quick` tries them out, `--write` renews the plots of docs/internals/performance.md, its table when all ran, what a soak
// found, and what nodes carry in docs/guides/operator/scaling.md.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMet, judged } from './benchmark.mjs'
import { BENCHMARKS } from './catalogue.mjs'
import { writeDocs, writePlots } from './docs/write.mjs'
import { ROOT } from './lab/relay.mjs'
import { load, machine } from './machine.mjs'
import { median, spread } from './stats.mjs'
import { columns, table } from './table.mjs'

/** Results are kept beside the benchmarks, and out of the repository. */
const RESULTS = join(ROOT, 'bench', 'results')

const words = process.argv.slice(2)
const ids = words.filter((word) => !word.startsWith('--')).map((word) => word.toUpperCase())
const times = Number(words.find((word) => word.startsWith('--times='))?.slice('--times='.length) ?? 1)
const unknown = ids.filter((id) => !BENCHMARKS.some((benchmark) => benchmark.id === id))
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are ${BENCHMARKS.map(({ id }) => id).join(', ')}`)
  process.exit(2)
}
const chosen = BENCHMARKS.filter(({ id, isApart = false }) => (ids.length === 0 ? !isApart : ids.includes(id)))

const run = {
  startedAt: new Date().toISOString(),
  machine: machine(),
  quick: words.includes('--quick'),
  loadBefore: load(),
  reports: await measureAll(),
  loadAfter: load(),
}

console.log(table(run.reports))
for (const { table: rows, detail } of run.reports)
  for (const more of [rows, detail]) if (more !== undefined) console.log(columns(more))
for (const { id, notes = [] } of run.reports) for (const note of notes) console.log(`${id}: ${note}`)
const { cores, cpu, memoryGiB, node } = run.machine
console.log(
  `${cores} cores of ${cpu}, ${memoryGiB} GiB, Node ${node}; load ${run.loadBefore} before, ${run.loadAfter} after`,
)

mkdirSync(RESULTS, { recursive: true })
const name = run.startedAt.replaceAll(':', '-')
const file = join(RESULTS, `${name}.json`)
writeFileSync(file, `${JSON.stringify({ ...run, reports: run.reports.map(withSummaries) }, null, 2)}\n`)
writePlots(run.reports, join(RESULTS, name))
console.error(`written to ${file}, with its plots beside it`)
if (words.includes('--write')) {
  writePlots(run.reports)
  if (ids.length === 0) writeDocs(run, { block: 'bench' })
  // One that is apart has a place of its own on the page.
  for (const { id, block, page } of chosen) {
    const reports = run.reports.filter((report) => report.id === id)
    if (block !== undefined) writeDocs({ ...run, reports }, { block, page })
  }
}
process.exit(run.reports.every(({ lines }) => lines.every((line) => isMet(line, times) !== false)) ? 0 : 1)

async function measureAll() {
  const reports = []
  for (const { id, title, run: measure } of chosen) {
    const say = (progress) => console.error(`${id}: ${progress}`)
    say(title)
    const begun = performance.now()
    const report = { id, title, ...(await measure({ quick: words.includes('--quick'), say })) }
    reports.push(report)
    say(`took ${Math.round((performance.now() - begun) / 1_000)} s`)
    // What one has found is not lost when another one fails.
    console.error(table([report]))
  }
  return reports
}

function withSummaries({ id, title, lines, plots = [], notes = [] }) {
  return { id, title, lines: lines.map(summary), plots, notes }
}

function summary(line) {
  return {
    ...line,
    median: median(line.ours.samples),
    judged: judged(line),
    spread: spread(line.ratio ?? line.ours.samples),
    met: isMet(line),
  }
}
