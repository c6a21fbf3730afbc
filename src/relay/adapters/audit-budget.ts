import { type AuditEntry, auditEntryBytes } from '@rfqctl/protocol/domain/audit'
import { FifoMap } from 'toad-cache'

/** The entries that the durable log takes for this one, in order: none, the entry, or a held-back one before it. */
export type AuditBudget = (entry: AuditEntry) => readonly AuditEntry[]

/**
 * Entries of each kind that the audit log of one request keeps. A maker may re-price without end: at 17,000 a second
 * re-quotes were a fifth of what a quote cost, in garbage collection alone, and would fill a disk with 8 MB a second. A
 * taker may commit without end, and a maker be refused, decline or sign wrongly. Further entries are only counted.
 */
const KEPT: { readonly [Kind in AuditEntry['kind']]?: number } = {
  quoted: 1_000,
  quote_withdrawn: 1_000,
  quote_expired: 1_000,
  quote_dropped: 1_000,
  quote_absent: 1_000,
  quote_refused: 200,
  commit_started: 20,
  commit_refused: 20,
  ranked: 200,
  passed_over: 200,
  asked: 200,
  missed: 200,
  declined: 200,
  signature_refused: 100,
}

/** The log of a request is useless without these, so they are always kept. There is one of each but `asked`. */
const ESSENTIAL: ReadonlySet<AuditEntry['kind']> = new Set([
  'opened',
  'reopened',
  'asked',
  'confirmed',
  'order_filled',
  'order_cancelled',
  'order_expired',
  'order_defunded',
  'closed',
])

/** A reader checks these by the terms of their commit, and would take those of an earlier one. */
const OF_COMMIT: ReadonlySet<AuditEntry['kind']> = new Set(['ranked', 'asked', 'confirmed'])

/** Beyond this many requests at once the oldest one's budget starts again. */
const REQUESTS_COUNTED = 50_000

type Spent = {
  counts: { [Kind in AuditEntry['kind']]?: number }
  bytes: number
  omitted: number
  /** The start of a commit; it is written once that commit looks at quotes or comes to an order. */
  heldBack: AuditEntry | null
}

const NOTHING: readonly AuditEntry[] = []

/** Bounds the log of each request, by kinds and in bytes. The entry that closes it says how many were not kept. */
export function createAuditBudget({ bytesPerRequest }: { bytesPerRequest: number }): AuditBudget {
  const requests = new FifoMap<Spent>(REQUESTS_COUNTED)

  function begin(requestId: string): Spent {
    const spent: Spent = { counts: {}, bytes: 0, omitted: 0, heldBack: null }
    requests.set(requestId, spent)
    return spent
  }

  function take(spent: Spent, entry: AuditEntry): boolean {
    const { kind } = entry
    // A maker's first quote does not count: only re-quotes have no end.
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
    if (heldBack === null || !OF_COMMIT.has(kind)) return [entry]
    spent.heldBack = null
    spent.omitted -= 1
    return [heldBack, entry]
  }
}
