import { createClient } from '@redis/client'
import { Client } from 'pg'

/** A client that answers as `redis-cli` shows it. */
const clientOf = (url: string) => createClient({ url, RESP: 2 })

/** How each type of Redis is read in full. */
const READ: Readonly<Record<string, (key: string) => string[]>> = {
  string: (key) => ['GET', key],
  hash: (key) => ['HGETALL', key],
  list: (key) => ['LRANGE', key, '0', '-1'],
  set: (key) => ['SMEMBERS', key],
  zset: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  stream: (key) => ['XRANGE', key, '-', '+'],
}

/** Everything that a Redis holds, as text. */
export async function dumpRedis(url: string): Promise<string> {
  const client = clientOf(url)
  await client.connect()
  try {
    const lines: string[] = []
    for (const key of await client.sendCommand<string[]>(['KEYS', '*'])) {
      const type = await client.sendCommand<string>(['TYPE', key])
      // One that has run out since is of no type.
      const value = type === 'none' ? null : await client.sendCommand((READ[type] as (key: string) => string[])(key))
      lines.push(`${key} ${JSON.stringify(value)}`)
    }
    return lines.join('\n')
  } finally {
    client.destroy()
  }
}

/** Every row of every table of a Postgres database that is not its own, as text. */
export async function dumpPostgres(url: string): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const lines: string[] = []
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
      lines.push(name)
      for (const { row } of rows) lines.push(row)
    }
    return lines.join('\n')
  } finally {
    await client.end()
  }
}
