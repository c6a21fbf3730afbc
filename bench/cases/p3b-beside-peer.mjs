import { startRelay } from '../lab/relay.mjs'
import { longestSeries, makerKeys, quoteRequest } from '../lab/scene.mjs'
import { startWorker } from '../lab/worker.mjs'
import { takeTurns } from '../rounds.mjs'
import { median, quantile, ratios } from '../stats.mjs'

const MAKERS = [10, 100]
const AT_ONCE = [1, 5, 20, 60]

/** The scene that most goals are about: what keeps a relay busy. */
const BUSY = 20

/** Short, so that a moment in which the machine did something else spoils few of them. */
const CELL_MS = 800
const WARM_UP_MS = 1_500

/** Requests that are neither committed nor cancelled end soon. One taker fills none of its orders. */
const ENDING = { QUOTE_REQUEST_TTL_MS: '5000', MAX_UNFILLED_ORDERS: '0' }

/** Connections of bare Fastify. */
const CONNECTIONS = 50

/** Who plays rounds: by what makers quote, and by what the taker sees the best. */
const WAYS = [
  { name: 'socket, poll', relay: 'socket', takerBy: 'poll' },
  { name: 'socket, stream', relay: 'socket', takerBy: 'stream' },
  { name: 'REST, poll', relay: 'rest', takerBy: 'poll' },
  { name: 'REST, stream', relay: 'rest', takerBy: 'stream' },
  { name: 'stand-in, poll', relay: 'standIn', takerBy: 'poll' },
  { name: 'stand-in, stream', relay: 'standIn', takerBy: 'stream' },
]

/** Least quotes for each message of the echo or request of bare Fastify, by makers. */
const GOALS = [
  { way: 'socket, poll', beside: 'echo', atLeast: { 10: 0.34, 100: 0.5 } },
  { way: 'socket, stream', beside: 'echo', atLeast: { 10: 0.3, 100: 0.42 } },
  { way: 'REST, poll', beside: 'bare', atLeast: {} },
  { way: 'REST, stream', beside: 'bare', atLeast: { 10: 0.35, 100: 0.5 } },
  { way: 'stand-in, poll', beside: 'echo', atLeast: {} },
  { way: 'stand-in, stream', beside: 'echo', atLeast: {} },
]

/** A lone round by stream, of the stand-in's. */
const MOST_OF_A_LONE_ROUND = 2

const COMPARATORS = { echo: 'bare ws echo', bare: 'bare Fastify' }

/** Whole rounds beside a relay that only passes quotes on. */
export const p3b = {
  id: 'P3B',
  title: 'rounds beside a relay that checks and keeps nothing, by REST and by socket',
  isApart: true,
  block: 'peer',
  run: async ({ quick, say }) => {
    const scenes = []
    for (const makers of MAKERS) {
      say(`${makers} makers come`)
      const lab = await openLab(makers)
      try {
        await takeTurns(2, lab.cells({ atOnce: BUSY, durationMs: quick ? CELL_MS : WARM_UP_MS }))
        for (const atOnce of AT_ONCE) {
          say(`${makers} makers, ${atOnce} rounds at a time`)
          const cells = lab.cells({ atOnce, durationMs: CELL_MS })
          scenes.push({ makers, atOnce, ...(await takeTurns(quick ? 3 : 7, cells)) })
        }
      } finally {
        await lab.close()
      }
    }
    const detail = detailOf(scenes)
    return { lines: linesOf(scenes), detail, pageDetail: busyOf(detail), notes: notesOf(scenes) }
  },
}

/** All systems, up at once, with so many makers each. @param {number} makers */
async function openLab(makers) {
  const keys = makerKeys(makers)
  const start = () =>
    startRelay({ flags: ['--memory', '--no-chain'], env: { ...ENDING, MAKER_API_KEYS: JSON.stringify(keys) } })
  const load = startWorker('load/quoting-load')
  const servers = {
    socket: await start(),
    rest: await start(),
    standIn: startWorker('lab/stand-in'),
    echo: startWorker('lab/bare-echo'),
    bare: startWorker('lab/bare-fastify'),
  }
  const ports = {
    socket: servers.socket.port,
    rest: servers.rest.port,
    standIn: await servers.standIn.call('listen'),
    echo: await servers.echo.call('listen'),
    bare: await servers.bare.call('listen'),
  }
  const series = await longestSeries(ports.rest)
  for (const name of ['socket', 'rest', 'standIn']) {
    await load.call('join', { name, port: ports[name], makersBy: name, keys, series })
  }
  const request = quoteRequest({ requestId: 'any', apiKey: 'any' })
  const requests = Array.from({ length: CONNECTIONS }, () => [request])
  const opening = await load.call('open', { port: ports.bare, requests })

  /** What a system does in a while, and what that takes of its thread and of the load's process. */
  const cell = (server, run) => async () => {
    const [cpuMs, loadMs, begun] = [await server.call('mainCpuMs'), await load.call('cpuMs'), performance.now()]
    const { latencies = [], ...result } = await run()
    const tookMs = performance.now() - begun
    return {
      perSecond: result.perSecond,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      cpuUs: (((await server.call('mainCpuMs')) - cpuMs) * 1_000) / result.count,
      loadShare: ((await load.call('cpuMs')) - loadMs) / tookMs,
    }
  }

  return {
    cells: ({ atOnce, durationMs }) => ({
      ...Object.fromEntries(
        WAYS.map(({ name, relay, takerBy }) => [
          name,
          cell(servers[relay], () => load.call('play', { name: relay, takerBy, durationMs, atOnce })),
        ]),
      ),
      echo: cell(servers.echo, () => load.call('echo', { port: ports.echo, durationMs })),
      bare: cell(servers.bare, () => load.call('run', { opening, durationMs })),
    }),
    close: async () => {
      await load.stop()
      await Promise.all(Object.values(servers).map((server) => server.stop()))
    },
  }
}

