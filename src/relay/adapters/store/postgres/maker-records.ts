import {
  type BreakerRule,
  KNOWN_BY,
  type MakerRecord,
  OUTCOMES_KEPT,
  OUTCOMES_KEPT_MS,
  type RecordedOutcome,
  reinstated,
  replacedBy,
  type Suspension,
  suspensionAfter,
} from '@rfqctl/protocol/domain/maker-record'
import type { Store } from '../../../core/ports/store.ts'
import type { Database } from './database.ts'

type Noted = { at: number; suspension: Suspension | null }
type Found = { now: number; version: number; suspension: Suspension | null; outcomes: readonly RecordedOutcome[] }

const NOTE = 'select noted_at as at, suspension from note_outcome($1, $2, $3, $4, $5, $6, $7, $8)'

const FIND = `
  select now_ms() as now, coalesce(s.version, 0) as version, s.body as suspension, coalesce(o.newest, '[]') as outcomes
  from (select $1::text as maker_id) m
  left join maker_suspensions s using (maker_id)
  left join lateral (
    select json_agg(n.body || jsonb_build_object('at', n.at) order by n.at, n.seq) as newest from (
      select seq, at, body from maker_outcomes
      where maker_id = $1 and at > now_ms() - $2 order by at desc, seq desc limit $3
    ) n
  ) o on true`

/** No row where another node has put one since. */
const PUT = `
  insert into maker_suspensions as held (maker_id, version, body) values ($1, 1, $3)
  on conflict (maker_id) do update set version = held.version + 1, body = excluded.body
  where held.version = $2 returning maker_id`

/** Nodes decide suspensions one after the other by the version of the row. */
export function createMakerRecords({ query }: Database): Store['makerRecords'] {
  async function find(makerId: string): Promise<Found> {
    const [found] = await query<Found>(FIND, [makerId, OUTCOMES_KEPT_MS, OUTCOMES_KEPT])
    return found as Found
  }

  /** Replaces a maker's suspension by one derived from its record; null where that changes nothing. */
  async function change(
    makerId: string,
    make: (record: MakerRecord, now: number) => Suspension | null,
  ): Promise<{ former: Suspension | null; suspension: Suspension } | null> {
    for (;;) {
      const { now, version, ...record } = await find(makerId)
      const suspension = make(record, now)
      if (suspension === null || suspension === record.suspension) return null
      const put = await query(PUT, [makerId, version, suspension])
      if (put.length > 0) return { former: record.suspension, suspension }
    }
  }

  async function decide(makerId: string, outcome: RecordedOutcome, rule: BreakerRule): Promise<Suspension | null> {
    const changed = await change(makerId, (record) => suspensionAfter(record, outcome, rule))
    return changed !== null && changed.suspension.until !== changed.former?.until ? changed.suspension : null
  }

  return {
    note: async (makerId, fact, rule) => {
      const { quoteId, kind } = fact
      const values = [makerId, quoteId, kind, fact, KNOWN_BY[kind], replacedBy(kind), OUTCOMES_KEPT, rule.incidentMs]
      const [noted] = await query<Noted>(NOTE, values)
      if (noted === undefined) return null
      const mayChange = noted.suspension !== null || (kind !== 'confirmed' && rule.suspensionMs > 0)
      return mayChange ? decide(makerId, { ...fact, at: noted.at }, rule) : null
    },
    find: async (makerId) => {
      const { outcomes, suspension } = await find(makerId)
      return { outcomes, suspension }
    },
    suspended: async () =>
      (
        await query<{ makerId: string; suspension: Suspension }>(
          `select maker_id as "makerId", body as suspension from maker_suspensions where until_ms > now_ms()`,
        )
      ).map(({ makerId, suspension }) => ({ makerId, suspension })),
    reinstate: async (makerId) =>
      (await change(makerId, ({ suspension }, now) =>
        suspension === null || now >= suspension.until ? null : reinstated(suspension, now),
      )) !== null,
  }
}
