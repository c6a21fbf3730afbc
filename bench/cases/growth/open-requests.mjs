import { startRelay } from '../../lab/relay.mjs'
import { longestSeries, makerKeys, openRequestBody, quoteRequest } from '../../lab/scene.mjs'
import { startWorker } from '../../lab/worker.mjs'
import { encodeRequest } from '../../load/http-connection.mjs'
import { takeTurns } from '../../rounds.mjs'
import { timeOf } from './time-of.mjs'

const SIZES = [10, 100, 1_000, 10_000, 100_000]

/** Requests whose quotes are timed, spread over all that are open. */
const QUOTED = 10

/** Longer than the measurement: nothing expires meanwhile. */
const TTL_MS = '3600000'

/** The time of a quote with 10 to 100,000 open requests, beside a relay that has 10 throughout. */
export async function compareOpenRequests({ quick, say }) {
  const [key] = makerKeys(1)
  const env = { MAKER_API_KEYS: JSON.stringify([key]), QUOTE_REQUEST_TTL_MS: TTL_MS }
  const [small, large] = await Promise.all([0, 1].map(() => startRelay({ flags: ['--memory', '--no-chain'], env })))
  const load = startWorker('load/http-load')
  try {
    const timeQuote = await openQuoters(load, small, key)
    const points = []
    let open = SIZES[0]
    let timeLarge = await openQuoters(load, large, key)
    for (const size of SIZES.slice(0, quick ? 4 : SIZES.length)) {
      say(`${size} open requests`)
      if (size > open) await openMany(load, large, size - open - QUOTED)
      if (size > open) timeLarge = await openQuoters(load, large, key)
      open = size
      const samples = await takeTurns(quick ? 3 : 7, { small: timeQuote, large: timeLarge })
      points.push({ size, ...samples })
    }
    return {
      what: `a quote, ${points.at(-1).size.toLocaleString('en-US')} open requests`,
      file: 'growth-open-requests.svg',
      title: 'Time of a quote by the number of open requests',
      x: 'open requests',
      atMost: 1.2,
      points,
    }
  } finally {
    await Promise.all([small.stop(), large.stop(), load.stop()])
  }
}

/** Opens requests, and gives what quotes on them one call at a time for half a second: the median, milliseconds. */
async function openQuoters(load, { port }, { apiKey }) {
  const ids = await load.call('collect', { port, request: await createOf(port), count: QUOTED, field: 'requestId' })
  const requests = [Array.from({ length: 200 }, (_, i) => quoteRequest({ requestId: ids[i % QUOTED], apiKey }))]
  const opening = await load.call('open', { port, requests })
  await load.call('run', { opening, durationMs: 1_000 })
  return () => timeOf(load, opening)
}

const openMany = async (load, { port }, count) =>
  load.call('collect', { port, request: await createOf(port), count, field: null })

const createOf = async (port) =>
  encodeRequest('POST', '/quote-requests', { body: openRequestBody(await longestSeries(port)) })
