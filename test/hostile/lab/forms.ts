import { randomUUID } from 'node:crypto'
import { DEFINITIONS } from '../../../src/relay/config/definitions.ts'
import { createDatabase } from '../../kit/database.ts'
import { newFolder, removeFolder } from '../../kit/folder.ts'
import { keep } from '../../kit/keep.ts'
import type { MakerKey } from '../../kit/maker.ts'
import { type RelayProcess, startRelay } from '../../kit/relay-process.ts'
import { POSTGRES_URL } from '../../support/postgres.ts'
import { REDIS_URL } from '../../support/redis.ts'
import type { Facts } from './target.ts'

/** How a relay keeps things. */
export type Store = 'file' | 'postgres' | 'postgres and redis'

/** A relay to be attacked. */
export type Attacked = Facts & {
  process: RelayProcess
  /** Ends it as a crash does, and starts another on what it has kept. */
  restart: () => Promise<Attacked>
  /** Ends it, and removes what it kept. */
  remove: () => Promise<void>
}

/** The most heap that a relay under attack has, in MiB. */
const HEAP_MIB = 512

/** The folder of a build to attack in place of this one, to see what it does not stand. */
const OTHER_BUILD = process.env.RFQCTL_HOSTILE_BUILD

/** The bounds that an operator has who says nothing; other suites are started without them. */
const DEFAULT_BOUNDS = {
  REQUEST_RATE_PER_ADDRESS: String(DEFINITIONS.REQUEST_RATE_PER_ADDRESS.fallback),
  MAX_CONNECTIONS_PER_ADDRESS: String(DEFINITIONS.MAX_CONNECTIONS_PER_ADDRESS.fallback),
}

/** How many makers an operator of it knows. */
const KEYS = 400

/** Who the operator says it is. */
const OPERATOR_TOKEN = 'the-operator-token-of-the-hostile-suite'

/** Why there is no relay of this kind here; null: there is. */
export function whyMissing(store: Store): string | null {
  if (store !== 'file' && POSTGRES_URL === undefined) return 'set RFQCTL_TEST_POSTGRES_URL'
  if (store === 'postgres and redis' && REDIS_URL === undefined) return 'set RFQCTL_TEST_REDIS_URL'
  return null
}

type Options = {
  store?: Store
  flags?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** What the process is started by, in place of the shell: a program and its arguments, before those of Node. */
  through?: readonly string[]
}

/** Starts what an operator would: `rfqctl serve`, with a heap of 512 MiB and makers' keys. Without flags it has a chain. */
export async function startAttacked({
  store = 'file',
  flags = [],
  env = {},
  through,
}: Options = {}): Promise<Attacked> {
  const keys: MakerKey[] = Array.from({ length: KEYS }, (_, n) => ({
    makerId: `maker-${n}`,
    apiKey: `key-of-the-maker-${n}-0123456789`,
  }))
  const dataDir = newFolder()
  const database = store === 'file' ? null : await createDatabase()
  const settings = {
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
    MAKER_API_KEYS: JSON.stringify(keys),
    OPERATOR_TOKEN,
    ...DEFAULT_BOUNDS,
    ...(database === null ? {} : { DATABASE_URL: database.url }),
    ...(store === 'postgres and redis'
      ? { REDIS_URL: REDIS_URL as string, REDIS_PREFIX: `hostile-${randomUUID()}` }
      : {}),
    ...env,
  }

  async function start(): Promise<Attacked> {
    const process = await startRelay({
      flags,
      env: settings,
      dataDir,
      ...(through === undefined ? {} : { through }),
      ...(OTHER_BUILD === undefined ? {} : { root: OTHER_BUILD }),
    })
    keep(() => process.signal('SIGKILL'))
    return {
      process,
      ready: process.ready,
      pid: process.pid,
      keys,
      operatorToken: OPERATOR_TOKEN,
      restart: async () => {
        process.signal('SIGKILL')
        await process.exited
        return start()
      },
      remove: async () => {
        await process.stop()
        removeFolder(dataDir)
        await database?.drop()
      },
    }
  }
  return start()
}
