import type fc from 'fast-check'
import { createLocalLive } from '../../src/adapters/bus/local/live.ts'
import { createMemoryStore } from '../../src/adapters/store/memory.ts'
import { usd6 } from '../../src/domain/units.ts'
import type { Book } from '../../src/relay/ports/book.ts'
import type { Ports } from '../../src/relay/ports/ports.ts'
import type { Presence } from '../../src/relay/ports/presence.ts'
import { createRelay, type Relay } from '../../src/relay/relay.ts'
import { createFakeChain, createFakeSeriesIndex } from '../support/fake-chain.ts'
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts'
import { createFakeIds } from '../support/fake-ids.ts'
import { createFakeLog, type FakeLog } from '../support/fake-log.ts'
import {
  CALL_BUY,
  DEMOTION,
  PUT_SELL,
  RELAY_SETTINGS,
  registerSeries,
  START_MS,
  TAKER,
} from '../support/relay-house.ts'
import type { ModelSocket, ModelStream } from './connections.ts'
import { insertKey, MAKERS, type MakerKey, type MakerName, signerOf, walletOf } from './makers.ts'
import { heldBack, heldBackStore, recordAudit, recordBook, recordBus, recordStore } from './recorded-ports.ts'
import { createTrace, type Trace } from './trace.ts'

/** The real relay, with every answer of its store, book, feed and chain held back until the scheduler lets it go. */
export type World = {
  relay: Relay
  /** Relays that share the store, and may resolve the same series at the same time. */
  nodes: readonly [Relay, Relay]
  /** What the price source says of the last minutes before expiry, in hundredths: not always the same. */
  source: { cents: number }
  clock: FakeClock
  log: FakeLog
  book: Book
  presence: Presence
  trace: Trace
  scheduler: fc.Scheduler
  requests: { requestId: string; takerSecret: string; side: 'buy' | 'sell' }[]
  /** The keys that a maker has not revoked, oldest first. */
  keys: Map<MakerName, MakerKey[]>
  sockets: Map<MakerName, ModelSocket>
  streams: Map<MakerName, ModelStream>
  /** The last stream that each maker read, also when it is over. */
  readers: Map<MakerName, ModelStream>
  /** How many were made: each is another one. */
  signatures: number
  /** Starts something without waiting for it; refusals are fine, other faults are not. */
  start: (work: Promise<unknown>) => void
  /** Lets everything go that is held back, until nothing moves any more. */
  drain: () => Promise<void>
}

/** No run lasts until a miss is forgotten. */
const NEVER_MS = 1e12

const EXPIRED_MS = START_MS - 60_000

/** A call and a put of one market that have expired and are not settled. */
export const EXPIRED = [CALL_BUY, PUT_SELL].map((terms) => ({
  ...terms,
  option: { ...terms.option, expiryMs: EXPIRED_MS },
}))

/** A call that expires while requests for it may still wait. */
export const SHORT_CALL = { ...CALL_BUY, option: { ...CALL_BUY.option, expiryMs: START_MS + 8_000 } }

/** A maker whose wallet can pay for one call, or for some puts; others quote in its name, too. */
export const POOR = 'ada'
const POOR_FUNDS = { balance: usd6(130_000_000n), allowance: usd6(130_000_000n) }

/** A world in which every maker has one key and nobody is connected. */
export function createWorld(scheduler: fc.Scheduler): World {
  const clock = createFakeClock(START_MS)
  const log = createFakeLog()
  const ids = createFakeIds()
  const chain = createFakeChain({ clock })
  registerSeries(chain, CALL_BUY)
  registerSeries(chain, PUT_SELL)
  registerSeries(chain, SHORT_CALL)
  chain.wallets.set(walletOf(POOR), { core: POOR_FUNDS, settlement: POOR_FUNDS })
  for (const terms of EXPIRED) registerSeries(chain, terms)
  const source = { cents: 50 }
  const history = async () => [{ t: EXPIRED_MS / 1_000 - 60, p: source.cents / 100 }]
  const trace = createTrace()
  const store = createMemoryStore({ clock })
  const live = createLocalLive({
    clock,
    log,
    epoch: 1,
    demotion: { ...DEMOTION, windowMs: NEVER_MS },
    noteQuoter: store.quoters.note,
  })
  const keys = new Map(MAKERS.map((maker) => [maker, [insertKey(store, ids, maker)]]))
  for (const [key] of keys.values()) if (key !== undefined) trace.secrets.push(key.secret)
  const ports: Ports = {
    clock,
    log,
    ids,
    ...live,
    bus: recordBus(live.bus, trace, clock),
    book: heldBack(recordBook(live.book, trace), scheduler, 'book'),
    attempts: heldBack(live.attempts, scheduler, 'attempts'),
    feed: heldBack(live.feed, scheduler, 'feed'),
    store: heldBackStore(recordStore(store, trace, { clock, chain }), scheduler),
    chain: heldBack(chain, scheduler, 'chain'),
    seriesIndex: createFakeSeriesIndex(chain),
    signatures: { recover: async (_, signature) => signerOf(signature) },
    resolutionSigner: { address: TAKER, sign: async () => `0x${'5'.repeat(130)}` },
    faucet: null,
    identity: null,
    prices: heldBack({ history }, scheduler, 'prices'),
    audit: recordAudit(trace),
    handover: null,
    markets: { question: async () => null, outcome: async () => null },
  }
  const relay = createRelay(ports, RELAY_SETTINGS)
  relay.listenMakerFeed((event) => trace.events.push(event))
  return {
    relay,
    nodes: [relay, createRelay(ports, RELAY_SETTINGS)],
    source,
    clock,
    log,
    book: live.book,
    presence: live.presence,
    trace,
    scheduler,
    requests: [],
    keys,
    sockets: new Map(),
    streams: new Map(),
    readers: new Map(),
    signatures: 0,
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
  }
}
