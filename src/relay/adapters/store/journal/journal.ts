import { CLOSED_MEMORY_MS } from '@rfqctl/protocol/domain/limits'
import { outstandingOrder } from '@rfqctl/protocol/domain/reservation'
import type { PricePoint } from '@rfqctl/protocol/domain/twap'
import type { Execution, Quoter, TapeQuery } from '../../../core/ports/store.ts'
import { createTtlMap } from '../../ttl-map.ts'
import { decodeAcceptance, type Encoded } from '../codec.ts'
import { createAudited } from './audited.ts'
import { createConfirmedOrders } from './confirmed-orders.ts'
import { createCountedAcceptances } from './counted.ts'
import { createNewestTrades } from './newest-trades.ts'
import { createOpenOrders } from './open-orders.ts'
import { createOutcomes } from './outcomes.ts'
import { createRecordedOutcomes } from './recorded.ts'
import type { JournalRow, Load, RowOf } from './rows.ts'
import { createTakerRatings } from './taker-ratings.ts'

/** Finds the rows of the journal: it holds their keys, not the rows. */
export type Journal = Omit<ReturnType<typeof createJournal<unknown>>, 'add'>

/** Bound on closed requests, so that clients that open and cancel without end fill no memory. */
const CLOSED_KEPT = 100_000

/** Lifetime of an unsuccessful acceptance or quote: a maker that was away for the night can still read it. */
export const ENDED_MEMORY_MS = 24 * 3_600_000

/** Lifetime of a request's audit log: long enough for a dispute after the weekend. */
export const AUDIT_MEMORY_MS = 7 * 24 * 3_600_000

/**
 * An empty journal; `now` in Unix milliseconds decides which rows are too old, `load` fetches the row of a place. A
 * trade takes 350 bytes forever (three keys and the places of it and its end), so that a gigabyte is three million
 * trades.
 */
