import { setTimeout as pause } from 'node:timers/promises'
import type { MakerProtections } from '../../src/protocol/domain/maker-protections.ts'
import { contracts, usd6 } from '../../src/protocol/domain/units.ts'
import { encodeProtections } from '../../src/protocol/wire/maker-protections.ts'
import { between } from './between.ts'
import type { Collector } from './collector.ts'
import { type ConnectionPool, createConnectionGroup } from './connection-pool.ts'
import { createFirmHabits, quotesFirm } from './firm-quotes.ts'
import { createMakerSession, type MakerMemory, type MakerSession, type SoakMaker } from './maker-session.ts'
import { blankMemory, isOnSocket, isTurn } from './makers.ts'
import type { Suspensions } from './records.ts'

/** What came of makers that are killed and come back. `quotesSuspended`: quotes that were refused for a suspension. */
export type KillFigures = { kills: number; acceptances: number; trips: number; resets: number; quotesSuspended: number }

/** Makers that are killed and come back until the soak is over. */
export type KilledMakers = {
  /** Kills them all the time; resolves when the signal has ended it and all of them are back. */
  run: (until: AbortSignal) => Promise<void>
  /** How many had a stream at least and at most, all the time between a moment, Unix milliseconds, and now. */
  countSince: (at: number) => readonly [least: number, most: number]
  figures: () => KillFigures
}

/** How long a maker may be gone, milliseconds. */
export const GRACE_MS = 500

/** How long makers have to sign, milliseconds. */
export const SIGN_MS = 3_000

/** One maker in so many is never killed and signs everything: its silence tells, and no one may suspend it. */
const STAYS_ONE_IN = 4

/** How long a maker lives, at least and at most, milliseconds. */
const LIFE_MS = [500, 6_000] as const

/** How long it is away: surely within its grace, about as long, and for long. */
const AWAY_MS = [
  [0, 250],
  [GRACE_MS - 100, GRACE_MS + 200],
  [3_000, 6_000],
] as const

/** The share of orders that a maker is killed by: before it signs, and comes back before or after the deadline. */
const KILLED_WHEN_ASKED = 0.1

/** Who is away for no longer than this may have kept its quotes, milliseconds. */
const SURELY_GONE_MS = 2 * GRACE_MS

/** One order in so many is sent back unsigned: who does so soon after another outcome of that kind is suspended. */
const DECLINES_ONE_IN = 8

/** How long after its end something may become known of a life, milliseconds: its requests are not checked before. */
const RECENT_MS = 8_000

/** How long a maker takes to reset what has tripped, milliseconds. */
const RESET_AFTER_MS = 1_000

type Options = {
  /** Of each node of the relay. */
  pools: readonly ConnectionPool[]
  makers: readonly SoakMaker[]
  quotesPerRequest: number
  collector: Collector
  suspensions: Suspensions
  /** How long the relay's news may take, milliseconds. */
  lagMs: number
  signal: AbortSignal
}

/** Connects all makers, with protections; resolves when all of them are there. */
export async function connectKilledMakers(options: Options): Promise<KilledMakers> {
  const figures: KillFigures = { kills: 0, acceptances: 0, trips: 0, resets: 0, quotesSuspended: 0 }
  const all = options.makers.map((maker, index) => createMortalMaker(maker, index, { ...options, figures }))
  await Promise.all(all.map(({ begin }) => begin()))
  return {
    run: async (until) => {
      await Promise.all(all.filter((_, index) => !stays(index)).map(({ dieAndReturn }) => dieAndReturn(until)))
    },
    countSince: (at) => {
      const from = at - options.lagMs
      const attendances = all.map(({ attendance }) => attendance())
      return [
        attendances.filter(({ isThere, cameAt }) => isThere && cameAt < from).length,
        attendances.filter(({ isThere, wentAt }) => isThere || wentAt > from).length,
      ]
    },
    figures: () => ({ ...figures }),
  }
}

const stays = (index: number): boolean => index % STAYS_ONE_IN === 0

/** What a maker has the relay hold for it. One that stays has no bound, so that takers find somebody. */
function protectionsOf(index: number): Omit<MakerProtections, 'references'> {
  const bounds = { maxAccepted: null, maxContracts: null, maxNotional: null, maxCollateral: null }
  const windows = [
    { ...bounds, ms: 20_000, maxAccepted: 6 },
    { ...bounds, ms: 60_000, maxContracts: contracts(300n), maxNotional: usd6(20_000_000n) },
  ]
  return {
    cancelOnDisconnect: { graceMs: GRACE_MS, channels: index % 2 === 0 ? 'all' : 'any' },
    windows: stays(index) ? [] : windows,
    freezeMs: index % 3 === 0 ? null : 4_000,
    maxQuoteSize: null,
  }
}

