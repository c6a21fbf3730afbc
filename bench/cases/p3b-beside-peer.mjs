import { takeTurns } from '../rounds.mjs'
import { median, ratios } from '../stats.mjs'
import { openLab } from './peer/lab.mjs'
import { costLines, costTable } from './peer/round-cost.mjs'

/** Requests that are neither committed nor cancelled live just longer than a round of so many makers. */
const CROWDS = [
  { makers: 10, ttlMs: 500 },
  { makers: 100, ttlMs: 1_000 },
]

/** The scene that most goals are about: what keeps a relay busy; and what one taker waits. */
const [BUSY, LONE] = [20, 1]

/** Short, so that a moment in which the machine did something else spoils few of them. */
const CELL_MS = 800

/** Who plays rounds: by what makers quote, by what the taker sees the best, and how the requests end. */
const WAYS = [
  { name: 'socket, poll', relay: 'socket', takerBy: 'poll' },
  { name: 'socket, one call', relay: 'socket', takerBy: 'call' },
  { name: 'socket, stream', relay: 'socket', takerBy: 'stream' },
  { name: 'socket, stream on one call', relay: 'socket', takerBy: 'callThatStreams' },
  { name: 'REST, poll', relay: 'rest', takerBy: 'poll' },
  { name: 'REST, stream', relay: 'rest', takerBy: 'stream' },
  { name: 'stand-in, one call', relay: 'standIn', takerBy: 'call' },
  { name: 'stand-in, stream', relay: 'standIn', takerBy: 'stream' },
  { name: 'stand-in, stream on one call', relay: 'standIn', takerBy: 'callThatStreams' },
]

/** All requests end in one way. */
const ENDINGS = [
  { name: 'socket, poll, all end by time', relay: 'socket', takerBy: 'poll', ends: 'time' },
  { name: 'socket, poll, all are cancelled', relay: 'socket', takerBy: 'poll', ends: 'cancel' },
  { name: 'socket, poll, all are committed', relay: 'socket', takerBy: 'poll', ends: 'commit' },
]

/** What a silent public relay carried of messages of the echo, by makers: `lab/stand-in` has its shape. */
const PEER = { 10: 0.32, 100: 0.44 }

/** Least quotes for each message of the echo, of what the public relay carried, or for each request of bare Fastify. */
const GOALS = [
  { way: 'socket, poll', beside: 'echo', atLeast: { 10: 1 * PEER[10], 100: 1.2 * PEER[100] } },
  { way: 'socket, one call', beside: 'echo', atLeast: { 10: 1 * PEER[10], 100: 1.2 * PEER[100] } },
  { way: 'socket, stream on one call', beside: 'echo', atLeast: { 10: 0.8 * PEER[10], 100: 1 * PEER[100] } },
  { way: 'REST, poll', beside: 'bare', atLeast: { 10: 0.45, 100: 0.6 } },
]

/** A lone round by stream, of the stand-in's. */
const LONE_ROUNDS = [
  { way: 'socket, stream', beside: 'stand-in, stream' },
  { way: 'socket, stream on one call', beside: 'stand-in, stream on one call' },
]
const MOST_OF_A_LONE_ROUND = 1.5

const COMPARATORS = { echo: 'bare ws echo', bare: 'bare Fastify' }

/** Whole rounds beside a relay that only passes quotes on. */
export const p3b = {
  id: 'P3B',
  title: 'rounds beside a relay that checks and keeps nothing, by REST and by socket',
  isApart: true,
  block: 'peer',
  run: async ({ quick, say }) => {
    const scenes = []
    let ways = WAYS
    for (const { makers, ttlMs } of CROWDS) {
      say(`${makers} makers come`)
      const lab = await openLab({ makers, ttlMs, cellMs: CELL_MS })
      try {
        if (!(await lab.offersOneCall())) ways = WAYS.filter(({ name }) => !/^socket.* one call/.test(name))
        const busy = lab.cells({ ways: [...ways, ...ENDINGS], atOnce: BUSY })
        say('warming up')
        await takeTurns(quick ? 1 : 2, busy)
        say(`${makers} makers, ${BUSY} rounds at a time`)
        scenes.push({ makers, atOnce: BUSY, ...(await takeTurns(quick ? 2 : 7, busy)) })
        say(`${makers} makers, a lone round`)
        const lone = lab.cells({ ways, atOnce: LONE })
        scenes.push({ makers, atOnce: LONE, ...(await takeTurns(quick ? 2 : 5, lone)) })
      } finally {
        await lab.close()
      }
    }
    return reportOf(scenes, ways)
  },
}

