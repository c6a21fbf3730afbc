import { RfqError } from '@rfqctl/protocol/domain/errors'
import {
  type Absence,
  activeTrip,
  type DisconnectRule,
  graceEndOf,
  type MakerProtections,
  type ProtectionState,
  type ProtectionTrip,
  refusalOf,
  tripFigures,
} from '@rfqctl/protocol/domain/maker-protections'
import type { Quote } from '@rfqctl/protocol/domain/quote'
import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import { type Context, record } from './context.ts'
import type { Book } from './ports/book.ts'
import { type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'
import type { Stop } from './ports/runtime.ts'

/** A trip, and the version of the protections that have tripped. */
type TripNews = { version: number; trip: ProtectionTrip }

/** What the relay holds for makers: a maker that has put no protections costs a look in memory. */
export type ProtectionGuard = {
  /** The version of a maker's protections as this node knows them; 0: it has put none. */
  versionOf: (makerId: string) => number
  /** The protections of a maker as the store has them; null: it has put none. */
  read: (makerId: string) => Promise<ProtectionState | null>
  /** What holds a maker back, as this node knows. */
  tripOf: (makerId: string) => TripNews | null
  /** Puts protections in place of the former ones. Refuses with `too_many_requests` when too many makers have some. */
  put: (makerId: string, protections: MakerProtections) => Promise<ProtectionState>
  /** Ends a trip and counts again; null where the maker has put none. */
  reset: (makerId: string) => Promise<ProtectionState | null>
  /** Why a quote must not be: `protection_tripped` or `outside_protections`; null: it may be. */
  quoteRefusal: (makerId: string, request: QuoteRequest, quote: Pick<Quote, 'price' | 'size'>) => RfqError | null
  /** Why its maker must not be asked for a quote now: the same, or that it is gone; null: it may be. */
  askRefusal: (request: QuoteRequest, quote: Quote) => MaybePromise<RfqError | null>
  /** When a maker's quotes go as it disconnects; null: they stay. */
  disconnectRule: (makerId: string) => DisconnectRule | null
  /** When the grace of a maker ends that cancels on disconnect and is disconnected, Unix milliseconds; null for any other. */
  graceEnd: (makerId: string) => MaybePromise<number | null>
  /** Reads a maker's protections again, which the store has found to be others, and does what they say. */
  refresh: (makerId: string) => Promise<void>
  /** Before a maker connects: one that was away for longer than its grace has no quotes any more. */
  beforeJoin: (makerId: string) => MaybePromise<void>
  /** Withdraws the quotes of makers that are gone for longer than their grace. */
  sweep: () => Promise<void>
  /** Takes up what was changed elsewhere: a message of the bus may be lost. */
  recheck: () => Promise<void>
  stop: Stop
}

/** How many makers may have protections on one relay: each is kept for good. */
const MAKERS_PROTECTED = 10_000

/** Of how many makers the quotes are withdrawn at the same time: what else is asked of Redis waits behind them. */
const SWEPT_AT_ONCE = 50

/** A guard over the store's protections, listening on the bus until it is stopped. */
export function createProtectionGuard(
  context: Pick<Context, 'store' | 'bus' | 'book' | 'presence' | 'clock' | 'log' | 'audit' | 'background'>,
): ProtectionGuard {
  const { store, bus, book, presence, clock, log, background } = context
  const states = new Map<string, ProtectionState>()
  /** Those that cancel on disconnect. */
  const watched = new Map<string, DisconnectRule>()
  /** Of those that are gone, and whose quotes this node has withdrawn: when their grace ended. The book takes none of them then. */
  const withdrawnAt = new Map<string, number>()

  /** A node that hears of a trip has quotes on their way to the book that the others cannot know, and takes them out as well. */
  async function take(state: ProtectionState): Promise<void> {
    const { makerId, version, protections } = state
    if ((states.get(makerId)?.version ?? 0) >= version) return
    states.set(makerId, state)
    withdrawnAt.delete(makerId)
    if (protections.cancelOnDisconnect === null) watched.delete(makerId)
    else watched.set(makerId, protections.cancelOnDisconnect)
    if (activeTrip(state, clock.now()) !== null) await withdraw(makerId, { held: 'kept' })
  }

  async function withdraw(makerId: string, which: Parameters<Book['removeAll']>[1]): Promise<void> {
    for (const { requestId, quoteId } of await book.removeAll(makerId, which)) {
      record(context, requestId, { kind: 'quote_withdrawn', makerId, quoteId })
    }
  }

  /** One that is held for signature is taken as well, but what its maker was asked to sign stands. */
  const withdrawIfGone = (makerId: string, rule: DisconnectRule) => withdraw(makerId, { held: 'taken', ifGone: rule })

  async function refresh(makerId: string): Promise<void> {
    const state = await store.protections.find(makerId)
    if (state === null) return
    const isNews = (states.get(makerId)?.version ?? 0) < state.version
    await take(state)
    const trip = activeTrip(state, clock.now())
    if (trip === null || !isNews) return
    log.warn('protection_tripped', { makerId })
    await Promise.all([
      bus.publish('maker', makerId, { kind: 'protection_tripped', version: state.version, trip }),
      bus.publish('protections', 'all', { kind: 'changed', makerId }),
    ])
  }

  /** A change that is durable is true on this node at once, and on the others as soon as they hear of it. */
  async function changed(state: ProtectionState): Promise<void> {
    await take(state)
    background.run('protections_not_told', () =>
      bus.publish('protections', 'all', { kind: 'changed', makerId: state.makerId }),
    )
  }

  const graceEnd = (makerId: string): MaybePromise<number | null> => {
    const rule = watched.get(makerId)
    if (rule === undefined) return null
    return thenMaybe(presence.absences([makerId]), ([absence]) => graceEndOf(absence as Absence, rule))
  }

  /** Of the makers that are gone the quotes go: each once for an absence, as long as it lasts. */
  async function sweepMaker(makerId: string, rule: DisconnectRule, absence: Absence): Promise<void> {
    const graceEndsAt = graceEndOf(absence, rule)
    if (graceEndsAt === null || clock.now() < graceEndsAt || withdrawnAt.get(makerId) === graceEndsAt) return
    await withdrawIfGone(makerId, rule)
    if (watched.get(makerId) === rule) withdrawnAt.set(makerId, graceEndsAt)
  }

  const quoteRefusal: ProtectionGuard['quoteRefusal'] = (makerId, request, quote) => {
    const state = states.get(makerId)
    if (state === undefined) return null
    const trip = activeTrip(state, clock.now())
    if (trip !== null) return new RfqError('protection_tripped', { data: { trip: tripFigures(trip) } })
    const refused = refusalOf(state.protections, request, quote, clock.now())
    return refused === null ? null : new RfqError(refused.code, { detail: refused.detail })
  }

  const unsubscribe = bus.subscribe('protections', 'all', ({ makerId }) =>
    background.run('protections_not_read', async () => {
      const state = await store.protections.find(makerId)
      if (state !== null) await take(state)
    }),
  )

  return {
    versionOf: (makerId) => states.get(makerId)?.version ?? 0,
    read: store.protections.find,
    tripOf: (makerId) => {
      const state = states.get(makerId)
      const trip = state === undefined ? null : activeTrip(state, clock.now())
      return state === undefined || trip === null ? null : { version: state.version, trip }
    },
    put: async (makerId, protections) => {
      if (!states.has(makerId) && states.size >= MAKERS_PROTECTED) {
        throw new RfqError('too_many_requests', { detail: `${MAKERS_PROTECTED} makers have protections already.` })
      }
      const state = await store.protections.put(makerId, protections)
      await changed(state)
      return state
    },
    reset: async (makerId) => {
      const state = await store.protections.reset(makerId)
      if (state !== null) await changed(state)
      return state
    },
    quoteRefusal,
    askRefusal: (request, quote) => {
      const refused = quoteRefusal(quote.makerId, request, quote)
      if (refused !== null) return refused
      return thenMaybe(graceEnd(quote.makerId), (end) => (end === null || clock.now() < end ? null : goneRefusal()))
    },
    disconnectRule: (makerId) => watched.get(makerId) ?? null,
    graceEnd,
    refresh,
    beforeJoin: (makerId) => {
      const rule = watched.get(makerId)
      return rule === undefined ? undefined : withdrawIfGone(makerId, rule)
    },
    sweep: async () => {
      const makers = [...watched]
      if (makers.length === 0) return
      const absences = await presence.absences(makers.map(([makerId]) => makerId))
      for (let first = 0; first < makers.length; first += SWEPT_AT_ONCE) {
        const some = makers.slice(first, first + SWEPT_AT_ONCE)
        await Promise.all(some.map(([makerId, rule], i) => sweepMaker(makerId, rule, absences[first + i] as Absence)))
      }
    },
    recheck: async () => {
      for (const state of await store.protections.list()) await take(state)
    },
    stop: unsubscribe,
  }
}

/** A maker that cancels on disconnect, and is disconnected. */
export const goneRefusal = (): RfqError =>
  new RfqError('protection_tripped', {
    detail: 'The maker is disconnected, and its grace is over. Connect, then quote.',
  })
