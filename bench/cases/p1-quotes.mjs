import { startRelay } from '../lab/relay.mjs'
import { longestSeries, makerKeys, openRequest, quoteRequest } from '../lab/scene.mjs'
import { startWorker } from '../lab/worker.mjs'
import { takeTurns } from '../rounds.mjs'
import { ratios } from '../stats.mjs'

const CONNECTIONS = 50

/** Bodies that each connection goes through: many, so that no cache of ours meets the same text again too soon. */
const BODIES = 200

/** How fast makers can quote. */
export const p1 = {
  id: 'P1',
  title: 'POST /v1/mm/quotes, 50 connections',
  run: async ({ quick, say }) => {
    const makers = makerKeys(CONNECTIONS)
    say('starting a relay on its own chain')
    const relay = await startRelay({ flags: ['--memory'], env: { MAKER_API_KEYS: JSON.stringify(makers) } })
    const bare = startWorker('lab/bare-fastify')
    const load = startWorker('load/http-load')
    const streams = startWorker('load/stream-load')
    try {
      const requestId = await openRequest(relay.port, await longestSeries(relay.port))
      await streams.call('open', { port: relay.port, path: `/quote-requests/${requestId}/stream`, count: 1 })
      const requests = bodiesOf(requestId, makers, relay)
      const ours = await load.call('open', { port: relay.port, requests })
      const theirs = await load.call('open', { port: await bare.call('listen'), requests })
      const burst = (server, opening, durationMs) => measure({ load, server, opening, durationMs })
      say('warming up')
      await burst(relay, ours, quick ? 1_000 : 4_000)
      await burst(bare, theirs, quick ? 1_000 : 4_000)
      say('measuring')
      const turns = await takeTurns(quick ? 3 : 11, {
        ours: () => burst(relay, ours, quick ? 500 : 2_000),
        theirs: () => burst(bare, theirs, quick ? 500 : 2_000),
      })
      const refused = turns.ours.reduce((sum, { refused: count }) => sum + count, 0)
      if (refused > 0) throw new Error(`${refused} quotes were refused`)
      return { lines: linesOf(turns.ours, turns.theirs) }
    } finally {
      await Promise.all([relay.stop(), bare.stop(), load.stop(), streams.stop()])
    }
  },
}

function bodiesOf(requestId, makers, relay) {
  // The sandbox has five funded wallets; makers share them.
  const wallets = relay.sandbox().makers
  return makers.map(({ apiKey }, i) => {
    const maker = wallets[i % wallets.length]?.address ?? ''
    return Array.from({ length: BODIES }, () => quoteRequest({ requestId, apiKey, maker }))
  })
}

async function measure({ load, server, opening, durationMs }) {
  const before = await server.call('cpuMs')
  const result = await load.call('run', { opening, durationMs })
  return { ...result, cpuMs: (await server.call('cpuMs')) - before }
}

function linesOf(ours, theirs) {
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
    pair('CPU a quote', 'µs', ({ cpuMs, count }) => (cpuMs * 1_000) / count, null),
  ]
}