function linesOf(scenes) {
  const busy = scenes.filter(({ atOnce }) => atOnce === BUSY)
  const lone = scenes.filter(({ atOnce }) => atOnce === 1)
  const carried = GOALS.flatMap(({ way, beside, atLeast }) =>
    busy.map((scene) => {
      const samples = scene[way].map(({ perSecond }) => perSecond)
      const partners = scene[beside].map(({ perSecond }) => perSecond)
      const goal = atLeast[scene.makers]
      return {
        what: `quotes a second, ${way}, ${scene.makers} makers`,
        ours: { name: 'relay', unit: '/s', samples },
        comparator: { name: COMPARATORS[beside], unit: '/s', samples: partners },
        ratio: ratios(samples, partners),
        goal: goal === undefined ? null : { atLeast: goal },
      }
    }),
  )
  const waited = lone.map((scene) => {
    const samples = scene['socket, stream'].map(({ p50 }) => p50)
    const partners = scene['stand-in, stream'].map(({ p50 }) => p50)
    return {
      what: `a lone round, socket, stream, ${scene.makers} makers, p50`,
      ours: { name: 'relay', unit: 'ms', samples },
      comparator: { name: 'stand-in', unit: 'ms', samples: partners },
      ratio: ratios(samples, partners),
      goal: { atMost: MOST_OF_A_LONE_ROUND },
    }
  })
  return [...carried, ...waited]
}

const HEAD = [
  'makers',
  'at once',
  'quotes, taker',
  'quotes/s',
  'of the echo',
  'of bare Fastify',
  'p50, ms',
  'p99, ms',
  'µs a quote',
]

function detailOf(scenes) {
  return [HEAD, ...scenes.flatMap((scene) => [...WAYS.map(({ name }) => name), 'echo', 'bare'].map(rowOf(scene)))]
}

/** What the lines do not say of the busy scene. */
const busyOf = ([head, ...rows]) =>
  [head, ...rows.filter(([, atOnce, , , , , p50]) => atOnce === String(BUSY) && p50 !== '')].map(
    ([makers, , way, , , , ...figures]) => [makers, way, ...figures],
  )

const rowOf = (scene) => (name) => {
  const figures = scene[name]
  const middle = (of) => median(figures.map(of))
  const of = (other) =>
    median(
      ratios(
        figures.map(({ perSecond }) => perSecond),
        scene[other].map(({ perSecond }) => perSecond),
      ),
    ).toFixed(2)
  const ms = (value) => (Number.isFinite(value) ? value.toPrecision(2) : '')
  return [
    String(scene.makers),
    String(scene.atOnce),
    COMPARATORS[name] ?? name,
    Math.round(middle(({ perSecond }) => perSecond)).toLocaleString('en-US'),
    of('echo'),
    of('bare'),
    ms(middle(({ p50 }) => p50)),
    ms(middle(({ p99 }) => p99)),
    middle(({ cpuUs }) => cpuUs).toFixed(1),
  ]
}

function notesOf(scenes) {
  const shares = scenes.flatMap((scene) => [
    ...[...WAYS.map(({ name }) => name), 'echo', 'bare'].map((name) => ({
      name: COMPARATORS[name] ?? name,
      share: median(scene[name].map(({ loadShare }) => loadShare)),
    })),
  ])
  const most = shares.reduce((former, next) => (next.share > former.share ? next : former))
  return [
    `One process makes all load, of prepared bytes: ${Math.round(most.share * 100)} % of a core at most, by ${most.name}, and ${Math.round(median(shares.map(({ share }) => share)) * 100)} % in the middle.`,
    `Goals are about ${BUSY} rounds at a time, and a lone round. All systems are up at once and measured turn about, ${CELL_MS} ms each; figures are medians. µs are those of the thread that serves.`,
    'Poll is one look at the quotes once all are answered; the stand-in, whose makers are answered nothing, holds the call that asks until all have quoted.',
  ]
}
