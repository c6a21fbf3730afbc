import { startRelay } from '../../lab/relay.mjs'
import { longestSeries, openRequest, quoteRequest } from '../../lab/scene.mjs'
import { startWorker } from '../../lab/worker.mjs'
import { takeTurns } from '../../rounds.mjs'
import { timeOf } from './time-of.mjs'

const SIZES = [1, 10, 100, 1_000, 5_000]

/** The time of a quote with 1 to 5,000 makers on its request, beside a request that has one. */
export async function compareQuotes({ quick, say }) {
  // In open mode each key is a maker of its own: five thousand static keys would not fit into an environment.
  const relay = await startRelay({ flags: ['--memory', '--no-chain'] })
  const load = startWorker('load/http-load')
  const { port } = relay
  try {
    const series = await longestSeries(port)
    const lonely = await openRequest(port, series)
    const busy = await openRequest(port, series)
    const quoter = async (requestId) => {
      const requests = [Array.from({ length: 200 }, () => quoteRequest({ requestId, apiKey: 'key-0' }))]
      const opening = await load.call('open', { port, requests })
      await load.call('run', { opening, durationMs: 1_000 })
      return () => timeOf(load, opening)
    }
    const small = await quoter(lonely)
    const large = await quoter(busy)
    const points = []
    let quotes = 1
    for (const size of SIZES) {
      say(`${size} quotes on a request`)
      const more = Array.from({ length: size - quotes }, (_, i) =>
        quoteRequest({ requestId: busy, apiKey: `key-${quotes + i}` }),
      )
      await load.call('sendAll', { port, requests: more })
      quotes = size
      points.push({ size, ...(await takeTurns(quick ? 3 : 7, { small, large })) })
    }
    return {
      what: `a quote, ${quotes.toLocaleString('en-US')} on the same request`,
      file: 'growth-quotes.svg',
      title: 'Time of a quote by the number of makers on its request',
      x: 'quotes on the request',
      atMost: 1.5,
      points,
    }
  } finally {
    await Promise.all([relay.stop(), load.stop()])
  }
}
