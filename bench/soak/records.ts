import { setTimeout as pause } from 'node:timers/promises'
import type { RecordedOutcome, Suspension } from '../../src/protocol/domain/maker-record.ts'
import { decodeStanding } from '../../src/protocol/wire/maker-record.ts'
import type { OutcomeSeen } from '../../test/invariants/observation.ts'
import type { Collector } from './collector.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { createHttpClient, encodeRequest } from './http-connection.ts'
import type { SoakMaker } from './maker-session.ts'

/** How long makers are suspended, milliseconds: no suspension is longer than the first one, so that its end tells its beginning. */
export const SUSPENSION_MS = 10_000

/** How often records are read, milliseconds: before a maker can have more new outcomes than a node shows. */
const READ_EVERY_MS = 1_500

/** Outcomes that a record shows one by one. */
const SHOWN = 10

/** A maker is suspended, from when until when, Unix milliseconds. */
export type SuspendedTime = { from: number; until: number }

/** What makers are told of their suspensions, on whatever way. */
export type Suspensions = {
  /** A maker is told that it is suspended; perhaps not for the first time. */
  heard: (makerId: string, suspension: Pick<Suspension, 'until' | 'because'>) => void
  /** Told of each suspension of a maker once. */
  follow: (makerId: string, onSuspended: (time: SuspendedTime) => void) => void
  /** How many there were. */
  count: () => number
}

/** What was read of records. `unread`: times that a record had more new outcomes than it shows. */
export type RecordFigures = { outcomes: Readonly<Record<string, number>>; compared: number; unread: number }

/** Reads the records of makers from outside. */
export type Records = {
  /** Reads them again and again until the signal ends it, once more, and hands on what they counted. */
  run: (until: AbortSignal) => Promise<void>
  figures: () => RecordFigures
}

/** No maker was suspended yet. */
export function createSuspensions({ observe, moment }: Pick<Collector, 'observe' | 'moment'>): Suspensions {
  const ends = new Map<string, Set<number>>()
  const followers = new Map<string, (time: SuspendedTime) => void>()
  return {
    heard: (makerId, { until, because }) => {
      const known = ends.get(makerId) ?? new Set()
      ends.set(makerId, known)
      if (known.has(until)) return
      known.add(until)
      const from = until - SUSPENSION_MS
      const told = { until, because: because.map(outcomeSeen), moment: { ...moment(), at: from } }
      observe({ kind: 'maker_suspended', makerId, ...told })
      followers.get(makerId)?.({ from, until })
    },
    follow: (makerId, onSuspended) => void followers.set(makerId, onSuspended),
    count: () => [...ends.values()].reduce((sum, { size }) => sum + size, 0),
  }
}

/** The records of all makers, of which nothing was read yet. */
export function createRecords({
  pools,
  makers,
  collector,
  suspensions,
}: {
  pools: readonly ConnectionPool[]
  makers: readonly SoakMaker[]
  collector: Collector
  suspensions: Suspensions
}): Records {
  const clients = pools.map(createHttpClient)
  const outcomes = new Map<string, Map<string, OutcomeSeen>>()
  let reads = 0
  let compared = 0
  let unread = 0

  async function standing({ makerId, apiKey }: SoakMaker, node: number): Promise<string> {
    const client = clients[node % clients.length] as (typeof clients)[number]
    const call = encodeRequest('GET', '/v1/mm/standing', { headers: { 'x-api-key': apiKey } })
    const { status, text } = await client.call(call)
    if (status !== 200) throw new Error(`answered by ${status}: ${text}`)
    const { lastDay: _, ...record } = decodeStanding(JSON.parse(text))
    note(makerId, record)
    return JSON.stringify(record)
  }

  function note(
    makerId: string,
    { newest, suspension }: Pick<ReturnType<typeof decodeStanding>, 'newest' | 'suspension'>,
  ): void {
    if (suspension !== null) suspensions.heard(makerId, suspension)
    const known = outcomes.get(makerId) ?? new Map<string, OutcomeSeen>()
    outcomes.set(makerId, known)
    const seen = newest.map(outcomeSeen)
    const isAllNew = seen.length === SHOWN && seen.every((one) => !known.has(nameOf(one)))
    if (isAllNew && known.size > 0) unread += 1
    for (const one of seen) known.set(nameOf(one), one)
  }

  /** A record that is the same before and after another node was asked must be the same there. */
  async function read(maker: SoakMaker, node: number): Promise<void> {
    const one = await standing(maker, node)
    if (clients.length === 1) return
    const other = await standing(maker, node + 1)
    if ((await standing(maker, node)) !== one) return
    compared += 1
    collector.observe({ kind: 'records_compared', makerId: maker.makerId, one, other })
  }

  async function readAll(): Promise<void> {
    reads += 1
    try {
      for (const [n, maker] of makers.entries()) await read(maker, n + reads)
    } catch (fault) {
      collector.failed('a record', fault)
    }
  }

  return {
    figures: () => ({
      outcomes: countsOf([...outcomes.values()].flatMap((all) => [...all.values()])),
      compared,
      unread,
    }),
    run: async (until) => {
      while (!until.aborted) {
        await readAll()
        await pause(READ_EVERY_MS, undefined, { signal: until }).catch(() => {})
      }
      await readAll()
      for (const [makerId, all] of outcomes) {
        collector.observe({ kind: 'record_read', makerId, outcomes: [...all.values()] })
      }
    },
  }
}

const outcomeSeen = ({ at, kind, requestId, quoteId }: RecordedOutcome): OutcomeSeen => ({
  ...{ requestId, quoteId, at },
  outcome: kind,
})

/** What is counted twice has two times. */
const nameOf = ({ quoteId, outcome, at }: OutcomeSeen): string => `${quoteId} ${outcome} ${at}`

function countsOf(outcomes: readonly OutcomeSeen[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
