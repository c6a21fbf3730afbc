import { Client } from 'pg'
import { connectionOptions, refusalOf, SCHEMA } from './database.ts'

/**
 * The number of servers that follow a Postgres, and whether commits wait for any of them. A receiver that only stores
 * the log, or copies once, does not count. Fails with `store_unavailable` when the database cannot be reached.
 */
export async function readStandbys(url: string): Promise<{ count: number; isSynchronous: boolean }> {
  const client = new Client(connectionOptions(url, SCHEMA))
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ count: number; isSynchronous: boolean }>(`
      select count(*) as count, current_setting('synchronous_standby_names') <> '' as "isSynchronous" from pg_stat_replication
      where coalesce(application_name not in ('pg_receivewal', 'pg_basebackup'), true)`)
    return rows[0] ?? { count: 0, isSynchronous: false }
  } catch (fault) {
    throw refusalOf(fault)
  } finally {
    await client.end().catch(() => {})
  }
}
