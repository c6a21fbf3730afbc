import { RfqError } from '../domain/errors.ts'
import {
  type Absence,
  activeTrip,
  disconnectedSince,
  type MakerProtections,
  type ProtectionState,
  type ProtectionTrip,
  refusalOf,
  tripFigures,
} from '../domain/maker-protections.ts'
import type { Quote } from '../domain/quote.ts'
import type { QuoteRequest } from '../domain/request.ts'
import { type Context, inBackground, record } from './context.ts'
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
  /** A quote of a maker is put: where its maker is gone, it is withdrawn, too. */
  quoted: (makerId: string) => void
  /** Why its maker must not be asked for a quote now: the same, or that it is gone; null: it may be. */
  askRefusal: (request: QuoteRequest, quote: Quote) => MaybePromise<RfqError | null>
  /** Whether a maker's quotes go when it disconnects. */
  cancelsOnDisconnect: (makerId: string) => boolean
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

/** A guard over the store's protections, listening on the bus until it is stopped. */
export function createProtectionGuard(
  context: Pick<Context, 'store' | 'bus' | 'book' | 'presence' | 'clock' | 'log' | 'audit'>,
): ProtectionGuard {
  const { store, bus, book, presence, clock, log } = context
  const states = new Map<string, ProtectionState>()
  /** Those that cancel on disconnect. */
  const watched = new Set<string>()
  /** Of those that are gone and have not quoted since their quotes were withdrawn: when their grace ended. */
  const withdrawnAt = new Map<string, number>()

  /** A node that hears of a trip has quotes on their way to the book that the others cannot know, and takes them out as well. */
  async function take(state: ProtectionState): Promise<void> {
    const { makerId, version, protections } = state
    if ((states.get(makerId)?.version ?? 0) >= version) return
    states.set(makerId, state)
    withdrawnAt.delete(makerId)
    if (protections.cancelOnDisconnect === null) watched.delete(makerId)
    else watched.add(makerId)
    if (activeTrip(state, clock.now()) !== null) await withdraw(makerId, 'kept')
  }

  async function withdraw(makerId: string, held: 'kept' | 'taken'): Promise<void> {
    for (const { requestId, quoteId } of await book.removeAll(makerId, { held })) {
      record(context, requestId, { kind: 'quote_withdrawn', makerId, quoteId })
    }
  }

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
    inBackground({ log }, 'protections_not_told', () =>
      bus.publish('protections', 'all', { kind: 'changed', makerId: state.makerId }),
    )
  }

  function graceEndOf(makerId: string, absence: Absence): number | null {
    const rule = states.get(makerId)?.protections.cancelOnDisconnect ?? null
    const since = rule === null ? null : disconnectedSince(absence, rule.channels)
    return rule === null || since === null ? null : since + rule.graceMs
  }

  const graceEnd = (makerId: string): MaybePromise<number | null> =>
    watched.has(makerId)
      ? thenMaybe(presence.absences([makerId]), ([absence]) => graceEndOf(makerId, absence as Absence))
      : null

  /** One that is held for signature is taken as well, but what its maker was asked to sign stands. */
  async function withdrawIfGone(makerId: string, graceEndsAt: number | null): Promise<void> {
    if (graceEndsAt === null || clock.now() < graceEndsAt || withdrawnAt.get(makerId) === graceEndsAt) return
    // Before they go, so that a quote which comes meanwhile is seen.
    withdrawnAt.set(makerId, graceEndsAt)
    try {
      await withdraw(makerId, 'taken')
    } catch (fault) {
      withdrawnAt.delete(makerId)
      throw fault
    }
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
    inBackground({ log }, 'protections_not_read', async () => {
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
    quoted: (makerId) => void withdrawnAt.delete(makerId),
    askRefusal: (request, quote) => {
      const refused = quoteRefusal(quote.makerId, request, quote)
      if (refused !== null) return refused
      return thenMaybe(graceEnd(quote.makerId), (end) => (end === null || clock.now() < end ? null : goneRefusal()))
    },
    cancelsOnDisconnect: (makerId) => watched.has(makerId),
    graceEnd,
    refresh,
    beforeJoin: (makerId) =>
      watched.has(makerId) ? thenMaybe(graceEnd(makerId), (end) => withdrawIfGone(makerId, end)) : undefined,
    sweep: async () => {
      const makerIds = [...watched]
      if (makerIds.length === 0) return
      const absences = await presence.absences(makerIds)
      for (const [i, makerId] of makerIds.entries()) {
        await withdrawIfGone(makerId, graceEndOf(makerId, absences[i] as Absence))
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
  new RfqError('protection_tripped', { detail: 'The maker is disconnected, and its grace is over.' })
