import { randomUUID } from 'node:crypto'
import { Client } from 'pg'

/** The server to test against; without one its suites are skipped, and say so. */
export const POSTGRES_URL = process.env.RFQCTL_TEST_POSTGRES_URL

/** Why a suite was skipped, as a part of its name. */
export const POSTGRES_HINT = POSTGRES_URL === undefined ? ' (skipped: set RFQCTL_TEST_POSTGRES_URL)' : ''

/** A schema of its own in the test database, and how to drop it with all that is in it. */
export function temporarySchema(): { url: string; schema: string; drop: () => Promise<void> } {
  const schema = `rfqctl_test_${randomUUID().replaceAll('-', '')}`
  return {
    url: POSTGRES_URL ?? '',
    schema,
    drop: async () => void (await runSql(`drop schema if exists ${schema} cascade`)),
  }
}

/** Runs one statement on a database, else on the test database, on a connection of its own. */
export async function runSql<Row>(sql: string, values: unknown[] = [], url = POSTGRES_URL): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  // The server may end while it is asked, which the query says.
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(sql, values)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

/** Takes the locks of a statement and holds them until told to let go; letting go twice is no fault. */
export async function holdLock(sql: string, values: unknown[] = []): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: POSTGRES_URL })
  await client.connect()
  await client.query('begin')
  await client.query(sql, values)
  return () => client.end()
}
