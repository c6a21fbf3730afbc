import { randomBytes } from 'node:crypto'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Clock, Log } from '../../core/ports/runtime.ts'
import type { Store } from '../../core/ports/store.ts'
import { createAcceptances } from './postgres/acceptances.ts'
import { createAccounts } from './postgres/accounts.ts'
import { acquireLease, createWithAdvisoryLock, type Lease } from './postgres/advisory-locks.ts'
import { createAllocations } from './postgres/allocations.ts'
import { createAuditLog, createSharedAuditFeed } from './postgres/audit-log.ts'
import { noteBegunEpoch, openEpochs, raiseEpoch, readBegunEpoch, watchStore } from './postgres/back-in-time.ts'
import { createDatabase, type Database, SCHEMA } from './postgres/database.ts'
import { createHistory } from './postgres/history.ts'
import { keepTidy } from './postgres/housekeeping.ts'
import { openLogStorage, readLogKeys } from './postgres/log-storage.ts'
import { createMakerRecords } from './postgres/maker-records.ts'
import { migrate } from './postgres/migrate.ts'
import { createOrders } from './postgres/orders.ts'
import { createProtections } from './postgres/protections.ts'
import { createRequests, createTakeover } from './postgres/requests.ts'
import { createSettlement } from './postgres/settlement.ts'

export type PostgresStore = Awaited<ReturnType<typeof createPostgresStore>>

/**
 * Opens a store in a Postgres database, whose clock is the store's clock. Its tables are made and migrated. `isShared`:
 * several relays use it at the same time, which requires a Redis between them; otherwise a second one is refused with a
 * `StoreOpenError` `in_use`. Every outage is a refusal with `store_unavailable`; a confirm whose answer was lost is
 * looked up before it is answered.
 */
export async function createPostgresStore(input: {
  url: string
  clock: Clock
  log: Log
  isShared?: boolean
  schema?: string
}) {
  const { url, clock, log, isShared = false, schema = SCHEMA } = input
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
    const store: Store = {
      epoch,
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
        // Flushes while the maker signs: the losers are then known before there is an answer.
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
    return {
      ...store,
      /** The store no longer knows a live market whose epoch of stream ids is below this. */
      lowestEpoch,
      /** Called with the lowest epoch after the store went back; it is not ready until all listeners are done. */
      onWentBack: watch.listen,
      /** Times that the store was seen to have gone back in time. */
      wentBack: watch.count,
      /** Counts a new epoch of stream ids, above all before it, and above the epoch `above`. */
      raiseEpoch: (above?: number) => raiseEpoch(database, above),
      /** The newest epoch of a live market that a node of this database has begun, 0 before the first. */
      begunEpoch: () => readBegunEpoch(database),
      noteBegunEpoch: (epoch: number) => noteBegunEpoch(database, epoch),
      /** The key for signatures of firm quotes, 32 bytes in hex: made once, and the same for all nodes. */
      signatureKey: () => readSignatureKey(database),
      /** Excludes all other processes on this database. */
      withAdvisoryLock: createWithAdvisoryLock({ url, schema }),
      /** Quoters are not part of a store. */
      takeover: { ...createTakeover(database), announced: history.announced },
      /** The newest part of the audit log of all nodes. */
      auditFeed: createSharedAuditFeed(database, parts),
      poolUse: pool.use,
      /** The transparency log of all nodes, and its secrets, which the first to open it makes. */
      openLog: async () => ({
        keys: await readLogKeys(database),
        storage: await openLogStorage(database, { ...parts, isShared }),
      }),
    }
  } catch (error) {
    await closePool()
    throw error
  }
}

const SIGNATURE_KEY_BYTES = 32

async function readSignatureKey({ query }: Database): Promise<string> {
  const fresh = randomBytes(SIGNATURE_KEY_BYTES).toString('hex')
  const rows = await query<{ key: string }>(
    'update store_meta set seal_key = coalesce(seal_key, $1) returning seal_key as key',
    [fresh],
  )
  return (rows[0] as { key: string }).key
}

/** Refuses queries while another process may be using the database. */
const underLease = (database: Database, lease: Lease): Database => ({
  ...database,
  query: async (sql, values) => {
    lease.assertHeld()
    return database.query(sql, values)
  },
  transaction: async (work) => {
    lease.assertHeld()
    return database.transaction(work)
  },
})
