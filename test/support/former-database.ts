import { Client } from 'pg'
import { FORMER_STEPS } from '../../src/relay/adapters/store/postgres/schema/former-steps.ts'

/** Makes a schema as the last release leaves it, without data. */
export async function makeFormerDatabase({ url, schema }: { url: string; schema: string }): Promise<void> {
  const client = new Client({ connectionString: url, options: `-c search_path=${schema}` })
  await client.connect()
  try {
    await client.query(`create schema ${schema}`)
    await client.query(
      'create table schema_versions (version integer primary key, applied_at timestamptz not null default now())',
    )
    for (const { version, sql } of FORMER_STEPS) {
      await client.query(sql)
      await client.query('insert into schema_versions (version) values ($1)', [version])
    }
  } finally {
    await client.end()
  }
}
