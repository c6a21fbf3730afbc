import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRelay } from '../../lab/relay.mjs'
import { longestSeries, makerKeys } from '../../lab/scene.mjs'
import { startWorker } from '../../lab/worker.mjs'
import { takeTurns } from '../../rounds.mjs'
import { median } from '../../stats.mjs'

const SIZES = [0, 1_000, 10_000, 100_000]

/** Trades of one turn. Few, and many turns: a disk has slow moments, which must fall on both alike. */
const TRADES = 5

/** The time of a commit with 0 to 100,000 executions on file, beside a relay that started with none. */
export async function compareExecutions({ quick, say }) {
  const small = await openTrader(0)
  try {
    const points = []
    for (const size of SIZES.slice(0, quick ? 3 : SIZES.length)) {
      say(`${size} executions on file`)
      points.push({ size, ...(await compare(small, size, quick ? 5 : 21)) })
    }
    return {
      what: `a commit, ${points.at(-1).size.toLocaleString('en-US')} executions on file`,
      file: 'growth-executions.svg',
      title: 'Time of a commit by the number of executions on file',
      x: 'executions on file',
      atMost: 1.2,
      points,
    }
  } finally {
    await small.stop()
  }
}

async function compare(small, size, turns) {
  const large = await openTrader(size)
  try {
    return await takeTurns(turns, { small: small.trade, large: large.trade })
  } finally {
    await large.stop()
  }
}

/** Trades after which the machine code is that of a relay that has run for long. */
const WARM_UP_TRADES = 400

/** A relay on a file store that holds so many executions, with a maker and a taker. */
async function openTrader(executions) {
  const dataDir = mkdtempSync(join(tmpdir(), 'rfqctl-bench-'))
  const filler = startWorker('lab/store')
  await filler.call('fill', { dir: dataDir, executions })
  await filler.stop()
  const [key] = makerKeys(1)
  const relay = await startRelay({ flags: ['--no-chain'], env: { MAKER_API_KEYS: JSON.stringify([key]) }, dataDir })
  const load = startWorker('load/trade-load')
  await load.call('connect', { port: relay.port, apiKey: key.apiKey, series: await longestSeries(relay.port) })
  await load.call('trade', { trades: WARM_UP_TRADES })
  return {
    trade: async () => median(await load.call('trade', { trades: TRADES })),
    stop: async () => {
      await load.stop()
      await relay.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
