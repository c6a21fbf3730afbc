import type { Absence } from '../../../src/protocol/domain/maker-protections.ts'
import type { Order } from '../../../src/protocol/domain/order.ts'
import type { Acceptance, Execution, Store } from '../../../src/relay/core/ports/store.ts'
import { createMoments, type Observation, type ObservationOf, type OrderSeen } from '../../invariants/observation.ts'
import type { Caller, MarketWatch } from '../market/server.ts'

/** A line of what happened, for a story; `requestId` null: it is about no single request. */
export type Line = { at: number; text: string; requestId: string | null }

/** Something that a run breaks apart from the invariants. */
export type Finding = { rule: string; requestId: string | null; sentence: string }

/** Collects what is observed of a venue: calls as their callers see them, and effects as the servers do. */
export type Recorder = ReturnType<typeof createRecorder>

/** Observations that are judged over the whole run, whatever was restored. */
const SEEN_THROUGHOUT: readonly Observation['kind'][] = [
  'maker_stream_opened',
  'maker_event',
  'order_sent',
  'quote_sealed',
]

/** A quote takes at most so long to the market, milliseconds. */
const TAKEN_WITHIN_MS = 2_000

/** How far the clock of a node is from that of its observers at most, unless one was set back, milliseconds. */
const CLOCKS_AGREE_MS = 100

/** After a loss of the market makers have their streams again within so long, milliseconds. */
const STREAMS_BACK_MS = 5_000

/** No request lasts longer, milliseconds. */
const NEWS_MS = 90_000

const CHANNELS = ['stream', 'socket'] as const

