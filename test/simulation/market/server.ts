import type { Audience } from '../../../src/protocol/domain/audience.ts'
import { EPOCH_SIZE, FEED_LENGTH } from '../../../src/protocol/domain/limits.ts'
import type { Absence, DisconnectRule } from '../../../src/protocol/domain/maker-protections.ts'
import type { Quote } from '../../../src/protocol/domain/quote.ts'
import type { DemotionRule } from '../../../src/protocol/domain/reliability.ts'
import { type ClosedStatus, otherSide, type QuoteRequest, type Side } from '../../../src/protocol/domain/request.ts'
import type { Address } from '../../../src/protocol/domain/units.ts'
import { createLocalBook } from '../../../src/relay/adapters/live/memory/book.ts'
import type { LocalFeed } from '../../../src/relay/adapters/live/memory/feed.ts'
import { NoEpochError } from '../../../src/relay/adapters/live/redis/functions.ts'
import type {
  Book,
  BookLook,
  FormerRequest,
  OrderSignature,
  QuoteKey,
  WhichQuotes,
} from '../../../src/relay/core/ports/book.ts'
import type { Channel, CommitOutcome, MakerEvent } from '../../../src/relay/core/ports/live.ts'
import { createLeaseTable } from './lease-table.ts'
import { createPresenceTable } from './presence-table.ts'

/** Faults that can be planted in the market. */
export type MarketFaults = {
  /** A market of an epoch that others have gone beyond is served as if it were the newest. */
  servesFormer?: boolean
}

/** What a server passes on to the connections that listen to a channel. */
export type Publish = (channel: string, message: unknown) => void

export type ServerOptions = {
  name: string
  /** True time, Unix milliseconds. */
  trueTime: () => number
  demotion: DemotionRule
  publish: Publish
  maxQuotes?: number
  faults?: MarketFaults
  watch?: MarketWatch
}

/** Looks on at what happens to quotes and to who is connected. */
export type MarketWatch = {
  /** Quotes were taken out; `alsoHeld`: those too that are out for signature, as of a maker that is gone or blocked. */
  removed: (server: string, quotes: readonly QuoteKey[], by: { caller: Caller; alsoHeld: boolean }) => void
  /** Since when a maker is absent, as the server has it at a time of the caller, Unix milliseconds. */
  presence: (server: string, makerId: string, absenceAt: (now: number) => Absence, caller: Caller) => void
  /** A maker has missed so many deadlines in a request. */
  missed: (server: string, of: { requestId: string; makerId: string }) => void
  /** Everything is gone. */
  cleared: (server: string) => void
  /** The makers whose quotes rank behind those of all others have changed. */
  demoted: (server: string, makerIds: readonly string[]) => void
}

/**
 * The newest epoch that the caller has seen, and its time when it asked, Unix milliseconds. `seenAt`: the same moment by the clock of its
 * observers; absent: it has none.
 */
export type Caller = { newest: number; now: number; seenAt?: number }

/** A Redis that holds the live market. Each function happens at once; what was done can be done again by a replica. */
export type MarketServer = ReturnType<typeof createMarketServer>

/** How long the quoters of a closed request are remembered, milliseconds. */
const TOMBSTONE_MS = 16 * 60_000

type Done = { at: number; caller: Caller; name: string; args: unknown[] }

