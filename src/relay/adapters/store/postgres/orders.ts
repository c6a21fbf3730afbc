import type { OrderEnd } from '@rfqctl/protocol/domain/order-end'
import { RATED_ORDERS, type TakerRating } from '@rfqctl/protocol/domain/request'
import type { Hex } from '@rfqctl/protocol/domain/units'
import type { OpenOrder, SignedOrder, Store } from '../../../core/ports/store.ts'
import { type AcceptanceRow, acceptanceOf } from './acceptances.ts'
import type { Database } from './database.ts'

type CheckpointRow = { since: number; block: number | null; hash: Hex | null }

const OPEN_OF = `
  select body, state from acceptances
  where wallet = any($1) and valid_until_s >= $2 and state = 'confirmed' and order_end is null`

const LAPSED = `
  select body, state from acceptances
  where valid_until_s >= $1 and valid_until_s < $2 and state = 'confirmed' and order_end is null
  order by valid_until_s limit $3`

const OPEN = `
  with wallets as (
    select distinct wallet from acceptances
    where wallet > $1 and valid_until_s >= $2 and state = 'confirmed' and order_end is null order by wallet limit $3
  )
  select body, state, ended_at from acceptances join wallets using (wallet)
  where valid_until_s >= $2 and state = 'confirmed' and order_end is null order by wallet, ended_at, seq limit $4`

/** Locked like ending orders: one that ends meanwhile is not marked. */
const DEFUND = `
  with found as (
    select acceptance_id from acceptances
    where acceptance_id = any($1) and state = 'confirmed' and order_end is null and defunding is null
    order by acceptance_id for update
  )
  update acceptances a set defunding = d.body::jsonb
  from found f join unnest($1::text[], $2::text[]) as d (acceptance_id, body) using (acceptance_id)
  where a.acceptance_id = f.acceptance_id returning a.acceptance_id`

/** Rows are locked in one order: of nodes with the same ends the second waits, and finds none left. */
const END = `
  with found as (
    select acceptance_id from acceptances
    where acceptance_id = any($1) and state = 'confirmed' and order_end is null order by acceptance_id for update
  )
  update acceptances a set order_end = e.body::jsonb, order_ended_at = now_ms()
  from found f join unnest($1::text[], $2::text[]) as e (acceptance_id, body) using (acceptance_id)
  where a.acceptance_id = f.acceptance_id and a.order_end is null returning a.acceptance_id`

/** An index look-up of the newest orders, however many the taker has. */
const RATING = `
  select count(*) as orders, count(*) filter (where state = 'filled') as filled from (
    select order_end ->> 'state' as state from acceptances
    where lower(body #>> '{order,taker}') = $1 and order_ended_at > (select now_ms()) - $2
      and order_end ->> 'state' in ('filled', 'expired')
      and (order_end ->> 'state' = 'filled' or defunding is null and (body ->> 'proven')::boolean)
    order by order_ended_at desc limit $3
  ) as rated`

const KEEP = `
  insert into order_checkpoint as kept (since, block, hash) values ($1, $2, $3)
  on conflict (singleton) do update set block = excluded.block, hash = excluded.hash
  where excluded.block > coalesce(kept.block, -1)`

/** Signed orders end on the rows of their acceptances. */
export function createOrders({ query }: Database): Store['orders'] {
  /** Runs a statement with orders by their ids, and returns those that it changed. */
  async function write<Order extends SignedOrder>(
    sql: string,
    orders: readonly Order[],
    bodyOf: (order: Order) => object,
  ): Promise<Order[]> {
    const byId = new Map(orders.toReversed().map((one) => [one.acceptanceId, one]))
    const bodies = [...byId.values()].map((one) => JSON.stringify(bodyOf(one)))
    const rows = await query<{ acceptance_id: string }>(sql, [[...byId.keys()], bodies])
    const written = new Set(rows.map((row) => row.acceptance_id))
    return [...byId.values()].filter(({ acceptanceId }) => written.has(acceptanceId))
  }

  return {
    openOf: async ({ makers, since }) => {
      const rows = await query<AcceptanceRow>(OPEN_OF, [makers.map((maker) => maker.toLowerCase()), since])
      return rows.map(signedOf)
    },
    lapsed: async ({ since, before, limit }) =>
      (await query<AcceptanceRow>(LAPSED, [since, Math.min(before, Number.MAX_SAFE_INTEGER), limit])).map(signedOf),
    open: async ({ after, wallets, since, limit }) =>
      (await query<AcceptanceRow & { ended_at: number }>(OPEN, [after, since, wallets, limit])).map(openOf),
    defund: (orders) => write(DEFUND, orders, ({ defunding }) => defunding),
    end: (ends) => write(END, ends, ({ end }) => end),
    endOf: async (requestId) => {
      const [row] = await query<{ order_end: OrderEnd | null }>(
        `select order_end from acceptances where request_id = $1 and state = 'confirmed'`,
        [requestId],
      )
      return row?.order_end ?? null
    },
    ratingOf: async ({ taker, sinceMs }) => {
      const [row] = await query<TakerRating>(RATING, [taker.toLowerCase(), sinceMs, RATED_ORDERS])
      return row as TakerRating
    },
    checkpoint: async () => {
      const [row] = await query<CheckpointRow>('select since, block, hash from order_checkpoint')
      if (row === undefined) return null
      const { since, block, hash } = row
      return { since, block: block === null || hash === null ? null : { block, hash } }
    },
    keep: async ({ block, since }) => {
      await query(KEEP, [since, block?.block ?? null, block?.hash ?? null])
    },
  }
}

function openOf(row: AcceptanceRow & { ended_at: number }): OpenOrder {
  const { option, fromInventory, createdAt } = acceptanceOf(row)
  const inventory = fromInventory === undefined ? {} : { fromInventory }
  return { ...signedOf(row), option, ...inventory, createdAt, confirmedAt: row.ended_at }
}

function signedOf(row: AcceptanceRow): SignedOrder {
  const { acceptanceId, requestId, quoteId, makerId, order } = acceptanceOf(row)
  return { acceptanceId, requestId, quoteId, makerId, order }
}
