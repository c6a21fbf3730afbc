import { RfqError } from '@rfqctl/protocol/domain/errors'
import {
  activeSuspension,
  type BreakerRule,
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
import { withdrawQuotes } from './submit-quote.ts'

/**
 * What makers did, which counts, and whom it suspends. Only what a maker did counts: no refusal that the relay makes of itself, no
 * fault of the relay, and nothing that no one can be sure of (invariant V12).
 */
export type MakerRecords = {
  /**
   * Counts an outcome, once for each quote and kind; of misses, and of insolvencies, within a maker's time to sign the first. No one waits for it, and one
   * that cannot be written is let go.
   */
  note: (makerId: string, outcome: Omit<RecordedOutcome, 'at'>) => void
  /**
   * A maker that is connected here was told what to sign: unless it answers, this node counts that it has missed. One that has
   * less than a maker's time to sign has missed nothing.
   */
  told: (acceptance: Acceptance) => void
  /**
   * A commit found no socket of the maker of a quote. That counts once for each absence, when it has been away for so long that no
   * restart of ours can be the reason.
   */
  unreachable: (quote: Pick<Quote, 'makerId' | 'requestId' | 'quoteId'>) => void
  /** A maker answers what may be its quote: until the returned function is called, no one knows whether in time. */
  answering: (makerId: string, quoteId: string) => Stop
  /** The answer of a maker came in time, or could not be taken: then it has not missed, whatever becomes of it. */
  answered: (quoteId: string) => void
  /** What holds a maker back, as this node knows; null: nothing does. */
  suspensionOf: (makerId: string) => Suspension | null
  /** The same as a refusal, `maker_suspended`. */
  refusalOf: (makerId: string) => RfqError | null
  /** Reads again whether a maker is suspended. */
  refresh: (makerId: string) => Promise<void>
  /** Ends a suspension before its time; false when there is none. */
  reinstate: (makerId: string) => Promise<boolean>
  /** Takes up what was decided elsewhere: a message of the bus may be lost. */
  recheck: () => Promise<void>
  stop: Stop
}

/**
 * How late a process may be, in milliseconds: with what it told a maker, so that the maker had its time, and at the deadline, so
 * that it could have taken an answer.
 */
const LATE_MS = 500

/**
 * How long after its deadline an acceptance is looked at, milliseconds, and how often: whoever ends it may be gone. By then every
 * node has taken an answer that was in time or has given it up, since the store answers or fails within six seconds.
 */
const LOOK_MS = 8_000
const LOOKS = NOTED_WITHIN_MS / LOOK_MS - 1

/** How many outcomes and answers a node remembers, so that no one makes it write the same again and again. */
const REMEMBERED = 10_000

/** Makers without a key are no one in particular (decision M5). */
const ANONYMOUS = 'anonymous'

/** Records over the store's, listening on the bus until it is stopped. */
export function createMakerRecords(
  context: Pick<
    Context,
    'store' | 'bus' | 'book' | 'presence' | 'clock' | 'log' | 'audit' | 'takeover' | 'background' | 'settings'
  >,
): MakerRecords {
  const { store, bus, presence, clock, log, settings } = context
  const startedAt = clock.now()
  const suspensions = new Map<string, Suspension>()
  /** Those of them whose quotes are not withdrawn yet. */
  const withQuotes = new Set<string>()
  const noted = new FifoMap<true>(REMEMBERED)
  const answers = new FifoMap<true>(REMEMBERED)
  const watched = new Set<string>()
  /** Answers of which it is not known yet what becomes of them, and when they came: a stranger's hold back no miss, nor do late ones. */
  const answering = new Set<{ makerId: string; quoteId: string; at: number }>()

  const isAnswering = ({ makerId, quoteId, deadline }: Acceptance): boolean =>
    [...answering].some((one) => one.quoteId === quoteId && one.makerId === makerId && one.at < deadline)

  /** What waits ends with the relay: its store is closed then. */
  const timers = new Set<Stop>()
  function schedule(at: number, run: () => void): void {
    const cancel = clock.schedule(at, () => {
      timers.delete(cancel)
      run()
    })
    timers.add(cancel)
  }

  /** A node that hears of it has quotes on their way to the book that the others cannot know, and takes them out as well. */
  async function take(makerId: string, suspension: Suspension | null): Promise<void> {
    const active = activeSuspension(suspension, clock.now())
    const known = suspensions.get(makerId)
    // What was read before this one began.
    if (known !== undefined && (suspension?.since ?? 0) < known.since) return
    if (active === null) return known === undefined ? undefined : letIn(makerId, known, suspension?.until)
    if (known?.until !== active.until) {
      suspensions.set(makerId, active)
      withQuotes.add(makerId)
      schedule(active.until, () => letIn(makerId, active))
    }
    // As long as it fails, each look takes it up again.
    if (!withQuotes.delete(makerId)) return
    try {
      await withdrawQuotes(context, { makerId })
    } catch (fault) {
      if (suspensions.has(makerId)) withQuotes.add(makerId)
      throw fault
    }
  }

  /** `at`: when, which all nodes say alike, so that their maker hears it once. */
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

  function count(
    makerId: string,
    outcome: Omit<RecordedOutcome, 'at'>,
    { incidentMs }: Pick<BreakerRule, 'incidentMs'>,
  ): void {
    const name = `${outcome.kind} ${outcome.quoteId}`
    if (makerId === ANONYMOUS || noted.get(name) === true) return
    noted.set(name, true)
    context.background.run('outcome_not_noted', async () => {
      const noting = store.makerRecords.note(makerId, outcome, { ...settings.breaker, incidentMs })
      // What could not be written may be noted again.
      const suspension = await noting.catch((fault: unknown) => {
        noted.delete(name)
        throw fault
      })
      if (suspension !== null) await begin(makerId, suspension)
    })
  }

  const note: MakerRecords['note'] = (makerId, outcome) => count(makerId, outcome, settings.breaker)

  async function noteAbsence({ makerId, requestId, quoteId }: Parameters<MakerRecords['unreachable']>[0]) {
    // Among several nodes the one with its socket may be cut off from the others.
    if (context.takeover !== null) return
    const [absence] = await presence.absences([makerId])
    const since = absence?.socket ?? null
    // Since ever: no one remembers it.
    if (since === null || since === 0 || clock.now() - since <= settings.makerAbsentMs) return
    count(makerId, { kind: 'missed', requestId, quoteId }, { incidentMs: clock.now() - since })
  }

  /** What is still pending is looked at again; the store says whether the deadline has won. */
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

  const suspensionOf = (makerId: string) => activeSuspension(suspensions.get(makerId) ?? null, clock.now())

  return {
    note,
    told: (acceptance) => {
      const { acceptanceId, createdAt, deadline } = acceptance
      // Of what is older than this process, an answer may have been lost with the one before.
      const isHurried = deadline - createdAt < settings.makerConfirmationMs
      if (isHurried || createdAt < startedAt || clock.now() - createdAt > LATE_MS || watched.has(acceptanceId)) return
      watched.add(acceptanceId)
      schedule(deadline, () => {
        watched.delete(acceptanceId)
        if (clock.now() - deadline <= LATE_MS) lookLater(acceptance, 1)
      })
    },
    unreachable: (quote) => context.background.run('absence_not_read', () => noteAbsence(quote)),
    answering: (makerId, quoteId) => {
      const answer = { makerId, quoteId, at: clock.now() }
      answering.add(answer)
      return () => answering.delete(answer)
    },
    answered: (quoteId) => {
      answers.set(quoteId, true)
      if (context.takeover === null) return
      bus.publish('suspensions', 'all', { kind: 'answered', quoteId }).catch(() => {})
    },
    suspensionOf,
    refusalOf: (makerId) => {
      const suspension = suspensionOf(makerId)
      return suspension === null ? null : refusalFor(suspension)
    },
    refresh,
    reinstate: async (makerId) => {
      const isEnded = await store.makerRecords.reinstate(makerId)
      if (isEnded) await Promise.all([refresh(makerId), tellNodes(makerId)])
      return isEnded
    },
    recheck: async () => {
      const known = [...suspensions.keys()]
      const found = new Map(
        (await store.makerRecords.suspended()).map(({ makerId, suspension }) => [makerId, suspension]),
      )
      for (const [makerId, suspension] of found) {
        await take(makerId, suspension).catch((fault: unknown) => log.warn('quotes_not_withdrawn', { makerId, fault }))
      }
      for (const makerId of known) if (!found.has(makerId)) await refresh(makerId)
    },
    stop: () => {
      unsubscribe()
      for (const cancel of timers) cancel()
    },
  }
}

/** Refused until a moment, with the outcomes that it is for. */
const refusalFor = ({ until, because }: Suspension): RfqError =>
  new RfqError('maker_suspended', {
    data: { until: new Date(until).toISOString(), because: because.map(outcomeFigures) },
  })
