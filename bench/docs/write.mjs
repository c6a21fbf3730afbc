import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../lab/relay.mjs'
import { HEAD, rowOf } from '../table.mjs'
import { plotSvg } from './plot.mjs'

const PAGE = join(ROOT, 'docs', 'performance.md')
const PLOTS = join(ROOT, 'docs', 'performance')

/** Draws the plots of all reports. @param {readonly import('../benchmark.mjs').Report[]} reports */
export function writePlots(reports) {
  mkdirSync(PLOTS, { recursive: true })
  for (const plot of reports.flatMap(({ plots = [] }) => plots)) writeFileSync(join(PLOTS, plot.file), plotSvg(plot))
}

/** Puts the table of a run, and its machine, between the marks of the page. */
export function writeDocs({ startedAt, machine, loadBefore, loadAfter, reports }) {
  const { cores, cpu, memoryGiB, node, platform } = machine
  const rows = reports.flatMap(({ id, lines }) => lines.map((line) => rowOf(id, line)))
  const text = [
    `Measured on ${startedAt.slice(0, 10)}: ${cores} cores of ${cpu}, ${memoryGiB} GiB, ${platform}, Node ${node}; load ${loadBefore} before and ${loadAfter} after.`,
    '',
    ...[HEAD, HEAD.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n')
  const page = readFileSync(PAGE, 'utf8')
  writeFileSync(
    PAGE,
    page.replace(/(<!-- bench -->\n)[\s\S]*?(\n<!-- \/bench -->)/, (_, start, end) => start + text + end),
  )
}
