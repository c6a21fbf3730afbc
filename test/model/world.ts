import type fc from 'fast-check'
import { createLocalLive } from '../../src/adapters/bus/local/live.ts'
import { createMemoryStore } from '../../src/adapters/store/memory.ts'
import type { Quote } from '../../src/domain/quote.ts'
import type { Address, Hex } from '../../src/domain/units.ts'
import type { Book } from '../../src/relay/ports/book.ts'
import type { BusMessages, MakerMessage } from '../../src/relay/ports/bus.ts'
import type { MakerEvent } from '../../src/relay/ports/maker-feed.ts'
import type { Ports } from '../../src/relay/ports/ports.ts'
import type { Acceptance, Store } from '../../src/relay/ports/store.ts'
import { type Commitment, createRelay, type Relay } from '../../src/relay/relay.ts'
import { createFakeChain, createFakeSeriesIndex } from '../support/fake-chain.ts'
import { createFakeClock, type FakeClock, settle } from '../support/fake-clock.ts'
import { createFakeIds } from '../support/fake-ids.ts'
import { createFakeLog, type FakeLog } from '../support/fake-log.ts'
import { CALL_BUY, PUT_SELL, RELAY_SETTINGS, registerSeries, START_MS } from '../support/relay-house.ts'

/** Makers of the model: their wallets are numbers, their signatures name the signer, so that no run waits for a curve. */
export const MAKERS = ['ada', 'bob', 'cyd'] as const
export type MakerName = (typeof MAKERS)[number]

export const walletOf = (maker: MakerName): Address => `0x${String(MAKERS.indexOf(maker) + 1).padStart(40, '0')}`

/** A well-formed signature that the world's `recover` takes for the maker's over anything. */
export const signatureOf = (maker: MakerName): Hex =>
  `0x${String(MAKERS.indexOf(maker) + 1).padStart(64, '0')}${'1'.padStart(64, '0')}1b`

/** What happened in a run, in the order in which it took effect. The invariants are judged on this alone. */
export type Trace = {
  events: MakerEvent[]
  terminals: { makerId: string; message: Exclude<MakerMessage, { kind: 'accepted' }> }[]
  accepted: Acceptance[]
  /** Acceptances whose insert took effect and that have not ended. */
  active: Map<string, Acceptance>
  ended: { acceptanceId: string; how: string }[]
  overlaps: string[]
  /** The book as an outsider keeps it: the newest stored quote of each maker and request. */
  quotes: Map<string, Quote>
  quoted: Map<string, Set<string>>
  misses: Map<string, number>
  commits: { requestId: string; wallet: Address; commitment: Commitment }[]
  tops: { requestId: string; status: string }[]
  faults: unknown[]
}

/** The real relay, with every answer of its store, book and chain held back until the scheduler lets it go. */
export type World = {
  relay: Relay
  clock: FakeClock
  log: FakeLog
  book: Book
  trace: Trace
  scheduler: fc.Scheduler
  requests: { requestId: string; takerSecret: string; side: 'buy' | 'sell' }[]
  sockets: Map<MakerName, { stop: () => void; accepted: Acceptance[] }>
  streams: Map<MakerName, () => void>
  /** Starts something without waiting for it; refusals are fine, other faults are not. */
  start: (work: Promise<unknown>) => void
  /** Lets everything go that is held back, until nothing moves any more. */
  drain: () => Promise<void>
}

export function createWorld(scheduler: fc.Scheduler): World {
  const clock = createFakeClock(START_MS)
  const log = createFakeLog()
  const chain = createFakeChain({ clock })
  registerSeries(chain, CALL_BUY)
  registerSeries(chain, PUT_SELL)
  const trace = createTrace()
  const live = createLocalLive({ clock, log, epoch: 1 })
  const book = recordBook(live.book, trace)
  const ports: Ports = {
    clock,
    log,
    ids: createFakeIds(),
    ...live,
    bus: recordBus(live.bus, trace),
    book: heldBack(book, scheduler, 'book'),
    store: heldBackStore(recordStore(createMemoryStore({ clock }), trace), scheduler),
    chain: heldBack(chain, scheduler, 'chain'),
    seriesIndex: createFakeSeriesIndex(chain),
    signatures: { recover: async (_, signature) => `0x${signature.slice(26, 66)}` },
    resolutionSigner: null,
    faucet: null,
    identity: null,
    prices: { history: async () => [] },
    audit: { record: () => {} },
    handover: null,
    markets: { question: async () => null, outcome: async () => null },
  }
  const relay = createRelay(ports, RELAY_SETTINGS)
  relay.listenMakerFeed((event) => trace.events.push(event))
  return {
    relay,
    clock,
    log,
    book: live.book,
    trace,
    scheduler,
    requests: [],
    sockets: new Map(),
    streams: new Map(),
    start: (work) => {
      work.catch((fault: unknown) => {
        if (!(fault instanceof Error && fault.name === 'RfqError')) trace.faults.push(fault)
      })
    },
    drain: async () => {
      await settle()
      while (scheduler.count() > 0) {
        await scheduler.waitOne()
        await settle()
      }
    },
  }
}

