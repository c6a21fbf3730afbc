import { startRelay } from '../lab/relay.mjs'
import { longestSeries, makerKeys, quoteRequest } from '../lab/scene.mjs'
import { startWorker } from '../lab/worker.mjs'
import { takeTurns } from '../rounds.mjs'
import { quantile, ratios } from '../stats.mjs'

/** Makers, the rounds at a time, one or as many as keep the relay busy, and the least quotes for each request of bare Fastify. */
const SCENES = [
  { makers: 10, atOnce: 1, goal: null },
  { makers: 10, atOnce: 60, goal: { atLeast: 0.25 } },
  { makers: 50, atOnce: 8, goal: null },
  { makers: 100, atOnce: 4, goal: { atLeast: 0.35 } },
]

const CONNECTIONS = 50

/** How many quotes a second whole rounds come to. */
export const p3 = {
  id: 'P3',
  title: 'create, N makers quote over REST, the taker stream shows all',
  run: async ({ quick, say }) => {
    const bare = await openBare()
    try {
      const lines = []
      for (const scene of SCENES) {
        say(`${scene.makers} makers`)
        lines.push(...(await compare(scene, bare, { turns: quick ? 3 : 7, durationMs: quick ? 700 : 2_000 })))
      }
      return {
        lines,
        notes: [
          'Both sides of a ratio have the same kind of load generator. With one round at a time its time counts, and with several what the relay can do.',
        ],
      }
    } finally {
      await bare.stop()
    }
  },
}

async function compare({ makers, atOnce, goal }, bare, { turns, durationMs }) {
  const keys = makerKeys(makers)
  const relay = await startRelay({ flags: ['--memory', '--no-chain'], env: { MAKER_API_KEYS: JSON.stringify(keys) } })
  const load = startWorker('load/round-load')
  try {
    await load.call('connect', { port: relay.port, series: await longestSeries(relay.port), keys })
    const measurements = {
      ours: () => load.call('play', { durationMs, atOnce }),
      theirs: () => bare.run(durationMs),
    }
    await takeTurns(2, measurements)
    return linesOf({ makers, atOnce, goal, ...(await takeTurns(turns, measurements)) })
  } finally {
    await load.stop()
    await relay.stop()
  }
}

function linesOf({ makers, atOnce, goal, ours, theirs }) {
  const quotes = ours.map(({ perSecond }) => perSecond * makers)
  const requests = theirs.map(({ perSecond }) => perSecond)
  const scene = atOnce === 1 ? `${makers} makers, one round at a time` : `${makers} makers`
  return [
    {
      what: `quotes a second, ${scene}`,
      ours: { name: 'relay', unit: '/s', samples: quotes },
      comparator: { name: 'bare Fastify', unit: '/s', samples: requests },
      ratio: ratios(quotes, requests),
      goal,
    },
    {
      what: `one round, ${scene}, p50`,
      ours: { name: 'relay', unit: 'ms', samples: ours.map(({ latencies }) => quantile(latencies, 0.5)) },
      comparator: null,
      ratio: null,
      goal: null,
    },
  ]
}

async function openBare() {
  const server = startWorker('lab/bare-fastify')
  const load = startWorker('load/http-load')
  const request = quoteRequest({ requestId: 'any', apiKey: 'any' })
  const requests = Array.from({ length: CONNECTIONS }, () => [request])
  const opening = await load.call('open', { port: await server.call('listen'), requests })
  return {
    run: (durationMs) => load.call('run', { opening, durationMs }),
    stop: async () => {
      await Promise.all([load.stop(), server.stop()])
    },
  }
}
