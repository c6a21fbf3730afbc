import { setTimeout as pause } from 'node:timers/promises'
import { startRelay } from '../lab/relay.mjs'
import { longestSeries, makerKeys } from '../lab/scene.mjs'
import { startWorker } from '../lab/worker.mjs'
import { takeTurns } from '../rounds.mjs'
import { quantile, ratios } from '../stats.mjs'

/** How rounds are played: by what makers hear and quote, and by what the taker sees the best. */
const SCENES = [
  { name: '10 makers, socket, poll', makers: 10, makersBy: 'socket', takerBy: 'poll' },
  { name: '10 makers, socket, stream', makers: 10, makersBy: 'socket', takerBy: 'stream' },
  { name: '10 makers, REST, poll', makers: 10, makersBy: 'rest', takerBy: 'poll' },
  { name: '100 makers, socket, poll', makers: 100, makersBy: 'socket', takerBy: 'poll' },
]

/** What keeps a relay busy. */
const AT_ONCE = 20

/** Most that a round for both sides takes of one for one side. */
const MOST_OF_ONE_SIDE = 1.3

/** What the relay still sends once the last commit is answered. */
const SETTLED_MS = 100

/** What a request for both sides costs relay and makers, beside one that says its side. */
export const p3d = {
  id: 'P3D',
  title: 'rounds for both sides, each with its commit, beside rounds for one',
  isApart: true,
  block: 'two-sided',
  run: async ({ quick, say }) => {
    const lines = []
    for (const scene of SCENES) {
      say(scene.name)
      lines.push(...(await compare(scene, { turns: quick ? 3 : 9, durationMs: quick ? 500 : 1_500 })))
    }
    return {
      lines,
      notes: [
        'A round: a taker asks, each maker quotes (a price, or bid and ask in one), the taker looks, commits, and the best maker signs. Commits for both sides buy and sell in turn.',
        `One relay plays both kinds turn about, ${AT_ONCE} rounds at a time, in memory and without a chain. What makers send and receive is counted, and not a sample.`,
      ],
    }
  },
}

async function compare({ name, makers, makersBy, takerBy }, { turns, durationMs }) {
  const keys = makerKeys(makers)
  // One taker fills none of its orders.
  const env = { MAX_UNFILLED_ORDERS: '0', MAKER_API_KEYS: JSON.stringify(keys) }
  const relay = await startRelay({ flags: ['--memory', '--no-chain'], env })
  const load = startWorker('load/quoting-load')
  try {
    const series = await longestSeries(relay.port)
    await load.call('join', { name, port: relay.port, makersBy, keys, series, hearsBoth: true })
    const play = async (sides) => {
      await load.call('look')
      const beforeMs = await relay.call('mainCpuMs')
      const begun = performance.now()
      await load.call('play', { name, takerBy, sides, ends: 'commit', durationMs, atOnce: AT_ONCE })
      const tookMs = performance.now() - begun
      await pause(SETTLED_MS)
      const cpuMs = (await relay.call('mainCpuMs')) - beforeMs
      return figuresOf(await load.call('look'), { makers, cpuMs, tookMs })
    }
    const cells = { one: () => play('one'), both: () => play('both') }
    await takeTurns(2, cells)
    return linesOf(name, await takeTurns(turns, cells))
  } finally {
    await load.stop()
    await relay.stop()
  }
}

function figuresOf({ latencies, count, announced, quoted, received, ...faults }, { makers, cpuMs, tookMs }) {
  for (const fault of ['outlived', 'refused', 'unsigned'])
    if (faults[fault] > 0) throw new Error(`${faults[fault]} rounds or quotes were ${fault}`)
  const rounds = count / makers
  const each = (messages) => messages / count
  return {
    cpuUs: (cpuMs * 1_000) / rounds,
    perSecond: (rounds * 1_000) / tookMs,
    p50: quantile(latencies, 0.5),
    announced: each(announced),
    quoted: each(quoted),
    received: each(received),
  }
}

function linesOf(scene, { one, both }) {
  const beside = (what, unit, figure, goal = null) => {
    const [samples, partners] = [both, one].map((cells) => cells.map((cell) => cell[figure]))
    return {
      what: `${scene}: ${what}`,
      ours: { name: 'both sides', unit, samples },
      comparator: { name: 'one side', unit, samples: partners },
      ratio: ratios(samples, partners),
      goal,
    }
  }
  const asMany = { atMost: 1 }
  return [
    beside('CPU of the thread that serves, a round', 'µs', 'cpuUs', { atMost: MOST_OF_ONE_SIDE }),
    beside('rounds a second', '/s', 'perSecond'),
    beside('a round until all quotes are seen, p50', 'ms', 'p50'),
    beside('requests announced to a maker, a round', '', 'announced', asMany),
    beside('quotes of a maker, a round', '', 'quoted', asMany),
    beside('all that a maker receives on its socket, a round', '', 'received', asMany),
  ]
}
