import { randomUUID } from 'node:crypto'
import { POSTGRES_URL, runSql } from '../support/postgres.ts'

/** A database of its own on the test server; whoever makes it drops it, even under connections. */
export type Database = { url: string; drop: () => Promise<void> }

/** Makes an empty database. */
export async function createDatabase(): Promise<Database> {
  const name = `rfqctl_test_${randomUUID().replaceAll('-', '')}`
  await runSql(`create database ${name}`)
  const url = new URL(POSTGRES_URL as string)
  url.pathname = `/${name}`
  return { url: url.href, drop: async () => void (await runSql(`drop database ${name} with (force)`)) }
}
