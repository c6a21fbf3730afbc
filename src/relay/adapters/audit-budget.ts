import { type AuditEntry, auditEntryBytes } from '@rfqctl/protocol/domain/audit'
import { FifoMap } from 'toad-cache'

/** What the durable log takes of an entry, in order: nothing, the entry, or with it one that was held back. */
export type AuditBudget = (entry: AuditEntry) => readonly AuditEntry[]

/**
 * How many entries of a kind the audit log of one request keeps. A maker may re-price without end: at 17,000 a second re-quotes
 * were a fifth of what a quote cost, in garbage collection alone, and would fill a disk with 8 MB a second. A taker may commit
 * without end, and a maker be refused, decline or sign wrongly. What is beyond is counted.
 */
const KEPT: { readonly [Kind in AuditEntry['kind']]?: number } = {
  quoted: 1_000,
  quote_withdrawn: 1_000,
  quote_expired: 1_000,
  quote_dropped: 1_000,
  quote_refused: 200,
  commit_started: 20,
  commit_refused: 20,
  passed_over: 200,
  asked: 200,
  missed: 200,
  declined: 200,
  signature_refused: 100,
}

/** Without these the log of a request tells nothing: they are kept whatever the others take. There is one of each but `asked`. */
const ESSENTIAL: ReadonlySet<AuditEntry['kind']> = new Set([
  'opened',
  'asked',
  'confirmed',
  'order_filled',
  'order_cancelled',
  'order_expired',
  'order_defunded',
  'closed',
])

/** Beyond this many requests at once the budget of the one that was heard of first begins again. */
const REQUESTS_COUNTED = 50_000

type Spent = {
  counts: { [Kind in AuditEntry['kind']]?: number }
  bytes: number
  omitted: number
  /** The start of a commit that was not kept: it is once that commit comes to an order. */
  heldBack: AuditEntry | null
}

const NOTHING: readonly AuditEntry[] = []

/** What of each request's life is kept, by kinds and in bytes. The entry that closes it says how many were not. */
export function createAuditBudget({ bytesPerRequest }: { bytesPerRequest: number }): AuditBudget {
  const requests = new FifoMap<Spent>(REQUESTS_COUNTED)

  function begin(requestId: string): Spent {
    const spent: Spent = { counts: {}, bytes: 0, omitted: 0, heldBack: null }
    requests.set(requestId, spent)
    return spent
  }

  /** Whether an entry is within what its request may take. */
  function take(spent: Spent, entry: AuditEntry): boolean {
    const { kind } = entry
    // A maker's first quote is none of a kind that has no end.
    const count = (spent.counts[kind] ?? 0) + (kind === 'quoted' && !entry.isRequote ? 0 : 1)
    spent.counts[kind] = count
    if (count > (KEPT[kind] ?? Number.POSITIVE_INFINITY)) return false
    const bytes = auditEntryBytes(entry)
    if (!ESSENTIAL.has(kind) && spent.bytes + bytes > bytesPerRequest) return false
    spent.bytes += bytes
    return true
  }

  return (entry) => {
    const { requestId, kind } = entry
    const spent = requests.get(requestId) ?? begin(requestId)
    if (kind === 'closed') {
      requests.delete(requestId)
      return [spent.omitted === 0 ? entry : { ...entry, omitted: spent.omitted }]
    }
    if (!take(spent, entry)) {
      spent.omitted += 1
      if (kind === 'commit_started') spent.heldBack = entry
      return NOTHING
    }
    const { heldBack } = spent
    if (kind !== 'asked' || heldBack === null) return [entry]
    spent.heldBack = null
    spent.omitted -= 1
    return [heldBack, entry]
  }
}
