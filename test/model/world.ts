import type fc from 'fast-check'
import { type Order, orderDigest } from '../../src/protocol/domain/order.ts'
import type { OneSided, RequestTerms, Trade } from '../../src/protocol/domain/request.ts'
import { contracts, type Hex, type StrikeBps, usd6 } from '../../src/protocol/domain/units.ts'
import { createLocalLive } from '../../src/relay/adapters/live/memory/live.ts'
import { createMemoryStore } from '../../src/relay/adapters/store/memory.ts'
import type { Book } from '../../src/relay/core/ports/book.ts'
import type { Presence } from '../../src/relay/core/ports/live.ts'
import type { Ports } from '../../src/relay/core/ports/ports.ts'
import type { Store } from '../../src/relay/core/ports/store.ts'
import { createRelay, type Relay } from '../../src/relay/core/relay.ts'
import { createFakeChain, createFakeOrderEvents, createFakeSeriesIndex } from '../support/fake-chain.ts'
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts'
import { createFakeIds } from '../support/fake-ids.ts'
import { createFakeLog, type FakeLog } from '../support/fake-log.ts'
import { createMortalClock } from '../support/mortal-clock.ts'
import {
  ABSENT_PORTS,
  CALL_BUY,
  DEMOTION,
  PUT_SELL,
  RELAY_SETTINGS,
  registerSeries,
  START_MS,
  TAKER,
} from '../support/test-relay.ts'
import { busOf, type Collector, createCollector } from './collector.ts'
import type { ModelSocket, ModelStream } from './connections.ts'
import { insertKey, MAKERS, type MakerKey, type MakerName, signerOf, walletOf } from './makers.ts'
import {
  heldBack,
  heldBackStore,
  recordAudit,
  recordBook,
  recordBus,
  recordLooks,
  recordPresence,
  recordStore,
} from './recorded-ports.ts'
import { createTrace, type Trace } from './trace.ts'

/** A process that runs until it dies. */
type Running = Pick<World, 'relay' | 'nodes' | 'book' | 'presence'> & { die: () => void }

/** The real relay, with every answer of its store, book, feed and chain held back until the scheduler lets it go. */
export type World = {
  relay: Relay
  /** Relays that share the store, and may resolve the same series at the same time. */
  nodes: readonly [Relay, Relay]
  /** What the price source says of the last minutes before expiry, in hundredths: not always the same. */
  source: { cents: number }
  clock: FakeClock
  log: FakeLog
  /** What outlives a kill; asked past the scheduler. */
  store: Store
  book: Book
  presence: Presence
  collector: Collector
  trace: Trace
  scheduler: fc.Scheduler
  requests: { requestId: string; takerSecret: string; side: Trade['side'] }[]
  /** The keys that a maker has not revoked, oldest first. */
  keys: Map<MakerName, MakerKey[]>
  sockets: Map<MakerName, ModelSocket>
  streams: Map<MakerName, ModelStream>
  /** The last stream that each maker read, also when it is over. */
  readers: Map<MakerName, ModelStream>
  /** How many signatures and streams of takers were made: each is another one. */
  signatures: number
  watches: number
  /** What a maker is told on its socket or stream, or answered, for those who listen. */
  heard: (maker: MakerName, way: 'socket' | 'stream' | `answer ${number}`, what: unknown) => void
  /** How many calls each maker has made. */
  calls: Map<MakerName, number>
  /** Commits that run. */
  commits: Set<symbol>
  /** Uses up the nonce of an order on chain, as its maker may. */
  takeBack: (order: Order) => void
  /** Lets a key sign for the wallet of `COLD`, or takes that back. */
  authorise: (signer: MakerName, isAuthorised: boolean) => void
  /** Starts something without waiting for it; refusals are fine, other faults are not. */
  start: (work: Promise<unknown>) => void
  /** Lets everything go that is held back, until nothing moves any more. */
  drain: () => Promise<void>
  /** Kills the relay, lets so much time pass, and starts it again on what it has stored. */
  kill: (downMs: number) => Promise<void>
}

/** No run lasts until a miss is forgotten. */
const NEVER_MS = 1e12

const EXPIRED_MS = START_MS - 60_000

