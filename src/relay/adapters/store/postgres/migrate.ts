import { withClient } from './database.ts'
import { INITIAL, MIGRATIONS, type Migration } from './schema/migrations.ts'

/** The first half of the advisory lock, "RFQM"; the other half is the schema. */
const MIGRATION_CLASS = 0x5246514d

/** Longest wait for the migration of another node, in milliseconds. */
const PATIENCE_MS = 60_000

/**
 * Migrates the schema, all steps or none, and returns the version before and after. Nodes that start at the same time
 * wait for each other; additions of a newer version are left alone.
 * Fails with `store_unavailable` when the database cannot be reached.
 */
export function migrate(parts: {
  url: string
  schema: string
  migrations?: readonly Migration[]
}): Promise<{ from: number; to: number }> {
  const { url, schema, migrations = MIGRATIONS } = parts
  const patience = { statement_timeout: PATIENCE_MS, lock_timeout: PATIENCE_MS, query_timeout: PATIENCE_MS }
  return withClient(
    { url, schema },
    async (client) => {
      await client.query('begin')
      await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [MIGRATION_CLASS, schema])
      await client.query(`create schema if not exists ${schema}`)
      await client.query(`create table if not exists schema_versions (
        version integer primary key, applied_at timestamptz not null default now()
      )`)
      const { rows } = await client.query('select coalesce(max(version), 0) as version from schema_versions')
      const from: number = rows[0].version
      let to = from
      const later = migrations.filter(({ version }) => version > (from === 0 ? INITIAL.version : from))
      for (const { version, sql } of from === 0 ? [INITIAL, ...later] : later) {
        await client.query(sql)
        await client.query('insert into schema_versions (version) values ($1)', [version])
        to = version
      }
      await client.query('commit')
      return { from, to }
    },
    patience,
  )
}