/** A maker that dies and returns. */
export function createMortalMaker(
  maker: SoakMaker,
  index: number,
  {
    pools,
    makers,
    quotesPerRequest,
    collector,
    suspensions,
    lagMs,
    signal,
    figures,
  }: Options & { figures: KillFigures },
) {
  const { makerId } = maker
  const { observe, moment } = collector
  const memory: MakerMemory = blankMemory()
  const protections = protectionsOf(index)
  const trips = new Set<number>()
  const afterFirm = createFirmHabits()
  const attendance = { isThere: false, cameAt: 0, wentAt: 0 }
  let lives = 0
  let lastId: number | null = null
  let session: MakerSession | null = null
  /** The one before, of which something may become known afterwards. */
  let former: MakerSession | null = null
  /** Ends the life of now before its time. */
  let end = new AbortController()
  let isMortal = false
  /** Of one that was killed long ago the requests are over. */
  const recent = () => (Date.now() - attendance.wentAt < RECENT_MS ? former : null)
  suspensions.follow(makerId, (time) => {
    for (const one of [recent(), session]) one?.suspend(time)
  })

  async function begin(): Promise<void> {
    lives += 1
    const name = stays(index) ? makerId : `${makerId}, for the time ${lives},`
    const own = pools.map((_, n) => createConnectionGroup(pools[(n + index + lives) % pools.length] as ConnectionPool))
    const opened = createMakerSession(maker, {
      ...{ pools: own, collector, signal, memory, name, confirmationMs: SIGN_MS, mayBeLate: true },
      isTurn: (requestId) => isTurn(requestId, { index, crowd: makers.length, quotesPerRequest }),
      // Every other time it remembers where it was, and is not told again what it quoted before.
      after: lives % 2 === 0 ? lastId : null,
      isOnSocket: isOnSocket(index),
      isLasting: stays(index),
      declinesOneIn: stays(index) ? null : DECLINES_ONE_IN,
      ...(quotesFirm(index) ? { afterFirm } : {}),
      onAsked: () => {
        figures.acceptances += 1
        const dies = isMortal && Math.random() < KILLED_WHEN_ASKED
        if (dies) opened.kill()
        if (dies) end.abort()
        return !dies
      },
      onTrip: (trip) => void recover(opened, trip),
      onSuspended: (suspension, wasRefused) => {
        if (wasRefused) figures.quotesSuspended += 1
        suspensions.heard(makerId, suspension)
      },
      onStreamId: (id) => {
        lastId = id
      },
    })
    session = opened
    end = new AbortController()
    await put(opened)
    observe({ kind: 'maker_back', makerId, moment: moment() })
    Object.assign(attendance, { isThere: true, cameAt: Number.POSITIVE_INFINITY })
    await opened.open()
    attendance.cameAt = Date.now()
  }

  /** It puts them at each start, which changes nothing. */
  async function put({ call }: MakerSession): Promise<void> {
    const { status, text } = await call('PUT', '/v1/mm/protections', encodeProtections(protections))
    if (status !== 200) throw new Error(`protections were answered by ${status}: ${text}`)
    const { windows, cancelOnDisconnect } = protections
    const graceMs = cancelOnDisconnect?.graceMs ?? null
    observe({ kind: 'protections_put', makerId, windows, graceMs, moment: moment() })
  }

  async function recover(
    tripped: MakerSession,
    { at, needsReset }: { at: number; needsReset: boolean },
  ): Promise<void> {
    if (!trips.has(at)) {
      figures.trips += 1
      // It was killed before it heard of it: of its quotes of then there is no doubt any more.
      recent()?.takeQuotesOut(at)
    }
    trips.add(at)
    await pause(needsReset ? RESET_AFTER_MS : (protections.freezeMs ?? 0), undefined, { ref: false })
    if (tripped !== session || signal.aborted) return
    if (needsReset) {
      const answer = await tripped.call('POST', '/v1/mm/protections/reset', {}).catch(() => null)
      // Killed in between, when they may have been reset.
      if (answer !== null && answer.status !== 200)
        collector.failed('a reset', new Error(`answered by ${answer.status}: ${answer.text}`))
      observe({ kind: 'protections_reset', makerId, moment: moment() })
      if (answer === null) return
      figures.resets += 1
    }
    tripped.resumeQuoting()
  }

  async function die(awayMs: number): Promise<void> {
    const killed = session as MakerSession
    former = killed
    session = null
    killed.kill()
    const diedAt = moment()
    observe({ kind: 'maker_gone', makerId, moment: diedAt })
    Object.assign(attendance, { isThere: false, wentAt: diedAt.at })
    figures.kills += 1
    // What was on its way is not heard: its protections may have tripped. No earlier than what is told takes to be heard, of its
    // own quotes only, and as long as it does not hear of that trip when it is back; then they are gone since, and after its grace
    // in any case.
    killed.takeQuotesOut(diedAt.at - lagMs, true)
    if (awayMs < SURELY_GONE_MS) return pause(awayMs)
    await pause(SURELY_GONE_MS)
    killed.takeQuotesOut(diedAt.at + GRACE_MS)
    await pause(awayMs - SURELY_GONE_MS)
  }

  return {
    begin,
    /** Kills it and lets so many milliseconds pass. */
    die,
    attendance: () => attendance,
    dieAndReturn: async (until: AbortSignal) => {
      isMortal = true
      for (;;) {
        await pause(between(LIFE_MS), undefined, { signal: AbortSignal.any([until, end.signal]) }).catch(() => {})
        isMortal = !until.aborted
        if (until.aborted && !end.signal.aborted) return
        await die(between(AWAY_MS[Math.floor(Math.random() * AWAY_MS.length)] as readonly [number, number]))
        await begin().catch((fault: unknown) => {
          // Killed again by what it heard first.
          if (!end.signal.aborted) collector.failed('a return', fault)
        })
      }
    },
  }
}
