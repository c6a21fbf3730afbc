import { watchStore } from '../../../src/relay/adapters/store/postgres/back-in-time.ts'
import { createBuffer } from '../../../src/relay/adapters/store/postgres/buffer.ts'
import type { Query } from '../../../src/relay/adapters/store/postgres/database.ts'
import { rereadAfterLostReply } from '../../../src/relay/adapters/store/postgres/reread.ts'
import type { Takeover } from '../../../src/relay/core/ports/live.ts'
import type { Clock, Log } from '../../../src/relay/core/ports/runtime.ts'
import type { Execution, Quoter, Rejection, Store } from '../../../src/relay/core/ports/store.ts'
import type { Link } from '../network/link.ts'
import type { Database } from './database.ts'

/** The longest delay of a deferred write, milliseconds, as of the Postgres adapter. */
const DELAY_MS = 250

type Write =
  | { requestId: string; quoter: Quoter }
  | { requestId: string; rejections: readonly Rejection[] }
  | { announced: string }

/** Opens the database as the Postgres adapter does: each call is a statement that is sent to it. */
export async function openSession({
  database,
  link,
  clock,
  log,
}: {
  database: Database
  link: Link
  clock: Clock
  log: Log
}) {
  const opened = await link.call('open', () => database.open())
  const query = (async (sql: string) => {
    if (sql.startsWith('update'))
      return link.call('touch', () => {
        database.touch()
        return []
      })
    return link.call('look', () => [{ ...database.look(), serverStart: '', flushed: null, checkpoint: null }])
  }) as Query
  const watch = watchStore({ query }, { clock, log, opened: { ...opened, wentBack: false } })
  const writes = createBuffer<Write>({
    clock,
    log,
    delayMs: DELAY_MS,
    write: (items) => link.call('history.write', () => database.run((store) => writeAll(database, store, items))),
  })

  /** Executions whose commit waits on this node. */
  const confirmedHere = new Map<string, Execution>()
  watch.listen(async () => confirmedHere.clear())

  /** A part of the store, each call of it as a statement. */
  const sent = <Part extends 'requests' | 'acceptances' | 'orders' | 'executions' | Other>(part: Part): Store[Part] =>
    new Proxy({} as Store[Part], {
      get: (_, key) => {
        const method = String(key)
        return (...args: unknown[]) =>
          link.call(`${part}.${method}`, () => database.run((store) => (store[part] as Methods)[method]?.(...args)))
      },
    })

  const acceptances = sent('acceptances')
  const findExecution = (executionId: string): Promise<Execution | null> =>
    link.call('executions.find', () => database.findExecution(executionId))
  const note = <Result>(made: Result | Execution): Result | Execution => {
    if (typeof made === 'object' && made !== null && 'executionId' in made)
      confirmedHere.set(made.acceptance.requestId, made)
    return made
  }

  const store: Store = {
    epoch: opened.epoch,
    ping: async () => {
      await link.call('ping', () => {})
      watch.assertRenewed()
    },
    documentBytes: () => null,
    lostWrites: () => 0,
    requests: sent('requests'),
    allotNonce: (requestId, wallet, isShown) =>
      link.call('allotNonce', () => database.run((one) => one.allotNonce(requestId, wallet, isShown))),
    acceptances: {
      factsOf: (acceptance, seenOwed) => acceptances.factsOf(acceptance, seenOwed),
      insert: (acceptance, ...versions) =>
        rereadAfterLostReply(
          () => acceptances.insert(acceptance, ...versions),
          async () => ((await acceptances.pending()).some(isOf(acceptance.acceptanceId)) ? true : null),
        ),
      insertSigned: async (acceptance, signed, ...versions) =>
        note(
          await rereadAfterLostReply(
            () => acceptances.insertSigned(acceptance, signed, ...versions),
            () => findExecution(signed.executionId),
          ),
        ),
      confirm: async (acceptanceId, signed, version) =>
        note(
          await rereadAfterLostReply<Execution | 'outdated' | null>(
            () => acceptances.confirm(acceptanceId, signed, version),
            () => findExecution(signed.executionId),
          ),
        ),
      withdraw: (acceptanceId) => acceptances.withdraw(acceptanceId),
      findByQuote: (quoteId) => acceptances.findByQuote(quoteId),
      findActive: (requestId) => acceptances.findActive(requestId),
      pending: (filter) => acceptances.pending(filter),
      outstandingOf: (maker, chainTime) => acceptances.outstandingOf(maker, chainTime),
      end: (acceptanceId, state) => acceptances.end(acceptanceId, state),
    },
    orders: sent('orders'),
    executions: {
      findByRequest: async (requestId) =>
        confirmedHere.get(requestId) ??
        link.call('executions.findByRequest', () => database.run((one) => one.executions.findByRequest(requestId))),
      confirmedBy: (makerIds, since) =>
        link.call('executions.confirmedBy', () => database.run((one) => one.executions.confirmedBy(makerIds, since))),
      mayHavePaid: (wallet, since) =>
        link.call('executions.mayHavePaid', () => database.run((one) => one.executions.mayHavePaid(wallet, since))),
      newest: (query) => link.call('executions.newest', () => database.run((one) => one.executions.newest(query))),
    },
    quoters: {
      record: (requestId, quoter) => writes.add({ requestId, quoter }),
      list: async () => {
        await writes.flush()
        return link.call('quoters.list', () => database.run((one) => one.quoters.list()))
      },
    },
    history: {
      reject: (requestId, rejections) => writes.add({ requestId, rejections }),
      list: async (which) => {
        await writes.flush()
        return link.call('history.list', () => database.run((one) => one.history.list(which)))
      },
      countWins: async (makerId) => {
        await writes.flush()
        return link.call('history.countWins', () => database.run((one) => one.history.countWins(makerId)))
      },
    },
    resolutions: sent('resolutions'),
    prices: sent('prices'),
    faucetClaims: sent('faucetClaims'),
    users: sent('users'),
    apiKeys: keysOf(sent('apiKeys')),
    blocks: sent('blocks'),
    protections: sent('protections'),
    makerRecords: sent('makerRecords'),
    audit: {
      record: (entry) => database.run((one) => one.audit.record(entry)),
      find: (requestId) => link.call('audit.find', () => database.run((one) => one.audit.find(requestId))),
    },
    close: async () => {
      watch.stop()
      await writes.close()
    },
  }

  const takeover: Omit<Takeover, 'quotedBy'> = {
    endOverdue: () => link.call('endOverdue', () => database.endOverdue()),
    unannounced: (delayMs) => link.call('unannounced', async () => database.unannounced(delayMs)),
    announced: (requestId) => writes.add({ announced: requestId }),
  }

  return {
    store,
    takeover,
    lowestEpoch: opened.lowestEpoch,
    onWentBack: watch.listen,
    raiseEpoch: (above = 0) => link.call('raiseEpoch', () => database.raiseEpoch(above)),
    begunEpoch: () => link.call('begunEpoch', () => database.begunEpoch()),
    noteBegunEpoch: (epoch: number) => link.call('noteBegunEpoch', () => database.noteBegunEpoch(epoch)),
  }
}

type Other = 'resolutions' | 'prices' | 'faucetClaims' | 'users' | 'apiKeys' | 'blocks' | 'protections' | 'makerRecords'

type Methods = Record<string, (...args: unknown[]) => unknown>

const isOf =
  (acceptanceId: string) =>
  (one: { acceptanceId: string }): boolean =>
    one.acceptanceId === acceptanceId

/** The use of a key is noted in its own time. */
const keysOf = (keys: Store['apiKeys']): Store['apiKeys'] => ({
  insert: (key, mostActive) => keys.insert(key, mostActive),
  findByDigest: (digest) => keys.findByDigest(digest),
  listActive: (userId) => keys.listActive(userId),
  revoke: (key) => keys.revoke(key),
  recordUse: () => {},
})

/** One transaction, as the Postgres adapter writes it. */
function writeAll(database: Database, store: Store, items: readonly Write[]): void {
  for (const item of items) {
    if ('rejections' in item) store.history.reject(item.requestId, item.rejections)
    else if ('quoter' in item) store.quoters.record(item.requestId, item.quoter)
    else database.announced(item.announced)
  }
}
