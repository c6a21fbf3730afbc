import type { RejectReason } from '../../../relay/ports/bus.ts'
import type { Handover } from '../../../relay/ports/handover.ts'
import type { Outcome, Quoter, Rejection, Store } from '../../../relay/ports/store.ts'
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

const QUOTERS = `
  select request_id as "requestId", maker_id as "makerId", quote_id as "quoteId", misses from quoters`

const KNOWS = `${OUTCOMES} select 1 from outcomes where quote_id = $3`

/**
 * One statement, hence one transaction: no end counts as told whose rejections could still be lost. It does not see its own
 * rows: quoters that are noted and told in one batch are not given to it.
 */
const NOTE = `
  with rejected as (
    insert into rejections (maker_id, quote_id, request_id, reason, at)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) on conflict do nothing
  ), quoted as (
    insert into quoters (request_id, maker_id, quote_id, misses)
    select * from unnest($7::text[], $8::text[], $9::text[], $10::int[])
    on conflict (request_id, maker_id) do update set misses = excluded.misses
  ), told as (
    delete from quoters where request_id = any($11)
  )
  update requests set announced = true where request_id = any($6) and not announced`

/** How long a note may wait, in milliseconds: well within the time after which other nodes tell an end again. */
const DELAY_MS = 250

/** Who quoted, what became of the quotes of a request, or that its end was told to everybody. */
type Note =
  | { requestId: string; quoter: Quoter }
  | { requestId: string; rejections: readonly Rejection[]; at: number }
  | { announced: string }

/** What the history of makers' quotes is made of, and when it is written. */
type History = Pick<Store, 'history' | 'quoters' | 'close'> &
  Pick<Handover, 'announced'> &
  Lossy & { flush: () => Promise<void> }

/** What became of makers' quotes: confirmed ones are the executions, rejected ones are noted, and that they were told. */
export function createHistory({ query }: Database, { clock, log }: BufferParts): History {
  const notes = createBuffer<Note>({
    clock,
    log,
    delayMs: DELAY_MS,
    write: (items) => query(NOTE, parametersOf(items)),
  })

  return {
    quoters: {
      note: (requestId, quoter) => notes.add({ requestId, quoter }),
      list: async () => {
        await notes.flush()
        const quoters = new Map<string, Quoter[]>()
        for (const { requestId, ...quoter } of await query<Quoter & { requestId: string }>(QUOTERS)) {
          const ofRequest = quoters.get(requestId) ?? []
          quoters.set(requestId, [...ofRequest, quoter])
        }
        return quoters
      },
    },
    history: {
      reject: (requestId, rejections) => notes.add({ requestId, rejections, at: clock.now() }),
      list: async ({ makerId, after, since, status, limit }) => {
        await notes.flush()
        const ofMaker = [makerId, ENDED_MEMORY_MS]
        if (after !== null && (await query(KNOWS, [...ofMaker, after])).length === 0) return null
        return (await query<OutcomeRow>(LIST, [...ofMaker, after, since, status, limit])).map(outcomeOf)
      },
    },
    announced: (requestId) => notes.add({ announced: requestId }),
    lost: notes.lost,
    flush: notes.flush,
    close: notes.close,
  }
}

function parametersOf(notes: readonly Note[]): unknown[] {
  const rejections = notes.flatMap((note) =>
    'rejections' in note ? note.rejections.map((rejection) => ({ ...rejection, at: note.at })) : [],
  )
  const told = new Set(notes.flatMap((note) => ('rejections' in note ? note.requestId : [])))
  /** The newest note of a maker stands: a statement may not write one row twice. */
  const quoters = new Map<string, Quoter & { requestId: string }>()
  for (const note of notes) {
    if (!('quoter' in note) || told.has(note.requestId)) continue
    quoters.set(`${note.requestId} ${note.quoter.makerId}`, { ...note.quoter, requestId: note.requestId })
  }
  const quoted = [...quoters.values()]
  return [
    rejections.map(({ makerId }) => makerId),
    rejections.map(({ quoteId }) => quoteId),
    rejections.map(({ requestId }) => requestId),
    rejections.map(({ reason }) => reason),
    rejections.map(({ at }) => at),
    notes.flatMap((note) => ('announced' in note ? note.announced : [])),
    quoted.map(({ requestId }) => requestId),
    quoted.map(({ makerId }) => makerId),
    quoted.map(({ quoteId }) => quoteId),
    quoted.map(({ misses }) => misses),
    [...told],
  ]
}

function outcomeOf(row: OutcomeRow): Outcome {
  const { at, request_id: requestId, quote_id: quoteId } = row
  const execution = row.status === 'confirmed' ? executionOf([row as ExecutionRow]) : null
  if (execution !== null) return { status: 'confirmed', at, requestId, quoteId, execution }
  return { status: 'rejected', at, requestId, quoteId, reason: row.reason as RejectReason }
}
