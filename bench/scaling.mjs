import { cpus } from 'node:os'
import { startCluster } from './scaling/cluster.mjs'
import { MAKERS, openRequests, putQuotes, trade } from './scaling/load.mjs'
import { processorMs } from './scaling/processor-time.mjs'

/**
 * What one, two and three nodes carry on this machine, and what each call costs in processor time: of the nodes, of Redis
 * and of Postgres. The machine is shared by all of them and by the load itself, so that the costs say more than the rates.
 * Prints one JSON object per line. `node bench/scaling.mjs [nodes ...]`, after `npm run build`.
 */
const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1, 2, 3]
const env = {
  MAKER_API_KEYS: JSON.stringify(MAKERS.map(({ makerId, apiKey }) => ({ makerId, apiKey }))),
  MAX_STREAMS_PER_KEY: '1000',
}

const LOADS = {
  quotes: (relays) => putQuotes(relays, 12),
  requests: (relays) => openRequests(relays, 6, 20),
  trades: (relays) => trade(relays, 6),
}

console.log(JSON.stringify({ machine: cpus()[0]?.model, cores: cpus().length, node: process.version }))
for (const nodes of counts) {
  const cluster = await startCluster({ nodes, env })
  try {
    for (const [load, put] of Object.entries(LOADS)) {
      await put(cluster.relays)
      const before = costs(cluster)
      const { count, ...result } = await put(cluster.relays)
      const after = costs(cluster)
      const microsecondsEach = Object.fromEntries(
        Object.keys(before).map((part) => [part, Math.round(((after[part] - before[part]) * 1_000) / count)]),
      )
      const rounded = Object.fromEntries(
        Object.entries(result).map(([name, value]) => [name, Number(value.toFixed(1))]),
      )
      console.log(JSON.stringify({ nodes, load, ...rounded, microsecondsEach }))
    }
  } finally {
    await cluster.stop()
  }
}

function costs({ relays, redis, postgres }) {
  return {
    nodes: processorMs(relays.map(({ pid }) => pid)),
    redis: processorMs([redis.pid]),
    postgres: processorMs([postgres.pid]),
    load: processorMs([process.pid]) - processorMs([...relays.map(({ pid }) => pid), redis.pid, postgres.pid]),
  }
}
