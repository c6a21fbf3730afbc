import type { ClosedStatus, QuoteRequest } from '../../domain/request.ts'
import type { PricePoint } from '../../domain/twap.ts'
import type { Acceptance, Execution } from '../../relay/ports.ts'
import type { Encoded } from './codec.ts'

/** What is written once and never changed. `at` is Unix milliseconds. */
export type JournalRow =
  | { kind: 'executed'; execution: Encoded<Execution>; request: Encoded<QuoteRequest> }
  | { kind: 'closed'; request: Encoded<QuoteRequest>; status: ClosedStatus; at: number }
  | { kind: 'ended'; acceptance: Encoded<Acceptance>; at: number }
  | { kind: 'priced'; yesTokenId: string; point: PricePoint }

/** The row of one kind. */
export type RowOf<Kind extends JournalRow['kind']> = Extract<JournalRow, { kind: Kind }>

/** Fetches a row from where it lies: memory, or a place in a file. */
export type Load<Kind extends JournalRow['kind']> = () => Promise<RowOf<Kind>>

/** Where the rows of the journal are found: it holds their keys, not the rows. */
export type JournalIndex = {
  /** Takes in a row that is durable. */
  note: (row: JournalRow, load: () => Promise<JournalRow>) => void
  executed: (requestId: string) => Load<'executed'> | null
  /** A request that closed without a trade, for 15 minutes after (ruling Q8). */
  closed: (requestId: string) => Load<'closed'> | null
  /** The newest acceptance of a quote: confirmed, or ended within 24 hours. */
  accepted: (quoteId: string) => Load<'executed'> | Load<'ended'> | null
  /** Confirmed orders of a wallet with `validUntil` at or after `chainTime` (Unix seconds). */
  owed: (wallet: string, chainTime: number) => readonly Load<'executed'>[]
  prices: (yesTokenId: string) => readonly PricePoint[]
}

/** How long a request that closed without a trade is remembered (ruling Q8). */
export const CLOSED_MEMORY_MS = 15 * 60_000

/** How long an acceptance that came to nothing is kept: for a day a maker can still be told what happened. */
export const ENDED_MEMORY_MS = 24 * 3_600_000

/** How far chain time may step back in a reorganisation, in seconds; orders that lapsed longer ago are let go. */
const CHAIN_STEP_BACK_S = 3_600

type Aged<Kind extends JournalRow['kind']> = { at: number; load: Load<Kind> }

/** An empty index; `now` in Unix milliseconds decides what is too old to be remembered. */
export function createJournalIndex(now: () => number): JournalIndex {
  const executed = new Map<string, Load<'executed'>>()
  const executedByQuote = new Map<string, Load<'executed'>>()
  const owed = new Map<string, { validUntil: number; load: Load<'executed'> }[]>()
  const closed = new Map<string, Aged<'closed'>>()
  const ended = new Map<string, Aged<'ended'>>()
  const prices = new Map<string, Map<number, PricePoint>>()

  function noteExecution({ acceptance }: Encoded<Execution>, load: Load<'executed'>): void {
    executed.set(acceptance.requestId, load)
    executedByQuote.set(acceptance.quoteId, load)
    listIn(owed, acceptance.order.maker.toLowerCase()).push({ validUntil: acceptance.order.validUntil, load })
  }

  function notePrice(yesTokenId: string, point: PricePoint): void {
    const points = prices.get(yesTokenId) ?? new Map<number, PricePoint>()
    prices.set(yesTokenId, points)
    if (!points.has(point.t)) points.set(point.t, point)
  }

  return {
    note: (row, load) => {
      if (row.kind === 'executed') noteExecution(row.execution, load as Load<'executed'>)
      else if (row.kind === 'priced') notePrice(row.yesTokenId, row.point)
      else if (row.kind === 'closed') remember(closed, row.request.requestId, row, load as Load<'closed'>)
      else remember(ended, row.acceptance.quoteId, row, load as Load<'ended'>)
      forgetBefore(closed, now() - CLOSED_MEMORY_MS)
      forgetBefore(ended, now() - ENDED_MEMORY_MS)
    },
    executed: (requestId) => executed.get(requestId) ?? null,
    closed: (requestId) => recall(closed, requestId, now() - CLOSED_MEMORY_MS),
    accepted: (quoteId) => executedByQuote.get(quoteId) ?? recall(ended, quoteId, now() - ENDED_MEMORY_MS),
    owed: (wallet, chainTime) => {
      const orders = owed.get(wallet) ?? []
      const fillable = orders.filter(({ validUntil }) => validUntil >= chainTime - CHAIN_STEP_BACK_S)
      if (fillable.length < orders.length) owed.set(wallet, fillable)
      return fillable.filter(({ validUntil }) => validUntil >= chainTime).map(({ load }) => load)
    },
    prices: (yesTokenId) => [...(prices.get(yesTokenId)?.values() ?? [])],
  }
}

function listIn<Value>(lists: Map<string, Value[]>, key: string): Value[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}

/** Puts an entry last, so that a map is always in the order of time. */
function remember<Kind extends JournalRow['kind']>(
  entries: Map<string, Aged<Kind>>,
  key: string,
  { at }: { at: number },
  load: Load<Kind>,
): void {
  entries.delete(key)
  entries.set(key, { at, load })
}

function recall<Kind extends JournalRow['kind']>(
  entries: Map<string, Aged<Kind>>,
  key: string,
  since: number,
): Load<Kind> | null {
  const entry = entries.get(key)
  return entry !== undefined && entry.at > since ? entry.load : null
}

function forgetBefore(entries: Map<string, { at: number }>, time: number): void {
  for (const [key, { at }] of entries) {
    if (at > time) return
    entries.delete(key)
  }
}
