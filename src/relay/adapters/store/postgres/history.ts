import type { LossFeedback, RejectReason } from '@rfqctl/protocol/domain/best-quote'
import type { WinCounts } from '@rfqctl/protocol/domain/maker-record'
import type { OrderEnd } from '@rfqctl/protocol/domain/order-end'
import type { Defunding } from '@rfqctl/protocol/domain/reservation'
import type { Takeover } from '../../../core/ports/live.ts'
import type { Outcome, Quoter, Rejection, Store } from '../../../core/ports/store.ts'
import { decodeFeedback, type Encoded, encode } from '../codec.ts'
import { ENDED_MEMORY_MS } from '../journal/journal.ts'
import { type ExecutionRow, executionOf } from './acceptances.ts'
import { type BufferParts, createBuffer, type Lossy } from './buffer.ts'
import type { Database } from './database.ts'

type OutcomeRow = Partial<ExecutionRow> & {
  at: number
  request_id: string
  quote_id: string
  status: Outcome['status']
  reason: RejectReason | null
  feedback: Encoded<LossFeedback> | null
  order_end: OrderEnd | null
  defunding: Defunding | null
}

const CURSOR = `
  select executed_at as at from executions where maker_id = $1 and quote_id = $2
  union all select at from rejections where maker_id = $1 and quote_id = $2 limit 1`

/**
 * The next of each kind by its own index, and of those the next of all: a page costs what it holds, however long the
 * history. Sorted by bytes, as the cursor compares. $2, $3: the outcome to continue after; $4: the oldest; $5: the
 * maximum age of a rejection.
 */
const LIST = `
  with outcomes as (
    (select executed_at as at, request_id, quote_id collate "C" as quote_id, 'confirmed' as status, null as reason, null::jsonb as feedback, acceptance_id
     from executions
     where maker_id = $1 and (executed_at, quote_id collate "C") > ($2, $3) and executed_at >= $4 and $6 in ('confirmed', 'both')
     order by executed_at, quote_id collate "C" limit $7)
    union all
    (select at, request_id, quote_id collate "C", 'rejected', reason, feedback, null
     from rejections
     where maker_id = $1 and (at, quote_id collate "C") > ($2, $3) and at >= $4 and at > (select now_ms()) - $5 and $6 in ('rejected', 'both')
     order by at, quote_id collate "C" limit $7)
    order by at, quote_id limit $7
  )
  select o.*, a.body, a.state, a.order_end, a.defunding, e.execution_id, e.signature, e.executed_at
  from outcomes o left join acceptances a using (acceptance_id) left join executions e using (acceptance_id)
  order by o.at, o.quote_id`

/** The newest of each kind by its own index, and of those the newest of all. */
const COUNT_WINS = `
  with newest as (
    (select executed_at as at, true as is_won from executions
     where maker_id = $1 and executed_at > (select now_ms()) - $2 order by executed_at desc limit $3)
    union all
    (select at, false from rejections
     where maker_id = $1 and at > (select now_ms()) - $2 order by at desc limit $3)
    order by at desc limit $3
  )
  select count(*) as requests, count(*) filter (where is_won) as won from newest`
const MOST_COUNTED = 10_000

const QUOTERS = `
  select request_id as "requestId", maker_id as "makerId", quote_id as "quoteId", misses from quoters`

/**
 * One statement, hence one transaction: no end counts as announced while its rejections could still be lost. It does
 * not see its own rows, so quoters recorded and announced in one batch are not given to it.
 */
const WRITE = `
  with rejected as (
    insert into rejections (maker_id, quote_id, request_id, reason, feedback, at)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $12::jsonb[], $5::bigint[]) on conflict do nothing
  ), quoted as (
    insert into quoters (request_id, maker_id, quote_id, misses)
    select * from unnest($7::text[], $8::text[], $9::text[], $10::int[])
    on conflict (request_id, maker_id) do update set misses = excluded.misses
  ), told as (
    delete from quoters where request_id = any($11)
  )
  update requests set announced = true where request_id = any($6) and not announced`

/** The longest delay of a write, in milliseconds: well before other nodes announce an end again. */
const DELAY_MS = 250

/** Before every outcome. */
const START = { at: -1, quoteId: '' }

