import { Client } from 'pg'
import { connectionOptions, refusalOf } from './database.ts'

/** Runs work while no other node does, and passes on what comes of it. */
export type Alone = <Result>(work: () => Promise<Result>) => Promise<Result>

/** The first half of the advisory lock, "RFQA"; the other half is the schema. */
const ALONE_CLASS = 0x52465141

/** How long a node waits for its turn: each other one has one piece of work before it, a payment on a slow chain. */
const PATIENCE_MS = 15_000

/** How long a node may hold its turn: one that stands still must not hold up the others forever. */
const TURN_MS = 30_000

/**
 * Turns that nodes on one database take, each for one piece of work. A turn is a lock of a connection of its own, so that
 * a node that dies lets go of it. Fails with `store_unavailable` when no turn can be had.
 */
export function createAlone({ url, schema }: { url: string; schema: string }): Alone {
  async function takeTurn(): Promise<Client> {
    const patience = { statement_timeout: PATIENCE_MS, lock_timeout: PATIENCE_MS, query_timeout: PATIENCE_MS }
    const client = new Client({ ...connectionOptions(url, schema), ...patience })
    // A connection that breaks also fails the call that is under way; afterwards the turn is over anyway.
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query(`set idle_session_timeout = ${TURN_MS}`)
      await client.query('select pg_advisory_lock($1, hashtext($2))', [ALONE_CLASS, schema])
      return client
    } catch (error) {
      await client.end().catch(() => {})
      throw refusalOf(error)
    }
  }

  return async (work) => {
    const turn = await takeTurn()
    try {
      return await work()
    } finally {
      await turn.end().catch(() => {})
    }
  }
}