const createTrace = (): Trace => ({
  events: [],
  terminals: [],
  accepted: [],
  active: new Map(),
  ended: [],
  overlaps: [],
  quotes: new Map(),
  quoted: new Map(),
  misses: new Map(),
  commits: [],
  tops: [],
  faults: [],
})

/** Every call of a port waits its turn before it takes effect, and its answer waits again on the way back. */
function heldBack<Port extends object>(port: Port, scheduler: fc.Scheduler, name: string): Port {
  return new Proxy(port, {
    get: (target, key, receiver) => {
      const member: unknown = Reflect.get(target, key, receiver)
      if (!isAsync(member, key)) return member
      return async (...args: unknown[]) => {
        await scheduler.schedule(Promise.resolve(), `${name}.${String(key)}`)
        const answer = await member(...args)
        await scheduler.schedule(Promise.resolve(), `${name}.${String(key)} answered`)
        return answer
      }
    },
  })
}

/** `watch` answers at once in every adapter. */
const isAsync = (member: unknown, key: string | symbol): member is (...args: unknown[]) => Promise<unknown> =>
  typeof member === 'function' && key !== 'watch'

const heldBackStore = (store: Store, scheduler: fc.Scheduler): Store => ({
  ...store,
  requests: heldBack(store.requests, scheduler, 'requests'),
  acceptances: heldBack(store.acceptances, scheduler, 'acceptances'),
  executions: heldBack(store.executions, scheduler, 'executions'),
})

function recordStore(store: Store, trace: Trace): Store {
  const end = (acceptanceId: string, how: string) => {
    trace.active.delete(acceptanceId)
    trace.ended.push({ acceptanceId, how })
  }
  return {
    ...store,
    acceptances: {
      ...store.acceptances,
      insert: async (acceptance) => {
        const inserted = await store.acceptances.insert(acceptance)
        if (!inserted) return false
        const rivals = [...trace.active.values()].filter(({ requestId }) => requestId === acceptance.requestId)
        if (rivals.length > 0) trace.overlaps.push(acceptance.requestId)
        trace.active.set(acceptance.acceptanceId, acceptance)
        return true
      },
      confirm: async (acceptanceId, execution) => {
        const confirmed = await store.acceptances.confirm(acceptanceId, execution)
        if (confirmed !== null) trace.ended.push({ acceptanceId, how: 'confirmed' })
        return confirmed
      },
      end: async (acceptanceId, state) => {
        const ended = await store.acceptances.end(acceptanceId, state)
        if (ended) end(acceptanceId, state)
        return ended
      },
    },
  }
}

function recordBook(book: Book, trace: Trace): Book {
  return {
    ...book,
    put: async (quote) => {
      const result = await book.put(quote)
      if (result.kind === 'stored') {
        trace.quotes.set(result.quote.quoteId, result.quote)
        const makers = trace.quoted.get(quote.requestId) ?? new Set()
        trace.quoted.set(quote.requestId, makers.add(quote.makerId))
      }
      return result
    },
    remove: async (requestId, quoteId) => {
      const result = await book.remove(requestId, quoteId)
      if (result === 'removed') trace.quotes.delete(quoteId)
      return result
    },
    unlock: async (requestId, quoteId, result) => {
      const signing = (await book.find(requestId))?.signing
      await book.unlock(requestId, quoteId, result)
      const key = `${requestId}:${signing?.makerId}`
      if (result === 'missed') trace.misses.set(key, (trace.misses.get(key) ?? 0) + 1)
    },
  }
}

function recordBus(bus: Ports['bus'], trace: Trace): Ports['bus'] {
  return {
    ...bus,
    publish: async (topic, key, message) => {
      if (topic === 'maker') {
        const makerMessage = message as BusMessages['maker']
        if (makerMessage.kind === 'accepted') trace.accepted.push(makerMessage.acceptance)
        else trace.terminals.push({ makerId: key, message: makerMessage })
      }
      await bus.publish(topic, key, message)
    },
  }
}