/** A quoter, the outcomes of a request's quotes, or that its end was announced to everyone. */
type Write =
  | { requestId: string; quoter: Quoter }
  | { requestId: string; rejections: readonly Rejection[]; at: number }
  | { announced: string }

type History = Pick<Store, 'history' | 'quoters' | 'close'> &
  Pick<Takeover, 'announced'> &
  Lossy & { flush: () => Promise<void> }

/** Confirmed quotes are the executions; rejections and announced ends are written in batches. */
export function createHistory({ query }: Database, { clock, log }: BufferParts): History {
  const writes = createBuffer<Write>({
    clock,
    log,
    delayMs: DELAY_MS,
    write: (items) => query(WRITE, parametersOf(items)),
  })

  async function findCursor(makerId: string, quoteId: string): Promise<typeof START | null> {
    const [found] = await query<{ at: number }>(CURSOR, [makerId, quoteId])
    return found === undefined ? null : { at: found.at, quoteId }
  }

  return {
    quoters: {
      record: (requestId, quoter) => writes.add({ requestId, quoter }),
      list: async () => {
        await writes.flush()
        const quoters = new Map<string, Quoter[]>()
        for (const { requestId, ...quoter } of await query<Quoter & { requestId: string }>(QUOTERS)) {
          const ofRequest = quoters.get(requestId) ?? []
          quoters.set(requestId, [...ofRequest, quoter])
        }
        return quoters
      },
    },
    history: {
      reject: (requestId, rejections) => writes.add({ requestId, rejections, at: clock.now() }),
      list: async ({ makerId, after, since, status, limit }) => {
        await writes.flush()
        const cursor = after === null ? START : await findCursor(makerId, after)
        if (cursor === null) return null
        const page = [makerId, cursor.at, cursor.quoteId, since ?? 0, ENDED_MEMORY_MS, status ?? 'both', limit]
        return (await query<OutcomeRow>(LIST, page)).map(outcomeOf)
      },
      countWins: async (makerId) => {
        await writes.flush()
        const [row] = await query<WinCounts>(COUNT_WINS, [makerId, ENDED_MEMORY_MS, MOST_COUNTED])
        return row as WinCounts
      },
    },
    announced: (requestId) => writes.add({ announced: requestId }),
    lost: writes.lost,
    flush: writes.flush,
    close: writes.close,
  }
}

function parametersOf(writes: readonly Write[]): unknown[] {
  const rejections = writes.flatMap((write) =>
    'rejections' in write ? write.rejections.map((rejection) => ({ ...rejection, at: write.at })) : [],
  )
  const told = new Set(writes.flatMap((write) => ('rejections' in write ? write.requestId : [])))
  /** Only the newest write of a maker: a statement may not write one row twice. */
  const quoters = new Map<string, Quoter & { requestId: string }>()
  for (const write of writes) {
    if (!('quoter' in write) || told.has(write.requestId)) continue
    quoters.set(`${write.requestId} ${write.quoter.makerId}`, { ...write.quoter, requestId: write.requestId })
  }
  const quoted = [...quoters.values()]
  return [
    rejections.map(({ makerId }) => makerId),
    rejections.map(({ quoteId }) => quoteId),
    rejections.map(({ requestId }) => requestId),
    rejections.map(({ reason }) => reason),
    rejections.map(({ at }) => at),
    writes.flatMap((write) => ('announced' in write ? write.announced : [])),
    quoted.map(({ requestId }) => requestId),
    quoted.map(({ makerId }) => makerId),
    quoted.map(({ quoteId }) => quoteId),
    quoted.map(({ misses }) => misses),
    [...told],
    rejections.map(({ feedback }) => (feedback === undefined ? null : JSON.stringify(encode(feedback)))),
  ]
}

function outcomeOf(row: OutcomeRow): Outcome {
  const { at, request_id: requestId, quote_id: quoteId } = row
  const execution = row.status === 'confirmed' ? executionOf([row as ExecutionRow]) : null
  if (execution !== null) {
    return { status: 'confirmed', at, requestId, quoteId, execution, end: row.order_end, defunding: row.defunding }
  }
  const stood = row.feedback === null ? {} : { feedback: decodeFeedback(row.feedback) }
  return { status: 'rejected', at, requestId, quoteId, reason: row.reason as RejectReason, ...stood }
}
