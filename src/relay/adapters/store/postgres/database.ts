import { RfqError } from '@rfqctl/protocol/domain/errors'
import { Client, type ClientConfig, Pool, types } from 'pg'
import type { Log } from '../../../core/ports/runtime.ts'
import { SCHEMA_VERSION } from './schema/migrations.ts'

export const SCHEMA = 'rfqctl'

export type Query = <Row>(sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>

/** Every call fails with `store_unavailable` in an outage: the statement may have run. */
export type Database = {
  /** Each statement is a transaction of its own. */
  query: Query
  /**
   * Statements of one transaction, of which each sees what the locks of those before it were waited for. All of them take effect, or none
   * where the work fails.
   */
  transaction: <Result>(work: (query: Query) => Promise<Result>) => Promise<Result>
  close: () => Promise<void>
}

export type PoolUse = { inUse: number; waiting: number }

/** Bounds of each step, in milliseconds: a taker waits for it, and a 503 is better than silence. */
const CONNECT_MS = 2_000
const LOCK_MS = 2_000
const STATEMENT_MS = 5_000
/** The server's own limit comes first; this is for one that does not answer at all. */
const ANSWER_MS = STATEMENT_MS + 1_000
const IDLE_IN_TRANSACTION_MS = 10_000

/** Statements at the same time; the relay's are short. */
const CONNECTIONS = 10

/** The type of 64-bit integers: here times, nonces and counts, all below 2^53. */
const INT8 = 20

/** The SQLSTATE classes of our own mistakes: bad data, a broken constraint, a bad statement. */
const OWN_MISTAKES = ['22', '23', '42']

/** Independent of the server's defaults: conditional updates see the first's work, and commits are on disk. */
const SERVER_SETTINGS = '-c default_transaction_isolation=read\\ committed -c synchronous_commit=on'

export const connectionOptions = (url: string, schema: string) => ({
  connectionString: url,
  application_name: `rfqctl ${process.pid}`,
  // With this the database refuses what a program may not do beside a newer one.
  options: `-c search_path=${schema} -c rfqctl.schema=${SCHEMA_VERSION} ${SERVER_SETTINGS}`,
  connectionTimeoutMillis: CONNECT_MS,
  statement_timeout: STATEMENT_MS,
  lock_timeout: LOCK_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  query_timeout: ANSWER_MS,
  keepAlive: true,
  types: {
    getTypeParser: ((oid: number, format?: 'text') =>
      oid === INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
  },
})

type Place = { url: string; schema: string }

/** A connection of its own, to be ended. Fails with `store_unavailable`. */
export async function connectClient(place: Place, timeouts?: ClientConfig): Promise<Client> {
  const client = new Client({ ...connectionOptions(place.url, place.schema), ...timeouts })
  // A broken connection also fails the running call, which reports it.
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw refusalOf(error)
  }
}

/** Runs work on a connection of its own. Fails with `store_unavailable`, and with what `isOwn` tells from an outage. */
export async function withClient<Result>(
  place: Place,
  work: (client: Client) => Promise<Result>,
  { isOwn = () => false, ...timeouts }: ClientConfig & { isOwn?: (error: unknown) => boolean } = {},
): Promise<Result> {
  const client = await connectClient(place, timeouts)
  try {
    return await work(client)
  } catch (error) {
    throw isOwn(error) ? error : refusalOf(error)
  } finally {
    await client.end().catch(() => {})
  }
}

/** No connection is opened before the first call. */
export function createDatabase({ url, schema, log }: Place & { log: Log }): Database & { use: () => PoolUse } {
  const pool = new Pool({ ...connectionOptions(url, schema), max: CONNECTIONS })
  // An idle connection that breaks is replaced at the next call; without a listener it would end the process.
  pool.on('error', (fault) => log.warn('database_connection_lost', { fault: refusalOf(fault) }))

  // The statements are few. Named ones are planned once per connection, which saves a fifth of what a trade costs
  // Postgres.
  const names = new Map<string, string>()
  const nameOf = (sql: string): string => {
    const known = names.get(sql) ?? `s${names.size}`
    names.set(sql, known)
    return known
  }

  const queryOn =
    (runner: Pick<Pool, 'query'>): Query =>
    async (sql, values = []) => {
      try {
        return (await runner.query({ name: nameOf(sql), text: sql, values: values.map(storable) })).rows
      } catch (error) {
        throw refusalOf(error)
      }
    }
  const query = queryOn(pool)

  async function transaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    const client = await pool.connect().catch((error) => {
      throw refusalOf(error)
    })
    // A connection that breaks also fails the running call, which reports it; without a listener it would end the process.
    const ignore = () => {}
    client.on('error', ignore)
    const run = queryOn(client)
    let isOver = false
    try {
      await run('begin')
      const result = await work(run)
      await run('commit')
      isOver = true
      return result
    } catch (fault) {
      isOver = await run('rollback').then(
        () => true,
        () => false,
      )
      throw fault
    } finally {
      client.off('error', ignore)
      client.release(!isOver)
    }
  }

  const use = () => ({ inUse: pool.totalCount - pool.idleCount, waiting: pool.waitingCount })
  return { query, transaction, use, close: () => pool.end() }
}

/** Text of Postgres holds no NUL. No id has one, so a look-up by such a text finds nothing, as it should. */
const storable = (value: unknown): unknown => (typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value)

/** Outages become refusals; our own mistakes pass unchanged. */
export function refusalOf(error: unknown): unknown {
  const { code } = error as { code?: unknown }
  if (error instanceof RfqError || OWN_MISTAKES.includes(String(code).slice(0, 2))) return error
  return new RfqError('store_unavailable', { cause: error })
}
