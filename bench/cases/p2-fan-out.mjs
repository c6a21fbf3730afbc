import { startNats } from '../lab/nats.mjs'
import { startRelay } from '../lab/relay.mjs'
import { longestSeries, makerKeys, openRequestBody } from '../lab/scene.mjs'
import { startWorker } from '../lab/worker.mjs'
import { encodeRequest } from '../load/http-connection.mjs'
import { takeTurns } from '../rounds.mjs'
import { median, ratios } from '../stats.mjs'

const READERS = [100, 1_000, 5_000]

/** Broadcasts of one turn: fewer to more readers, so that each turn takes about a second at most. */
const BROADCASTS = { 100: 50, 1000: 20, 5000: 8 }

const STREAM = '/v1/mm/quote-requests/stream'

/** How soon the last of many makers hears of a request. */
export const p2 = {
  id: 'P2',
  title: 'one create until the last of N makers has it',
  run: async ({ quick, say }) => {
    const scenes = []
    for (const readers of READERS) {
      say(`${readers} makers`)
      scenes.push({ readers, ...(await compare(readers, { turns: quick ? 3 : 7, times: BROADCASTS[readers] })) })
    }
    return { lines: scenes.flatMap(linesOf), plots: [plotOf(scenes)] }
  },
}

async function compare(readers, { turns, times }) {
  const [key] = makerKeys(1)
  const relay = await startRelay({
    flags: ['--memory', '--no-chain'],
    env: { MAKER_API_KEYS: JSON.stringify([key]), MAX_STREAMS_PER_KEY: String(readers + 1) },
  })
  const bare = startWorker('lab/bare-streams')
  const nats = await startNats()
  const load = startWorker('load/fan-out-load')
  try {
    const create = encodeRequest('POST', '/quote-requests', { body: openRequestBody(await longestSeries(relay.port)) })
    const hello = encodeRequest('GET', STREAM, { headers: { 'x-api-key': key.apiKey } })
    const ours = await load.call('open', { port: relay.port, hello, count: readers })
    const frame = await load.call('sample', { opening: ours, trigger: create })
    await bare.call('setFrame', frame)
    const port = await bare.call('listen')
    const plain = await load.call('open', { port, hello: encodeRequest('GET', '/'), count: readers })
    const busy = nats && (await load.call('open', { port: nats.port, hello: nats.subscribe, count: readers }))
    const broadcast = (opening, trigger) => async () =>
      median(await load.call('broadcast', { opening, triggers: Array(times).fill(trigger) }))
    const measurements = {
      relay: broadcast(ours, create),
      loop: broadcast(plain, encodeRequest('POST', '/', { body: {} })),
      ...(nats === null ? {} : { nats: broadcast(busy, nats.publish(frame)) }),
    }
    await takeTurns(2, measurements)
    return await takeTurns(turns, measurements)
  } finally {
    await Promise.all([load.stop(), relay.stop(), bare.stop(), nats?.stop()])
  }
}

function linesOf({ readers, relay, loop, nats }) {
  const ours = { name: 'relay', unit: 'ms', samples: relay }
  const beside = (name, samples, goal) => ({
    what: `${readers.toLocaleString('en-US')} makers`,
    ours,
    comparator: { name, unit: 'ms', samples },
    ratio: ratios(relay, samples),
    goal,
  })
  const isLargest = readers === Math.max(...READERS)
  return [
    beside('loop of writes', loop, isLargest ? { atMost: 1.15 } : null),
    ...(nats === undefined ? [] : [beside('nats-server', nats, isLargest ? { atMost: 1 } : null)]),
  ]
}

const plotOf = (scenes) => ({
  file: 'growth-fan-out.svg',
  title: 'From one create to the last of many makers, for each maker',
  x: 'maker streams',
  y: 'µs each',
  curves: ['relay', 'loop'].map((name) => ({
    name: name === 'relay' ? 'relay' : 'loop of writes',
    points: scenes.map((scene) => [scene.readers, (median(scene[name]) * 1_000) / scene.readers]),
  })),
})
