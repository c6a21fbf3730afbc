import { randomBytes } from 'node:crypto'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Takeover } from '../../core/ports/live.ts'
import type { AuditFeed } from '../../core/ports/operations.ts'
import type { Clock, Log, Stop } from '../../core/ports/runtime.ts'
import type { Store } from '../../core/ports/store.ts'
import { createAcceptances } from './postgres/acceptances.ts'
import { createAccounts } from './postgres/accounts.ts'
import { acquireLease, createWithAdvisoryLock, type Lease, type WithAdvisoryLock } from './postgres/advisory-locks.ts'
import { createAllocations } from './postgres/allocations.ts'
import { createAuditLog, createSharedAuditFeed } from './postgres/audit-log.ts'
import {
  noteBegunEpoch,
  type OnWentBack,
  openEpochs,
  raiseEpoch,
  readBegunEpoch,
  watchStore,
} from './postgres/back-in-time.ts'
import { createDatabase, type Database, type PoolUse, SCHEMA } from './postgres/database.ts'
import { createHistory } from './postgres/history.ts'
import { keepTidy } from './postgres/housekeeping.ts'
import { createMakerRecords } from './postgres/maker-records.ts'
import { migrate } from './postgres/migrate.ts'
import { createOrders } from './postgres/orders.ts'
import { createProtections } from './postgres/protections.ts'
import { createRequests, createTakeover } from './postgres/requests.ts'
import { createSettlement } from './postgres/settlement.ts'

/** A store that several relays may share. */
export type PostgresStore = Store & {
  /** Who quoted is no business of a store. */
  takeover: Omit<Takeover, 'quotedBy'>
  /** The newest part of the audit log of all nodes. */
  auditFeed: AuditFeed
  /** Runs work while no other process on this database does. */
  withAdvisoryLock: WithAdvisoryLock
  /** A live market of an epoch of stream ids below it is one of what the store has forgotten. */
  lowestEpoch: number
  /** Hears that the store went back in time, with the lowest epoch from then on; until all have done what they do the store is not ready. */
  onWentBack: (listener: OnWentBack) => Stop
  /** How often it was seen to have gone back in time. */
  wentBack: () => number
  /** Counts a new epoch of stream ids, above all before it, and above the epoch `above`. */
  raiseEpoch: (above?: number) => Promise<number>
  /** The newest epoch that a node of this database has begun a live market with, 0 before there was one; and notes another one. */
  begunEpoch: () => Promise<number>
  noteBegunEpoch: (epoch: number) => Promise<void>
  /** The key that its nodes keep seals of firm quotes under, 32 bytes in hex: made once, and the same for all. */
  sealKey: () => Promise<string>
  /** How its connections are used. */
  poolUse: () => PoolUse
}

/**
 * Opens a store in a Postgres database, whose clock is the store's clock. Its tables are made and brought up to date.
 * `isShared`: several relays use it at the same time, which takes a Redis between them; otherwise a second one is refused
 * with a `StoreOpenError` `in_use`.
 * Every outage is a refusal with `store_unavailable`; a confirm whose answer was lost is looked up before it is answered.
 */
export async function createPostgresStore({
  url,
  clock,
  log,
  isShared = false,
  schema = SCHEMA,
}: {
  url: string
  clock: Clock
  log: Log
  isShared?: boolean
  schema?: string
}): Promise<PostgresStore> {
  const lease = isShared ? null : await acquireLease({ url, schema, clock, log })
  const pool = createDatabase({ url, schema, log })
  const closePool = () => pool.close().finally(() => lease?.release())
  try {
    await migrate({ url, schema })
    await pool.query('insert into store_meta (store_epoch) values (0) on conflict do nothing')
    const opened = await openEpochs(pool)
    const { epoch, lowestEpoch } = opened
    const database = lease === null ? pool : underLease(pool, lease)
    const parts = { clock, log }
    const watch = watchStore(database, { ...parts, opened })
    const { close: closeAccounts, lost: lostUses, ...accounts } = createAccounts(database, parts)
    const history = createHistory(database, parts)
    const { acceptances, executions, forget } = createAcceptances(database)
    watch.listen(async () => forget())
    const { close: closeAudit, lost: lostEntries, ...audit } = createAuditLog(database, parts)
    const stopTidying = keepTidy(database, parts)
    return {
      epoch,
      lowestEpoch,
      onWentBack: watch.listen,
      wentBack: watch.count,
      raiseEpoch: (above) => raiseEpoch(database, above),
      begunEpoch: () => readBegunEpoch(database),
      noteBegunEpoch: (epoch) => noteBegunEpoch(database, epoch),
      sealKey: () => readSealKey(database),
      withAdvisoryLock: createWithAdvisoryLock({ url, schema }),
      takeover: { ...createTakeover(database), announced: history.announced },
      auditFeed: createSharedAuditFeed(database, parts),
      poolUse: pool.use,
      documentBytes: () => null,
      lostWrites: () => lostUses() + history.lost() + lostEntries(),
      ping: async () => {
        const rows = await database.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
        if (rows[0]?.standby !== false)
          throw new RfqError('store_unavailable', { detail: 'The database is read-only.' })
        watch.assertRenewed()
      },
      requests: createRequests(database),
      ...createAllocations(database),
      acceptances: {
        ...acceptances,
        // While the maker signs: whoever loses to it is known before there is an answer.
        insert: (...args) => {
          if (!isShared) void history.flush()
          return acceptances.insert(...args)
        },
        insertSigned: (...args) => {
          if (!isShared) void history.flush()
          return acceptances.insertSigned(...args)
        },
      },
      executions,
      orders: createOrders(database),
      quoters: history.quoters,
      history: history.history,
      ...createSettlement(database),
      ...accounts,
      protections: createProtections(database),
      makerRecords: createMakerRecords(database),
      audit,
      close: async () => {
        stopTidying()
        watch.stop()
        await Promise.all([closeAccounts(), history.close(), closeAudit()])
        await closePool()
      },
    }
  } catch (error) {
    await closePool()
    throw error
  }
}

const SEAL_KEY_BYTES = 32

async function readSealKey({ query }: Database): Promise<string> {
  const fresh = randomBytes(SEAL_KEY_BYTES).toString('hex')
  const rows = await query<{ key: string }>(
    'update store_meta set seal_key = coalesce(seal_key, $1) returning seal_key as key',
    [fresh],
  )
  return (rows[0] as { key: string }).key
}

/** A database that is not asked while another process may be using it. */
const underLease = (database: Database, lease: Lease): Database => ({
  ...database,
  query: async (sql, values) => {
    lease.assertHeld()
    return database.query(sql, values)
  },
})
