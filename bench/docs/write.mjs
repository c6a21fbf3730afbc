import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../lab/relay.mjs'
import { HEAD, rowOf } from '../table.mjs'
import { plotSvg } from './plot.mjs'

const PLOTS = join(ROOT, 'docs', 'internals', 'performance')

/** What a reader must know, and the plots: those of the table of all have places of their own. */
const besides = ({ notes = [], plots = [], detail, pageDetail = detail ?? [] }) => [
  ...(pageDetail.length === 0 ? [] : ['', ...markdown(pageDetail)]),
  ...(notes.length === 0 ? [] : ['', ...notes.map((note) => `- ${note}`)]),
  ...(plots.length === 0 ? [] : ['', ...plots.map(({ file }) => `![](performance/${file})`)]),
]

function markdown([head = [], ...rows]) {
  const isUsed = (_, column) => rows.some((cells) => cells[column] !== '')
  const used = head.filter(isUsed)
  return [used, used.map(() => '---'), ...rows.map((cells) => cells.filter(isUsed))].map(
    (cells) => `| ${cells.join(' | ')} |`,
  )
}

/** The lines of reports as a page has them: a ratio's spread is enough, and the result is beside its goal. */
function linesOf(reports) {
  const isOne = reports.length === 1
  const rows = reports.flatMap(({ id, lines }) =>
    lines.map((line) => {
      const [, what, ours, comparator, ratio, goal, met] = rowOf(id, line)
      const figures = ratio === '' ? [ours, comparator] : [ours, comparator].map((text) => text.replace(/ ±\d+%$/, ''))
      return [isOne ? '' : id, what, ...figures, ratio, `${goal} ${met}`.trim()]
    }),
  )
  return [HEAD.slice(0, -1), ...rows]
}

/** Draws the plots of all reports into a folder. @param {readonly import('../benchmark.mjs').Report[]} reports */
export function writePlots(reports, dir = PLOTS) {
  mkdirSync(dir, { recursive: true })
  for (const plot of reports.flatMap(({ plots = [] }) => plots)) writeFileSync(join(dir, plot.file), plotSvg(plot))
}

/** Puts the table of a run, its machine, and what its reader must know, between the marks of that name on a page of the docs. */
export function writeDocs(
  { startedAt, machine, loadBefore, loadAfter, reports },
  { block, page: name = 'internals/performance.md' },
) {
  const file = join(ROOT, 'docs', name)
  const { cores, cpu, memoryGiB, node, platform } = machine
  const text = [
    `Measured on ${startedAt.slice(0, 10)}: ${cores} cores of ${cpu}, ${memoryGiB} GiB, ${platform}, Node ${node}; load ${loadBefore} before and ${loadAfter} after.`,
    '',
    ...markdown(reports.find(({ table }) => table !== undefined)?.table ?? linesOf(reports)),
    ...(block === 'bench' ? [] : reports.flatMap(besides)),
  ].join('\n')
  const page = readFileSync(file, 'utf8')
  const marks = new RegExp(`(<!-- ${block} -->\\n)[\\s\\S]*?(\\n<!-- /${block} -->)`)
  if (!marks.test(page))
    throw new Error(`${file} has no place for "${block}": two marks with an empty line between them`)
  writeFileSync(
    file,
    page.replace(marks, (_, start, end) => start + text + end),
  )
}
