import { RfqError } from '@rfqctl/protocol/domain/errors'
import {
  activeSuspension,
  NOTED_WITHIN_MS,
  outcomeFigures,
  type RecordedOutcome,
  type Suspension,
} from '@rfqctl/protocol/domain/maker-record'
import type { Quote } from '@rfqctl/protocol/domain/quote'
import { FifoMap } from 'toad-cache'
import type { Context } from './context.ts'
import type { Stop } from './ports/runtime.ts'
import type { Acceptance } from './ports/store.ts'
import { withdrawQuotes } from './withdraw-quotes.ts'

/** Counts only what a maker did: not the relay's refusals or faults, and nothing uncertain (invariant V12). */
export type MakerRecords = ReturnType<typeof createMakerRecords>

type Unreachable = Pick<Quote, 'makerId' | 'requestId' | 'quoteId'>

/**
 * Tolerated lateness of this process, milliseconds: in sending the order, so that the maker had its time, and at the
 * deadline, so that an answer could be taken.
 */
const LATE_MS = 500

/**
 * Interval of the looks after a deadline, milliseconds: the node that should end the acceptance may be gone. By then
 * every node has taken a timely answer or given it up, since the store answers or fails within six seconds.
 */
const LOOK_MS = 8_000
const LOOKS = NOTED_WITHIN_MS / LOOK_MS - 1

/** Outcomes and answers per node, so that repeats cause no writes. */
const REMEMBERED = 10_000

/** Makers without a key share one name (decision M5). */
const ANONYMOUS = 'anonymous'

