import type { ObservationOf } from '../../invariants/observation.ts'

/** What a database is asked. */
type Sql = <Row>(sql: string) => Promise<Row[]>

type OutcomeRow = { makerId: string; requestId: string; quoteId: string; outcome: string; at: string }

/** An outcome of a record, and when it was counted, Unix milliseconds. */
export type OutcomeRead = ObservationOf<'record_read'>['outcomes'][number] & { at: number }

/** What the records of all makers say, which no wire tells whole. */
export async function readRecords(sql: Sql): Promise<(ObservationOf<'record_read'> & { outcomes: OutcomeRead[] })[]> {
  const rows = await sql<OutcomeRow>(
    `select maker_id as "makerId", body ->> 'requestId' as "requestId", quote_id as "quoteId", kind as outcome, at
     from rfqctl.maker_outcomes order by at`,
  )
  return [...new Set(rows.map(({ makerId }) => makerId))].map((makerId) => ({
    kind: 'record_read',
    makerId,
    outcomes: rows.filter((row) => row.makerId === makerId).map((row) => ({ ...row, at: Number(row.at) })),
  }))
}

/** Who was suspended last, since when and until when. */
export async function readSuspensions(sql: Sql): Promise<ObservationOf<'maker_suspended'>[]> {
  const rows = await sql<{ makerId: string; since: string; until: string }>(
    `select maker_id as "makerId", body ->> 'since' as since, body ->> 'until' as until from rfqctl.maker_suspensions`,
  )
  return rows.map(({ makerId, since, until }) => ({
    kind: 'maker_suspended',
    makerId,
    until: Number(until),
    moment: { at: Number(since), order: 0 },
  }))
}
