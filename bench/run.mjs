import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMet, judged } from './benchmark.mjs'
import { BENCHMARKS } from './catalogue.mjs'
import { ROOT } from './lab/relay.mjs'
import { machine } from './machine.mjs'
import { median, spread } from './stats.mjs'
import { table } from './table.mjs'

/** Results are kept beside the benchmarks, and out of the repository. */
const RESULTS = join(ROOT, 'bench', 'results')
const words = process.argv.slice(2)
const quick = words.includes('--quick')
const ids = words.filter((word) => !word.startsWith('--')).map((word) => word.toUpperCase())
const unknown = ids.filter((id) => !BENCHMARKS.some((benchmark) => benchmark.id === id))

if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are ${BENCHMARKS.map(({ id }) => id).join(', ')}`)
  process.exit(2)
}

const startedAt = new Date().toISOString()
const reports = []

for (const { id, title, run } of BENCHMARKS) {
  if (ids.length > 0 && !ids.includes(id)) continue
  const say = (progress) => console.error(`${id}: ${progress}`)
  say(title)
  reports.push({ id, title, ...(await run({ quick, say })) })
}

console.log(table(reports))
for (const { id, notes = [] } of reports) for (const note of notes) console.log(`${id}: ${note}`)
mkdirSync(RESULTS, { recursive: true })
const file = join(RESULTS, `${startedAt.replaceAll(':', '-')}.json`)

writeFileSync(
  file,
  `${JSON.stringify({ startedAt, machine: machine(), quick, reports: reports.map(toJson) }, null, 2)}\n`,
)
console.error(`written to ${file}`)
process.exit(reports.every(({ lines }) => lines.every((line) => isMet(line) !== false)) ? 0 : 1)
function toJson({ id, title, lines, plots = [], notes = [] }) {
  return { id, title, lines: lines.map(summary), plots, notes }
}

function summary(line) {
  const { ratio } = line
  return {
    ...line,
    median: median(line.ours.samples),
    judged: judged(line),
    spread: spread(ratio ?? line.ours.samples),
    met: isMet(line),
  }
}
