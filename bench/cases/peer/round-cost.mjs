import { median } from '../../stats.mjs'

/** Most microseconds of the thread that serves: a request without its quotes, and a quote. */
const GOALS = { request: { atMost: 150 }, quote: { atMost: 15 } }

/**
 * What a round costs is R + N x q: a request, and each of its quotes. Two scenes with different numbers of makers tell both, in
 * microseconds, turn by turn.
 */
export function roundCost([few, many], way) {
  const costs = few[way].map(({ cpuUs }, turn) => {
    const [one, other] = [few.makers * cpuUs, many.makers * many[way][turn].cpuUs]
    const quote = (other - one) / (many.makers - few.makers)
    return { request: one - few.makers * quote, quote }
  })
  return { request: costs.map(({ request }) => request), quote: costs.map(({ quote }) => quote) }
}

/** Lines of a way whose requests end so. That of a trade has no goal here: P4 has. */
export function costLines(scenes, { name, ends }) {
  const { request, quote } = roundCost(scenes, name)
  const line = (what, samples, goal) => ({
    what: `CPU of ${what}, ${name}`,
    ours: { name: 'relay', unit: 'µs', samples },
    comparator: null,
    ratio: null,
    goal,
  })
  const goals = ends === 'commit' ? { request: null, quote: null } : GOALS
  return [line('a request with its end', request, goals.request), line('a quote', quote, goals.quote)]
}

const HEAD = ['quotes, taker', 'p50 and p99 of 10, ms', 'of 100', 'µs a round of 10', 'of 100', 'R, µs', 'q, µs']

/** A row for each way, of scenes with 10 and with 100 makers. */
export function costTable(scenes, ways) {
  return [
    HEAD,
    ...ways.map(({ name }) => {
      const middle = (scene, figure) => median(scene[name].map((cell) => cell[figure]))
      const waited = (scene) => ['p50', 'p99'].map((figure) => digits(middle(scene, figure))).join(', ')
      const cost = roundCost(scenes, name)
      return [
        name,
        ...scenes.map(waited),
        ...scenes.map((scene) => digits(scene.makers * middle(scene, 'cpuUs'))),
        digits(median(cost.request)),
        digits(median(cost.quote)),
      ]
    }),
  ]
}

/** Two digits that count, and whole numbers whole. */
const digits = (value) => (Math.abs(value) >= 10 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1))
