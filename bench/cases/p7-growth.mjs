import { median, ratios } from '../stats.mjs'
import { compareExecutions } from './growth/executions.mjs'
import { compareOpenOnFile } from './growth/open-on-file.mjs'
import { compareOpenRequests } from './growth/open-requests.mjs'
import { compareOwedOrders } from './growth/owed-orders.mjs'
import { compareQuotes } from './growth/quotes.mjs'

/** What a quote or a commit costs when there is much of everything else. */
export const p7 = {
  id: 'P7',
  title: 'cost growth',
  run: async (plan) => {
    const growths = [
      await compareOpenRequests(plan),
      await compareQuotes(plan),
      await compareExecutions(plan),
      await compareOpenOnFile(plan),
      ...(await compareOwedOrders(plan)),
    ]
    return { lines: growths.map(lineOf), plots: growths.map(plotOf) }
  },
}

/**
 * How a cost grew: at each size, samples of the small relay and of the large one that were taken in turns.
 * @typedef {{ size: number, small: number[], large: number[] }} Point
 * @typedef {{ what: string, file: string, title: string, x: string, atMost: number, points: Point[] }} Growth
 */

/** @param {Growth} growth */
function lineOf({ what, atMost, points }) {
  const { small, large } = points.at(-1)
  return {
    what,
    ours: { name: 'large', unit: 'ms', samples: large },
    comparator: { name: 'small', unit: 'ms', samples: small },
    ratio: ratios(large, small),
    goal: { atMost },
  }
}

/** @param {Growth} growth */
const plotOf = ({ file, title, x, points }) => ({
  file,
  title,
  x,
  y: 'ms',
  curves: [
    { name: 'with so many', points: points.map(({ size, large }) => [size, median(large)]) },
    { name: 'with few, at the same time', points: points.map(({ size, small }) => [size, median(small)]) },
  ],
})
