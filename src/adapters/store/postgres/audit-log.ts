import type { AuditEntry } from '../../../domain/audit.ts'
import type { AuditLog, Store } from '../../../relay/ports/store.ts'
import { decodeAuditEntry, encodeAuditEntry } from '../audit-codec.ts'
import type { Encoded } from '../codec.ts'
import { type BufferParts, createBuffer, type Lossy } from './buffer.ts'
import type { Database } from './database.ts'

const RECORD = `
  insert into audit (request_id, at, body)
  select body ->> 'requestId', (body ->> 'at')::bigint, body
  from jsonb_array_elements($1::jsonb) with ordinality as entries (body, place) order by place`

/** The record of each request's life, and what is to be closed with it. */
export function createAuditLog({ query }: Database, parts: BufferParts): AuditLog & Pick<Store, 'close'> & Lossy {
  const entries = createBuffer<Encoded<AuditEntry>>({
    ...parts,
    write: (items) => query(RECORD, [JSON.stringify(items)]),
  })

  return {
    record: (entry) => entries.add(encodeAuditEntry(entry)),
    find: async (requestId) => {
      await entries.flush()
      const rows = await query<{ body: Encoded<AuditEntry> }>(
        'select body from audit where request_id = $1 order by seq',
        [requestId],
      )
      return rows.map(({ body }) => decodeAuditEntry(body))
    },
    lost: entries.lost,
    close: entries.close,
  }
}