export function createMarketServer(options: ServerOptions) {
  const { name: server, demotion, faults = {}, maxQuotes } = options
  const done: Done[] = []
  let replayed: Done | null = null
  const trueTime = (): number => replayed?.at ?? options.trueTime()
  const watch = <What extends keyof MarketWatch>(what: What, ...args: Tail<Parameters<MarketWatch[What]>>): void => {
    if (replayed === null && options.watch !== undefined)
      (options.watch[what] as (...all: unknown[]) => void)(server, ...args)
  }
  const publish: Publish = (channel, message) => {
    if (replayed === null) options.publish(channel, message)
  }

  let now = 0
  let epoch: number | null = null
  let offset = 0
  let epochOf = server
  let isFilled = false
  let fillerUntil = 0
  let events: MakerEvent[] = []
  let open = new Map<string, { id: number; request: QuoteRequest }>()
  let held = new Map<string, number>()
  let quotedBy = new Map<string, { makers: Map<string, string>; until: number }>()
  let signatures = new Map<string, Partial<Record<Side, OrderSignature>> & { epoch: number }>()
  let presence = createPresenceTable()
  const leases = createLeaseTable(trueTime)
  let book = freshBook()

  function freshBook(): Book {
    const feed: Pick<LocalFeed, 'append'> = {
      append: (event) => {
        offset += 1
        const numbered = { ...event, id: (epoch ?? 0) * EPOCH_SIZE + offset } as MakerEvent
        events.push(numbered)
        if (events.length > FEED_LENGTH) events.shift()
        if (numbered.kind === 'quote_request')
          open.set(numbered.request.requestId, { id: numbered.id, request: numbered.request })
        else open.delete(numbered.requestId)
        publish('events', null)
        return numbered
      },
    }
    return createLocalBook({
      clock: { now: () => now, schedule: () => () => {}, afterTurn: () => {} },
      feed: feed as LocalFeed,
      demotion,
      recordQuoter: () => {},
      absenceOf: (makerId) => presence.absenceOf(makerId, now),
      ...(maxQuotes === undefined ? {} : { maxQuotes }),
    })
  }

  const hasEpoch = (): boolean => epoch !== null && epochOf === server
  const isLost = (lowest: number, newest: number): boolean =>
    !hasEpoch() || (epoch ?? 0) < Math.max(lowest, faults.servesFormer === true ? 0 : newest)
  const assertEpoch = (): void => {
    if (!hasEpoch()) throw new NoEpochError('the market is empty')
  }
  const signatureKey = ({ requestId, makerId }: Pick<QuoteKey, 'requestId' | 'makerId'>) => `${requestId} ${makerId}`
  const drop = ({ requestId, makerId }: Pick<QuoteKey, 'requestId' | 'makerId'>): void =>
    void signatures.delete(signatureKey({ requestId, makerId }))

  const absenceAt =
    (makerId: string) =>
    (at: number): Absence =>
      presence.absenceOf(makerId, at)

  async function noteDemoted(): Promise<void> {
    const makerIds = (await book.demoted()).map(({ makerId }) => makerId)
    watch('demoted', makerIds)
  }

  function noteQuoter(requestId: string, makerId: string, quoteId: string): void {
    const known = quotedBy.get(requestId) ?? { makers: new Map(), until: Number.POSITIVE_INFINITY }
    if (!known.makers.has(makerId)) known.makers.set(makerId, quoteId)
    quotedBy.set(requestId, known)
  }

  function clear(isOld: boolean): void {
    book = freshBook()
    open = new Map()
    held = new Map()
    quotedBy = new Map()
    signatures = new Map()
    events = []
    watch('cleared')
    if (isOld) presence = createPresenceTable()
  }

  /** Functions that work without an epoch: they find out that there is none. */
  const first = {
    claim: ({ newest }: Caller, at: number, leaseMs: number, lowest: number): [state: string, epoch: string] => {
      const text = epoch === null ? '' : String(epoch)
      if (isLost(Number(lowest), newest)) return ['empty', text]
      if (isFilled) return ['ready', text]
      if (fillerUntil > at) return ['filling', text]
      fillerUntil = at + leaseMs
      return ['yours', text]
    },
    begin: ({ newest }: Caller, next: number, lowest: number): number => {
      if (!isLost(lowest, newest) || next <= (epoch ?? 0)) return 0
      const isOld = epoch !== null && epoch < newest
      if (isOld || (epoch ?? 0) < lowest) {
        clear(isOld)
        isFilled = false
        fillerUntil = 0
      }
      if (epochOf !== server) {
        isFilled = false
        fillerUntil = 0
      }
      epoch = next
      offset = 0
      epochOf = server
      return 1
    },
    filled: (_: Caller, of: string): void => {
      if (String(epoch) === of) isFilled = true
    },
  }

  const functions = {
    open: async (_: Caller, request: QuoteRequest, former?: FormerRequest): Promise<void> => {
      const { requestId } = request
      if ((await book.find(requestId)) !== null) return
      assertEpoch()
      await book.open(request, former)
      for (const { makerId, quoteId } of former?.quotedBy ?? []) noteQuoter(requestId, makerId, quoteId)
      if (former?.signing != null) {
        noteQuoter(requestId, former.signing.makerId, former.signing.quoteId)
        held.set(requestId, now)
      }
      await book.watch(requestId, (top) => publish(`top:${requestId}`, top))
    },
    find: (_: Caller, requestId: string) => book.find(requestId),
    openRequests: () => [...open.values()],
    top: (_: Caller, requestId: string) => book.top(requestId),
    ranked: (_: Caller, requestId: string) => book.ranked(requestId),
    look: async (_: Caller, requestId: string): Promise<BookLook> => {
      const ranked = await book.ranked(requestId)
      const names = new Set(ranked.map(({ quoteId }) => quoteId))
      const quoters = [...(quotedBy.get(requestId)?.makers ?? [])].map(([makerId, quoteId]) => ({ makerId, quoteId }))
      return { ranked, left: quoters.filter(({ quoteId }) => !names.has(quoteId)) }
    },
    findQuote: (_: Caller, key: Pick<QuoteKey, 'makerId' | 'quoteId'>) => book.findQuote(key),
    quotesOf: (_: Caller, makerId: string) => book.quotesOf(makerId),
    put: async (caller: Caller, quote: Quote, unlessGone?: DisconnectRule | null) => {
      const put = await book.put(quote, unlessGone)
      if (put.kind !== 'stored') return put
      noteQuoter(quote.requestId, quote.makerId, put.quote.quoteId)
      drop(quote)
      if (put.dropped !== undefined) {
        drop(put.dropped)
        watch('removed', [put.dropped], { caller, alsoHeld: false })
      }
      return put
    },
    remove: async (caller: Caller, key: QuoteKey) => {
      const removed = await book.remove(key)
      if (removed === 'removed') {
        drop(key)
        watch('removed', [key], { caller, alsoHeld: false })
      }
      return removed
    },
    removeAll: async (caller: Caller, makerId: string, which: WhichQuotes & { ifGone?: DisconnectRule }) => {
      const removed = await book.removeAll(makerId, which)
      for (const { requestId } of removed) drop({ requestId, makerId })
      const alsoHeld = which.held === 'taken'
      if (alsoHeld) watch('presence', makerId, absenceAt(makerId), caller)
      const keys = removed.map((one) => ({ ...one, makerId }))
      watch('removed', keys, { caller, alsoHeld })
      return removed
    },
    expire: async (_: Caller, key: QuoteKey) => {
      const expired = await book.expire(key)
      if (expired) drop(key)
      return expired
    },
    claimWallet: (_: Caller, requestId: string, makerId: string, wallet: Address) =>
      book.claimWallet(requestId, makerId, wallet),
    makeFirm: async (_: Caller, quote: Quote, signature: OrderSignature, other?: OrderSignature) => {
      const known = signatures.get(signatureKey(quote))
      if (known?.epoch !== epoch) assertEpoch()
      const result = await book.makeFirm(quote, signature, other)
      if (result === 'firm' && known?.epoch !== epoch) {
        const both = { [quote.side]: signature, ...(other === undefined ? {} : { [otherSide(quote.side)]: other }) }
        signatures.set(signatureKey(quote), { ...both, epoch: epoch as number })
      }
      return result
    },
    firmSignature: async (_: Caller, quote: Quote): Promise<OrderSignature | null> => {
      if ((await book.firmSignature(quote)) === null) return null
      const known = signatures.get(signatureKey(quote))
      if (known === undefined || known.epoch !== epoch || !hasEpoch()) return null
      return known[quote.side] ?? null
    },
    lock: async (_: Caller, key: QuoteKey) => {
      const quote = await book.lock(key)
      if (quote !== null) held.set(key.requestId, now)
      return quote
    },
    unlock: async (_: Caller, requestId: string, quoteId: string, result: 'missed' | 'unasked') => {
      const holder = (await book.find(requestId))?.signing
      await book.unlock(requestId, quoteId, result)
      if (result === 'missed' && holder?.quoteId === quoteId) {
        watch('missed', { requestId, makerId: holder.makerId })
        await noteDemoted()
      }
      if ((await book.find(requestId))?.signing == null) held.delete(requestId)
    },
    close: async (_: Caller, requestId: string, status: ClosedStatus, isDisplaced?: true) => {
      if (open.has(requestId)) assertEpoch()
      const closed = await book.close(requestId, status, isDisplaced)
      if (closed.kind !== 'closed') return closed
      held.delete(requestId)
      const quoters = quotedBy.get(requestId)
      if (quoters !== undefined) quoters.until = now + TOMBSTONE_MS
      for (const { makerId } of closed.quotedBy) drop({ requestId, makerId })
      if (status === 'committed') await noteDemoted()
      return closed
    },
    demoted: () => book.demoted(),
    forgive: async (_: Caller, makerId: string) => {
      await book.forgive(makerId)
      await noteDemoted()
    },
    orphans: (_: Caller, dueBefore: number, heldBefore: number): string[] => [
      ...[...open].flatMap(([requestId, { request }]) => (request.expiresAt <= dueBefore ? [requestId] : [])),
      ...[...held].flatMap(([requestId, since]) => (since <= heldBefore ? [requestId] : [])),
    ],
    quotedBy: (_: Caller, requestId: string): { makerId: string; quoteId: string }[] => {
      for (const [id, { until }] of quotedBy) if (until <= now) quotedBy.delete(id)
      const makers = quotedBy.get(requestId)?.makers ?? new Map<string, string>()
      return [...makers].map(([makerId, quoteId]) => ({ makerId, quoteId }))
    },
    present: (
      caller: Caller,
      channel: Channel,
      makerId: string,
      of: { node: string; count: number; expiry: number },
    ) => {
      presence.put(channel, makerId, { ...of, now: caller.now })
      watch('presence', makerId, absenceAt(makerId), caller)
    },
    acquire: (_: Caller, requestId: string, claim: Parameters<typeof leases.acquire>[1]) =>
      leases.acquire(requestId, claim),
    renew: (_: Caller, requestId: string, owner: string, leaseMs: number) => leases.renew(requestId, owner, leaseMs),
    isRunning: (_: Caller, requestId: string) => leases.isRunning(requestId),
    conclude: (_: Caller, requestId: string, owner: string, outcome: CommitOutcome) => {
      if (leases.conclude(requestId, owner, outcome)) publish(`ended:${owner}`, null)
    },
  }

  /** Commands on keys, which no function guards. */
  const reads = {
    countStreams: (at: number, channel: Channel, audience?: Audience): number => presence.count(channel, at, audience),
    hasSocket: (at: number, makerId: string): boolean => presence.isPresent('socket', makerId, at),
    list: (at: number) => presence.list(at),
    absences: (at: number, makerIds: readonly string[]) => makerIds.map((makerId) => presence.absenceOf(makerId, at)),
    /** The id of the newest event; null where there is no epoch, or none that is as new as the caller's. */
    position: (newest: number): number | null => {
      const isOld = faults.servesFormer !== true && (epoch ?? 0) < newest
      return epoch === null || isOld ? null : epoch * EPOCH_SIZE + offset
    },
    eventsAfter: (id: number): readonly MakerEvent[] => {
      let from = events.length
      while (from > 0 && (events[from - 1]?.id ?? 0) > id) from -= 1
      return events.slice(from)
    },
    hasEvent: (id: number): boolean => events.some((event) => event.id === id),
    epoch: (): number => epoch ?? 0,
  }

  type Functions = typeof functions
  type First = typeof first

  function call<Name extends keyof Functions>(
    name: Name,
    caller: Caller,
    args: RestOf<Functions[Name]>,
  ): ReturnType<Functions[Name]> {
    const floor = faults.servesFormer === true ? 0 : caller.newest
    if ((epoch ?? 0) < floor) throw new NoEpochError('the market is empty')
    now = caller.now
    note(name, caller, args)
    return (functions[name] as (caller: Caller, ...args: unknown[]) => ReturnType<Functions[Name]>)(caller, ...args)
  }

  function callFirst<Name extends keyof First>(
    name: Name,
    caller: Caller,
    args: RestOf<First[Name]>,
  ): ReturnType<First[Name]> {
    now = caller.now
    note(name, caller, args)
    return (first[name] as (caller: Caller, ...args: unknown[]) => ReturnType<First[Name]>)(caller, ...args)
  }

  function note(name: string, caller: Caller, args: unknown[]): void {
    if (!READS.has(name)) done.push({ at: trueTime(), caller, name, args })
  }

  return {
    name: server,
    call,
    callFirst,
    reads,
    /** What was done here before a time, Unix milliseconds. */
    history: (before: number): readonly Done[] => done.filter(({ at }) => at < before),
    /** Becomes a replica: does again what was done elsewhere, each thing at its time. */
    redo: async (history: readonly Done[]): Promise<void> => {
      for (const one of history) {
        replayed = one
        const work = (one.name in first ? callFirst : call) as (
          name: string,
          caller: Caller,
          args: unknown[],
        ) => unknown
        try {
          await work(one.name, one.caller, one.args)
        } catch (fault) {
          if (!(fault instanceof NoEpochError)) throw fault
        }
      }
      replayed = null
      // The epoch that it has is one of the server that it is a copy of.
      epochOf = ''
    },
  }
}

type Tail<All extends unknown[]> = All extends [unknown, ...infer Rest] ? Rest : never

type RestOf<Work> = Work extends (caller: Caller, ...rest: infer Rest) => unknown ? Rest : never

const READS = new Set([
  'find',
  'openRequests',
  'top',
  'ranked',
  'look',
  'findQuote',
  'quotesOf',
  'firmSignature',
  'demoted',
  'orphans',
  'quotedBy',
  'isRunning',
])
