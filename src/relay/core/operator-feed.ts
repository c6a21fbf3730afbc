import { auditEntryBytes } from '@rfqctl/protocol/domain/audit'
import type { AuthorityRecord } from '@rfqctl/protocol/domain/authority'
import type { RankedQuote } from '@rfqctl/protocol/domain/best-quote'
import {
  type MakerStanding,
  makerStanding,
  type RequestSnapshot,
  type SeriesProgress,
} from '@rfqctl/protocol/domain/operations'
import type { QuoteRequest } from '@rfqctl/protocol/domain/request'
import type { HealthReport } from './health.ts'
import type { KnownMaker, MakerLedger } from './maker-ledger.ts'
import type { AuditEvent, OperationsPorts } from './ports/operations.ts'
import type { Stop } from './ports/runtime.ts'
import type { Acceptance } from './ports/store.ts'
import { createSeriesProgress } from './series-progress.ts'
import type { ReadSurface } from './surfaces.ts'

/** Null: cannot be read now. */
export type OperatorState = {
  makers: readonly MakerStanding[] | null
  series: readonly SeriesProgress[] | null
  health: HealthReport
  authority: AuthorityRecord | null
}

/** `position` is the id that live events follow. */
export type OperatorOpening = { position: number; state: OperatorState } & (
  | { kind: 'replay'; missed: readonly AuditEvent[] }
  | {
      kind: 'snapshot'
      /** All open requests; `requests` has those with a pending acceptance and the newest. */
      openRequests: number
      requests: readonly RequestSnapshot[]
      recent: readonly AuditEvent[]
    }
)

export type OperatorNews =
  | { kind: 'happened'; events: readonly AuditEvent[] }
  | { kind: 'makers'; makers: readonly MakerStanding[] }
  | { kind: 'series'; series: readonly SeriesProgress[] }
  | { kind: 'health'; health: HealthReport }
  | { kind: 'authority'; authority: AuthorityRecord }

const POLL_INTERVAL_MS = 1_000
const POLLS_PER_HEALTH = 2

/** Bounds a snapshot. A screen shows some dozens; a request's audit log has the rest. */
const REQUESTS_SHOWN = 500
const QUOTES_SHOWN = 20
const RECENT_SHOWN = 1_000

/** Approximate bytes of past events sent at once; beyond that the operator gets a snapshot. */
const PAST_BYTES = 4 * 1024 * 1024

export function createOperatorFeed(
  ports: OperationsPorts,
  readHealth: () => Promise<HealthReport>,
  ledger: MakerLedger,
  readSurface: ReadSurface,
) {
  const { auditFeed, clock, log } = ports
  const readSeries = createSeriesProgress(ports, readSurface)
  const listeners = new Set<(news: OperatorNews) => void>()
  const changedMakers = createChanges(({ makerId }: KnownMaker) => makerId, isSameMaker)
  const changedSeries = createChanges(({ series }: SeriesProgress) => series.seriesId, isSameProgress)
  const changedAuthority = createChanges(() => '', isSameAuthority)
  let polls = 0
  let stopPolling = () => {}
  let stopListening = () => {}

  const notify = (news: OperatorNews) => {
    for (const listener of listeners) listener(news)
  }

  async function poll(): Promise<void> {
    polls += 1
    try {
      const makers = changedMakers(await ledger.makers()).map(makerStanding)
      if (makers.length > 0) notify({ kind: 'makers', makers })
      if (polls % POLLS_PER_HEALTH === 0) {
        notify({ kind: 'health', health: await readHealth() })
        const authority = changedAuthority(authorityOf(ports))
        for (const one of authority) notify({ kind: 'authority', authority: one })
        const series = changedSeries((await readSeries().catch(() => null)) ?? [])
        if (series.length > 0) notify({ kind: 'series', series })
      }
    } catch (fault) {
      log.warn('operator_feed_failed', { fault })
    }
    if (listeners.size > 0) schedulePoll()
  }

  function schedulePoll(): void {
    stopPolling()
    stopPolling = clock.schedule(clock.now() + POLL_INTERVAL_MS, () => void poll())
  }

  return {
    open: async (lastEventId: number | null): Promise<OperatorOpening> => {
      const since = lastEventId === null ? null : await auditFeed.since(lastEventId)
      const missed = since === null || newestWithin(since).length < since.length ? null : since
      const state = await readState()
      if (missed !== null) {
        return { kind: 'replay', missed, position: missed.at(-1)?.id ?? (lastEventId as number), state }
      }
      // The position is read first: an entry made meanwhile is sent twice rather than never.
      const position = await auditFeed.position()
      const recent = newestWithin((await auditFeed.newest(RECENT_SHOWN)).filter(({ id }) => id <= position))
      return { kind: 'snapshot', position, recent, state, ...(await readRequests(ports)) }
    },

    /** Without a listener nothing is polled. */
    listen: (onNews: (news: OperatorNews) => void): Stop => {
      const listener = (news: OperatorNews) => onNews(news)
      listeners.add(listener)
      if (listeners.size === 1) {
        stopListening = auditFeed.listen((events) => notify({ kind: 'happened', events }))
        schedulePoll()
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        stopPolling()
        stopListening()
      }
    },
  }

  async function readState(): Promise<OperatorState> {
    const [makers, series, health] = await Promise.all([
      ledger
        .makers()
        .then((makers) => makers.map(makerStanding))
        .catch(() => null),
      readSeries().catch(() => null),
      readHealth(),
    ])
    return { makers, series, health, authority: authorityOf(ports)[0] ?? null }
  }
}

