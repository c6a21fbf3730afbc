import { repeat } from '../../../src/lib/repeat.ts'
import type { QuoteRequest } from '../../../src/protocol/domain/request.ts'
import type { RunFunction } from '../../../src/relay/adapters/live/redis/functions.ts'
import { createMarket, type NewestEpoch } from '../../../src/relay/adapters/live/redis/market.ts'
import type { Book } from '../../../src/relay/core/ports/book.ts'
import type { MakerFeed } from '../../../src/relay/core/ports/live.ts'
import type { LiveMarket } from '../../../src/relay/core/ports/ports.ts'
import type { Clock, Log } from '../../../src/relay/core/ports/runtime.ts'
import type { Link } from '../network/link.ts'
import { createMarketBus } from './bus.ts'
import { createMarketFeed } from './feed.ts'
import type { Hub } from './hub.ts'
import { createMarketLeases } from './leases.ts'
import type { MarketParts } from './parts.ts'
import { createMarketPresence, TOUCH_MS } from './presence.ts'
import type { Caller, MarketServer } from './server.ts'
import { createWatchedTops, RECHECK_MS } from './tops.ts'

/** As in the Redis adapter, milliseconds. */
const CHECK_MS = 1_000
const OVERDUE_MS = 500
const HELD_MS = 3_000

