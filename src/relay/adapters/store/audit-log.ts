import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import type { CommitTerms } from '@rfqctl/protocol/domain/commit'
import type { RequestTerms } from '@rfqctl/protocol/domain/request'
import { storableText } from '@rfqctl/protocol/domain/safe-text'
import { contracts, usd6 } from '@rfqctl/protocol/domain/units'
import type { AuditLog } from '../../core/ports/store.ts'
import { decodeOrder, decodeQuote, decodeTrade, type Encoded, encodeOrder, encodeQuote, encodeTrade } from './codec.ts'
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

/** Replaces characters in strangers' texts that some store cannot keep. */
export function encodeAuditEntry(entry: AuditEntry): Encoded<AuditEntry> {
  switch (entry.kind) {
    case 'opened':
      return { ...entry, terms: encodeRequestTerms(entry.terms) }
    case 'quote_refused':
    case 'passed_over':
      return { ...entry, detail: storableText(entry.detail) }
    case 'quoted':
      return { ...entry, quote: encodeQuote(entry.quote) }
    case 'commit_started':
      return { ...entry, terms: encodeTerms(entry.terms) }
    case 'asked':
      return { ...entry, order: encodeOrder(entry.order) }
    case 'confirmed': {
      const { order, ...confirmed } = entry
      return order === undefined ? confirmed : { ...confirmed, order: encodeOrder(order) }
    }
    default:
      return entry
  }
}

export function decodeAuditEntry(row: Encoded<AuditEntry>): AuditEntry {
  switch (row.kind) {
    case 'opened':
      return { ...row, terms: { ...row.terms, trade: decodeTrade(row.terms.trade) } }
    case 'quoted':
      return { ...row, quote: decodeQuote(row.quote) }
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

const encodeRequestTerms = ({ market, trade, ...rest }: RequestTerms): Encoded<RequestTerms> => ({
  ...rest,
  market: { ...market, question: market.question === null ? null : storableText(market.question) },
  trade: encodeTrade(trade),
})

const encodeTerms = ({ limitPrice, minContracts, expectedQuoteId, ...rest }: CommitTerms): Encoded<CommitTerms> => ({
  ...rest,
  expectedQuoteId: expectedQuoteId === null ? null : storableText(expectedQuoteId),
  limitPrice: limitPrice === null ? null : `${limitPrice}`,
  minContracts: minContracts === null ? null : `${minContracts}`,
})

const decodeTerms = ({ limitPrice, minContracts, ...rest }: Encoded<CommitTerms>): CommitTerms => ({
  ...rest,
  limitPrice: limitPrice === null ? null : usd6(BigInt(limitPrice)),
  minContracts: minContracts === null ? null : contracts(BigInt(minContracts)),
})
