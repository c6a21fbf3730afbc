import type { PricePoint } from '../../../domain/twap.ts'
import type { Execution } from '../../../relay/ports/store.ts'
import type { Encoded } from '../codec.ts'
import { createAged } from './aged.ts'
import { createOutcomes, type Outcomes } from './outcomes.ts'
import { createOwed, type Owed } from './owed.ts'
import type { JournalRow, Load, RowOf } from './rows.ts'

/** Where the rows of the journal are found: it holds their keys, not the rows. */
export type Journal = {
  /** Takes in a row that is durable. */
  note: (row: JournalRow, load: Load) => void
  executed: (requestId: string) => Load<'executed'> | null
  /** A request that closed without a trade, for 15 minutes after (ruling Q8). */
  closed: (requestId: string) => Load<'closed'> | null
  /** The newest acceptance of a quote: confirmed, or ended within a day. */
  accepted: (quoteId: string) => Load<'executed'> | Load<'ended'> | null
  /** Confirmed orders by maker wallet, in lower case. */
  owed: Owed['of']
  outcomes: Outcomes['list']
  prices: (yesTokenId: string) => readonly PricePoint[]
  /** What was recorded of a request, oldest first. */
  audited: (requestId: string) => readonly Load<'audited'>[]
}

/** How long a request that closed without a trade is remembered (ruling Q8). */
export const CLOSED_MEMORY_MS = 15 * 60_000

/** How long an acceptance or a quote that came to nothing is kept: a maker that was away for the night can read it. */
export const ENDED_MEMORY_MS = 24 * 3_600_000

/** How long the record of a request is kept: long enough for a dispute after the weekend. */
export const AUDIT_MEMORY_MS = 7 * 24 * 3_600_000

/** The most requests whose record is kept: the index of one is some kilobytes. */
const AUDITED_REQUESTS = 20_000

/** An empty journal; `now` in Unix milliseconds decides what is too old to be remembered. */
export function createJournal(now: () => number): Journal {
  const executed = new Map<string, Load<'executed'>>()
  const executedByQuote = new Map<string, Load<'executed'>>()
  const closed = createAged<Load<'closed'>>({ now, keptMs: CLOSED_MEMORY_MS })
  const ended = createAged<Load<'ended'>>({ now, keptMs: ENDED_MEMORY_MS })
  const audited = createAged<Load<'audited'>[]>({ now, keptMs: AUDIT_MEMORY_MS, limit: AUDITED_REQUESTS })
  const outcomes = createOutcomes({ now, keptMs: ENDED_MEMORY_MS })
  const owed = createOwed()
  const prices = new Map<string, Map<number, PricePoint>>()

  function noteExecution({ acceptance, executedAt }: Encoded<Execution>, load: Load<'executed'>): void {
    const { requestId, quoteId, makerId, order } = acceptance
    executed.set(requestId, load)
    executedByQuote.set(quoteId, load)
    owed.note(order.maker.toLowerCase(), order.validUntil, load)
    outcomes.note(makerId, { status: 'confirmed', at: executedAt, quoteId, load })
  }

  function notePrice(yesTokenId: string, point: PricePoint): void {
    const points = prices.get(yesTokenId) ?? new Map<number, PricePoint>()
    prices.set(yesTokenId, points)
    if (!points.has(point.t)) points.set(point.t, point)
  }

  function noteEntry({ requestId, at }: { requestId: string; at: number }, load: Load<'audited'>): void {
    const entries = audited.get(requestId) ?? []
    entries.push(load)
    audited.put(requestId, at, entries)
  }

  const notes: { [Kind in JournalRow['kind']]: (row: RowOf<Kind>, load: Load<Kind>) => void } = {
    executed: ({ execution }, load) => noteExecution(execution, load),
    closed: ({ request, at }, load) => closed.put(request.requestId, at, load),
    ended: ({ acceptance, at }, load) => ended.put(acceptance.quoteId, at, load),
    rejected: ({ rejection: { makerId, quoteId }, at }, load) =>
      outcomes.note(makerId, { status: 'rejected', at, quoteId, load }),
    priced: ({ yesTokenId, point }) => notePrice(yesTokenId, point),
    audited: ({ entry }, load) => noteEntry(entry, load),
  }

  return {
    note: (row, load) => notes[row.kind](row as never, load as never),
    executed: (requestId) => executed.get(requestId) ?? null,
    closed: closed.get,
    accepted: (quoteId) => executedByQuote.get(quoteId) ?? ended.get(quoteId),
    owed: owed.of,
    outcomes: outcomes.list,
    prices: (yesTokenId) => [...(prices.get(yesTokenId)?.values() ?? [])],
    audited: (requestId) => audited.get(requestId) ?? [],
  }
}
