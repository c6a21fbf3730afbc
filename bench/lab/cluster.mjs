import { findPostgres, findProgram, startPostgres, startRedis } from '../../dist/modules/sandbox/services/services.js'
import { processorMs } from './processor-time.mjs'
import { startRelay } from './relay.mjs'

/**
 * Nodes without a chain on a Redis and a Postgres of their own, both of which flush and keep what they promise; one more node for
 * each of `others`, with settings of its own.
 */
export async function startCluster({ nodes, env = {}, others = [] }) {
  const path = process.env.PATH ?? ''
  const programs = { redis: findProgram('redis-server', path), postgres: findPostgres(path) }
  if (programs.redis === null || programs.postgres === null) throw new Error('apt-get install redis-server postgresql')
  const [redis, postgres] = await Promise.all([startRedis(programs.redis), startPostgres(programs.postgres)])
  const flags = ['--no-chain', '--database-url', postgres.url, '--redis-url', redis.url]
  const settings = [...Array.from({ length: nodes }, () => env), ...others.map((own) => ({ ...env, ...own }))]
  const all = await Promise.all(settings.map((own) => startRelay({ flags, env: own })))
  return {
    relays: all.slice(0, nodes),
    others: all.slice(nodes),
    databaseUrl: postgres.url,
    /** Processor time so far, in milliseconds. */
    costs: () => ({
      nodes: processorMs(all.map(({ pid }) => pid)),
      redis: processorMs([redis.pid]),
      postgres: processorMs([postgres.pid]),
    }),
    stop: async () => {
      await Promise.all(all.map(({ stop }) => stop()))
      await Promise.all([redis.stop(), postgres.stop()])
    },
  }
}
