import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import { FEED_LENGTH } from '@rfqctl/protocol/domain/limits'
import type { AuditEvent, AuditFeed } from '../../../core/ports/operations.ts'
import type { Clock, Log } from '../../../core/ports/runtime.ts'
import type { AuditLog, Store } from '../../../core/ports/store.ts'
import { decodeAuditEntry, encodeAuditEntry } from '../audit-log.ts'
import type { Encoded } from '../codec.ts'
import { type BufferParts, createBuffer, type Lossy } from './buffer.ts'
import type { Database } from './database.ts'

const RECORD = `
  insert into audit (request_id, at, body)
  select body ->> 'requestId', (body ->> 'at')::bigint, body
  from jsonb_array_elements($1::jsonb) with ordinality as entries (body, place) order by place`

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

/** Interval of reads while there are listeners, in milliseconds: nodes write their entries once a second. */
const POLL_MS = 500

/** A missing position may still be filled for this long, in milliseconds; after that it stays empty. */
const GAP_MS = 2_000

const BATCH = 1_000

type Row = { seq: number; body: Parameters<typeof decodeAuditEntry>[0] }

/**
 * The newest part of the audit log of all nodes. Entries come in the order of their positions, each once: a position
 * that is still being written delays those after it. Reads nothing while there are no listeners.
 */
export function createSharedAuditFeed({ query }: Database, { clock, log }: { clock: Clock; log: Log }): AuditFeed {
  const listeners = new Set<(events: readonly AuditEvent[]) => void>()
  let delivered: Promise<number> = Promise.resolve(0)
  let gapSince: number | null = null
  let stopTimer = () => {}

  const newestPosition = async () =>
    (await query<{ seq: number }>('select coalesce(max(seq), 0) as seq from audit'))[0]?.seq ?? 0

  const after = (seq: number, limit: number) =>
    query<Row>('select seq, body from audit where seq > $1 order by seq limit $2', [seq, limit])

  /** The events that follow a position without a gap, or with one that will not be filled. */
  function ready(rows: readonly Row[], from: number): Row[] {
    const next: Row[] = []
    let last = from
    for (const row of rows) {
      if (row.seq !== last + 1) {
        gapSince ??= clock.now()
        if (clock.now() < gapSince + GAP_MS) return next
      }
      gapSince = null
      last = row.seq
      next.push(row)
    }
    return next
  }

  async function poll(from: number): Promise<number> {
    const rows = ready(await after(from, BATCH), from)
    if (rows.length > 0) for (const listener of listeners) listener(rows.map(eventOf))
    return rows.at(-1)?.seq ?? from
  }

  function pollAgain(): void {
    stopTimer = clock.schedule(clock.now() + POLL_MS, () => {
      delivered = delivered.then((from) =>
        poll(from).catch((fault: unknown) => {
          log.warn('audit_feed_failed', { fault })
          return from
        }),
      )
      void delivered.then(() => listeners.size > 0 && pollAgain())
    })
  }

  return {
    // Waits for the start of the subscription: events between the two would reach no listener.
    position: () => delivered.then(newestPosition),
    newest: async (limit) => {
      const rows = await query<Row>('select seq, body from audit order by seq desc limit $1', [limit])
      return [...rows].reverse().map(eventOf)
    },
    since: async (id) => {
      if (!Number.isInteger(id) || id < 0 || id > (await newestPosition())) return null
      const rows = await after(id, FEED_LENGTH + 1)
      return rows.length > FEED_LENGTH || (rows[0] !== undefined && rows[0].seq > id + FEED_LENGTH)
        ? null
        : rows.map(eventOf)
    },
    listen: (onEvents) => {
      const listener = (events: readonly AuditEvent[]) => onEvents(events)
      listeners.add(listener)
      if (listeners.size === 1) {
        delivered = newestPosition()
        delivered.then(pollAgain, (fault: unknown) => {
          log.warn('audit_feed_failed', { fault })
          delivered = Promise.resolve(0)
        })
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stopTimer()
      }
    },
  }
}

const eventOf = ({ seq, body }: Row): AuditEvent => ({ id: seq, entry: decodeAuditEntry(body) })