/** A package of two legs that may pay more than a dollar: it pays more the farther a resolution is from the strike. */
export const PACKAGE_BUY: OneSided<RequestTerms> = {
  ...CALL_BUY,
  option: {
    legs: [
      { optionType: 'call', strikeBps: 4_500 as StrikeBps, quantity: 2 },
      { optionType: 'put', strikeBps: 4_500 as StrikeBps, quantity: 1 },
    ],
    expiryMs: CALL_BUY.option.expiryMs,
  },
}

/** A call of which the taker does not say whether it buys or sells. */
export const CALL_BOTH: RequestTerms = { ...CALL_BUY, trade: { side: 'both', size: contracts(200n) } }

/** A call, a put and a package of one market that have expired and are not settled. */
export const EXPIRED = [CALL_BUY, PUT_SELL, PACKAGE_BUY].map((terms) => ({
  ...terms,
  option: { ...terms.option, expiryMs: EXPIRED_MS },
}))

/** A call that expires while requests for it may still wait. */
export const SHORT_CALL = { ...CALL_BUY, option: { ...CALL_BUY.option, expiryMs: START_MS + 8_000 } }

/** A maker whose wallet can pay for one call, or for some puts, and holds some options; others quote in its name, too. */
export const POOR = 'ada'
const POOR_FUNDS = { balance: usd6(130_000_000n), allowance: usd6(130_000_000n) }

/** A maker whose wallet lets other keys sign for it, at times. */
export const COLD = 'cyd'

/** What that wallet holds of a series: more than one order takes, and less than two. */
const HELD = { long: contracts(250n), short: contracts(0n), isApproved: true }

/** One bad outcome is enough. */
const STRICT = { suspensionMs: 60_000, maxSuspensionMs: 300_000, minOutcomes: 1, below: 80, cleanPerStrike: 2 }

