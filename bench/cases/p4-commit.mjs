import { privateKeyToAccount } from 'viem/accounts'
import { startRelay } from '../lab/relay.mjs'
import { longestSeries, MAKER, makerKeys } from '../lab/scene.mjs'
import { startWorker } from '../lab/worker.mjs'
import { takeTurns } from '../rounds.mjs'
import { quantile, ratios } from '../stats.mjs'

const DIGEST = `0x${'5a'.repeat(32)}`
const [KEY] = makerKeys(1)

/** What `quote:accepted` and the answer to a commit are made of, in size. */
const MESSAGE = JSON.stringify({ type: 'quote:accepted', padding: 'x'.repeat(1_200) })
const ANSWER = JSON.stringify({ success: true, padding: 'x'.repeat(1_500) })

/** How long a commit takes beyond its maker's own signing. */
export const p4 = {
  id: 'P4',
  title: 'commit -> accepted -> confirm -> answer, beyond the signing',
  run: async ({ quick, say }) => {
    const rounds = quick ? 3 : 9
    const bare = await openBare()
    try {
      const lines = []
      for (const variant of VARIANTS) {
        say(variant.name)
        lines.push(...(await compare(variant, bare, rounds)))
      }
      return {
        lines,
        notes: [
          'The comparator does the same calls and messages and recovers a signature by the same library.',
          'Its maker goes on at once, where ours signs for a millisecond that is not counted; the line beside it signs, too.',
          'Two flushes write the bytes of a commit twice, each time to the disk.',
          'Of a firm quote the maker has signed before the clock runs; beside it are the commits that ask, of the same rounds.',
        ],
      }
    } finally {
      await bare.stop()
    }
  },
}

const TOLD = { p50: null, p99: null, firm: null }

/** Flushes that the taker of a file store waits for: of the acceptance, and of the confirm. */
const FLUSHES = 2

/** Flushed writes of one turn. */
const WRITES = 60

/** `warmUp` trades come first: until machine code is made of all that a trade runs through, it takes twice as long. */
const VARIANTS = [
  {
    name: 'memory store, no chain',
    flags: ['--memory', '--no-chain'],
    trades: 300,
    warmUp: 2_000,
    goals: { p50: { atMost: 2.5 }, p99: { atMost: 4 }, firm: null },
  },
  {
    name: 'file store, no chain',
    flags: ['--no-chain'],
    trades: 60,
    warmUp: 2_000,
    goals: { ...TOLD, firm: { atMost: 0.6 } },
    flushed: { atMost: 4 },
  },
  { name: 'file store, Anvil', flags: [], trades: 40, warmUp: 200, goals: TOLD },
]

async function compare({ name, flags, trades, warmUp, goals, flushed }, { load: bare, flush }, rounds) {
  // One taker fills none of its orders.
  const env = { MAKER_API_KEYS: JSON.stringify([KEY]), MAX_UNFILLED_ORDERS: '0' }
  const relay = await startRelay({ flags, env })
  const load = startWorker('load/trade-load')
  try {
    await connect(load, relay)
    await load.call('trade', { trades: warmUp })
    await load.call('tradeFirm', { trades: warmUp })
    await bare.call('shake', { times: warmUp })
    await bare.call('shakeSigning', { times: trades })
    const turns = await takeTurns(rounds, {
      ours: () => load.call('trade', { trades }),
      firm: () => load.call('tradeFirm', { trades }),
      theirs: () => bare.call('shake', { times: trades }),
      theirsSigning: () => bare.call('shakeSigning', { times: trades }),
      ...(flushed === undefined ? {} : { flushes: flush }),
    })
    const { ours, firm, theirs, theirsSigning, flushes = [] } = turns
    const beside = (what, share, goal, partners, samples = ours) =>
      lineOf({ what: `${name}, ${what}`, share, goal, ours: samples, partners })
    const soft = { name: 'asking the maker', turns: ours }
    return [
      beside('p50', 0.5, goals.p50, { name: 'bare handshake', turns: theirs }),
      beside('p50', 0.5, null, { name: 'its maker signs, too', turns: theirsSigning }),
      ...(flushed === undefined ? [] : [beside('p50', 0.5, flushed, { name: 'its two flushes', turns: flushes })]),
      beside('p99', 0.99, goals.p99, { name: 'bare handshake', turns: theirs }),
      beside('p99', 0.99, null, { name: 'its maker signs, too', turns: theirsSigning }),
      beside('firm, p50', 0.5, goals.firm, soft, firm),
      beside('firm, p99', 0.99, null, soft, firm),
    ]
  } finally {
    await load.stop()
    await relay.stop()
  }
}

const connect = async (load, { port }) =>
  load.call('connect', { port, apiKey: KEY.apiKey, series: await longestSeries(port) })

function lineOf({ what, share, goal, ours, partners }) {
  const samples = ours.map((latencies) => quantile(latencies, share))
  const theirs = partners.turns.map((latencies) => quantile(latencies, share))
  return {
    what,
    ours: { name: 'relay', unit: 'ms', samples },
    comparator: { name: partners.name, unit: 'ms', samples: theirs },
    ratio: ratios(samples, theirs),
    goal,
  }
}

async function openBare() {
  const server = startWorker('lab/bare-handshake')
  const load = startWorker('load/handshake-load')
  const store = startWorker('lab/store')
  const signature = await privateKeyToAccount(MAKER.privateKey).sign({ hash: DIGEST })
  const port = await server.call('listen', { digest: DIGEST, message: MESSAGE, answer: ANSWER })
  await load.call('connect', { port, signature })
  const { bytesEach: bytes } = await store.call('commits', { inFlight: 1, times: WRITES })
  return {
    load,
    /** How long a trade's flushes alone take, milliseconds. */
    flush: async () => [(FLUSHES * 1_000) / (await store.call('flushedWrites', { bytes, times: WRITES }))],
    stop: async () => {
      await Promise.all([load.stop(), server.stop(), store.stop()])
    },
  }
}
