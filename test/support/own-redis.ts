import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '@redis/client'
import { findProgram, type Service, startRedis } from '../../src/sandbox/services/services.ts'
import { findFreePort } from './free-port.ts'

/** A Redis server of a test's own, which it may treat as it likes. It keeps nothing on disk. */
export type OwnRedis = {
  url: string
  /** Ends it as a crash does; what it held is gone. */
  kill: () => Promise<void>
  /** Starts it, empty, and resolves when it answers. */
  start: () => Promise<void>
  /** Stops it where it stands: connections stay and nothing is answered. */
  freeze: () => void
  thaw: () => void
  send: <Reply>(...command: string[]) => Promise<Reply>
}

const PROGRAM = findProgram('redis-server', process.env.PATH ?? '')

export const HAS_REDIS: boolean = PROGRAM !== null

/** What a server is, other than a primary of its own: a replica of one, or the sentinel of a file of settings. */
type Role = { replicaOf?: number; config?: string }

/** A new server on a free port of the loopback, started. */
export async function createOwnRedis({ replicaOf, config }: Role = {}): Promise<OwnRedis> {
  const port = await findFreePort()
  const url = `redis://127.0.0.1:${port}`
  // What a replica is sent it would write down first, where the tests are run.
  const diskless = ['--repl-diskless-load', 'on-empty-db']
  const replicaOption = replicaOf === undefined ? [] : ['--replicaof', `127.0.0.1 ${replicaOf}`, ...diskless]
  const args = config === undefined ? ['--save', '', '--appendonly', 'no', ...replicaOption] : [config, '--sentinel']
  let server: Service | null = null

  async function send<Reply>(...command: string[]): Promise<Reply> {
    const client = createClient({ url, RESP: 2, socket: { reconnectStrategy: false } })
    client.on('error', () => {})
    await client.connect()
    try {
      return await client.sendCommand<Reply>(command)
    } finally {
      client.destroy()
    }
  }

  const signal = (name: NodeJS.Signals) => server !== null && process.kill(server.pid, name)

  const own: OwnRedis = {
    url,
    kill: async () => {
      await server?.stop('SIGKILL')
      server = null
    },
    start: async () => {
      server = await startRedis(PROGRAM ?? '', { port, args })
      const answers = () => send('PING').catch(() => false)
      while (!(await answers())) await delay(20)
    },
    freeze: () => void signal('SIGSTOP'),
    thaw: () => void signal('SIGCONT'),
    send,
  }
  await own.start()
  return own
}
