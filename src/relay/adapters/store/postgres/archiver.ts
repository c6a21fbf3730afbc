import { Client } from 'pg'
import { connectionOptions, refusalOf, SCHEMA } from './database.ts'

/**
 * The age of the last log segment that a Postgres archived, milliseconds by its own clock; null where it never archived
 * one, or where its last attempt failed. Fails with `store_unavailable` when the database cannot be reached.
 */
export async function readArchivedAgeMs(url: string): Promise<number | null> {
  const client = new Client(connectionOptions(url, SCHEMA))
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ age: number | null }>(`
      select case when last_failed_time is null or last_failed_time < last_archived_time
        then (extract(epoch from now() - last_archived_time) * 1000)::float8 end as age
      from pg_stat_archiver`)
    return rows[0]?.age ?? null
  } catch (fault) {
    throw refusalOf(fault)
  } finally {
    await client.end().catch(() => {})
  }
}
