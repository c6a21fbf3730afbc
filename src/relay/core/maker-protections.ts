import { RfqError } from '@rfqctl/protocol/domain/errors'
import {
  type Absence,
  activeTrip,
  type DisconnectRule,
  graceEndOf,
  type MakerProtections,
  type ProtectionState,
  refusalOf,
  tripFigures,
} from '@rfqctl/protocol/domain/maker-protections'
import type { Quote } from '@rfqctl/protocol/domain/quote'
import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import type { Context } from './context.ts'
import { type MaybePromise, thenMaybe } from './ports/maybe-promise.ts'
import { removeQuotes } from './withdraw-quotes.ts'

/** A maker without protections costs only a look in memory. */
export type ProtectionGuard = ReturnType<typeof createProtectionGuard>

/** Bounds the store: protections are kept for good. */
const MAKERS_PROTECTED = 10_000

/** Bounds concurrent withdrawals: other commands to Redis queue behind them. */
const SWEPT_AT_ONCE = 50

/** Listens on the bus until it is stopped. */
export function createProtectionGuard(
  context: Pick<Context, 'store' | 'bus' | 'book' | 'presence' | 'clock' | 'log' | 'audit' | 'background'>,
) {
  const { store, bus, presence, clock, log, background } = context
  const states = new Map<string, ProtectionState>()
  /** Makers that cancel on disconnect. */
  const watched = new Map<string, DisconnectRule>()
  /** End of grace by maker, once this node has withdrawn its quotes. The book takes none of them then. */
  const withdrawnAt = new Map<string, number>()

  /** Known to this node; 0 without protections. */
  const versionOf = (makerId: string): number => states.get(makerId)?.version ?? 0

  /**
   * Takes what the store has answered, and says whether it is news. `known` is the version that this node had when it asked: a store
   * that answers with less was restored from a backup, and what it has counts. Every node withdraws: its quotes on their way to the
   * book are unknown to the others.
   */
  async function take(makerId: string, state: ProtectionState | null, known: number): Promise<boolean> {
    const version = state?.version ?? 0
    const isRestored = version < known && versionOf(makerId) === known
    if (versionOf(makerId) >= version && !isRestored) return false
    withdrawnAt.delete(makerId)
    if (state === null) {
      states.delete(makerId)
      watched.delete(makerId)
      return true
    }
    const { protections } = state
    states.set(makerId, state)
    if (protections.cancelOnDisconnect === null) watched.delete(makerId)
    else watched.set(makerId, protections.cancelOnDisconnect)
    if (activeTrip(state, clock.now()) !== null) await removeQuotes(context, makerId, { held: 'kept' })
    return true
  }

  /**
   * Takes quotes held for signature as well, but an order that is out for signature remains valid. By the rule that the store has: the
   * news that the maker has put another one may be lost (fault I18).
   */
  async function withdrawIfGone(makerId: string): Promise<void> {
    await reread(makerId)
    const rule = watched.get(makerId)
    if (rule !== undefined) await removeQuotes(context, makerId, { held: 'taken', ifGone: rule })
  }

  async function reread(makerId: string): Promise<{ state: ProtectionState | null; isNews: boolean }> {
    const known = versionOf(makerId)
    const state = await store.protections.find(makerId)
    return { state, isNews: await take(makerId, state, known) }
  }

  /** Rereads and applies protections whose version the store found outdated. */
  async function refresh(makerId: string): Promise<void> {
    const { state, isNews } = await reread(makerId)
    const trip = state === null ? null : activeTrip(state, clock.now())
    if (state === null || trip === null || !isNews) return
    log.warn('protection_tripped', { makerId })
    await Promise.all([
      bus.publish('maker', makerId, { kind: 'protection_tripped', version: state.version, trip }),
      bus.publish('protections', 'all', { kind: 'changed', makerId }),
    ])
  }

  /**
   * Applies a change to this node once it is durable, and to the others when they get the message: also when its answer is lost, since
   * it may have been made.
   */
  async function change<State extends ProtectionState | null>(
    makerId: string,
    write: () => Promise<State>,
  ): Promise<State> {
    const known = versionOf(makerId)
    try {
      const state = await write()
      if (state !== null) await take(makerId, state, known)
      return state
    } finally {
      background.run('protections_not_told', () => bus.publish('protections', 'all', { kind: 'changed', makerId }))
    }
  }

  /** Unix milliseconds; null unless the maker cancels on disconnect and is disconnected. */
  const graceEnd = (makerId: string): MaybePromise<number | null> => {
    const rule = watched.get(makerId)
    if (rule === undefined) return null
    return thenMaybe(presence.absences([makerId]), ([absence]) => graceEndOf(absence as Absence, rule))
  }

  async function sweepMaker(makerId: string, rule: DisconnectRule, absence: Absence): Promise<void> {
    const graceEndsAt = graceEndOf(absence, rule)
    if (graceEndsAt === null || clock.now() < graceEndsAt || withdrawnAt.get(makerId) === graceEndsAt) return
    await withdrawIfGone(makerId)
    if (watched.get(makerId) === rule) withdrawnAt.set(makerId, graceEndsAt)
  }

  /** Refuses with `protection_tripped` or `outside_protections`; null if the quote is allowed. */
  function quoteRefusal(makerId: string, request: QuoteRequest, quote: Pick<Quote, 'price' | 'size'>): RfqError | null {
    const state = states.get(makerId)
    if (state === undefined) return null
    const trip = activeTrip(state, clock.now())
    if (trip !== null) return new RfqError('protection_tripped', { data: { trip: tripFigures(trip) } })
    const refused = refusalOf(state.protections, request, quote, clock.now())
    return refused === null ? null : new RfqError(refused.code, { detail: refused.detail })
  }

  const stop = bus.subscribe('protections', 'all', ({ makerId }) =>
    background.run('protections_not_read', () => reread(makerId)),
  )

  return {
    versionOf,
    /** Null without protections. */
    read: store.protections.find,
    /** Known to this node. */
    tripOf: (makerId: string) => {
      const state = states.get(makerId)
      const trip = state === undefined ? null : activeTrip(state, clock.now())
      return state === undefined || trip === null ? null : { version: state.version, trip }
    },
    /** Replaces the former protections. Refuses with `too_many_requests` if too many makers have some. */
    put: async (makerId: string, protections: MakerProtections): Promise<ProtectionState> => {
      if (!states.has(makerId) && states.size >= MAKERS_PROTECTED) {
        throw new RfqError('too_many_requests', { detail: `${MAKERS_PROTECTED} makers have protections already.` })
      }
      return change(makerId, () => store.protections.put(makerId, protections))
    },
    /** Starts counting again; null without protections. */
    reset: (makerId: string): Promise<ProtectionState | null> =>
      change(makerId, () => store.protections.reset(makerId)),
    quoteRefusal,
    /** The same, or the maker is gone; null if it may be asked for this quote. */
    askRefusal: (request: QuoteRequest, quote: Quote): MaybePromise<RfqError | null> => {
      const refused = quoteRefusal(quote.makerId, request, quote)
      if (refused !== null) return refused
      return thenMaybe(graceEnd(quote.makerId), (end) => (end === null || clock.now() < end ? null : goneRefusal()))
    },
    /** Null if the maker's quotes survive a disconnect. */
    disconnectRule: (makerId: string): DisconnectRule | null => watched.get(makerId) ?? null,
    graceEnd,
    refresh,
    /** Runs before a connection counts: a maker that was away for longer than its grace has no quotes left. */
    beforeJoin: (makerId: string): MaybePromise<void> => (watched.has(makerId) ? withdrawIfGone(makerId) : undefined),
    sweep: async (): Promise<void> => {
      const makers = [...watched]
      if (makers.length === 0) return
      const absences = await presence.absences(makers.map(([makerId]) => makerId))
      for (let first = 0; first < makers.length; first += SWEPT_AT_ONCE) {
        const some = makers.slice(first, first + SWEPT_AT_ONCE)
        await Promise.all(some.map(([makerId, rule], i) => sweepMaker(makerId, rule, absences[first + i] as Absence)))
      }
    },
    /** Rereads changes of other nodes: a message of the bus may be lost. */
    recheck: async (): Promise<void> => {
      const known = new Map([...states].map(([makerId, { version }]) => [makerId, version]))
      const listed = new Map((await store.protections.list()).map((state) => [state.makerId, state]))
      for (const makerId of new Set([...listed.keys(), ...known.keys()]))
        await take(makerId, listed.get(makerId) ?? null, known.get(makerId) ?? 0)
    },
    stop,
  }
}

export const goneRefusal = (): RfqError =>
  new RfqError('protection_tripped', {
    detail: 'The maker is disconnected, and its grace is over. Connect, then quote.',
  })
