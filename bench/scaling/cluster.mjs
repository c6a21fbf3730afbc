import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findPostgres, findProgram } from '../../dist/devnet/programs.js'
import { startPostgres, startRedis } from '../../dist/devnet/services.js'
import { BIN } from '../lab/relay.mjs'

/** Starts so many nodes without a chain on a Redis and a Postgres of their own. */
export async function startCluster({ nodes, env }) {
  const path = process.env.PATH ?? ''
  const programs = { redis: findProgram('redis-server', path), postgres: findPostgres(path) }
  if (programs.redis === null || programs.postgres === null) throw new Error('apt-get install redis-server postgresql')
  const [redis, postgres] = await Promise.all([startRedis(programs.redis), startPostgres(programs.postgres)])
  const dir = mkdtempSync(join(tmpdir(), 'rfqctl-scaling-'))
  const flags = ['--no-chain', '--database-url', postgres.url, '--redis-url', redis.url]
  const relays = await Promise.all(
    Array.from({ length: nodes }, (_, index) => startNode({ flags, env, dir: join(dir, `node-${index + 1}`) })),
  )
  return {
    redis,
    postgres,
    relays,
    stop: async () => {
      await Promise.all(relays.map(({ stop }) => stop()))
      await Promise.all([redis.stop(), postgres.stop()])
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function startNode({ flags, env, dir }) {
  const { PATH = '', HOME = '' } = process.env
  const args = [BIN, 'serve', '--json', '--port', '0', '--data-dir', dir, ...flags]
  const child = spawn(process.execPath, args, {
    env: { PATH, HOME, LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  child.once('exit', (code, signal) => {
    if (code !== 0) console.error(`a node ended with ${code ?? signal}`)
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  const { url, wsUrl } = JSON.parse(line)
  return {
    pid: child.pid,
    url,
    wsUrl,
    port: Number(new URL(url).port),
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}
