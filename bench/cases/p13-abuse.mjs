import { Agent, request as httpRequest } from 'node:http'
import { startCountedNode } from '../lab/counted-node.mjs'
import { startRelay } from '../lab/relay.mjs'
import { callOnce, longestSeries, makerKeys, openRequestBody } from '../lab/scene.mjs'
import { encodeRequest } from '../load/http-connection.mjs'
import { takeTurns } from '../rounds.mjs'
import { median, ratios } from '../stats.mjs'
import { questions } from './abuse/questions.mjs'

/** What a route may cost, as a multiple of `GET /healthz`, without a bound on how often an address may ask. */
const MOST_UNBOUNDED = 5

/** What an address of the relay whose bounds are read has at once, in units; nearly nothing comes after it. */
const UNITS = 30

/** What an address has in a second by default, in units. */
const UNITS_PER_S = 50

const HEAD = [
  'asked without a credential',
  'CPU, ms',
  'of /healthz',
  'calls of the node',
  'bytes kept',
  'at most, a second and address',
]

/** What the costliest anonymous request of each route takes of the relay, and what bounds it. */
export const p13 = {
  id: 'P13',
  title: 'what strangers cost',
  /** Most of its figures have no comparator but one another: it has a place of its own on the page. */
  isApart: true,
  block: 'abuse',
  run: async ({ quick, say }) => {
    const plan = quick ? { rounds: 1, asks: 40 } : { rounds: 5, asks: 100 }
    const env = { MAKER_API_KEYS: JSON.stringify(makerKeys(1)) }
    say('starting a chain, a relay on it, and one whose bounds are read')
    const chain = await startRelay({ flags: ['--memory'], env })
    const node = await startCountedNode(chain.ready.rpcUrl)
    const onChain = { ...env, ...environmentOf(chain.ready) }
    const [relay, bounded] = await Promise.all([
      startRelay({ flags: ['--rpc', node.url], env: onChain }),
      startRelay({
        flags: ['--rpc', node.url],
        env: { ...onChain, REQUEST_RATE_PER_ADDRESS: '1', REQUEST_BURST_PER_ADDRESS: String(UNITS) },
      }),
    ])
    try {
      const all = await questionsOf(relay)
      const client = createClient(relay.port, '127.0.0.1')
      const measurements = Object.fromEntries(
        all.map(({ what, ask, most }) => [what, () => weigh({ relay, node, ask, client, asks: most ?? plan.asks })]),
      )
      say('a round to warm up')
      await takeTurns(1, measurements)
      const turns = await takeTurns(plan.rounds, measurements)
      say('weighing what is kept')
      const kept = await weighKept({ relay, all, client, asks: plan.asks })
      say('reading the bounds')
      const bounds = await readBounds(bounded)
      const healthz = turns['GET /healthz'].map(({ cpuMs }) => cpuMs)
      const rows = all.map(({ what }) =>
        rowOf({ what, turns: turns[what], healthz, kept: kept.get(what), units: bounds.get(what) }),
      )
      return {
        lines: rows.map(({ line }) => line),
        table: [
          HEAD,
          ...rows.map(({ cells }) => cells).filter(([, , ofHealthz]) => Number(ofHealthz) > MOST_UNBOUNDED),
        ],
        notes: [
          `Every other route costs less than ${MOST_UNBOUNDED} times \`/healthz\`; one that costs more without a bound fails the benchmark.`,
          'CPU is that of all threads of the relay, with garbage collection. Bytes are those in use after a collection; an opened request frees its own when it ends.',
          'The relay paces answers about unknown series to about one a second: their figures include it.',
        ],
      }
    } finally {
      node.stop()
      await Promise.all([relay.stop(), bounded.stop()])
      await chain.stop()
    }
  },
}

/** What a relay must be told to stand on the chain of another. */
const environmentOf = ({ chainId, settlementAddress, coreAddress, stablecoinAddress }) => ({
  CHAIN_ID: String(chainId),
  SETTLEMENT_ADDRESS: settlementAddress,
  CORE_ADDRESS: coreAddress,
  STABLECOIN_ADDRESS: stablecoinAddress,
})

/** All questions to a relay, about a series that it lists and a request that is open there. */
async function questionsOf({ port }) {
  const series = await longestSeries(port)
  const request = await callOnce(port, encodeRequest('POST', '/quote-requests', { body: openRequestBody(series) }))
  return questions({ series, request })
}

/** What one question costs the relay in processor time and the node in calls, on average of so many. */
async function weigh({ relay, node, ask, client, asks }) {
  const before = { calls: node.calls(), cpuMs: await relay.call('cpuMs') }
  for (let n = 0; n < asks; n += 1) await client(ask())
  return { cpuMs: ((await relay.call('cpuMs')) - before.cpuMs) / asks, calls: (node.calls() - before.calls) / asks }
}

/** What the relay keeps of each question, in bytes, on average of so many. */
async function weighKept({ relay, all, client, asks }) {
  const kept = new Map()
  for (const { what, ask, most } of all) {
    const before = await relay.call('usedBytes')
    const count = most ?? asks
    for (let n = 0; n < count; n += 1) await client(ask())
    kept.set(what, ((await relay.call('usedBytes')) - before) / count)
  }
  return kept
}

/** How many units each question takes of what its address has; null where it is never refused. */
async function readBounds(bounded) {
  const units = new Map()
  for (const [n, { what, ask }] of (await questionsOf(bounded)).entries()) {
    const client = createClient(bounded.port, `127.7.0.${n + 1}`, UNITS)
    // All at once, so that little comes after while they are answered.
    const statuses = await Promise.all(Array.from({ length: 2 * UNITS }, () => client(ask())))
    const taken = statuses.filter((status) => status !== 429).length
    units.set(what, taken === statuses.length ? null : Math.round(UNITS / taken))
  }
  return units
}

function rowOf({ what, turns, healthz, kept, units }) {
  const [cpuMs, calls] = ['cpuMs', 'calls'].map((name) => turns.map((turn) => turn[name]))
  const ratio = ratios(cpuMs, healthz)
  const bound = units === null ? '' : `${Math.floor(UNITS_PER_S / units)}`
  return {
    line: {
      what,
      ours: { name: 'relay', unit: 'ms', samples: cpuMs },
      comparator: { name: '/healthz', unit: 'ms', samples: healthz },
      ratio,
      goal: units === null ? { atMost: MOST_UNBOUNDED } : null,
    },
    cells: [
      what,
      median(cpuMs).toFixed(2),
      median(ratio).toFixed(1),
      median(calls).toFixed(2),
      String(Math.max(0, Math.round(kept))),
      bound,
    ],
  }
}

/** Somebody at an address who asks on one connection or several; resolves with the status. */
function createClient(port, localAddress, maxSockets = 1) {
  const agent = new Agent({ keepAlive: true, maxSockets })
  return ({ method, path, text, headers = {}, isStream = false }) =>
    new Promise((resolve, reject) => {
      const body =
        text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
      const asking = httpRequest({
        host: '127.0.0.1',
        port,
        localAddress,
        agent,
        method,
        path,
        headers: { ...body, ...headers },
      })
      asking.on('error', reject)
      asking.on('response', (response) => {
        const end = () => resolve(response.statusCode)
        response.on('error', end)
        if (isStream && response.statusCode === 200) {
          response.once('data', () => response.destroy())
          response.on('close', end)
        } else response.resume().on('end', end)
      })
      asking.end(text)
    })
}
