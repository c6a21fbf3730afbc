import { type RestsOn, UNGUARDED } from '@rfqctl/protocol/domain/acceptance'
import { ENDED_TOLD_MS } from '@rfqctl/protocol/domain/limits'
import type { OrderEnd } from '@rfqctl/protocol/domain/order-end'
import { type OutstandingOrder, outstandingOrder } from '@rfqctl/protocol/domain/reservation'
import type { Hex } from '@rfqctl/protocol/domain/units'
import { FifoMap } from 'toad-cache'
import type { Acceptance, Execution, Stale, Store } from '../../../core/ports/store.ts'
import { decodeAcceptance, type Encoded, encode, encodeCounted } from '../codec.ts'
import { ENDED_MEMORY_MS } from '../journal/journal.ts'
import { createFactsOf } from './acceptance-facts.ts'
import type { Database } from './database.ts'
import { rereadAfterLostReply } from './reread.ts'
import { nowFor } from './schema/functions.ts'

export type AcceptanceRow = { body: Encoded<Acceptance>; state: Acceptance['state'] }

/** As selected by `EXECUTIONS`. */
export type ExecutionRow = AcceptanceRow & { execution_id: string; signature: Hex; executed_at: number }

/** A row of `NEWEST`. */
type TapeRow = ExecutionRow & { order_end: OrderEnd | null; condition_id: Hex; yes_token_id: string }

/** A row of `OUTSTANDING`: the version of the wallet's outstanding orders, or an order. */
type OutstandingRow = {
  version: number | null
  body: Encoded<Acceptance> | null
  confirmed_at: number | null
  ended_in: number | null
}

type ApplyRow = { result: 'applied' | 'closed' | 'outdated' | 'changed' | 'late'; at: number }
type ConfirmRow = { result: 'confirmed' | 'outdated' | 'over'; body: Encoded<Acceptance>; executed_at: number }

/** To be narrowed by a condition on `e`. */
const EXECUTIONS = `
  select a.body, a.state, e.execution_id, e.signature, e.executed_at
  from executions e join acceptances a using (acceptance_id)`

/** Back along the index, whatever the page. */
const NEWEST = `
  select a.body, a.state, a.order_end, e.execution_id, e.signature, e.executed_at,
    r.body #>> '{market,conditionId}' as condition_id, r.body #>> '{market,yesTokenId}' as yes_token_id
  from executions e join acceptances a using (acceptance_id) join requests r on r.request_id = e.request_id
  where e.executed_at <= $1 and (e.executed_at, e.execution_id collate "C") < ($2, $3)
  order by e.executed_at desc, e.execution_id collate "C" desc limit $4`

const APPLY = 'select result, at from apply_acceptance($1, $2, $3, $4, $5, $6, $7, $8)'
const CONFIRM = 'select result, body, executed_at from confirm_acceptance($1, $2, $3, $4)'

/** One statement, so that the version and the orders are of one moment. */
const OUTSTANDING = `
  select version, null::jsonb as body, null::bigint as confirmed_at, null::bigint as ended_in from nonces where wallet = $1
  union all
  select null, body, case when state = 'confirmed' then ended_at end, (order_end ->> 'blockNumber')::bigint from acceptances
  where wallet = $1 and (
    state = 'pending' or state = 'confirmed' and valid_until_s >= $2
    and (order_end is null or order_ended_at > now_ms() - $3)
  )`

/** One index look-up per maker, however many orders it has confirmed. */
const CONFIRMED_BY = `
  select m.maker_id from unnest($1::text[]) as m (maker_id)
  where exists (select from executions e where e.maker_id = m.maker_id and e.executed_at >= $2)`

/** No order is valid for longer. */
const DAY_MS = 24 * 3_600_000

/** An order filled since the moment was signed at most a day before it. */
const MAY_HAVE_PAID = `
  select 1 from acceptances where wallet = $1 and state = 'confirmed' and ended_at >= $2::bigint - ${DAY_MS}
  and (ended_at >= $2 or order_end ->> 'state' = 'filled' and order_ended_at >= $2) limit 1`

