import { startRelay } from '../lab/relay.mjs'
import { longestSeries, makerKeys, openRequest, QUOTES_PATH, quoteBody } from '../lab/scene.mjs'
import { startWorker } from '../lab/worker.mjs'
import { openWrk } from '../lab/wrk.mjs'
import { encodeRequest } from '../load/http-connection.mjs'
import { takeTurns } from '../rounds.mjs'
import { ratios } from '../stats.mjs'

const CONNECTIONS = 50

/** Calls that the generator goes through: many, so that no cache of ours meets the same text again too soon. */
const CALLS = 2_000

const WARM_UP_MS = 4_000

/** How fast makers can quote. */
export const p1 = {
  id: 'P1',
  title: 'POST /v1/mm/quotes, 50 connections',
  run: async ({ quick, say }) => {
    const makers = makerKeys(CONNECTIONS)
    say('starting a relay on its own chain')
    const relay = await startRelay({ flags: ['--memory'], env: { MAKER_API_KEYS: JSON.stringify(makers) } })
    const bare = startWorker('lab/bare-fastify')
    const streams = startWorker('load/stream-load')
    const requestId = await openRequest(relay.port, await longestSeries(relay.port))
    const generator = openGenerator(callsOf(requestId, makers, relay))
    try {
      await streams.call('open', { port: relay.port, path: `/quote-requests/${requestId}/stream`, count: 1 })
      const ports = { ours: relay.port, theirs: await bare.call('listen') }
      const burst = (server, port, durationMs) => () => measure({ generator, server, port, durationMs })
      say(`warming up, by ${generator.name}`)
      await burst(relay, ports.ours, WARM_UP_MS)()
      await burst(bare, ports.theirs, WARM_UP_MS)()
      say('measuring')
      const turns = await takeTurns(quick ? 3 : 9, {
        ours: burst(relay, ports.ours, 2_000),
        theirs: burst(bare, ports.theirs, 2_000),
      })
      const refused = turns.ours.reduce((sum, { refused: count }) => sum + count, 0)
      if (refused > 0) throw new Error(`${refused} quotes were refused`)
      return { lines: linesOf(turns), notes: [`The generator is ${generator.name}.`] }
    } finally {
      generator.close()
      await Promise.all([relay.stop(), bare.stop(), streams.stop()])
    }
  },
}

function callsOf(requestId, makers, relay) {
  // The sandbox has five funded wallets; makers share them.
  const wallets = relay.sandbox().makers
  return Array.from({ length: CALLS }, (_, i) => ({
    apiKey: makers[i % makers.length].apiKey,
    body: quoteBody({ requestId, maker: wallets[i % wallets.length].address }),
  }))
}

/** `wrk` where it is installed, else one of our own, which then limits what bare Fastify comes to. */
function openGenerator(calls) {
  const wrk = openWrk({ path: QUOTES_PATH, calls, connections: CONNECTIONS })
  return wrk === null ? openOwn(calls) : { name: 'wrk', ...wrk }
}

function openOwn(calls) {
  const load = startWorker('load/http-load')
  const lanes = Array.from({ length: CONNECTIONS }, (_, lane) =>
    calls
      .filter((__, i) => i % CONNECTIONS === lane)
      .map(({ apiKey, body }) => encodeRequest('POST', QUOTES_PATH, { headers: { 'x-api-key': apiKey }, body })),
  )
  const openings = new Map()
  return {
    name: 'our own (wrk is not installed)',
    run: async ({ port, durationMs }) => {
      if (!openings.has(port)) openings.set(port, await load.call('open', { port, requests: lanes }))
      return load.call('run', { opening: openings.get(port), durationMs })
    },
    close: () => void load.stop(),
  }
}

async function measure({ generator, server, port, durationMs }) {
  const before = await server.call('mainCpuMs')
  const result = await generator.run({ port, durationMs })
  return { ...result, cpuMs: (await server.call('mainCpuMs')) - before }
}

function linesOf({ ours, theirs }) {
  const pair = (what, unit, figure, goal) => {
    const samples = ours.map(figure)
    const partners = theirs.map(figure)
    return {
      what,
      ours: { name: 'relay', unit, samples },
      comparator: { name: 'bare Fastify', unit, samples: partners },
      ratio: ratios(samples, partners),
      goal,
    }
  }
  return [
    pair('quotes a second', '/s', ({ perSecond }) => perSecond, { atLeast: 0.6 }),
    pair('p99', 'ms', ({ p99 }) => p99, { atMost: 2 }),
    pair('CPU of the thread that serves, a quote', 'µs', ({ cpuMs, count }) => (cpuMs * 1_000) / count, {
      atMost: 1.8,
    }),
  ]
}