export function createJournal<Location>(parts: {
  now: () => number
  load: (location: Location) => Promise<JournalRow | null>
  /** The start of watching the ends of orders, Unix seconds. */
  ordersSince?: number
  /** Bound on rows of the audit log, for locations that are the rows themselves. */
  maxAudited?: number
}) {
  const { now, load, ordersSince = 0, maxAudited } = parts
  const executed = new Map<string, Location>()
  const executedByQuote = new Map<string, Location>()
  const closed = createTtlMap<Location>({ now, keptMs: CLOSED_MEMORY_MS, limit: CLOSED_KEPT })
  const ended = createTtlMap<Location>({ now, keptMs: ENDED_MEMORY_MS })
  const audited = createAudited<Location>({
    now,
    keptMs: AUDIT_MEMORY_MS,
    isTrade: (requestId) => executed.has(requestId),
    ...(maxAudited === undefined ? {} : { maxRows: maxAudited }),
  })
  const outcomes = createOutcomes<Location>({ now, keptMs: ENDED_MEMORY_MS, load })
  const newestTrades = createNewestTrades<Location>()
  const confirmedOrders = createConfirmedOrders(now)
  const openOrders = createOpenOrders(ordersSince)
  const promisedAt = new Map<string, number>()
  const lastPromisedAt = (wallet: string) => promisedAt.get(wallet) ?? Number.NEGATIVE_INFINITY
  const promise = (wallet: string, at: number) => promisedAt.set(wallet, Math.max(lastPromisedAt(wallet), at))
  const orderEnds = new Map<string, Location>()
  const takerRatings = createTakerRatings(now)
  const defundings = new Map<string, Location>()
  const counted = createCountedAcceptances(now)
  const recorded = createRecordedOutcomes(now)
  const quoters = createQuoters()
  const prices = new Map<string, Map<number, PricePoint>>()

  /** A location added for a row of one kind holds that kind. */
  const loadOf =
    <Kind extends JournalRow['kind']>(location: Location): Load<Kind> =>
    () =>
      load(location) as Promise<RowOf<Kind> | null>
  const found = <Kind extends JournalRow['kind']>(location: Location | null | undefined): Load<Kind> | null =>
    location === null || location === undefined ? null : loadOf(location)

  function addExecution({ acceptance, executedAt, executionId }: Encoded<Execution>, location: Location): void {
    counted.add(acceptance)
    const { requestId, quoteId, makerId, order } = acceptance
    const decoded = decodeAcceptance(acceptance)
    executed.set(requestId, location)
    audited.keep(requestId)
    executedByQuote.set(quoteId, location)
    confirmedOrders.add(order.maker.toLowerCase(), outstandingOrder(decoded, executedAt))
    promise(order.maker.toLowerCase(), executedAt)
    openOrders.add({ ...decoded, confirmedAt: executedAt })
    outcomes.add(makerId, { status: 'confirmed', at: executedAt, quoteId, location })
    newestTrades.add({ at: executedAt, tradeId: executionId, location })
  }

  function endOrder(row: RowOf<'order_ended'>, location: Location): void {
    const { requestId, acceptanceId, wallet, end, at } = row
    // An order whose maker took the money away cannot be filled, so it does not count against the taker.
    if (end.state !== 'expired' || (row.proven === true && !defundings.has(requestId))) takerRatings.add(row)
    orderEnds.set(requestId, location)
    if (end.state === 'filled') promise(wallet, at)
    openOrders.end(requestId)
    confirmedOrders.end(wallet, acceptanceId, { block: end.state === 'expired' ? null : end.blockNumber, at })
  }

  function addPrice(yesTokenId: string, point: PricePoint): void {
    const points = prices.get(yesTokenId) ?? new Map<number, PricePoint>()
    prices.set(yesTokenId, points)
    if (!points.has(point.t)) points.set(point.t, point)
  }

  const adders: { [Kind in JournalRow['kind']]: (row: RowOf<Kind>, location: Location) => void } = {
    executed: ({ execution }, location) => addExecution(execution, location),
    order_ended: endOrder,
    order_defunded: ({ requestId }, location) => void defundings.set(requestId, location),
    closed: ({ request, at }, location) => closed.put(request.requestId, at, location),
    ended: ({ acceptance, at }, location) => {
      counted.add(acceptance)
      ended.put(acceptance.quoteId, at, location)
    },
    rejected: ({ rejection: { makerId, quoteId }, at }, location) =>
      outcomes.add(makerId, { status: 'rejected', at, quoteId, location }),
    priced: ({ yesTokenId, point }) => addPrice(yesTokenId, point),
    audited: ({ entry: { requestId, at } }, location) => audited.add(requestId, at, location),
    quoted: (row) => quoters.add(row),
    noted: ({ makerId, outcome }) => void recorded.add(makerId, outcome),
    told: ({ requestId }) => quoters.forget(requestId),
    // These rows change the tables, not the journal.
    changed: () => {},
    stored: () => {},
  }

  return {
    /** Adds a durable row; a `Location` is its place. */
    add: (row: JournalRow, location: Location): void => adders[row.kind](row as never, location),
    executed: (requestId: string) => found<'executed'>(executed.get(requestId)),
    /** A request that closed without a trade, for 15 minutes after. */
    closed: (requestId: string) => found<'closed'>(closed.get(requestId)),
    /** The newest acceptance of a quote: confirmed, or ended within a day. */
    accepted: (quoteId: string) => found<'executed' | 'ended'>(executedByQuote.get(quoteId) ?? ended.get(quoteId)),
    /** By maker wallet, in lower case. */
    confirmedOrders: confirmedOrders.of,
    counted,
    recorded,
    openOrders,
    orderEnded: (requestId: string) => found<'order_ended'>(orderEnds.get(requestId)),
    takerRating: takerRatings.of,
    /** The maker of the request's order took away the money or allowance that it needs. */
    orderDefunded: (requestId: string) => found<'order_defunded'>(defundings.get(requestId)),
    outcomes: outcomes.list,
    countWins: outcomes.countWins,
    /** Trades of all makers, newest first. */
    newestTrades: (query: TapeQuery) => newestTrades.list(query).map((location) => loadOf<'executed'>(location)),
    lastConfirmedAt: outcomes.lastConfirmedAt,
    /** When an order of a wallet, in lower case, was last confirmed or known filled, Unix milliseconds; -Infinity: never. */
    lastPromisedAt,
    prices: (yesTokenId: string): readonly PricePoint[] => [...(prices.get(yesTokenId)?.values() ?? [])],
    /** By requestId, until the quoters have been notified of its end. */
    quoters: quoters.all,
    /** The audit rows of a request, oldest first. */
    audited: (requestId: string) => audited.of(requestId).map((location) => loadOf<'audited'>(location)),
  }
}

/** Misses only rise, so repeating a row does no harm. */
export function createQuoters() {
  const requests = new Map<string, Map<string, Quoter>>()

  return {
    add: ({ requestId, quoters }: Pick<RowOf<'quoted'>, 'requestId' | 'quoters'>): void => {
      const ofRequest = requests.get(requestId) ?? new Map<string, Quoter>()
      requests.set(requestId, ofRequest)
      for (const [makerId, quoteId, misses] of quoters) {
        const known = ofRequest.get(makerId)?.misses ?? 0
        ofRequest.set(makerId, { makerId, quoteId, misses: Math.max(misses, known) })
      }
    },
    forget: (requestId: string): void => void requests.delete(requestId),
    /** By requestId and makerId. */
    all: (): ReadonlyMap<string, ReadonlyMap<string, Quoter>> => requests,
  }
}
