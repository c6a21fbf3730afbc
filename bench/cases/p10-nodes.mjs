import { startRelay } from '../lab/relay.mjs'
import { longestSeries, makerKeys, openRequest, quoteRequest } from '../lab/scene.mjs'
import { startServices } from '../lab/services.mjs'
import { startWorker } from '../lab/worker.mjs'
import { takeTurns } from '../rounds.mjs'
import { median, ratios } from '../stats.mjs'

const CONNECTIONS = 50
const TRADES = 40
const WARM_UP_TRADES = 300

/** What several nodes cost beside one that keeps everything in memory. */
export const p10 = {
  id: 'P10',
  title: 'two nodes on Redis and Postgres',
  run: async ({ quick, say }) => {
    say('starting Redis, Postgres and three relays')
    const services = await startServices()
    if (services === null) throw new Error('P10 needs redis-server and postgresql')
    const keys = makerKeys(CONNECTIONS)
    const env = { MAKER_API_KEYS: JSON.stringify(keys) }
    const { redisUrl, databaseUrl } = services
    const shared = ['--no-chain', '--redis-url', redisUrl, '--database-url', databaseUrl]
    const relays = []
    const open = async (flags) => {
      const relay = await startRelay({ flags, env })
      relays.push(relay)
      return relay
    }
    const load = startWorker('load/http-load')
    const traders = [startWorker('load/trade-load'), startWorker('load/trade-load')]
    try {
      const memory = await open(['--memory', '--no-chain'])
      const first = await open(shared)
      const second = await open(shared)
      const quotes = await compareQuotes({ load, keys, memory, first, second, quick, say })
      const commits = await compareCommits({ traders, key: keys[0], memory, first, quick, say })
      return {
        lines: [...quotes, ...commits],
        notes: [
          'Two nodes, Redis, Postgres and the load share the cores; a second node can only add what is left of them.',
        ],
      }
    } finally {
      await Promise.all([load.stop(), ...traders.map((trader) => trader.stop())])
      await Promise.all(relays.map((relay) => relay.stop()))
      await services.stop()
    }
  },
}

async function compareQuotes({ load, keys, memory, first, second, quick, say }) {
  say('quotes')
  const durationMs = quick ? 1_000 : 2_000
  const openOn = async (requestId, nodes) =>
    Promise.all(
      nodes.map((node, i) => {
        const requests = keys
          .filter((_, at) => at % nodes.length === i)
          .map(({ apiKey }) => Array.from({ length: 50 }, () => quoteRequest({ requestId, apiKey })))
        return load.call('open', { port: node.port, requests })
      }),
    )
  const alone = await openOn(await openRequest(memory.port, await longestSeries(memory.port)), [memory])
  const requestId = await openRequest(first.port, await longestSeries(first.port))
  const one = await openOn(requestId, [first])
  const two = await openOn(requestId, [first, second])
  const burst = (openings) => async () => {
    const results = await Promise.all(openings.map((opening) => load.call('run', { opening, durationMs })))
    if (results.some(({ refused }) => refused > 0)) throw new Error('quotes were refused')
    return results.reduce((sum, { perSecond }) => sum + perSecond, 0)
  }
  const measurements = { memory: burst(alone), one: burst(one), two: burst(two) }
  await takeTurns(1, measurements)
  const turns = await takeTurns(quick ? 3 : 7, measurements)
  const figure = (name, samples) => ({ name, unit: '/s', samples })
  return [
    {
      what: 'quotes a second, one node',
      ours: figure('Redis', turns.one),
      comparator: figure('memory', turns.memory),
      ratio: ratios(turns.one, turns.memory),
      goal: { atLeast: 0.35 },
    },
    {
      what: 'quotes a second, two nodes',
      ours: figure('two', turns.two),
      comparator: figure('one', turns.one),
      ratio: ratios(turns.two, turns.one),
      goal: null,
    },
  ]
}

async function compareCommits({ traders, key, memory, first, quick, say }) {
  say('commits')
  for (const [i, relay] of [memory, first].entries()) {
    const series = await longestSeries(relay.port)
    await traders[i].call('connect', { port: relay.port, apiKey: key.apiKey, series })
    await traders[i].call('trade', { trades: WARM_UP_TRADES })
  }
  const p50 = (trader) => async () => median(await trader.call('trade', { trades: TRADES }))
  const turns = await takeTurns(quick ? 3 : 9, { memory: p50(traders[0]), shared: p50(traders[1]) })
  return [
    {
      what: 'commit to answer, p50',
      ours: { name: 'Redis and Postgres', unit: 'ms', samples: turns.shared },
      comparator: { name: 'memory', unit: 'ms', samples: turns.memory },
      ratio: ratios(turns.shared, turns.memory),
      goal: { atMost: 3 },
    },
  ]
}
