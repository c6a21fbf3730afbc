import { startRelay } from '../../lab/relay.mjs'
import { longestSeries, makerKeys } from '../../lab/scene.mjs'
import { startWorker } from '../../lab/worker.mjs'
import { takeTurns } from '../../rounds.mjs'
import { median } from '../../stats.mjs'

/** Orders that the maker's wallet owes before the first turn: each measured trade adds one, on both sides. */
const FEW = 10
const MANY = 1_000

/** Trades of one turn: few, since they are owed, too. */
const TRADES = 3

/** Quotes of one turn. */
const QUOTES = 200

/** Longer than the measurement: nothing lapses meanwhile. */
const VALIDITY_MS = '3600000'

/** Contracts that a wallet of the sandbox cannot pay for together: with them, what takers have decides what is owed. */
const BEYOND_MEANS = 4_000_000

/** The time of a commit, and of a quote, beside 1,000 orders that its maker has signed and nobody has filled, and beside 10. */
export async function compareOwedOrders({ quick, say }) {
  const growths = []
  for (const { what, file, contracts } of VARIANTS) {
    say(what)
    const [few, many] = [await openTrader(FEW, contracts / FEW), await openTrader(MANY, contracts / MANY)]
    try {
      const turns = await takeTurns(quick ? 7 : 31, { small: few.trade, large: many.trade })
      const quotes = await takeTurns(quick ? 3 : 15, { small: few.quote, large: many.quote })
      growths.push({
        what: `a quote, its maker owes ${MANY.toLocaleString('en-US')} orders${what}`,
        file: file.replace('owed', 'owed-quotes'),
        title: `Time of a quote by the orders that its maker owes${what}`,
        x: 'orders signed and not filled',
        atMost: 1.2,
        points: [{ size: MANY, ...quotes }],
      })
      growths.push({
        what: `a commit, its maker owes ${MANY.toLocaleString('en-US')} orders${what}`,
        file,
        title: `Time of a commit by the orders that its maker owes${what}`,
        x: 'orders signed and not filled',
        atMost: 1.2,
        points: [{ size: MANY, ...turns }],
      })
    } finally {
      await Promise.all([few.stop(), many.stop()])
    }
  }
  return growths
}

const VARIANTS = [
  { what: '', file: 'growth-owed.svg', contracts: 100_000 },
  { what: ', more than it has', file: 'growth-owed-beyond.svg', contracts: BEYOND_MEANS },
]

/** Trades of another wallet after which the machine code is that of a relay that has run for long. */
const WARM_UP_TRADES = 400

/** A relay on a file store and a chain of its own, with a taker and a maker that owes so many orders of so many contracts. */
async function openTrader(orders, contracts) {
  const [key] = makerKeys(1)
  const env = { MAKER_API_KEYS: JSON.stringify([key]), ORDER_VALIDITY_MS: VALIDITY_MS, MAX_UNFILLED_ORDERS: '0' }
  const relay = await startRelay({ env })
  const [warmUp, load] = [startWorker('load/trade-load'), startWorker('load/trade-load')]
  const [, other] = relay.sandbox().makers
  const connection = { port: relay.port, apiKey: key.apiKey, series: await longestSeries(relay.port) }
  await warmUp.call('connect', { ...connection, privateKey: other.privateKey })
  await warmUp.call('trade', { trades: WARM_UP_TRADES })
  await warmUp.stop()
  await load.call('connect', { ...connection, contract: relay.ready })
  await load.call('owe', { orders, contracts })
  return {
    quote: async () => median(await load.call('quote', { quotes: QUOTES })),
    trade: async () => median(await load.call('trade', { trades: TRADES })),
    stop: async () => {
      await load.stop()
      await relay.stop()
    },
  }
}