function reportOf(scenes, ways) {
  const names = ways.map(({ name }) => name)
  const [busy, lone] = [BUSY, LONE].map((rounds) => scenes.filter(({ atOnce }) => atOnce === rounds))
  return {
    lines: [
      ...GOALS.filter(({ way }) => names.includes(way)).flatMap((goal) => busy.map(carried(goal))),
      ...LONE_ROUNDS.filter(({ way }) => names.includes(way)).flatMap((pair) => lone.map(waited(pair))),
      ...ENDINGS.flatMap((way) => costLines(busy, way)),
    ],
    detail: [HEAD, ...scenes.flatMap((scene) => rowsOf(scene))],
    pageDetail: costTable(busy, [...ways, ...ENDINGS]),
    notes: notesOf(scenes),
  }
}

const carried =
  ({ way, beside, atLeast }) =>
  (scene) => {
    const [samples, partners] = [way, beside].map((name) => scene[name].map(({ perSecond }) => perSecond))
    return {
      what: `quotes a second, ${way}, ${scene.makers} makers`,
      ours: { name: 'relay', unit: '/s', samples },
      comparator: { name: COMPARATORS[beside], unit: '/s', samples: partners },
      ratio: ratios(samples, partners),
      goal: { atLeast: Number(atLeast[scene.makers].toFixed(3)) },
    }
  }

const waited =
  ({ way, beside }) =>
  (scene) => {
    const [samples, partners] = [way, beside].map((name) => scene[name].map(({ p50 }) => p50))
    return {
      what: `a lone round, ${way}, ${scene.makers} makers, p50`,
      ours: { name: 'relay', unit: 'ms', samples },
      comparator: { name: 'stand-in', unit: 'ms', samples: partners },
      ratio: ratios(samples, partners),
      goal: { atMost: MOST_OF_A_LONE_ROUND },
    }
  }

const HEAD = ['makers', 'at once', 'quotes, taker', 'quotes/s', 'of the echo', 'of bare Fastify', 'µs a quote']

function rowsOf({ makers, atOnce, ...cells }) {
  return Object.entries(cells).map(([name, figures]) => {
    const perSecondOf = (cell) => cell.map(({ perSecond }) => perSecond)
    const of = (other) => median(ratios(perSecondOf(figures), perSecondOf(other))).toFixed(2)
    return [
      String(makers),
      String(atOnce),
      COMPARATORS[name] ?? name,
      Math.round(median(perSecondOf(figures))).toLocaleString('en-US'),
      of(cells.echo),
      of(cells.bare),
      median(figures.map(({ cpuUs }) => cpuUs)).toFixed(1),
    ]
  })
}

function notesOf(scenes) {
  const cells = scenes.flatMap(({ makers, atOnce, ...ofScene }) => Object.entries(ofScene))
  const shares = cells.map(([name, figures]) => ({
    name: COMPARATORS[name] ?? name,
    share: median(figures.map(({ loadShare }) => loadShare)),
  }))
  const most = shares.reduce((former, next) => (next.share > former.share ? next : former))
  const outlived = cells.flatMap(([, figures]) => figures).reduce((sum, cell) => sum + cell.outlived, 0)
  return [
    `One process makes all load, of prepared bytes: ${Math.round(most.share * 100)} % of a core at most, by ${most.name}, and ${Math.round(median(shares.map(({ share }) => share)) * 100)} % in the middle.`,
    `Goals are about ${BUSY} rounds at a time, and a lone round. All systems are up at once and measured turn about, ${CELL_MS} ms each; figures are medians. µs are those of the thread that serves; a round costs R + makers x q.`,
    'Poll is one look at the quotes once all are answered. The makers of the stand-in are answered nothing, and its requests have no end.',
    ...(outlived === 0
      ? []
      : [`Rounds that took longer than their requests live, and do not count: ${outlived}. The machine was too busy.`]),
  ]
}
