import { SCHEMA, withClient } from './database.ts'

/**
 * The age of the last log segment that a Postgres archived, milliseconds by its own clock; null where it never archived
 * one, or where its last attempt failed. Fails with `store_unavailable` when the database cannot be reached.
 */
export const readArchivedAgeMs = (url: string): Promise<number | null> =>
  withClient({ url, schema: SCHEMA }, async (client) => {
    const { rows } = await client.query<{ age: number | null }>(`
      select case when last_failed_time is null or last_failed_time < last_archived_time
        then (extract(epoch from now() - last_archived_time) * 1000)::float8 end as age
      from pg_stat_archiver`)
    return rows[0]?.age ?? null
  })

/**
 * The number of servers that follow a Postgres, and whether commits wait for any of them. A receiver that only stores
 * the log, or copies once, does not count. Fails with `store_unavailable` when the database cannot be reached.
 */
export const readStandbys = (url: string): Promise<{ count: number; isSynchronous: boolean }> =>
  withClient({ url, schema: SCHEMA }, async (client) => {
    const { rows } = await client.query<{ count: number; isSynchronous: boolean }>(`
      select count(*) as count, current_setting('synchronous_standby_names') <> '' as "isSynchronous" from pg_stat_replication
      where coalesce(application_name not in ('pg_receivewal', 'pg_basebackup'), true)`)
    return rows[0] ?? { count: 0, isSynchronous: false }
  })