/** `now`: the shared time, Unix milliseconds. `leader`: the server of the market that leads. */
export function createRecorder({ now, isTold, leader }: { now: () => number; isTold: boolean; leader: () => string }) {
  const moment = createMoments(now)
  /** What is observed between two restores of the database. */
  const segments: Observation[][] = [[]]
  const lines: Line[] = []
  const findings: Finding[] = []
  /** Requests of before a restore, whose truth the database has lost. */
  const forgotten = new Set<string>()
  /** When requests were opened, Unix milliseconds. */
  const requests = new Map<string, number>()
  /** What holds across restores is judged by these. */
  const throughout: Observation[] = []
  const orders = new Map<string, ObservationOf<'order_sent'>>()
  const pending = new Map<string, Acceptance>()
  const channelsOf = new Map<string, 'any' | 'all'>()
  const gone = new Map<string, boolean>()
  const protections = new Map<string, ObservationOf<'protections_put'>>()
  const withdrawals: ObservationOf<'quote_withdrawn'>[] = []
  const quotes: ObservationOf<'quote'>[] = []
  /** Makers that were ever blocked. */
  const blocked = new Set<string>()
  const ended = new Set<string>()
  const traded: Acceptance[] = []
  const misses = new Map<string, { requestId: string; makerId: string; count: number }>()
  let demoted = new Set<string>()
  /** When the market was lost the last time, Unix milliseconds. */
  let lostAt = Number.NEGATIVE_INFINITY

  function observe(observation: Observation): void {
    const { requestId = null } = observation as { requestId?: string | null }
    if (observation.kind === 'quote') quotes.push(observation)
    if (observation.kind === 'request_opened') requests.set(observation.requestId, now())
    if (SEEN_THROUGHOUT.includes(observation.kind)) throughout.push(observation)
    if (requestId === null || !forgotten.has(requestId)) (segments.at(-1) as Observation[]).push(observation)
    // All streams may be on their way back.
    if (observation.kind === 'request_opened' && now() - lostAt < STREAMS_BACK_MS)
      observe({ kind: 'news_lost', requestId: observation.requestId })
  }

  function tell(text: string, requestId: string | null = null): void {
    if (isTold) lines.push({ at: now(), text, requestId })
  }

  function find(rule: string, requestId: string | null, sentence: string): void {
    findings.push({ rule, requestId, sentence })
  }

  /** How far the clock of a caller was ahead of this one when it asked, however long its call took. */
  const leadOf = ({ now: askedAt, seenAt = now() }: Caller): number => askedAt - seenAt

  /** Whether a clock was set back: the time by which a node judges absences is another one. */
  const isApart = (lead: number): boolean => Math.abs(lead) >= CLOCKS_AGREE_MS

  function notePresence(makerId: string, absenceAt: (now: number) => Absence, caller: Caller): void {
    const lead = leadOf(caller)
    const absence = absenceAt(now() + lead)
    const isAny = channelsOf.get(makerId) === 'any'
    const { stream, socket } = absence
    const both = stream !== null && socket !== null ? Math.max(stream, socket) : null
    const states: [name: string, since: number | null][] = [
      ['either', isAny ? null : both],
      ['stream', isAny ? stream : null],
      ['socket', isAny ? socket : null],
    ]
    for (const [name, since] of states) {
      const key = `${makerId} ${name}`
      const isGone = since !== null
      if ((gone.get(key) ?? false) === isGone) continue
      gone.set(key, isGone)
      const channel = CHANNELS.find((one) => one === name)
      const of = channel === undefined ? {} : { channel }
      const kind = isGone ? 'maker_gone' : 'maker_back'
      const { at, order } = moment()
      const seen = since ?? at + lead
      const isTranslated = seen > 0 && isApart(lead)
      // A node that loses a connection says so at once, which takes as long as its call does.
      const known = since === caller.now ? { knownAt: at } : {}
      observe({ kind, makerId, ...of, ...known, moment: { at: isTranslated ? seen - lead : seen, order } })
    }
  }

  const watchMarket: MarketWatch = {
    removed: (server, quotes, { caller, alsoHeld }) => {
      if (server !== leader()) return
      for (const { requestId, makerId, quoteId } of quotes) {
        const ifGone = alsoHeld && !blocked.has(makerId)
        // While clocks come together again, an absence is shorter by one than by the other.
        const isJudged = ifGone && protections.has(makerId) && !isApart(leadOf(caller))
        const because = isJudged ? { goneMaker: makerId, judgedAt: caller.now } : {}
        const withdrawn: ObservationOf<'quote_withdrawn'> = {
          kind: 'quote_withdrawn',
          requestId,
          quoteId,
          sent: moment(),
          ...because,
        }
        observe(withdrawn)
        withdrawals.push(withdrawn)
        tell(`the quote of ${makerId} is taken out${ifGone ? ', because it is gone' : ''}`, requestId)
      }
    },
    presence: (server, makerId, absenceAt, caller) => {
      if (server === leader()) notePresence(makerId, absenceAt, caller)
    },
    missed: (server, { requestId, makerId }) => {
      if (server === leader()) noteMisses(requestId, makerId, (misses.get(`${requestId} ${makerId}`)?.count ?? 0) + 1)
    },
    cleared: (server) => {
      if (server === leader()) marketLost(0)
    },
    demoted: (server, makerIds) => {
      if (server === leader()) noteDemoted(makerIds)
    },
  }

  function noteDemoted(makerIds: readonly string[]): void {
    if (makerIds.length !== demoted.size) tell(`demoted are ${makerIds.join(', ') || 'none'}`)
    for (const makerId of makerIds)
      if (!demoted.has(makerId)) observe({ kind: 'maker_demoted', makerId, isDemoted: true, moment: moment() })
    for (const makerId of demoted)
      if (!makerIds.includes(makerId)) observe({ kind: 'maker_demoted', makerId, isDemoted: false, moment: moment() })
    demoted = new Set(makerIds)
  }

  function noteMisses(requestId: string, makerId: string, count: number): void {
    misses.set(`${requestId} ${makerId}`, { requestId, makerId, count })
    observe({ kind: 'deadlines_missed', requestId, makerId, misses: count, moment: moment() })
  }

  function forgetMisses(): void {
    for (const { requestId, makerId } of misses.values()) noteMisses(requestId, makerId, 0)
    misses.clear()
    noteDemoted([])
  }

  /** The live market, or a part of it from a time on, is lost. */
  function marketLost(from: number): void {
    lostAt = now()
    if (from === 0) forgetMisses()
    observe({ kind: 'book_lost', moment: moment() })
    // Streams begin again, and a snapshot leaves out what takes no quote any longer.
    for (const [requestId, openedAt] of requests)
      if (openedAt > now() - NEWS_MS) observe({ kind: 'news_lost', requestId })
    for (const withdrawn of withdrawals) if (withdrawn.sent.at >= from) withdrawn.mayStand = true
    if (from > 0) for (const quote of quotes) if (quote.sent.at >= from - TAKEN_WITHIN_MS) quote.mayBeLost = true
  }

  function release({ requestId, quoteId }: Acceptance): void {
    observe({ kind: 'order_released', requestId, quoteId, moment: moment() })
  }

  function end(acceptanceId: string): Acceptance | undefined {
    const acceptance = pending.get(acceptanceId)
    pending.delete(acceptanceId)
    if (acceptance !== undefined && ended.has(acceptanceId))
      find('an acceptance ends once', acceptance.requestId, `the acceptance of ${acceptance.makerId} ended twice`)
    ended.add(acceptanceId)
    return acceptance
  }

  const watchStore = (store: Store): Store => ({
    ...store,
    protections: {
      ...store.protections,
      put: async (makerId, rules) => {
        const state = await store.protections.put(makerId, rules)
        const { windows, cancelOnDisconnect } = rules
        channelsOf.set(makerId, cancelOnDisconnect?.channels ?? 'all')
        const graceMs = cancelOnDisconnect?.graceMs ?? null
        const put = { kind: 'protections_put', makerId, windows, graceMs, moment: moment() } as const
        protections.set(makerId, put)
        observe(put)
        return state
      },
      reset: async (makerId) => {
        const state = await store.protections.reset(makerId)
        observe({ kind: 'protections_reset', makerId, moment: moment() })
        return state
      },
    },
    blocks: {
      ...store.blocks,
      decide: async (decision) => {
        await store.blocks.decide(decision)
        // Nodes that hear of it late still withdraw.
        blocked.add(decision.makerId)
      },
    },
    makerRecords: {
      ...store.makerRecords,
      note: async (makerId, outcome, rule) => {
        const suspension = await store.makerRecords.note(makerId, outcome, rule)
        if (suspension === null) return null
        const because = suspension.because
          .filter((one) => !forgotten.has(one.requestId))
          .map(({ kind, ...names }) => ({ ...names, outcome: kind }))
        observe({
          kind: 'maker_suspended',
          makerId,
          until: suspension.until,
          moment: moment(),
          ...(because.length === 0 ? {} : { because }),
        })
        tell(`${makerId} is suspended`)
        return suspension
      },
      reinstate: async (makerId) => {
        const isEnded = await store.makerRecords.reinstate(makerId)
        if (isEnded) observe({ kind: 'maker_reinstated', makerId, moment: moment() })
        return isEnded
      },
    },
    acceptances: {
      ...store.acceptances,
      insert: async (acceptance, ...versions) => {
        const inserted = await store.acceptances.insert(acceptance, ...versions)
        if (inserted !== true) return inserted
        accepted(acceptance)
        tell(`the store has ${acceptance.makerId} asked until ${timeText(acceptance.deadline)}`, acceptance.requestId)
        return inserted
      },
      insertSigned: async (acceptance, signed, ...versions) => {
        const made = await store.acceptances.insertSigned(acceptance, signed, ...versions)
        if (typeof made !== 'object') return made
        tell(`the store has the firm quote of ${acceptance.makerId} as a trade`, acceptance.requestId)
        noteTrade(made)
        const { requestId, quoteId, makerId, order } = acceptance
        const at = moment()
        observe({
          kind: 'order_taken',
          requestId,
          quoteId,
          makerId,
          order: orderSeen(order),
          signature: made.signature,
          asked: at,
          counted: at,
          isProven: acceptance.proven === true,
        })
        return made
      },
      confirm: async (acceptanceId, signed, version) => {
        const made = await store.acceptances.confirm(acceptanceId, signed, version)
        if (made === null || made === 'outdated') return made
        end(acceptanceId)
        tell(`the store has the signature of ${made.acceptance.makerId}`, made.acceptance.requestId)
        noteTrade(made)
        return made
      },
      withdraw: async (acceptanceId) => {
        const isWithdrawn = await store.acceptances.withdraw(acceptanceId)
        const acceptance = isWithdrawn ? pending.get(acceptanceId) : undefined
        if (acceptance !== undefined) {
          pending.delete(acceptanceId)
          release(acceptance)
          const order = orders.get(acceptanceId)
          if (order !== undefined) order.isTakenBack = true
        }
        return isWithdrawn
      },
      end: async (acceptanceId, state) => {
        const isEnded = await store.acceptances.end(acceptanceId, state)
        const acceptance = isEnded ? end(acceptanceId) : undefined
        if (acceptance !== undefined) {
          release(acceptance)
          tell(`the store has ${acceptance.makerId} as ${state}`, acceptance.requestId)
        }
        return isEnded
      },
    },
  })

  function accepted(acceptance: Acceptance): void {
    const { acceptanceId, requestId, quoteId, makerId, order, deadline } = acceptance
    for (const rival of pending.values())
      if (rival.requestId === requestId)
        find(
          'one acceptance at a time',
          requestId,
          `${makerId} and ${rival.makerId} are asked for ${requestId} at once`,
        )
    pending.set(acceptanceId, acceptance)
    const asked = moment()
    const isProven = acceptance.proven === true
    orders.set(acceptanceId, {
      kind: 'order_sent',
      requestId,
      makerId,
      quoteId,
      order: orderSeen(order),
      deadline,
      asked,
      counted: asked,
      isProven,
    })
    trades.onPromise(acceptance, null)
  }

  function noteTrade(execution: Execution): void {
    traded.push(execution.acceptance)
    trades.onPromise(execution.acceptance, execution.executedAt)
  }

  /** Set by whoever judges what wallets promise. */
  const trades = { onPromise: (_acceptance: Acceptance, _confirmedAt: number | null): void => {} }

  return {
    segments,
    throughout,
    lines,
    findings,
    trades,
    /** What was signed, and is known to the database. */
    traded: () => traded.filter(({ requestId }) => !forgotten.has(requestId)),
    pending: pending as ReadonlyMap<string, Acceptance>,
    protections: protections as ReadonlyMap<string, ObservationOf<'protections_put'>>,
    moment,
    observe,
    tell,
    find,
    watchMarket,
    watchStore,
    /** An order reached its maker. */
    sent: (acceptance: Acceptance): void => {
      const order = orders.get(acceptance.acceptanceId)
      if (order !== undefined) observe(order)
    },
    marketLost,
    /** The database is what it was earlier: it knows nothing of what came after. */
    restored: (): void => {
      for (const requestId of requests.keys()) forgotten.add(requestId)
      pending.clear()
      // A call that is under way is answered by the other truth.
      segments.push(
        (segments.pop() as Observation[]).map((one) => ({ ...one })),
        [],
      )
      protections.clear()
      for (const key of gone.keys()) gone.set(key, false)
    },
    /** Since when, Unix milliseconds, the clocks of nodes were so far from this one at most. */
    clocksSeen: (from: number, byMs: number): void => {
      if (isApart(byMs)) observe({ kind: 'clocks_apart', from, until: now(), byMs })
    },
    isForgotten: (requestId: string): boolean => forgotten.has(requestId),
  }
}

export const orderSeen = (order: Order): OrderSeen => ({
  ...order,
  optionAmount: String(order.optionAmount),
  premiumAmount: String(order.premiumAmount),
})

export const timeText = (at: number): string => new Date(at).toISOString().slice(11, 23)
