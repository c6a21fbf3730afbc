import type { RejectReason } from '../../../relay/ports/bus.ts'
import type { Handover } from '../../../relay/ports/handover.ts'
import type { Outcome, Rejection, Store } from '../../../relay/ports/store.ts'
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
}

/** Sorted by bytes, as the cursor compares. */
const OUTCOMES = `
  with outcomes as (
    select executed_at as at, request_id, quote_id collate "C" as quote_id, 'confirmed' as status, null as reason, acceptance_id
    from executions where maker_id = $1
    union all
    select at, request_id, quote_id collate "C", 'rejected', reason, null
    from rejections where maker_id = $1 and at > now_ms() - $2
  )`

const LIST = `${OUTCOMES}
  select o.*, a.body, a.state, e.execution_id, e.signature, e.executed_at
  from outcomes o left join acceptances a using (acceptance_id) left join executions e using (acceptance_id)
  where ($3::text is null or (o.at, o.quote_id) > (select at, quote_id from outcomes where quote_id = $3))
    and ($4::bigint is null or o.at >= $4) and ($5::text is null or o.status = $5)
  order by o.at, o.quote_id limit $6`

const KNOWS = `${OUTCOMES} select 1 from outcomes where quote_id = $3`

/** One statement, hence one transaction: no end counts as told whose rejections could still be lost. */
const NOTE = `
  with rejected as (
    insert into rejections (maker_id, quote_id, request_id, reason, at)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) on conflict do nothing
  )
  update requests set announced = true where request_id = any($6) and not announced`

/** How long a note may wait, in milliseconds: well within the time after which other nodes tell an end again. */
const DELAY_MS = 250

/** What became of a quote, or that the end of a request was told. */
type Note = { rejection: Rejection & { at: number } } | { announced: string }

/** What became of makers' quotes: confirmed ones are the executions, rejected ones are noted, and that they were told. */
export function createHistory(
  { query }: Database,
  { clock, log }: BufferParts,
): Store['history'] & Pick<Store, 'close'> & Pick<Handover, 'announced'> & Lossy {
  const notes = createBuffer<Note>({
    clock,
    log,
    delayMs: DELAY_MS,
    write: (items) => {
      const rejections = items.flatMap((note) => ('rejection' in note ? note.rejection : []))
      return query(NOTE, [
        rejections.map(({ makerId }) => makerId),
        rejections.map(({ quoteId }) => quoteId),
        rejections.map(({ requestId }) => requestId),
        rejections.map(({ reason }) => reason),
        rejections.map(({ at }) => at),
        items.flatMap((note) => ('announced' in note ? note.announced : [])),
      ])
    },
  })

  return {
    reject: (fresh) => {
      const at = clock.now()
      for (const rejection of fresh) notes.add({ rejection: { ...rejection, at } })
    },
    announced: (requestId) => notes.add({ announced: requestId }),
    list: async ({ makerId, after, since, status, limit }) => {
      await notes.flush()
      const ofMaker = [makerId, ENDED_MEMORY_MS]
      if (after !== null && (await query(KNOWS, [...ofMaker, after])).length === 0) return null
      return (await query<OutcomeRow>(LIST, [...ofMaker, after, since, status, limit])).map(outcomeOf)
    },
    lost: notes.lost,
    close: notes.close,
  }
}

function outcomeOf(row: OutcomeRow): Outcome {
  const { at, request_id: requestId, quote_id: quoteId } = row
  const execution = row.status === 'confirmed' ? executionOf([row as ExecutionRow]) : null
  if (execution !== null) return { status: 'confirmed', at, requestId, quoteId, execution }
  return { status: 'rejected', at, requestId, quoteId, reason: row.reason as RejectReason }
}
