import type { MakerStanding, SeriesProgress } from '@rfqctl/client/index'
import { optionText, termsText } from '@rfqctl/lib/format'
import { type AuditEntry, makerOf } from '@rfqctl/protocol/domain/audit'
import type { RequestTerms } from '@rfqctl/protocol/domain/request'
import type { Market, MarketEvent } from './market.ts'
import type { Candidate, RequestView } from './request-view.ts'
import { type DashboardState, shownFilter, shownMarket, type ViewName } from './state.ts'

export type Confirmation = { id: string; request: RequestView; candidate: Candidate; attempt: number }

/**
 * The market's question: the relay's from the series, else the taker's; null without either. The relay's goes first,
 * because a taker may write anything.
 */
export const questionOf = (market: Market, { market: { conditionId, question } }: RequestTerms): string | null =>
  questionsOf(market).get(conditionId) ?? question

const questionsOf = remembered(
  ({ series }: Market): ReadonlyMap<string, string> =>
    new Map(
      [...series.values()].flatMap(({ series: { conditionId }, question }) =>
        question === null ? [] : [[conditionId, question]],
      ),
    ),
)

/** Requests that await a signature first, the most urgent on top; then open ones, then closed, newest first. */
export const requestRows = remembered((market: Market, filter: string): readonly RequestView[] => {
  const rank = ({ waiting, status }: RequestView) => (waiting !== null ? 0 : status === 'open' ? 1 : 2)
  return matching([...market.requests.values()], filter, ({ requestId, terms, quotes }) => [
    requestId,
    questionOf(market, terms) ?? '',
    termsText(terms),
    terms.wallet ?? '',
    ...quotes.keys(),
  ]).sort(
    (a, b) =>
      rank(a) - rank(b) ||
      (a.waiting?.deadline ?? 0) - (b.waiting?.deadline ?? 0) ||
      (b.closedAt ?? b.openedAt) - (a.closedAt ?? a.openedAt),
  )
})

export const makerRows = remembered(({ makers }: Market, filter: string): readonly MakerStanding[] =>
  matching([...makers.values()], filter, ({ makerId, lastRefusal }) => [makerId, lastRefusal?.code ?? '']).sort(
    (a, b) => Number(isConnected(b)) - Number(isConnected(a)) || compareText(a.makerId, b.makerId),
  ),
)

/** Open asks first, the most urgent on top; then the others, newest first. */
export const confirmationRows = remembered(({ requests }: Market, filter: string): readonly Confirmation[] => {
  const rows = [...requests.values()].flatMap((request) =>
    request.candidates.map((candidate, i) => ({ id: `${request.requestId} ${i}`, request, candidate, attempt: i + 1 })),
  )
  return matching(rows, filter, ({ request, candidate }) => [
    request.requestId,
    candidate.makerId,
    candidate.outcome,
  ]).sort((a, b) => deadlineOf(a) - deadlineOf(b) || b.candidate.at - a.candidate.at)
})

/** Series that need a person first, then by expiry; settled ones last. */
export const seriesRows = remembered(({ series }: Market, filter: string): readonly SeriesProgress[] =>
  matching([...series.values()], filter, ({ series, question, phase }) => [
    series.seriesId,
    optionText(series, 'column'),
    question ?? '',
    phase,
  ]).sort((a, b) => urgency(a) - urgency(b) || a.series.expiry - b.series.expiry),
)

export const eventRows = remembered(({ events }: Market, filter: string): readonly MarketEvent[] =>
  matching([...events], filter, ({ entry }) => searchTextsOf(entry)).toReversed(),
)

export const isConnected = ({ streams, sockets }: MakerStanding): boolean => streams + sockets > 0

export function rowIds(state: DashboardState): readonly string[] {
  const market = shownMarket(state)
  const filter = shownFilter(state)
  const ids: Record<ViewName, () => readonly string[]> = {
    requests: () => requestRows(market, filter).map(({ requestId }) => requestId),
    makers: () => makerRows(market, filter).map(({ makerId }) => makerId),
    confirmations: () => confirmationRows(market, filter).map(({ id }) => id),
    settlement: () => seriesRows(market, filter).map(({ series }) => series.seriesId),
    events: () => eventRows(market, filter).map(({ id }) => String(id)),
    health: () => [],
  }
  return ids[state.view]()
}

export function selectedIndex(ids: readonly string[], selected: string | undefined): number {
  const index = selected === undefined ? -1 : ids.indexOf(selected)
  return index === -1 ? 0 : index
}

export function selectedRequest(state: DashboardState): RequestView | null {
  const market = shownMarket(state)
  const ids = rowIds(state)
  const id = ids[selectedIndex(ids, state.selected[state.view])]
  if (id === undefined) return null
  if (state.view === 'requests') return market.requests.get(id) ?? null
  if (state.view === 'confirmations') return market.requests.get(id.split(' ')[0] as string) ?? null
  if (state.view !== 'events') return null
  const event = market.events.find((candidate) => String(candidate.id) === id)
  return event === undefined ? null : (market.requests.get(event.entry.requestId) ?? null)
}

export function copyableId(state: DashboardState): string | null {
  const ids = rowIds(state)
  const id = ids[selectedIndex(ids, state.selected[state.view])] ?? null
  if (state.view === 'makers' || state.view === 'settlement' || state.view === 'requests') return id
  return selectedRequest(state)?.requestId ?? null
}

export function quotesPerSecond({ quoteRate }: Market, now: number, seconds: number): readonly number[] {
  const last = Math.floor(now / 1_000)
  const counts = new Map(quoteRate.map(({ second, count }) => [second, count]))
  return Array.from({ length: seconds }, (_, i) => counts.get(last - seconds + 1 + i) ?? 0)
}

/** Interval of redraws, milliseconds: a visible countdown moves smoothly. */
export function tickMs(state: DashboardState): number {
  if (state.link.kind !== 'live' || state.frozen !== null) return 1_000
  const isCounting = [...shownMarket(state).requests.values()].some(({ waiting }) => waiting !== null)
  return isCounting ? 200 : 1_000
}

/** Caches a result per market, which never changes in place: one frame asks for it several times. */
function remembered<Selected>(
  select: (market: Market, filter: string) => Selected,
): (market: Market, filter?: string) => Selected {
  let last: { market: Market; filter: string; selected: Selected } | null = null
  return (market, filter = '') => {
    if (last?.market !== market || last.filter !== filter) last = { market, filter, selected: select(market, filter) }
    return last.selected
  }
}

const deadlineOf = ({ request, candidate }: Confirmation): number =>
  candidate.outcome === 'asked' ? (request.waiting?.deadline ?? 0) : Number.MAX_SAFE_INTEGER

const urgency = ({ phase }: SeriesProgress): number => (phase === 'review' ? 0 : phase === 'settled' ? 2 : 1)

const searchTextsOf = (entry: AuditEntry): string[] => [
  entry.kind,
  entry.requestId,
  makerOf(entry) ?? '',
  'code' in entry ? entry.code : '',
  'status' in entry ? entry.status : '',
]

function matching<Row>(rows: Row[], filter: string, textsOf: (row: Row) => readonly string[]): Row[] {
  if (filter === '') return rows
  const wanted = filter.toLowerCase()
  return rows.filter((row) => textsOf(row).some((text) => text.toLowerCase().includes(wanted)))
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