function newestWithin(events: readonly AuditEvent[]): readonly AuditEvent[] {
  let bytes = 0
  const tooOld = events.findLastIndex(({ entry }) => {
    bytes += auditEntryBytes(entry)
    return bytes > PAST_BYTES
  })
  return events.slice(tooOld + 1)
}

/** Records are never changed in place, so an unchanged one is the same object. */
const isSameMaker = (a: KnownMaker, b: KnownMaker): boolean =>
  a.record === b.record &&
  a.streams === b.streams &&
  a.sockets === b.sockets &&
  a.demotedUntil === b.demotedUntil &&
  a.suspendedUntil === b.suspendedUntil

function authorityOf({ authority }: Pick<OperationsPorts, 'authority'>): readonly AuthorityRecord[] {
  const state = authority?.last() ?? null
  return state === null ? [] : [state]
}

/** Each read makes new objects, so identity says nothing. */
const isSameAuthority = (a: AuthorityRecord, b: AuthorityRecord): boolean => JSON.stringify(a) === JSON.stringify(b)

const isSameProgress = (a: SeriesProgress, b: SeriesProgress): boolean =>
  a.phase === b.phase &&
  a.series.finalAt === b.series.finalAt &&
  a.series.vetoed === b.series.vetoed &&
  a.pointCount === b.pointCount &&
  a.twap === b.twap &&
  a.mark === b.mark &&
  a.intrinsic === b.intrinsic &&
  a.question === b.question

async function readRequests({ book, store }: OperationsPorts) {
  const [open, acceptances] = await Promise.all([book.openRequests(), store.acceptances.pending()])
  const pendingOf = new Map(acceptances.map((acceptance) => [acceptance.requestId, acceptance]))
  const newest = open.slice(-REQUESTS_SHOWN)
  const waiting = open.slice(0, -REQUESTS_SHOWN).filter(({ request }) => pendingOf.has(request.requestId))
  const requests = await Promise.all(
    [...waiting, ...newest].map(async ({ request }) => {
      const ranked = await book.ranked(request.requestId)
      return requestSnapshot(request, ranked, pendingOf.get(request.requestId) ?? null)
    }),
  )
  return { openRequests: open.length, requests }
}

function requestSnapshot(request: QuoteRequest, ranked: readonly RankedQuote[], pending: Acceptance | null) {
  const { requestId, seriesId, createdAt, expiresAt, locked, wallet, market, option, trade } = request
  return {
    requestId,
    seriesId,
    createdAt,
    expiresAt,
    locked,
    terms: { wallet, market, option, trade },
    quotes: ranked.slice(0, QUOTES_SHOWN),
    quoteCount: ranked.length,
    pending: pending && {
      makerId: pending.makerId,
      quoteId: pending.quoteId,
      askedAt: pending.createdAt,
      deadline: pending.deadline,
    },
  }
}

/** Returns the items that differ from the last ones of the same name; forgets items that are no longer shown. */
function createChanges<Item>(nameOf: (item: Item) => string, isSame: (a: Item, b: Item) => boolean) {
  let shown: ReadonlyMap<string, Item> = new Map()
  return (items: readonly Item[]): readonly Item[] => {
    const former = shown
    shown = new Map(items.map((item) => [nameOf(item), item]))
    return items.filter((item) => {
      const before = former.get(nameOf(item))
      return before === undefined || !isSame(item, before)
    })
  }
}
