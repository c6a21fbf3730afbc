import { Client } from 'pg'
import { startCluster } from '../lab/cluster.mjs'
import { processorMs } from '../lab/processor-time.mjs'
import { startRelay } from '../lab/relay.mjs'
import { longestSeries, makerKeys, openRequest, quoteRequest } from '../lab/scene.mjs'
import { startWorker } from '../lab/worker.mjs'
import { takeTurns } from '../rounds.mjs'
import { median, ratios } from '../stats.mjs'

const CONNECTIONS = 50
const TRADES = 40
const WARM_UP_TRADES = 300

/** A log that only this node keeps. */
const WITH_LOG = { TRANSPARENCY_LOG: 'on' }

/** What several nodes cost beside one that keeps everything in memory. */
export const p10 = {
  id: 'P10',
  title: 'two nodes on Redis and Postgres',
  run: async ({ quick, say }) => {
    say('starting Redis, Postgres and three relays')
    const keys = makerKeys(CONNECTIONS)
    const env = { MAKER_API_KEYS: JSON.stringify(keys) }
    const cluster = await startCluster({ nodes: 2, env, others: [WITH_LOG] })
    const [logged] = cluster.others
    const [memory, loggedMemory] = await Promise.all(
      [env, { ...env, ...WITH_LOG }].map((own) => startRelay({ flags: ['--memory', '--no-chain'], env: own })),
    )
    const load = startWorker('load/http-load')
    const streams = startWorker('load/stream-load')
    const traders = [startWorker('load/trade-load'), startWorker('load/trade-load')]
    try {
      const quotes = await compareQuotes({ load, streams, keys, memory, cluster, quick, say })
      const shared = { load, keys, quick, say }
      const [plain] = cluster.relays
      const log = [
        await compareLog({ place: 'in memory', plain: memory, logged: loggedMemory, spent: relayMs, ...shared }),
        await compareLog({ place: 'of several nodes', plain, logged, spent: clusterMs(cluster), ...shared }),
      ]
      const commits = await compareCommits({ traders, key: keys[0], memory, cluster, quick, say })
      return {
        lines: [...quotes, ...log, ...commits],
        notes: [
          'Two nodes, Redis, Postgres and the load share the cores; a second node can only add what is left of them.',
          'A commit waits for two flushes of Postgres: one before its maker is asked, one before anybody is answered.',
        ],
      }
    } finally {
      await Promise.all([load, streams, ...traders].map((worker) => worker.stop()))
      await Promise.all([memory.stop(), loggedMemory.stop()])
      await cluster.stop()
    }
  },
}

async function compareQuotes({ load, streams, keys, memory, cluster, quick, say }) {
  say('quotes')
  const durationMs = quick ? 1_000 : 2_000
  const [first] = cluster.relays
  const openOn = async (nodes) => {
    const requestId = await openRequest(nodes[0].port, await longestSeries(nodes[0].port))
    await streams.call('open', { port: nodes[0].port, path: `/quote-requests/${requestId}/stream`, count: 1 })
    return Promise.all(
      nodes.map((node, i) => {
        const requests = keys
          .filter((_, at) => at % nodes.length === i)
          .map(({ apiKey }) => Array.from({ length: 50 }, () => quoteRequest({ requestId, apiKey })))
        return load.call('open', { port: node.port, requests })
      }),
    )
  }
  const burst = (openings) => async () => {
    const before = cluster.costs()
    const results = await Promise.all(openings.map((opening) => load.call('run', { opening, durationMs })))
    const after = cluster.costs()
    if (results.some(({ refused }) => refused > 0)) throw new Error('quotes were refused')
    const sum = (figure) => results.reduce((total, result) => total + result[figure], 0)
    const microseconds = (part) => ((after[part] - before[part]) * 1_000) / sum('count')
    return { perSecond: sum('perSecond'), nodes: microseconds('nodes'), redis: microseconds('redis') }
  }
  const measurements = {
    memory: burst(await openOn([memory])),
    one: burst(await openOn([first])),
    two: burst(await openOn(cluster.relays)),
  }
  await takeTurns(1, measurements)
  const turns = await takeTurns(quick ? 3 : 7, measurements)
  const rates = (results) => results.map(({ perSecond }) => perSecond)
  const compare = (what, ours, comparator, goal) => ({
    what,
    ours: { ...ours, unit: '/s' },
    comparator: { ...comparator, unit: '/s' },
    ratio: ratios(ours.samples, comparator.samples),
    goal,
  })
  const one = { name: 'one', samples: rates(turns.one) }
  const cost = (what, part) => ({
    what,
    ours: { name: part, unit: 'µs', samples: turns.one.map((result) => result[part]) },
    comparator: null,
    ratio: null,
    goal: null,
  })
  return [
    compare('quotes a second, one node', one, { name: 'memory', samples: rates(turns.memory) }, { atLeast: 0.35 }),
    compare('quotes a second, two nodes', { name: 'two', samples: rates(turns.two) }, one, null),
    cost('CPU of the node, a quote', 'nodes'),
    cost('CPU of Redis, a quote', 'redis'),
  ]
}