/** A world in which every maker has one key and nobody is connected; `suspends`: makers are suspended for what they do. */
export function createWorld(scheduler: fc.Scheduler, { suspends }: { suspends: boolean }): World {
  const breaker = { ...RELAY_SETTINGS.breaker, ...(suspends ? STRICT : {}) }
  const settings = { ...RELAY_SETTINGS, breaker }
  const clock = createFakeClock(START_MS)
  const log = createFakeLog()
  const ids = createFakeIds()
  const trace = createTrace()
  // What names its signer is over anything, but a firm signature is over its order.
  const recover = async (digest: Hex, signature: Hex) => {
    const madeFirm = trace.firmSignatures.get(signature)
    return madeFirm === undefined || orderDigest(madeFirm.order, madeFirm.domain) === digest
      ? signerOf(signature)
      : null
  }
  const chain = createFakeChain({ clock, recover })
  const { signedUntil } = chain
  chain.signedUntil = async (order, signature) => {
    const until = (await signedUntil(order, signature)) as bigint
    if (until >= BigInt(order.validUntil)) trace.counted.add(signature)
    else trace.counted.delete(signature)
    return until
  }
  registerSeries(chain, CALL_BUY)
  registerSeries(chain, PUT_SELL)
  registerSeries(chain, SHORT_CALL)
  registerSeries(chain, PACKAGE_BUY)
  chain.wallets.set(walletOf(POOR), { core: POOR_FUNDS, settlement: POOR_FUNDS })
  chain.inventories.set(walletOf(POOR), new Map([...chain.registered.keys()].map((seriesId) => [seriesId, HELD])))
  for (const terms of EXPIRED) registerSeries(chain, terms)
  const source = { cents: 50 }
  const history = async () => [{ t: EXPIRED_MS / 1_000 - 60, p: source.cents / 100 }]
  const collector = createCollector(clock.now, trace.counted)
  const recorders = { collector, trace }
  const store = createMemoryStore({ clock })
  const keys = new Map(MAKERS.map((maker) => [maker, [insertKey(store, ids, maker)]]))
  for (const [maker, [key]] of keys) {
    if (key !== undefined) collector.observe({ kind: 'secret', name: `the key of ${maker}`, value: key.secret })
    collector.observe({ kind: 'socket_opened', socket: busOf(maker), makerId: maker, isLasting: true })
  }
  const index = createFakeSeriesIndex(chain)

  /** A process that serves the store: its relay, and another one that shares what it shares. */
  function begin(epoch: number): Running {
    const life = createMortalClock(clock)
    const process = { scheduler, isAlive: life.isAlive }
    const demotion = { ...DEMOTION, windowMs: NEVER_MS }
    const live = createLocalLive({ clock: life.clock, log, epoch, demotion, recordQuoter: store.quoters.record })
    const presence = recordPresence(live.presence, recorders, { makerIds: MAKERS, clock })
    const ports: Ports = {
      ...ABSENT_PORTS,
      clock: life.clock,
      log,
      ids,
      ...live,
      presence,
      bus: recordBus(live.bus, recorders, clock),
      book: heldBack(recordBook(live.book, recorders), process, 'book'),
      leases: heldBack(live.leases, process, 'leases'),
      feed: heldBack(live.feed, process, 'feed'),
      store: recordLooks(heldBackStore(recordStore(store, recorders, { clock, chain }), process), recorders),
      chain: heldBack(chain, process, 'chain'),
      seriesIndex: index,
      orderEvents: createFakeOrderEvents(chain),
      signatures: { recover },
      resolutionSigner: {
        address: TAKER,
        sign: async () => `0x${'5'.repeat(130)}`,
        probe: async () => `0x${'5'.repeat(130)}`,
      },
      prices: heldBack({ history }, process, 'prices'),
      audit: recordAudit(recorders, clock),
      markets: { question: async () => null, outcome: async () => null },
    }
    const relay = createRelay(ports, settings)
    relay.listenMakerFeed((event) => {
      trace.events.push(event)
      collector.fed(`the feed of epoch ${epoch}`, event)
    })
    const { book } = live
    return { relay, nodes: [relay, createRelay(ports, settings)], book, presence, die: life.die }
  }

  let epoch = 1
  let running = begin(epoch)
  const world: World = {
    relay: running.relay,
    nodes: running.nodes,
    source,
    clock,
    log,
    store,
    book: running.book,
    presence: running.presence,
    collector,
    trace,
    scheduler,
    requests: [],
    keys,
    sockets: new Map(),
    streams: new Map(),
    readers: new Map(),
    signatures: 0,
    watches: 0,
    heard: () => {},
    calls: new Map(),
    commits: new Set(),
    takeBack: (order) => {
      // One that is signed already is cancelled, not taken back, and one that a maker was asked for may be signed.
      if ([...trace.signed, ...trace.active.values()].some((one) => nonceOf(one.order) === nonceOf(order))) return
      chain.use(order, 'cancelled')
      trace.takenBack.add(nonceOf(order))
    },
    authorise: (signer, isAuthorised) => {
      const keys = chain.authorised.get(walletOf(COLD)) ?? new Map()
      chain.authorised.set(walletOf(COLD), keys.set(walletOf(signer), isAuthorised ? NEVER_MS : 0))
    },
    start: (work) => {
      work.catch((fault: unknown) => {
        if (!(fault instanceof Error && fault.name === 'RfqError')) trace.faults.push(fault)
      })
    },
    drain: async () => {
      // Also runs the timers that were set for a time that had passed.
      await clock.advance(0)
      while (scheduler.count() > 0) {
        await scheduler.waitOne()
        await clock.advance(0)
      }
    },
    kill: async (downMs) => {
      running.die()
      world.commits.clear()
      collector.observe({ kind: 'relay_killed', moment: collector.moment() })
      for (const connection of [...world.sockets.values(), ...world.streams.values()]) connection.stop()
      await clock.advance(downMs)
      await noteKill(world)
      epoch += 1
      running = begin(epoch)
      const { die: _, ...serving } = running
      Object.assign(world, serving)
      const started = running.relay.start()
      await world.drain()
      await started
    },
  }
  return world
}

/** What a nonce is known by: each maker's wallet has its own. */
export const nonceOf = ({ maker, nonce }: Order): string => `${maker} ${nonce}`

/** What a kill takes with it, and what is known of the rest. */
async function noteKill({ trace, collector, store, requests }: World): Promise<void> {
  trace.quotes.clear()
  const quoters = [...(await store.quoters.list())]
  collector.killed(
    quoters.flatMap(([requestId, list]) => list.map(({ makerId, misses }) => ({ requestId, makerId, misses }))),
  )
  for (const { requestId } of requests) {
    const isOver = (await store.requests.find(requestId))?.status !== 'open'
    if (isOver) collector.observe({ kind: 'news_lost', requestId })
  }
  trace.kills.push(trace.events.length)
  trace.asked += (await store.acceptances.pending()).length
}
