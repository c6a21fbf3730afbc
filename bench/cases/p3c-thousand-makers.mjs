import { startRelay } from '../lab/relay.mjs'
import { longestSeries, makerKeys } from '../lab/scene.mjs'
import { startWorker } from '../lab/worker.mjs'
import { quantile } from '../stats.mjs'

const MAKERS = 1_000
const ROUNDS_A_SECOND = 20

/** Requests that are neither committed nor cancelled live longer than a round that is late. */
const TTL_MS = 5_000

/** Warm-ups, by rounds a second: a relay that has yet to make its machine code falls behind at once. */
const WARM_UPS = [2, 5, 8]
const WARM_UP_MS = 5_000

/** Rounds a second that are measured: the last is the goal's. */
const PACES = [8, ROUNDS_A_SECOND]

/** Most milliseconds of a round, p99. */
const MOST_P99_MS = 150

/** A crowd that quotes every request over sockets, at a pace that does not wait for it. */
export const p3c = {
  id: 'P3C',
  title: `${MAKERS.toLocaleString('en-US')} makers by socket, ${ROUNDS_A_SECOND} rounds a second`,
  isApart: true,
  run: async ({ quick, say }) => {
    const keys = makerKeys(MAKERS)
    const env = {
      QUOTE_REQUEST_TTL_MS: String(TTL_MS),
      MAX_UNFILLED_ORDERS: '0',
      MAKER_API_KEYS: JSON.stringify(keys),
    }
    const relay = await startRelay({ flags: ['--memory', '--no-chain'], env })
    const load = startWorker('load/quoting-load')
    try {
      say('makers come')
      const series = await longestSeries(relay.port)
      await load.call('join', { name: 'crowd', port: relay.port, makersBy: 'socket', keys, series })
      const play = (durationMs, perSecond) =>
        load.call('playAtPace', { name: 'crowd', takerBy: 'poll', perSecond, durationMs })
      say('warming up')
      for (const perSecond of WARM_UPS) await play(WARM_UP_MS, perSecond)
      const lines = []
      for (const perSecond of PACES) {
        say(`${perSecond} rounds a second`)
        await relay.call('watchLoop')
        const before = await look(relay, load)
        await play(quick ? 10_000 : 60_000, perSecond)
        const after = await look(relay, load)
        // Before the memory is weighed, which stops the loop for a collection.
        const longestStopMs = await relay.call('longestStopMs')
        const residentMiB = (await relay.call('residentBytes')) / 2 ** 20
        lines.push(...linesOf(perSecond, { before, after }, longestStopMs, residentMiB))
      }
      return { lines }
    } finally {
      await load.stop()
      await relay.stop()
    }
  },
}

const look = async (relay, load) => ({
  cpuMs: await relay.call('mainCpuMs'),
  loadMs: await load.call('cpuMs'),
  ...(await load.call('look')),
})

function linesOf(perSecond, { before, after }, longestStopMs, residentMiB) {
  const { latencies, count, refused, outlived, unsigned } = after
  const tookMs = after.at - before.at
  const cpuMs = after.cpuMs - before.cpuMs
  const isGoal = perSecond === ROUNDS_A_SECOND
  const told = (what, unit, value, atMost = null) => ({
    what: `${perSecond} rounds a second: ${what}`,
    ours: { name: 'relay', unit, samples: [value] },
    comparator: null,
    ratio: null,
    goal: atMost === null || !isGoal ? null : { atMost },
  })
  return [
    told('quotes refused as too many', '', refused, 0),
    told('rounds whose request ended before all had quoted', '', outlived, 0),
    told('commits that no maker signed in time', '', unsigned, 0),
    told('a round, p99', 'ms', quantile(latencies, 0.99), MOST_P99_MS),
    told('a round, p50', 'ms', quantile(latencies, 0.5)),
    told('rounds that were whole', '/s', (latencies.length * 1_000) / tookMs),
    told('CPU of the thread that serves, a quote', 'µs', (cpuMs * 1_000) / count),
    told('the thread that serves', '% of a core', (100 * cpuMs) / tookMs),
    told('longest stop of the loop', 'ms', longestStopMs),
    told('resident memory', 'MiB', residentMiB),
    told('the load', '% of a core', (100 * (after.loadMs - before.loadMs)) / tookMs),
  ]
}
