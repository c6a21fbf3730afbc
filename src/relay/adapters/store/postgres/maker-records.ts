import {
  type BreakerRule,
  incidentMsOf,
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

/**
 * A maker's outcomes are noted one after the other: only what is read after this lock has those before, so that none counts twice, and
 * the last of those that suspend the maker sees them all.
 */
const LOCK = `select pg_advisory_xact_lock(hashtextextended('maker record ' || $1::text, 0))`

/** Counts an outcome unless it is known, in place of those that it replaces; its own row is not yet among those that are kept. */
const NOTE = `
  with noted as (
    insert into maker_outcomes (maker_id, quote_id, kind, at, body)
    select $1::text, $2::text, $3::text, now_ms(), $4::jsonb
    where not exists (select from maker_outcomes where maker_id = $1 and quote_id = $2 and kind = any($5))
      and not exists (select from maker_outcomes where maker_id = $1 and kind = $3 and at > now_ms() - $8::bigint)
    returning at
  ), replaced as (
    delete from maker_outcomes
    where maker_id = $1 and quote_id = $2 and kind = any($6) and exists (select from noted)
  ), dropped as (
    delete from maker_outcomes where exists (select from noted) and maker_id = $1 and (at, seq) < (
      select at, seq from maker_outcomes where maker_id = $1 and not (quote_id = $2 and kind = any($6))
      order by at desc, seq desc offset $7::integer - 2 limit 1
    )
  )
  select at, (select body from maker_suspensions where maker_id = $1) as suspension from noted`

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
export function createMakerRecords({ query, transaction }: Database): Store['makerRecords'] {
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
      const kinds = [KNOWN_BY[kind], replacedBy(kind)]
      const values = [makerId, quoteId, kind, fact, ...kinds, OUTCOMES_KEPT, incidentMsOf(kind, rule.incidentMs)]
      const [noted] = await transaction(async (query) => {
        await query(LOCK, [makerId])
        return query<Noted>(NOTE, values)
      })
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