/** Listens on the bus until it is stopped. */
export function createMakerRecords(
  context: Pick<
    Context,
    'store' | 'bus' | 'book' | 'presence' | 'clock' | 'log' | 'audit' | 'takeover' | 'background' | 'settings'
  >,
) {
  const { store, bus, presence, clock, log, settings } = context
  const startedAt = clock.now()
  const suspensions = new Map<string, Suspension>()
  /** Suspended makers whose quotes are not withdrawn yet. */
  const withQuotes = new Set<string>()
  const noted = new FifoMap<true>(REMEMBERED)
  const answers = new FifoMap<true>(REMEMBERED)
  const watched = new Set<string>()
  /** Answers with an open result, by arrival: a stranger's answer holds back no miss, nor does a late one. */
  const answering = new Set<{ makerId: string; quoteId: string; at: number }>()

  const isAnswering = ({ makerId, quoteId, deadline }: Acceptance): boolean =>
    [...answering].some((one) => one.quoteId === quoteId && one.makerId === makerId && one.at < deadline)

  /** Timers end with the relay: its store is closed then. */
  const timers = new Set<Stop>()
  function schedule(at: number, run: () => void): void {
    const cancel = clock.schedule(at, () => {
      timers.delete(cancel)
      run()
    })
    timers.add(cancel)
  }

  /** Every node withdraws: its quotes on their way to the book are unknown to the others. */
  async function take(makerId: string, suspension: Suspension | null): Promise<void> {
    const active = activeSuspension(suspension, clock.now())
    const known = suspensions.get(makerId)
    // Read before the known one began.
    if (known !== undefined && (suspension?.since ?? 0) < known.since) return
    if (active === null) return known === undefined ? undefined : letIn(makerId, known, suspension?.until)
    if (known?.until !== active.until) {
      suspensions.set(makerId, active)
      withQuotes.add(makerId)
      schedule(active.until, () => letIn(makerId, active))
    }
    // Each look retries after a failure.
    if (!withQuotes.delete(makerId)) return
    try {
      await withdrawQuotes(context, { makerId })
    } catch (fault) {
      if (suspensions.has(makerId)) withQuotes.add(makerId)
      throw fault
    }
  }

  /** All nodes use the same `at`, so that the maker gets the news once. */
  function letIn(makerId: string, suspension: Suspension, at = suspension.until): void {
    if (suspensions.get(makerId) !== suspension) return
    suspensions.delete(makerId)
    withQuotes.delete(makerId)
    log.info('maker_reinstated', { makerId })
    context.background.run('reinstatement_not_told', () => bus.publish('maker', makerId, { kind: 'reinstated', at }))
  }

  const refresh = async (makerId: string) => take(makerId, (await store.makerRecords.find(makerId)).suspension)

  const tellNodes = (makerId: string) => bus.publish('suspensions', 'all', { kind: 'changed', makerId })

  async function begin(makerId: string, suspension: Suspension): Promise<void> {
    const { until, because } = suspension
    log.warn('maker_suspended', { makerId, reason: `until ${new Date(until).toISOString()}` })
    await Promise.all([
      take(makerId, suspension),
      bus.publish('maker', makerId, { kind: 'suspended', until, because }),
      tellNodes(makerId),
    ])
  }

  function count(makerId: string, outcome: Omit<RecordedOutcome, 'at'>, incidentMs: number): void {
    const name = `${outcome.kind} ${outcome.quoteId}`
    if (makerId === ANONYMOUS || noted.get(name) === true) return
    noted.set(name, true)
    context.background.run('outcome_not_noted', async () => {
      const noting = store.makerRecords.note(makerId, outcome, { ...settings.breaker, incidentMs })
      // A failed write may be noted again.
      const suspension = await noting.catch((fault: unknown) => {
        noted.delete(name)
        throw fault
      })
      if (suspension !== null) await begin(makerId, suspension)
    })
  }

  /**
   * Counts an outcome once per quote and kind; of misses, and of insolvencies, only the first within a maker's time to
   * sign. No caller waits for it, and a failed write is dropped.
   */
  const note = (makerId: string, outcome: Omit<RecordedOutcome, 'at'>): void =>
    count(makerId, outcome, settings.breaker.incidentMs)

  async function noteAbsence({ makerId, requestId, quoteId }: Unreachable): Promise<void> {
    // With several nodes, the one with the socket may be cut off from the others.
    if (context.takeover !== null) return
    const [absence] = await presence.absences([makerId])
    const since = absence?.socket ?? null
    // Zero or null: no one remembers its last connection.
    if (since === null || since === 0 || clock.now() - since <= settings.makerAbsentMs) return
    count(makerId, { kind: 'missed', requestId, quoteId }, clock.now() - since)
  }

  /** Looks again at a pending acceptance; the store says whether the deadline has won. */
  async function look(acceptance: Acceptance, looks: number): Promise<void> {
    const { acceptanceId, makerId, requestId, quoteId } = acceptance
    const current = await store.acceptances.findByQuote(quoteId)
    if (current?.acceptanceId !== acceptanceId || answers.get(quoteId) === true) return
    if (current.state === 'pending' || isAnswering(current)) {
      return looks < LOOKS ? lookLater(acceptance, looks + 1) : undefined
    }
    if (current.state === 'timed_out') note(makerId, { kind: 'missed', requestId, quoteId })
  }

  const lookLater = (acceptance: Acceptance, looks: number): void =>
    schedule(clock.now() + LOOK_MS, () => context.background.run('miss_not_looked_at', () => look(acceptance, looks)))

  const unsubscribe = bus.subscribe('suspensions', 'all', (message) => {
    if (message.kind === 'answered') answers.set(message.quoteId, true)
    else context.background.run('suspension_not_read', () => refresh(message.makerId))
  })

  /** This node's knowledge; null if not suspended. */
  const suspensionOf = (makerId: string) => activeSuspension(suspensions.get(makerId) ?? null, clock.now())

  return {
    note,
    /**
     * This node sent a connected maker its order: without an answer, this node counts a miss. A maker with less than a
     * full time to sign has missed nothing.
     */
    told: (acceptance: Acceptance): void => {
      const { acceptanceId, createdAt, deadline } = acceptance
      // An answer to an acceptance older than this process may have been lost with the former one.
      const isHurried = deadline - createdAt < settings.makerConfirmationMs
      if (isHurried || createdAt < startedAt || clock.now() - createdAt > LATE_MS || watched.has(acceptanceId)) return
      watched.add(acceptanceId)
      schedule(deadline, () => {
        watched.delete(acceptanceId)
        if (clock.now() - deadline <= LATE_MS) lookLater(acceptance, 1)
      })
    },
    /**
     * A commit found no socket of the maker. Counts once per absence, and only after an absence longer than any restart
     * of the relay explains.
     */
    unreachable: (quote: Unreachable): void => context.background.run('absence_not_read', () => noteAbsence(quote)),
    /**
     * Counts only if the maker saw the taker's wallet in the request: without it, a decline is the maker's first chance
     * to refuse that taker (invariant V12).
     */
    declined: ({ makerId, requestId, quoteId }: Acceptance, waitedMs: number): void =>
      context.background.run('decline_not_noted', async () => {
        const wallet = (await store.requests.find(requestId))?.request.wallet ?? null
        if (wallet !== null) note(makerId, { kind: 'declined', requestId, quoteId, waitedMs })
      }),
    /** An answer may have arrived: until the returned function is called, it is open whether it was in time. */
    answering: (makerId: string, quoteId: string): Stop => {
      const answer = { makerId, quoteId, at: clock.now() }
      answering.add(answer)
      return () => answering.delete(answer)
    },
    /** The maker's answer came in time or could not be taken: it has not missed, whatever the result. */
    answered: (quoteId: string): void => {
      answers.set(quoteId, true)
      if (context.takeover === null) return
      bus.publish('suspensions', 'all', { kind: 'answered', quoteId }).catch(() => {})
    },
    suspensionOf,
    /** The same as a refusal, `maker_suspended`. */
    refusalOf: (makerId: string): RfqError | null => {
      const suspension = suspensionOf(makerId)
      return suspension === null ? null : refusalFor(suspension)
    },
    refresh,
    /** False if the maker is not suspended. */
    reinstate: async (makerId: string): Promise<boolean> => {
      const isEnded = await store.makerRecords.reinstate(makerId)
      if (isEnded) await Promise.all([refresh(makerId), tellNodes(makerId)])
      return isEnded
    },
    /** Rereads changes of other nodes: a message of the bus may be lost. */
    recheck: async (): Promise<void> => {
      const known = [...suspensions.keys()]
      const found = new Map(
        (await store.makerRecords.suspended()).map(({ makerId, suspension }) => [makerId, suspension]),
      )
      for (const [makerId, suspension] of found) {
        await take(makerId, suspension).catch((fault: unknown) => log.warn('quotes_not_withdrawn', { makerId, fault }))
      }
      for (const makerId of known) if (!found.has(makerId)) await refresh(makerId)
    },
    stop: (): void => {
      unsubscribe()
      for (const cancel of timers) cancel()
    },
  }
}

const refusalFor = ({ until, because }: Suspension): RfqError =>
  new RfqError('maker_suspended', {
    data: { until: new Date(until).toISOString(), because: because.map(outcomeFigures) },
  })
