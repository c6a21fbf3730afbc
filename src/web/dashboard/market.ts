import type { Health, MakerStanding, OperatorEvent, SeriesProgress } from '@rfqctl/client/index'
import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import type { AuthorityRecord } from '@rfqctl/protocol/domain/authority'
import { afterEntry, afterRankChange, openedRequest, type RequestView, requestOfSnapshot } from './request-view.ts'

/** Ids rise. */
export type MarketEvent = { id: number; entry: AuditEntry }

export type Market = {
  mode: 'onchain' | 'simulated'
  chainId: number | null
  /** Open and lately closed ones, oldest first. */
  requests: ReadonlyMap<string, RequestView>
  /** Open requests missing from the snapshot. */
  hiddenRequests: number
  makers: ReadonlyMap<string, MakerStanding>
  series: ReadonlyMap<string, SeriesProgress>
  health: Health | null
  authority: AuthorityRecord | null
  /** The newest ones, oldest first. */
  events: readonly MarketEvent[]
  /** Only seconds with quotes, oldest first. */
  quoteRate: readonly { second: number; count: number }[]
  /** Durations of the newest confirmations, milliseconds. */
  waits: readonly number[]
  /** Whether a whole snapshot has arrived. */
  isComplete: boolean
}

export const EMPTY_MARKET: Market = {
  mode: 'onchain',
  chainId: null,
  requests: new Map(),
  hiddenRequests: 0,
  makers: new Map(),
  series: new Map(),
  health: null,
  authority: null,
  events: [],
  quoteRate: [],
  waits: [],
  isComplete: false,
}

/** Bounds that keep memory flat however long a dashboard runs. */
const CLOSED_KEPT = 200
const OPEN_KEPT = 2_000
const MAKERS_KEPT = 5_000
const SERIES_KEPT = 500
const EVENTS_KEPT = 1_000
const RATE_SECONDS_KEPT = 60
const WAITS_KEPT = 500

type Draft = {
  -readonly [Key in keyof Market]: Market[Key] extends ReadonlyMap<infer Name, infer Item>
    ? Map<Name, Item>
    : Market[Key]
}

export function afterEvents(market: Market, events: readonly OperatorEvent[]): Market {
  let draft = draftOf(market)
  const newest: MarketEvent[] = []
  for (const event of events) {
    if (event.kind === 'snapshot_begin') {
      newest.length = 0
      draft = { ...draftOf(EMPTY_MARKET), mode: draft.mode, chainId: draft.chainId, hiddenRequests: event.openRequests }
    } else if (event.kind === 'happened') {
      newest.push({ id: event.id, entry: event.entry })
      applyEntry(draft, event.entry)
    } else applyUpdate(draft, event)
  }
  draft.events = [...draft.events, ...newest].slice(-EVENTS_KEPT)
  prune(draft)
  return draft
}

const draftOf = (market: Market): Draft => ({
  ...market,
  requests: new Map(market.requests),
  makers: new Map(market.makers),
  series: new Map(market.series),
})

function applyUpdate(draft: Draft, event: Exclude<OperatorEvent, { kind: 'happened' | 'snapshot_begin' }>): void {
  switch (event.kind) {
    case 'connected':
      draft.mode = event.mode
      draft.chainId = event.chainId
      return
    case 'request': {
      const { request } = event
      draft.requests.set(request.requestId, requestOfSnapshot(request, draft.requests.get(request.requestId)))
      draft.hiddenRequests = Math.max(0, draft.hiddenRequests - 1)
      return
    }
    case 'maker': {
      const { makerId, demotedUntil } = event.maker
      const former = draft.makers.get(makerId)?.demotedUntil ?? null
      draft.makers.set(makerId, event.maker)
      if ((former === null) === (demotedUntil === null)) return
      for (const [requestId, view] of draft.requests) {
        const at = view.auditLog.at(-1)?.at ?? 0
        draft.requests.set(requestId, afterRankChange(view, makerId, demotedUntil !== null, at))
      }
      return
    }
    case 'series':
      draft.series.set(event.progress.series.seriesId, event.progress)
      return
    case 'health':
      draft.health = event.health
      return
    case 'authority':
      draft.authority = event.authority
      return
    case 'snapshot_complete':
      draft.isComplete = true
  }
}

function applyEntry(draft: Draft, entry: AuditEntry): void {
  const view = draft.requests.get(entry.requestId)
  const isDemoted = (makerId: string) => (draft.makers.get(makerId)?.demotedUntil ?? null) !== null
  if (view !== undefined) draft.requests.set(entry.requestId, afterEntry(view, entry, isDemoted))
  else if (entry.kind === 'opened') draft.requests.set(entry.requestId, openedRequest(entry))
  else if (entry.kind === 'closed' && draft.isComplete) draft.hiddenRequests = Math.max(0, draft.hiddenRequests - 1)
  if (entry.kind === 'quoted') draft.quoteRate = counted(draft.quoteRate, Math.floor(entry.at / 1_000))
  if (entry.kind === 'confirmed') draft.waits = [...draft.waits.slice(1 - WAITS_KEPT), entry.waitedMs]
}

function counted(rate: Market['quoteRate'], second: number): Market['quoteRate'] {
  const last = rate.at(-1)
  if (last?.second === second) return [...rate.slice(0, -1), { second, count: last.count + 1 }]
  return [...rate.slice(1 - RATE_SECONDS_KEPT), { second, count: 1 }]
}

function prune({ requests, makers, series }: Draft): void {
  const closed = [...requests.values()].filter(({ status }) => status !== 'open')
  for (const { requestId } of closed.slice(0, -CLOSED_KEPT)) requests.delete(requestId)
  const idle = [...requests.values()].filter(({ status, waiting }) => status === 'open' && waiting === null)
  for (const { requestId } of idle.slice(0, -OPEN_KEPT)) requests.delete(requestId)
  trim(makers, MAKERS_KEPT)
  trim(series, SERIES_KEPT)
}

function trim(map: Map<string, unknown>, size: number): void {
  for (const name of map.keys()) {
    if (map.size <= size) return
    map.delete(name)
  }
}

/** Chain time at the relay's time `now`, Unix milliseconds: expiries go by it, and it may have been moved ahead. */
export function chainTime({ health }: Market, now: number): number {
  if (health?.head == null) return now
  return now + Math.max(0, health.head.time * 1_000 - health.at)
}
