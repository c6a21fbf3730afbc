import type { AuditEntry, SeenQuote } from '@rfqctl/protocol/domain/audit'
import type { CommitTerms } from '@rfqctl/protocol/domain/commit'
import { storableText } from '@rfqctl/protocol/domain/safe-text'
import { contracts, usd6 } from '@rfqctl/protocol/domain/units'
import type { AuditLog } from '../../core/ports/store.ts'
import { decode, decodeOrder, decodeQuote, decodeTrade, type Encoded, encode } from './codec.ts'
import type { StoreBase } from './db.ts'

export function createAuditLog({ db }: Pick<StoreBase, 'db'>): AuditLog {
  return {
    record: (entry) => {
      const row = { kind: 'audited' as const, entry: encodeAuditEntry(entry) }
      db.changeLater((draft) => draft.append(row))
    },
    find: async (requestId) => {
      await db.flush()
      const rows = await Promise.all(db.journal.audited(requestId).map((load) => load()))
      // Entries carried to another file lie after later ones.
      const entries = rows.filter((row) => row !== null).map(({ entry }) => decodeAuditEntry(entry))
      return entries.sort((a, b) => a.at - b.at)
    },
  }
}

export const encodeAuditEntry = (entry: AuditEntry): Encoded<AuditEntry> => encode(storable(entry))

/** Replaces characters in strangers' texts that some store cannot keep. */
function storable(entry: AuditEntry): AuditEntry {
  switch (entry.kind) {
    case 'opened': {
      const { terms } = entry
      return { ...entry, terms: { ...terms, market: { ...terms.market, question: textOrNull(terms.market.question) } } }
    }
    case 'quote_refused':
    case 'passed_over':
      return { ...entry, detail: storableText(entry.detail) }
    case 'commit_started':
      return { ...entry, terms: { ...entry.terms, expectedQuoteId: textOrNull(entry.terms.expectedQuoteId) } }
    default:
      return entry
  }
}

const textOrNull = (text: string | null): string | null => (text === null ? null : storableText(text))

export function decodeAuditEntry(row: Encoded<AuditEntry>): AuditEntry {
  switch (row.kind) {
    case 'opened':
      return { ...row, terms: { ...row.terms, trade: decodeTrade(row.terms.trade) } }
    case 'quoted':
      return { ...row, quote: decodeQuote(row.quote) }
    case 'ranked':
      return { ...row, quotes: row.quotes.map((quote) => decodeQuote<SeenQuote>(quote)) }
    case 'commit_started':
      return { ...row, terms: decodeTerms(row.terms) }
    case 'asked':
      return { ...row, order: decodeOrder(row.order) }
    case 'confirmed': {
      const { order, ...confirmed } = row
      return order === undefined ? confirmed : { ...confirmed, order: decodeOrder(order) }
    }
    case 'declined':
      // Rows of version 0.1 have no reason.
      return { ...row, reason: row.reason ?? null }
    default:
      return row
  }
}

const decodeTerms = (row: Encoded<CommitTerms>): CommitTerms =>
  decode<CommitTerms>(row, { limitPrice: usd6, minContracts: contracts })