/** Opens the live market for a node. The rules of epochs are the product's own; the rest follows its Redis adapter. */
export async function openMarketConnection(input: {
  node: string
  clock: Clock
  log: Log
  link: Link
  hub: Hub
  /** The server that the node's address leads to now. */
  server: () => MarketServer
  freshId: () => string
  raiseEpoch: (above?: number) => Promise<number>
  lowestEpoch: number
  begunEpoch: number
  noteBegunEpoch: (epoch: number) => Promise<void>
  /** The clock of those who look on; absent: that of the node. */
  observer?: () => number
}) {
  const { node, clock, log, link, hub, server, freshId, raiseEpoch, lowestEpoch, begunEpoch, noteBegunEpoch } = input
  const { observer = clock.now } = input
  const newest: NewestEpoch = { value: begunEpoch }
  const caller = (): Caller => ({ newest: newest.value, now: clock.now(), seenAt: observer() })
  const functions = (async (name: 'claim' | 'begin' | 'filled', ...args: never[]) => {
    const from = caller()
    return link.call(name, () => server().callFirst(name, from, args as never))
  }) as RunFunction
  const market = createMarket({ run: functions, clock, log, raiseEpoch, noteBegunEpoch, lowestEpoch, newest })
  await market.begin()

  const run: MarketParts['run'] = (what, work) =>
    market.withEpoch(() => {
      const from = caller()
      return link.call(what, () => work(server(), from)) as Promise<Awaited<ReturnType<typeof work>>>
    })
  const read: MarketParts['read'] = (what, work) => {
    const now = clock.now()
    return link.call(what, () => work(server().reads, now)) as Promise<Awaited<ReturnType<typeof work>>>
  }
  const listen: MarketParts['listen'] = (channel, onMessage) =>
    hub.listen({ channel, link, leadsTo: () => server().name, onMessage })
  const publish = (channel: string, message: unknown): Promise<void> =>
    link.call(channel, () => hub.publish(server().name, channel, message))
  const parts: MarketParts = { node, clock, log, link, freshId, run, read, listen }

  const tops = createWatchedTops(parts)
  const presence = createMarketPresence({ ...parts, publish })
  const feed = await createMarketFeed({ ...parts, market, newest })
  const requests = createOpenRequests({ ...parts, feed })
  market.onNewEpoch(tops.forget)
  market.onEpoch(() => void presence.touch().catch(() => {}))
  const upkeep = (pauseMs: number, work: () => Promise<void>) =>
    repeat({ clock, log }, { event: 'redis_upkeep_failed', pauseMs, work, first: 'later' })
  const stops = [
    upkeep(CHECK_MS, () => market.check()),
    upkeep(TOUCH_MS, () => presence.touch()),
    upkeep(RECHECK_MS, () => tops.recheck()),
  ]

  const book: Book = {
    open: (request, former) => run('open', (at, by) => at.call('open', by, [request, former])),
    find: (requestId) => run('find', (at, by) => at.call('find', by, [requestId])),
    known: requests.known,
    countKnown: requests.countKnown,
    openRequests: requests.list,
    top: tops.read,
    ranked: (requestId) => run('ranked', (at, by) => at.call('ranked', by, [requestId])),
    look: (requestId) => run('look', (at, by) => at.call('look', by, [requestId])),
    findQuote: (key) => run('findQuote', (at, by) => at.call('findQuote', by, [key])),
    quotesOf: (makerId) => run('quotesOf', (at, by) => at.call('quotesOf', by, [makerId])),
    put: (quote, unlessGone) => run('put', (at, by) => at.call('put', by, [quote, unlessGone])),
    remove: (key) => run('remove', (at, by) => at.call('remove', by, [key])),
    removeAll: (makerId, which) => run('removeAll', (at, by) => at.call('removeAll', by, [makerId, which])),
    expire: (key) => run('expire', (at, by) => at.call('expire', by, [key])),
    claimWallet: (requestId, makerId, wallet) =>
      run('claimWallet', (at, by) => at.call('claimWallet', by, [requestId, makerId, wallet])),
    makeFirm: (quote, ...signatures) => run('makeFirm', (at, by) => at.call('makeFirm', by, [quote, ...signatures])),
    firmSignature: (quote) => run('firmSignature', (at, by) => at.call('firmSignature', by, [quote])),
    lock: (key) => run('lock', (at, by) => at.call('lock', by, [key])),
    unlock: (requestId, quoteId, result) =>
      run('unlock', (at, by) => at.call('unlock', by, [requestId, quoteId, result])),
    close: (requestId, status, isDisplaced) =>
      run('close', (at, by) => at.call('close', by, [requestId, status, isDisplaced])),
    demoted: () => run('demoted', (at, by) => at.call('demoted', by, [])),
    forgive: (makerId) => run('forgive', (at, by) => at.call('forgive', by, [makerId])),
    watch: tops.watch,
    orphans: () => run('orphans', (at, by) => at.call('orphans', by, [by.now - OVERDUE_MS, by.now - HELD_MS])),
    onEmptied: market.onEmptied,
  }

  const live: Omit<LiveMarket, 'takeover'> = {
    book,
    feed,
    presence: {
      ...presence,
      countStreams: async (...which) => {
        market.assertRenewed()
        return presence.countStreams(...which)
      },
    },
    bus: createMarketBus({ ...parts, publish }),
    leases: createMarketLeases(parts),
  }

  return {
    live,
    quotedBy: (requestId: string) =>
      link.call('quotedBy', () => server().call('quotedBy', { newest: 0, now: clock.now() }, [requestId])),
    renew: market.renew,
    check: market.check,
    close: (): void => {
      for (const stop of stops) stop()
      feed.stop()
    },
  }
}

/** The open requests that a node knows by their announcements; the list is the server's. */
function createOpenRequests({ feed, run }: MarketParts & { feed: Pick<MakerFeed, 'listen'> }) {
  const known = new Map<string, { id: number; request: QuoteRequest }>()
  feed.listen((event) => {
    if (event.kind === 'quote_request') known.set(event.request.requestId, event)
    else known.delete(event.requestId)
  })
  return {
    known: (requestId: string): QuoteRequest | null => known.get(requestId)?.request ?? null,
    countKnown: () => known.size,
    list: async () => {
      const open = await run('openRequests', (at, by) => at.call('openRequests', by, []))
      const stillOpen = new Set(open.map(({ request }) => request.requestId))
      const newest = open.at(-1)?.id ?? 0
      for (const [requestId, { id }] of known) if (id <= newest && !stillOpen.has(requestId)) known.delete(requestId)
      for (const one of open) known.set(one.request.requestId, one)
      return open
    },
  }
}
