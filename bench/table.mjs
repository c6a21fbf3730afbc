import { isMet, judged } from './benchmark.mjs'
import { median, spread } from './stats.mjs'

/** The columns of the table. */
export const HEAD = ['id', 'work', 'ours', 'comparator', 'ratio', 'goal', '']

/** Lines of one benchmark after the other, as text in columns. */
export function table(reports) {
  return columns([HEAD, ...reports.flatMap(({ id, lines }) => lines.map((line) => rowOf(id, line)))])
}

/** Rows of cells, the head first, as text in columns. @param {readonly (readonly string[])[]} rows */
export function columns(rows) {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  const print = (row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  return rows.map(print).join('\n')
}

/** The cells of a line, in the order of the head. */
export function rowOf(id, line) {
  const { what, ours, comparator, ratio, goal } = line
  const bound = goal === null ? '' : 'atLeast' in goal ? `>= ${goal.atLeast}` : `<= ${goal.atMost}`
  const met = isMet(line)
  return [
    id,
    what,
    show(ours),
    comparator === null ? '' : `${comparator.name} ${show(comparator)}`,
    ratio === null ? '' : `${digits(judged(line))} ±${percent(spread(ratio))}`,
    bound,
    met === null ? '' : met ? 'met' : 'MISSED',
  ]
}

const show = ({ samples, unit }) => `${digits(median(samples))} ${unit}${spreadOf(samples)}`
const percent = (share) => `${Math.round(share * 100)}%`

/** Three digits that count, thousands apart. */
function digits(value) {
  if (!Number.isFinite(value)) return '?'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(3)))
}

/** How far the samples lie apart; nothing where one is all, or where a share of nothing would be meant. */
function spreadOf(samples) {
  const share = spread(samples)
  return samples.length > 1 && Number.isFinite(share) ? ` ±${percent(share)}` : ''
}