/** Requests that a burst quotes on, each by all makers again and again: the audit log keeps 1,000 quotes of each. */
const QUOTED_REQUESTS = 60

/** Processor time so far of one relay, and of all that a cluster has, in milliseconds. */
const relayMs = ({ pid }) => processorMs([pid])
const clusterMs = (cluster) => () => Object.values(cluster.costs()).reduce((sum, part) => sum + part, 0)

/** The processors' time of a quote on a relay that keeps the transparency log, beside one that does not. */
async function compareLog({ place, plain, logged, spent, load, keys, quick, say }) {
  say('quotes with the transparency log')
  const burst = (node) => async () => {
    const series = await longestSeries(node.port)
    const ids = await Promise.all(Array.from({ length: QUOTED_REQUESTS }, () => openRequest(node.port, series)))
    const requests = keys.map(({ apiKey }) => ids.map((requestId) => quoteRequest({ requestId, apiKey })))
    const opening = await load.call('open', { port: node.port, requests })
    const before = spent(node)
    const { count, refused } = await load.call('run', { opening, durationMs: quick ? 500 : 1_500 })
    const after = spent(node)
    if (refused > 0) throw new Error('quotes were refused')
    return ((after - before) * 1_000) / count
  }
  const measurements = { plain: burst(plain), logged: burst(logged) }
  await takeTurns(quick ? 2 : 4, measurements)
  const turns = await takeTurns(quick ? 4 : 12, measurements)
  return {
    what: `CPU of a quote with the transparency log, ${place}`,
    ours: { name: 'with', unit: 'µs', samples: turns.logged },
    comparator: { name: 'without', unit: 'µs', samples: turns.plain },
    ratio: ratios(turns.logged, turns.plain),
    goal: { atMost: 1.03 },
  }
}

async function compareCommits({ traders, key, memory, cluster, quick, say }) {
  say('commits')
  const [first] = cluster.relays
  for (const [i, relay] of [memory, first].entries()) {
    const series = await longestSeries(relay.port)
    await traders[i].call('connect', { port: relay.port, apiKey: key.apiKey, series })
    await traders[i].call('trade', { trades: WARM_UP_TRADES })
  }
  const flushes = await openFlushes(cluster.databaseUrl)
  const p50 = (trader) => async () => median(await trader.call('trade', { trades: TRADES }))
  const turns = await takeTurns(quick ? 3 : 9, {
    memory: p50(traders[0]),
    shared: p50(traders[1]),
    flush: async () => median(await flushes.time(TRADES)),
  })
  await flushes.close()
  return [
    {
      what: 'commit to answer, p50',
      ours: { name: 'Redis and Postgres', unit: 'ms', samples: turns.shared },
      comparator: { name: 'memory', unit: 'ms', samples: turns.memory },
      ratio: ratios(turns.shared, turns.memory),
      goal: { atMost: 3 },
    },
    {
      what: 'one row, flushed by Postgres, p50',
      ours: { name: 'flush', unit: 'ms', samples: turns.flush },
      comparator: null,
      ratio: null,
      goal: null,
    },
  ]
}

/** How long Postgres takes for the least that it must flush, milliseconds each. */
async function openFlushes(url) {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('create table flushes (at bigint)')
  return {
    time: async (times) => {
      const took = []
      for (let i = 0; i < times; i += 1) {
        const begun = performance.now()
        await client.query({ name: 'flush', text: 'insert into flushes values ($1)', values: [i] })
        took.push(performance.now() - begun)
      }
      return took
    },
    close: () => client.end(),
  }
}