const END = `
  with ended as (
    update acceptances set state = $2, ended_at = ${nowFor('body')}
    where acceptance_id = $1 and state = 'pending' and ($2 = 'declined' or deadline <= now_ms()) returning request_id
  )
  update requests set pending_id = null from ended where requests.request_id = ended.request_id returning 1`

const WITHDRAW = `
  with withdrawn as (
    delete from acceptances where acceptance_id = $1 and state = 'pending' returning request_id, acceptance_id
  ), uncounted as (
    delete from counted_acceptances c using withdrawn where c.acceptance_id = withdrawn.acceptance_id
  )
  update requests set pending_id = null from withdrawn where requests.request_id = withdrawn.request_id returning 1`

/**
 * Executions in memory: those whose commit waits on this node, which need not read what this node has just written
 * (benchmark P10). An execution never changes.
 */
const CONFIRMED_KEPT = 100

/**
 * The acceptances and executions of a store. Confirm and end are conditional updates of one row by the database's
 * clock, so that exactly one of them can win, on whatever node (decision C8). `forget`: the database may have lost what
 * is in memory. Insert and confirm hold the wallet's row of `nonces`, so that its outstanding orders are checked and
 * increased in one step.
 */
export function createAcceptances(
  database: Database,
): Pick<Store, 'acceptances' | 'executions'> & { forget: () => void } {
  const { query } = database
  const confirmedHere = new FifoMap<Execution>(CONFIRMED_KEPT)

  async function apply(
    acceptance: Acceptance,
    { owed, protections, used, suspendedUntil }: RestsOn,
    signed: Pick<Execution, 'executionId' | 'signature'> | null = null,
  ): Promise<ApplyRow> {
    const counted = used === null ? null : encodeCounted(acceptance)
    const [row] = await query<ApplyRow>(APPLY, [
      encode(acceptance),
      owed,
      protections,
      used,
      suspendedUntil,
      counted,
      signed?.executionId ?? null,
      signed?.signature ?? null,
    ])
    return row as ApplyRow
  }

  const acceptances: Store['acceptances'] = {
    factsOf: createFactsOf(query),
    insert: (acceptance, restsOn = UNGUARDED) =>
      rereadAfterLostReply<true | Stale>(
        async () => staleOf((await apply(acceptance, restsOn)).result) ?? true,
        async () => {
          const rows = await query('select 1 from acceptances where acceptance_id = $1', [acceptance.acceptanceId])
          return rows.length > 0 ? true : null
        },
      ),
    insertSigned: async (acceptance, { executionId, signature }, restsOn = UNGUARDED) => {
      const made = await rereadAfterLostReply<Execution | Stale | 'late'>(
        async () => {
          const { result, at } = await apply(acceptance, restsOn, { executionId, signature })
          if (result === 'late') return result
          const confirmed: Acceptance = { ...acceptance, state: 'confirmed' }
          return staleOf(result) ?? { executionId, signature, executedAt: at, acceptance: confirmed }
        },
        async () => executionOf(await query<ExecutionRow>(`${EXECUTIONS} where e.execution_id = $1`, [executionId])),
      )
      if (typeof made === 'object') confirmedHere.set(made.acceptance.requestId, made)
      return made
    },
    findByQuote: async (quoteId) => {
      const [row] = await query<AcceptanceRow>(
        `select body, state from acceptances
         where quote_id = $1 and (state in ('pending', 'confirmed') or ended_at > now_ms() - $2) order by seq desc limit 1`,
        [quoteId, ENDED_MEMORY_MS],
      )
      return row === undefined ? null : acceptanceOf(row)
    },
    findActive: async (requestId) => {
      const [row] = await query<AcceptanceRow>(
        `select body, state from acceptances where request_id = $1 and state in ('pending', 'confirmed')`,
        [requestId],
      )
      return row === undefined ? null : acceptanceOf(row)
    },
    pending: async (filter) => {
      const rows = await query<AcceptanceRow>(
        `select body, state from acceptances where state = 'pending' and ($1::text is null or maker_id = $1)`,
        [filter?.makerId ?? null],
      )
      return rows.map(acceptanceOf)
    },
    outstandingOf: async (maker, chainTime) => {
      const rows = await query<OutstandingRow>(OUTSTANDING, [maker.toLowerCase(), chainTime, ENDED_TOLD_MS])
      const version = rows.find((row) => row.version !== null)?.version ?? 0
      return { version, orders: rows.flatMap(orderOf) }
    },
    confirm: async (acceptanceId, { executionId, signature }, outstandingVersion = null) => {
      const execution = await rereadAfterLostReply<Execution | 'outdated' | null>(
        async () => {
          const [row] = await query<ConfirmRow>(CONFIRM, [acceptanceId, executionId, signature, outstandingVersion])
          const { result, body, executed_at: executedAt } = row as ConfirmRow
          if (result !== 'confirmed') return result === 'outdated' ? result : null
          return { executionId, signature, executedAt, acceptance: acceptanceOf({ body, state: 'confirmed' }) }
        },
        async () => executionOf(await query<ExecutionRow>(`${EXECUTIONS} where e.execution_id = $1`, [executionId])),
      )
      if (execution !== null && execution !== 'outdated') confirmedHere.set(execution.acceptance.requestId, execution)
      return execution
    },
    withdraw: async (acceptanceId) => (await query(WITHDRAW, [acceptanceId])).length > 0,
    end: async (acceptanceId, state) => (await query(END, [acceptanceId, state])).length > 0,
  }

  const findByRequest: Store['executions']['findByRequest'] = async (requestId) =>
    confirmedHere.get(requestId) ??
    executionOf(await query<ExecutionRow>(`${EXECUTIONS} where e.request_id = $1`, [requestId]))

  const confirmedBy: Store['executions']['confirmedBy'] = async (makerIds, since) => {
    const rows = await query<{ maker_id: string }>(CONFIRMED_BY, [makerIds, since])
    return new Set(rows.map((row) => row.maker_id))
  }

  const mayHavePaid: Store['executions']['mayHavePaid'] = async (wallet, since) =>
    (await query(MAY_HAVE_PAID, [wallet.toLowerCase(), since])).length > 0

  const newest: Store['executions']['newest'] = async ({ until, before, limit }) => {
    const { at, tradeId } = before ?? { at: until + 1, tradeId: '' }
    const rows = await query<TapeRow>(NEWEST, [until, at, tradeId, limit])
    return rows.map((row) => ({
      execution: executionOf([row]) as Execution,
      market: { conditionId: row.condition_id, yesTokenId: row.yes_token_id },
      end: row.order_end,
    }))
  }

  return {
    acceptances,
    executions: { findByRequest, confirmedBy, mayHavePaid, newest },
    forget: () => confirmedHere.clear(),
  }
}

export function executionOf([row]: readonly ExecutionRow[]): Execution | null {
  if (row === undefined) return null
  const { execution_id: executionId, signature, executed_at: executedAt } = row
  return { executionId, signature, executedAt, acceptance: acceptanceOf(row) }
}

const orderOf = ({ body, confirmed_at, ended_in }: OutstandingRow): OutstandingOrder[] =>
  body === null ? [] : [outstandingOrder(decodeAcceptance(body), confirmed_at, ended_in)]

/** The state of the row counts, not the one in the body, which is as it was at first. */
export const acceptanceOf = ({ body, state }: AcceptanceRow): Acceptance => decodeAcceptance({ ...body, state })

/** Null for an acceptance that was written. */
function staleOf(result: ApplyRow['result']): Stale | null {
  if (result === 'closed') return false
  return result === 'outdated' || result === 'changed' ? result : null
}
