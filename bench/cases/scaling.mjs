import { startCluster } from '../lab/cluster.mjs'
import { makerKeys } from '../lab/scene.mjs'
import { startWorker } from '../lab/worker.mjs'
import { takeTurns } from '../rounds.mjs'
import { median, ratios } from '../stats.mjs'

/** Requests come last: their streams stay, and what they open does too. */
const LOADS = [
  { name: 'quotes', title: 'quotes, 12 connections a node' },
  { name: 'trades', title: 'trades across nodes, 6 at a time on each' },
  { name: 'requests', title: 'requests, 6 connections and 20 streams a node' },
]

const NAMES = { 1: 'one node', 2: 'two nodes', 3: 'three nodes' }

const HEAD = ['load', 'nodes', 'a second', 'p50, ms', 'p99, ms', 'µs of the nodes', 'µs of Redis', 'µs of Postgres']

/**
 * What one, two and three nodes carry, and what each call costs in processor time: of all nodes, of Redis and of Postgres.
 * The machine is shared by all of them and by the load, so that the costs say more than the rates.
 */
export const scaling = {
  id: 'SCALING',
  title: 'what one, two and three nodes carry',
  /** No goal, and longer than most: it must be named. */
  isApart: true,
  block: 'scaling',
  page: 'guides/operator/scaling.md',
  run: async ({ quick, say }) => {
    say('starting three Redis, three Postgres and six nodes')
    const env = { MAKER_API_KEYS: JSON.stringify(makerKeys(24)), MAX_STREAMS_PER_KEY: '1000' }
    const counts = [1, 2, 3]
    const clusters = await Promise.all(counts.map((nodes) => startCluster({ nodes, env })))
    const load = startWorker('load/cluster-load')
    const plan = quick ? { rounds: 1, durationMs: 1_000 } : { rounds: 5, durationMs: 3_000 }
    try {
      const lines = []
      const table = [HEAD]
      for (const { name, title } of LOADS) {
        say(title)
        const measurements = Object.fromEntries(
          clusters.map((cluster, i) => [
            counts[i],
            () => measure({ cluster, load, name, durationMs: plan.durationMs }),
          ]),
        )
        await takeTurns(1, measurements)
        const turns = await takeTurns(plan.rounds, measurements)
        for (const nodes of counts) {
          lines.push(lineOf(name, nodes, turns))
          table.push([nodes === 1 ? title : '', String(nodes), ...figuresOf(turns[nodes])])
        }
      }
      return { lines, table, notes: ['Nodes, Redis, Postgres and the load share the cores of this machine.'] }
    } finally {
      await load.stop()
      await Promise.all(clusters.map(({ stop }) => stop()))
    }
  },
}

async function measure({ cluster, load, name, durationMs }) {
  const before = cluster.costs()
  const result = await load.call(name, { nodes: cluster.relays.map(({ port }) => ({ port })), durationMs })
  const after = cluster.costs()
  const each = (part) => ((after[part] - before[part]) * 1_000) / result.count
  return { ...result, nodes: each('nodes'), redis: each('redis'), postgres: each('postgres') }
}

function lineOf(name, nodes, turns) {
  const rates = (results) => results.map(({ perSecond }) => perSecond)
  const one = nodes === 1 ? null : { name: 'one', unit: '/s', samples: rates(turns[1]) }
  return {
    what: `${name} a second, ${NAMES[nodes]}`,
    ours: { name: NAMES[nodes], unit: '/s', samples: rates(turns[nodes]) },
    comparator: one,
    ratio: one === null ? null : ratios(rates(turns[nodes]), one.samples),
    goal: null,
  }
}

const whole = (value) => Math.round(value).toLocaleString('en-US')

function figuresOf(results) {
  const middle = (part) => median(results.map((result) => result[part]))
  return [
    whole(middle('perSecond')),
    ...['p50', 'p99'].map((part) => middle(part).toFixed(1)),
    ...['nodes', 'redis', 'postgres'].map((part) => whole(middle(part))),
  ]
}
