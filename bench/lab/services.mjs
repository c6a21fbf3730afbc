import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * A Redis and a Postgres of their own on the loopback, in a folder that goes with them; null where one is not installed.
 * Postgres flushes what it promises, and does not run as root: there it becomes the user `postgres`.
 */
export async function startServices() {
  const bin = postgresBin()
  if (bin === null || spawnSync('redis-server', ['--version']).error !== undefined) return null
  const dir = mkdtempSync(join(tmpdir(), 'rfqctl-bench-'))
  const [redisPort, postgresPort] = [await freePort(), await freePort()]
  const redis = spawn(
    'redis-server',
    ['--bind', '127.0.0.1', '--port', String(redisPort), '--dir', dir, '--save', '', '--appendonly', 'no'],
    { stdio: 'ignore' },
  )
  const as = { stdio: /** @type {const} */ ('ignore'), cwd: '/', ...unprivileged(dir) }
  const data = join(dir, 'postgres')
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'rfqctl', '--auth=trust', '-E', 'UTF8'], as)
  const at = ['-D', data, '-h', '127.0.0.1', '-p', String(postgresPort), '-k', data]
  const postgres = spawn(join(bin, 'postgres'), at, as)
  await Promise.all([knock(redisPort), knock(postgresPort)])
  return {
    redisUrl: `redis://127.0.0.1:${redisPort}`,
    databaseUrl: `postgres://rfqctl@127.0.0.1:${postgresPort}/postgres`,
    stop: async () => {
      const ended = [redis, postgres].map((child) => new Promise((resolve) => child.once('exit', resolve)))
      redis.kill('SIGTERM')
      // Its fast shutdown: TERM would wait for clients.
      postgres.kill('SIGINT')
      await Promise.all(ended)
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** The folder of Postgres, which Debian keeps off the path. */
function postgresBin() {
  const { stdout, status } = spawnSync(
    'sh',
    ['-c', 'dirname "$(command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb | tail -n 1)"'],
    {
      encoding: 'utf8',
    },
  )
  const bin = stdout.trim()
  return status === 0 && bin !== '.' && bin !== '' ? bin : null
}

function unprivileged(dir) {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const user = { uid: idOf('-u'), gid: idOf('-g') }
  chownSync(dir, user.uid, user.gid)
  return user
}

/** Resolves when something listens on a port. */
async function knock(port) {
  for (let tries = 0; tries < 300; tries += 1) {
    if (await isOpen(port)) return
    await pause(100)
  }
  throw new Error(`nothing listens on port ${port}`)
}

const isOpen = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** A port that nobody listens on. @returns {Promise<number>} */
export const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
      server.close(() => resolve(port))
    })
  })
