import { randomUUID } from 'node:crypto'
import { repeat } from '@rfqctl/lib/repeat'
import type { DemotionRule } from '@rfqctl/protocol/domain/reliability'
import type { Presence } from '../../../core/ports/live.ts'
import type { Clock, Log } from '../../../core/ports/runtime.ts'
import { createLocalBus } from '../memory/bus.ts'
import { createRedisBook } from './book.ts'
import { createRedisBus } from './bus.ts'
import { createRedisCommitLeases } from './commit-leases.ts'
import { answerOf, openConnection } from './connection.ts'
import { createRedisFeed } from './feed.ts'
import { createFunctions, type RunFunction } from './functions.ts'
import { CHECK_MS, createMarket, type NewestEpoch } from './market.ts'
import { createOpenRequests } from './open-requests.ts'
import { createRedisPresence, TOUCH_MS } from './presence.ts'
import { decodeQuoters } from './rows.ts'
import { createSignatureCipher } from './signature-cipher.ts'
import { createSubscriptions, type RedisParts } from './subscriptions.ts'
import { createTopSubscriptions, RECHECK_MS } from './top-subscriptions.ts'

export type RedisLive = Awaited<ReturnType<typeof openRedisLive>>

/**
 * Opens the live market in a Redis that several nodes share: one primary, not a Redis Cluster. `raiseEpoch` counts in
 * the durable store; `signatureKey` is 32 bytes in hex that all nodes have and Redis has not. Keys and channels begin with
 * `name` and the number of the database, because channels are not scoped to databases. Fails with `store_unavailable`
 * when Redis cannot be reached.
 */
export async function openRedisLive(input: {
  url: string
  name: string
  clock: Clock
  log: Log
  raiseEpoch: (above?: number) => Promise<number>
  /** The durable store no longer knows a market of an epoch below this one. */
  lowestEpoch?: number
  /** The newest epoch begun, as the durable store knows: a market below it belongs to a former primary. */
  begunEpoch?: number
  noteBegunEpoch?: (epoch: number) => Promise<void>
  signatureKey: string
  demotion: DemotionRule
  /** Over all requests; absent: any number. */
  maxQuotes?: number
}) {
  const {
    url,
    name,
    clock,
    log,
    raiseEpoch,
    lowestEpoch = 0,
    begunEpoch = 0,
    noteBegunEpoch = async () => {},
    signatureKey,
    demotion,
    maxQuotes = Number.MAX_SAFE_INTEGER,
  } = input
  const prefix = `${name}:${new URL(url).pathname.slice(1) || '0'}:`
  const connection = await openConnection({ url, log })
  const reader = await openConnection({ url, log })
  const listener = await openConnection({ url, log, forMessages: true })
  const newest: NewestEpoch = { value: begunEpoch }
  const functions = createFunctions(connection, prefix, () => newest.value)
  const subscriptions = createSubscriptions({ connection: listener, prefix, log })
  const market = createMarket({ run: functions, clock, log, raiseEpoch, noteBegunEpoch, lowestEpoch, newest })
  await market.begin()
  const run: RunFunction = (name, ...args) => market.withEpoch(() => functions(name, ...args))
  const parts: RedisParts = { connection, prefix, run, subscriptions, node: randomUUID(), clock, log }
  const topSubscriptions = createTopSubscriptions(parts)
  const presence = createRedisPresence(parts)
  const feed = await createRedisFeed({ ...parts, reader, market, newest })
  const openRequests = createOpenRequests({ ...parts, feed })

  market.onNewEpoch(topSubscriptions.forget)
  market.onEpoch(() => void presence.touch().catch(() => {}))
  // Redis may have been restarted while the connection was lost.
  connection.on('ready', () => void presence.touch().catch(() => {}))
  // An outage is not logged here: every call that needs Redis fails visibly.
  const upkeep = (pauseMs: number, work: () => Promise<void>) =>
    repeat({ clock, log }, { event: 'redis_upkeep_failed', pauseMs, work, first: 'later' })
  const stops = [
    upkeep(CHECK_MS, () => market.check()),
    upkeep(TOUCH_MS, () => presence.touch()),
    upkeep(RECHECK_MS, () => topSubscriptions.recheck()),
  ]

  return {
    book: createRedisBook({
      ...parts,
      market,
      topSubscriptions,
      openRequests,
      demotion,
      cipher: createSignatureCipher(signatureKey),
      maxQuotes,
    }),
    feed,
    presence: {
      ...presence,
      countStreams: async (...which: Parameters<Presence['countStreams']>) => {
        market.assertRenewed()
        return presence.countStreams(...which)
      },
    },
    bus: createRedisBus({ ...parts, local: createLocalBus({ log }) }),
    leases: createRedisCommitLeases(parts),
    quotedBy: async (requestId: string) =>
      decodeQuoters(await answerOf(connection.sendCommand<string[]>(['HGETALL', `${prefix}quoted:${requestId}`]))),
    check: market.check,
    renew: market.renew,
    /** Resolves when this node has received all events until now. */
    settled: async (): Promise<void> => {
      await feed.settled()
      await subscriptions.settled()
    },
    close: async (): Promise<void> => {
      for (const stop of stops) stop()
      feed.stop()
      for (const client of [reader, listener, connection]) client.destroy()
    },
  }
}
