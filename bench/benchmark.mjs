import { median } from './stats.mjs'

/**
 * A measured quantity, with its samples in the order in which they were taken.
 * @typedef {{ name: string, unit: string, samples: readonly number[] }} Figure
 *
 * What a ratio, or a figure that has no ratio, must reach.
 * @typedef {{ atLeast: number } | { atMost: number }} Goal
 *
 * One line of the table. `ratio` is ours over the comparator's, sample by sample in one run; null where there is none, and
 * then the goal is about the figure itself. Without a goal the line is only told.
 * @typedef {{ what: string, ours: Figure, comparator: Figure | null, ratio: readonly number[] | null, goal: Goal | null }} Line
 *
 * @typedef {{ name: string, points: readonly (readonly [x: number, y: number])[] }} Curve
 * @typedef {{ file: string, title: string, x: string, y: string, isOverTime?: boolean, curves: readonly Curve[] }} Plot
 *
 * What a benchmark found. `notes` say what a reader must know to believe it; `table`, its head first, is what its page shows
 * in place of the lines, and `detail` what it shows below them, of which a page has `pageDetail`.
 * @typedef {{ lines: readonly Line[], table?: readonly (readonly string[])[], detail?: readonly (readonly string[])[], pageDetail?: readonly (readonly string[])[], plots?: readonly Plot[], notes?: readonly string[] }} Report
 *
 * `quick` is for trying a benchmark out: its figures are not to be quoted.
 * @typedef {{ quick: boolean, say: (progress: string) => void }} Plan
 *
 * One row of the table of goals. One that is apart runs only when it is named, and `block` names its place in the docs,
 * on a page of its own if it says so.
 * @typedef {{ id: string, title: string, isApart?: boolean, block?: string, page?: string, run: (plan: Plan) => Promise<Report> }} Benchmark
 */

/** What a goal looks at. @param {Line} line */
export const judged = ({ ours, ratio }) => median(ratio ?? ours.samples)

/**
 * Whether the goal of a line is met, or missed by less than so many times; null when it has none. What could not be measured
 * is not met. @param {Line} line @param {number} [times]
 */
export function isMet(line, times = 1) {
  const { goal } = line
  if (goal === null) return null
  const value = judged(line)
  return 'atLeast' in goal ? value * times >= goal.atLeast : value <= goal.atMost * times
}
