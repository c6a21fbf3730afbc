import { RfqError } from '@rfqctl/protocol/domain/errors'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import { Client } from 'pg'
import type { Clock, Log, Stop } from '../../../core/ports/runtime.ts'
import { StoreOpenError } from '../open-error.ts'
import { connectClient, connectionOptions, refusalOf } from './database.ts'

/** The sole use of a database by one process. */
export type Lease = Awaited<ReturnType<typeof acquireLease>>

/** The first half of the advisory lock, "RFQL"; the other half is the schema. */
const LEASE_CLASS = 0x5246514c

/** Delay before a lost lease is requested again, in milliseconds. */
const RETRY_MS = 1_000

const HOLDER = `
  select application_name, backend_start from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and classid = $1 and objid = hashtext($2)::oid and granted
    and database = (select oid from pg_database where datname = current_database())`

/**
 * Holds an advisory lock as long as its connection lives, so that a process that dies releases it. One that lost it,
 * for instance by a restart of the server, serves no one until it has it again.
 * Refuses with a `StoreOpenError` `in_use` while another process has it, and with `store_unavailable`.
 */
export async function acquireLease(parts: { url: string; schema: string; clock: Clock; log: Log }) {
  const { url, schema, clock, log } = parts
  let held = false
  let released = false
  let stopTimer: Stop = () => {}
  let client = await connect()
  held = true

  /** Takes the lock, or fails with its holder. */
  async function connect(): Promise<Client> {
    const fresh = new Client(connectionOptions(url, schema))
    fresh.on('error', onLost)
    try {
      await fresh.connect()
      const lock = [LEASE_CLASS, schema]
      const { rows } = await fresh.query('select pg_try_advisory_lock($1, hashtext($2)) as taken', lock)
      if (!rows[0].taken) throw inUse((await fresh.query(HOLDER, lock)).rows[0])
      fresh.once('end', onLost)
      return fresh
    } catch (error) {
      await fresh.end().catch(() => {})
      throw error instanceof StoreOpenError ? error : refusalOf(error)
    }
  }

  function onLost(): void {
    if (released || !held) return
    held = false
    log.error('store_lease_lost')
    retry()
  }

  function retry(): void {
    stopTimer = clock.schedule(clock.now() + RETRY_MS, () => void reacquire().catch(retry))
  }

  async function reacquire(): Promise<void> {
    client = await connect()
    if (released) return client.end()
    held = true
    log.info('store_lease_held')
  }

  return {
    /** Refuses with `store_unavailable` while the lease is lost. */
    assertHeld: (): void => {
      if (!held) throw new RfqError('store_unavailable')
    },
    release: async (): Promise<void> => {
      released = true
      stopTimer()
      await client.end().catch(() => {})
    },
  }
}

const inUse = (holder: { application_name: string; backend_start: Date } | undefined): StoreOpenError =>
  new StoreOpenError('in_use', {
    message:
      holder === undefined
        ? 'The database is in use by another relay.'
        : `The database is in use by ${holder.application_name} since ${utcText(holder.backend_start.getTime())}.`,
    path: 'DATABASE_URL',
    hint: 'stop that process, or set REDIS_URL for several relays on one database',
  })

/** Runs work while no other node on the database does, and returns its result. */
export type WithAdvisoryLock = <Result>(work: () => Promise<Result>) => Promise<Result>

/** The first half of the advisory lock, "RFQA"; the other half is the schema. */
const TURN_CLASS = 0x52465141

/** Milliseconds: each other node may have one piece of work first, a payment on a slow chain. */
const WAIT_MS = 15_000

/** A node holds its turn at most this long, in milliseconds: a hung one must not block the others forever. */
const TURN_MS = 30_000

/**
 * Turns of the nodes on one database, each for one piece of work. A turn is a lock of a connection of its own, so that
 * a node that dies releases it. Fails with `store_unavailable` when no turn can be had.
 */
export function createWithAdvisoryLock({ url, schema }: { url: string; schema: string }): WithAdvisoryLock {
  async function takeTurn(): Promise<Client> {
    const timeouts = { statement_timeout: WAIT_MS, lock_timeout: WAIT_MS, query_timeout: WAIT_MS }
    const client = await connectClient({ url, schema }, timeouts)
    try {
      await client.query(`set idle_session_timeout = ${TURN_MS}`)
      await client.query('select pg_advisory_lock($1, hashtext($2))', [TURN_CLASS, schema])
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
