import { startRelay } from '../lab/relay.mjs'
import { longestSeries, makerKeys } from '../lab/scene.mjs'
import { startWorker } from '../lab/worker.mjs'
import { takeTurns } from '../rounds.mjs'
import { ratios } from '../stats.mjs'

/** What waits for a signature at the same time; each holds a commit open. */
const ORDERS = 300
const CONNECTIONS = 20

/** Turns until machine code is made of all that a confirm runs through. */
const WARM_UP_TURNS = 6

/** How many confirms a second the relay takes, each with a signature to recover. */
export const p5 = {
  id: 'P5',
  title: 'confirms a second',
  run: async ({ quick, say }) => {
    const [key] = makerKeys(1)
    const relay = await startRelay({
      flags: ['--memory', '--no-chain'],
      env: { MAKER_API_KEYS: JSON.stringify([key]) },
    })
    const load = startWorker('load/trade-load')
    const bare = startWorker('lab/recover')
    try {
      const series = await longestSeries(relay.port)
      await load.call('connect', { port: relay.port, apiKey: key?.apiKey ?? '', series })
      await bare.call('prepare', { orders: quick ? 100 : 400 })
      const confirm = async () => {
        await load.call('prepare', { trades: ORDERS })
        return ORDERS / ((await load.call('confirmAll', { connections: CONNECTIONS })) / 1_000)
      }
      say('warming up')
      for (let i = 0; i < WARM_UP_TURNS; i += 1) await confirm()
      await bare.call('viem')
      await bare.call('ours')
      say('measuring')
      const turns = await takeTurns(quick ? 3 : 9, {
        confirms: confirm,
        viem: () => bare.call('viem'),
        adapter: () => bare.call('ours'),
      })
      const longest = []
      for (let i = 0; i < (quick ? 3 : 9); i += 1) longest.push(await bare.call('longestMs'))
      const viem = { name: 'viem alone', unit: '/s', samples: turns.viem }
      return {
        lines: [
          {
            what: 'confirms a second, whole calls',
            ours: { name: 'relay', unit: '/s', samples: turns.confirms },
            comparator: viem,
            ratio: ratios(turns.confirms, turns.viem),
            goal: { atLeast: 3 },
          },
          {
            what: 'recoveries a second, alone',
            ours: { name: 'adapter', unit: '/s', samples: turns.adapter },
            comparator: viem,
            ratio: ratios(turns.adapter, turns.viem),
            goal: null,
          },
          {
            what: 'longest single recovery',
            ours: { name: 'adapter', unit: 'ms', samples: longest },
            comparator: null,
            ratio: null,
            goal: { atMost: 2 },
          },
        ],
      }
    } finally {
      await Promise.all([relay.stop(), load.stop(), bare.stop()])
    }
  },
}
