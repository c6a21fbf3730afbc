import { startRelay } from '../../lab/relay.mjs'
import { longestSeries, makerKeys, openRequestBody } from '../../lab/scene.mjs'
import { startWorker } from '../../lab/worker.mjs'
import { encodeRequest } from '../../load/http-connection.mjs'
import { takeTurns } from '../../rounds.mjs'
import { median } from '../../stats.mjs'

const SIZES = [0, 1_000, 10_000]

/** Trades of one turn. Few, and many turns: a disk has slow moments, which must fall on both alike. */
const TRADES = 5

/** Longer than the measurement: nothing expires meanwhile. */
const TTL_MS = '3600000'

/** About the longest that a taker may ask of: two surrogates a sign, and as many digits as an id can have. */
const QUESTION = '\u{1F600}'.repeat(290)
const YES_TOKEN = '1'.repeat(77)

/** The time of a commit on a file store with 0 to 10,000 open requests, beside a relay that has none. */
export async function compareOpenOnFile({ quick, say }) {
  const [small, large] = [await openTrader(), await openTrader()]
  try {
    const points = []
    let open = 0
    for (const size of SIZES.slice(0, quick ? 2 : SIZES.length)) {
      say(`${size} open requests on file`)
      await large.open(size - open)
      open = size
      points.push({ size, ...(await takeTurns(quick ? 5 : 21, { small: small.trade, large: large.trade })) })
    }
    return {
      what: `a commit, ${points.at(-1).size.toLocaleString('en-US')} open requests on file`,
      file: 'growth-open-on-file.svg',
      title: 'Time of a commit on a file store by the number of open requests',
      x: 'open requests',
      atMost: 2,
      points,
    }
  } finally {
    await Promise.all([small.stop(), large.stop()])
  }
}

/** Trades after which the machine code is that of a relay that has run for long. */
const WARM_UP_TRADES = 400

/** A relay on a file store, with a maker and a taker. */
async function openTrader() {
  const [key] = makerKeys(1)
  const env = { MAKER_API_KEYS: JSON.stringify([key]), QUOTE_REQUEST_TTL_MS: TTL_MS }
  const relay = await startRelay({ flags: ['--no-chain'], env })
  const [load, opener] = [startWorker('load/trade-load'), startWorker('load/http-load')]
  const series = await longestSeries(relay.port)
  await load.call('connect', { port: relay.port, apiKey: key.apiKey, series })
  await load.call('trade', { trades: WARM_UP_TRADES })
  const { market, ...terms } = openRequestBody(series)
  const body = { ...terms, market: { ...market, question: QUESTION, yesTokenId: YES_TOKEN } }
  const request = encodeRequest('POST', '/quote-requests', { body })
  return {
    open: async (count) => {
      if (count > 0) await opener.call('collect', { port: relay.port, request, count, field: null })
    },
    trade: async () => median(await load.call('trade', { trades: TRADES })),
    stop: async () => {
      await Promise.all([load.stop(), opener.stop()])
      await relay.stop()
    },
  }
}
