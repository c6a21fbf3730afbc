import { startRelay } from '../lab/relay.mjs'
import { makerKeys } from '../lab/scene.mjs'
import { startWorker } from '../lab/worker.mjs'
import { encodeRequest } from '../load/http-connection.mjs'
import { median } from '../stats.mjs'

const SIZES = [100, 500, 1_000, 2_500, 5_000]

const STREAM = '/v1/mm/quote-requests/stream'

/** What a maker that only listens costs. */
export const p6 = {
  id: 'P6',
  title: 'resident memory of an idle maker stream',
  run: async ({ quick, say }) => {
    const ours = []
    const theirs = []
    for (let turn = 0; turn < (quick ? 1 : 3); turn += 1) {
      say(`turn ${turn + 1}`)
      ours.push(await weighRelay())
      theirs.push(await weighBare())
    }
    const kib = (turns) => turns.map((points) => points.at(-1)[1])
    return {
      lines: [
        {
          what: `a stream of ${SIZES.at(-1)}`,
          ours: { name: 'relay', unit: 'KiB', samples: kib(ours) },
          comparator: { name: 'bare Node', unit: 'KiB', samples: kib(theirs) },
          ratio: null,
          goal: { atMost: 16 },
        },
      ],
      plots: [
        {
          file: 'growth-memory.svg',
          title: 'Resident memory of one idle maker stream',
          x: 'streams',
          y: 'KiB each',
          curves: [
            { name: 'relay', points: middle(ours) },
            { name: 'bare Node SSE', points: middle(theirs) },
          ],
        },
      ],
    }
  },
}

/** Of all turns; with a hundred streams a page more or less of the process is half of what is weighed. */
const middle = (turns) => SIZES.map((size, i) => [size, median(turns.map((points) => points[i][1]))])

async function weighRelay() {
  const [key] = makerKeys(1)
  const relay = await startRelay({
    flags: ['--memory', '--no-chain'],
    env: { MAKER_API_KEYS: JSON.stringify([key]), MAX_STREAMS_PER_KEY: '10000' },
  })
  const hello = encodeRequest('GET', STREAM, { headers: { 'x-api-key': key.apiKey } })
  return weigh({ server: relay, port: relay.port, hello })
}

async function weighBare() {
  const bare = startWorker('lab/bare-streams')
  return weigh({ server: bare, port: await bare.call('listen'), hello: encodeRequest('GET', '/') })
}

/** KiB a stream by the number of streams. The first hundred are there before, so that what is loaded late is not counted. */
async function weigh({ server, port, hello }) {
  const load = startWorker('load/fan-out-load')
  try {
    await load.call('open', { port, hello, count: 100 })
    const empty = await server.call('residentBytes')
    const points = []
    let open = 0
    for (const size of SIZES) {
      await load.call('open', { port, hello, count: size - open })
      open = size
      points.push([size, ((await server.call('residentBytes')) - empty) / size / 1_024])
    }
    return points
  } finally {
    await load.stop()
    await server.stop()
  }
}
