import { randomUUID } from 'node:crypto'
import { createClient } from '@redis/client'

/** The server to test against; without one its suites are skipped, and say so. */
export const REDIS_URL = process.env.RFQCTL_TEST_REDIS_URL

/** Why a suite was skipped, as a part of its name. */
export const REDIS_HINT = REDIS_URL === undefined ? ' (skipped: set RFQCTL_TEST_REDIS_URL)' : ''

/** A prefix that no other test has. */
export const temporaryName = (): string => `rfqctl-test-${randomUUID()}`

/** A key for the firm signatures of firm quotes: any 32 bytes. */
export const SIGNATURE_KEY = '5e'.repeat(32)

/** Sends one command to the test server, on a connection of its own. */
export async function redis<Reply>(...command: string[]): Promise<Reply> {
  const client = createClient({ url: REDIS_URL ?? '', RESP: 2 })
  await client.connect()
  try {
    return await client.sendCommand<Reply>(command)
  } finally {
    client.destroy()
  }
}

/** Every key of a prefix, as after a FLUSHALL of a server that others use too. */
export async function flush(name: string): Promise<void> {
  const keys = await redis<string[]>('KEYS', `${name}:*`)
  if (keys.length > 0) await redis('DEL', ...keys)
}
