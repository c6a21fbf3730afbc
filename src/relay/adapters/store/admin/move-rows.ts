import type { QuoteRequest, RequestStatus } from '@rfqctl/protocol/domain/request'
import type { Acceptance } from '../../../core/ports/store.ts'
import { decodeAcceptance, type Encoded, encodeCounted } from '../codec.ts'
import type { StoredRow } from '../file/segments.ts'
import { createQuoters } from '../journal/journal.ts'
import { createRecordedOutcomes } from '../journal/recorded.ts'
import type { JournalRow, RowOf } from '../journal/rows.ts'
import type { AcceptedRow, Tables, UserRow } from '../tables.ts'

export type Row = Readonly<Record<string, unknown>>

export type Source = { tables: Tables; scan: () => AsyncGenerator<StoredRow>; moveId: string }

export type TableMove = { table: string; rows: (source: Source) => AsyncIterable<Row> | Iterable<Row> }

/** Each table follows those that its rows refer to. */
export const TABLE_MOVES: readonly TableMove[] = [
  { table: 'store_meta', rows: storeMeta },
  { table: 'users', rows: ({ tables }) => map(tables.users.values(), userRow) },
  { table: 'api_keys', rows: ({ tables }) => map(tables.apiKeys.values(), snakeCase) },
  { table: 'requests', rows: requests },
  { table: 'acceptances', rows: acceptances },
  { table: 'executions', rows: executions },
  { table: 'allotments', rows: allotments },
  { table: 'rejections', rows: rejections },
  { table: 'quoters', rows: quoters },
  { table: 'resolutions', rows: ({ tables }) => map(tables.resolutions, ([series_id, body]) => ({ series_id, body })) },
  {
    table: 'escalations',
    rows: ({ tables }) => map(tables.escalations, ([series_id, body]) => ({ series_id, at: body.at, body })),
  },
  { table: 'price_points', rows: pricePoints },
  {
    table: 'faucet_claims',
    rows: ({ tables }) => map(tables.faucetClaims, ([wallet, claimed_at]) => ({ wallet, claimed_at })),
  },
  {
    table: 'blocks',
    rows: ({ tables }) => map(tables.blocks, ([maker_id, body]) => ({ maker_id, at: body.at, body })),
  },
  {
    table: 'maker_protections',
    rows: ({ tables }) =>
      map(tables.protections.values(), ({ makerId, version, protections, trip }) => ({
        maker_id: makerId,
        version,
        body: protections,
        trip,
      })),
  },
  { table: 'counted_acceptances', rows: countedAcceptances },
  {
    table: 'order_checkpoint',
    rows: ({ tables }) =>
      map(tables.watch.values(), ({ since, block }) => ({
        since,
        block: block?.block ?? null,
        hash: block?.hash ?? null,
      })),
  },
  { table: 'maker_outcomes', rows: makerOutcomes },
  {
    table: 'maker_suspensions',
    rows: ({ tables }) => map(tables.suspensions, ([maker_id, body]) => ({ maker_id, body })),
  },
  { table: 'audit', rows: audit },
]

function* storeMeta({ tables: { counters }, moveId }: Source): Iterable<Row> {
  yield { store_epoch: 0, stream_epoch: counters.get('streamEpoch') ?? 0, move_id: moveId }
}

/** Their ends were recorded when they ended. */
async function* requests({ tables, scan }: Source): AsyncIterable<Row> {
  for (const [requestId, body] of tables.requests) {
    yield requestRow(body, { status: 'open', pendingId: tables.acceptances.get(requestId)?.acceptanceId ?? null })
  }
  for await (const row of rowsOf(scan, 'closed'))
    yield requestRow(row.request, { status: row.status, closedAt: row.at })
  for await (const { request, execution } of rowsOf(scan, 'executed')) {
    yield requestRow(request, { status: 'committed', closedAt: execution.executedAt })
  }
}

/** An unsuccessful acceptance is kept for as long as its request is. */
async function* acceptances({ tables, scan }: Source): AsyncIterable<Row> {
  const known = new Set(tables.requests.keys())
  for await (const { request } of rowsOf(scan, 'closed')) known.add(request.requestId)
  for await (const { request } of rowsOf(scan, 'executed')) known.add(request.requestId)
  for await (const { acceptance, at } of rowsOf(scan, 'ended')) {
    if (known.has(acceptance.requestId)) yield acceptanceRow(acceptance, acceptance.state, at)
  }
  const ends = new Map<string, RowOf<'order_ended'>>()
  for await (const row of rowsOf(scan, 'order_ended')) ends.set(row.acceptanceId, row)
  const defundings = new Map<string, RowOf<'order_defunded'>['defunding']>()
  for await (const { requestId, defunding } of rowsOf(scan, 'order_defunded')) defundings.set(requestId, defunding)
  for await (const { execution } of rowsOf(scan, 'executed')) {
    const ended = ends.get(execution.acceptance.acceptanceId)
    const end = ended === undefined ? {} : { order_end: ended.end, order_ended_at: ended.at }
    const defunding = defundings.get(execution.acceptance.requestId) ?? null
    yield { ...acceptanceRow(execution.acceptance, 'confirmed', execution.executedAt), ...end, defunding }
  }
  for (const acceptance of tables.acceptances.values()) yield acceptanceRow(acceptance, 'pending', null)
}

async function* executions({ scan }: Source): AsyncIterable<Row> {
  for await (const { execution } of rowsOf(scan, 'executed')) {
    const { executionId, acceptance, signature, executedAt } = execution
    const { requestId, acceptanceId, makerId, quoteId } = acceptance
    yield snakeCase({ executionId, requestId, acceptanceId, makerId, quoteId, signature, executedAt })
  }
}

function* allotments({ tables }: Source): Iterable<Row> {
  for (const [request_id, nonces] of tables.allotments) {
    for (const [wallet, nonce] of Object.entries(nonces)) yield { request_id, wallet, nonce }
  }
}

/** Makers that have not yet been notified of the end of their request. */
async function* quoters({ scan }: Source): AsyncIterable<Row> {
  const known = createQuoters()
  for await (const { row } of scan()) {
    if (row.kind === 'quoted') known.add(row)
    if (row.kind === 'told') known.forget(row.requestId)
  }
  for (const [request_id, ofRequest] of known.all()) {
    for (const { makerId, quoteId, misses } of ofRequest.values()) {
      yield { request_id, maker_id: makerId, quote_id: quoteId, misses }
    }
  }
}

/** The first of several rejections of one quote counts. */
async function* rejections({ scan }: Source): AsyncIterable<Row> {
  const known = new Set<string>()
  for await (const { rejection, at } of rowsOf(scan, 'rejected')) {
    if (isNew(known, `${rejection.makerId} ${rejection.quoteId}`))
      yield snakeCase({ ...rejection, feedback: rejection.feedback ?? null, at })
  }
}

/** The first of several records of one moment counts. */
async function* pricePoints({ scan }: Source): AsyncIterable<Row> {
  const known = new Set<string>()
  for await (const { yesTokenId, point } of rowsOf(scan, 'priced')) {
    if (isNew(known, `${yesTokenId} ${point.t}`)) yield { yes_token_id: yesTokenId, t: point.t, p: point.p }
  }
}

/** The acceptances that count in the windows of protections. */
async function* countedAcceptances({ tables, scan }: Source): AsyncIterable<Row> {
  const rowsOfMakers = function* ({ countedAt, ...row }: AcceptedRow): Iterable<Row> {
    const { makerId, acceptanceId } = row
    const from = tables.protections.get(makerId)?.countedFrom
    if (countedAt === undefined || from === undefined || countedAt < from) return
    yield {
      acceptance_id: acceptanceId,
      maker_id: makerId,
      at: countedAt,
      amounts: encodeCounted(decodeAcceptance(row)),
    }
  }
  for await (const { acceptance } of rowsOf(scan, 'ended')) yield* rowsOfMakers(acceptance)
  for await (const { execution } of rowsOf(scan, 'executed')) yield* rowsOfMakers(execution.acceptance)
  for (const row of tables.acceptances.values()) yield* rowsOfMakers(row)
}

/** Outcomes of the last day. */
async function* makerOutcomes({ scan }: Source): AsyncIterable<Row> {
  const recorded = createRecordedOutcomes(Date.now)
  for await (const { makerId, outcome } of rowsOf(scan, 'noted')) recorded.add(makerId, outcome)
  for (const maker_id of recorded.makerIds()) {
    for (const { at, ...body } of recorded.of(maker_id)) {
      yield { maker_id, quote_id: body.quoteId, kind: body.kind, at, body }
    }
  }
}

async function* audit({ scan }: Source): AsyncIterable<Row> {
  for await (const { entry } of rowsOf(scan, 'audited')) {
    yield { request_id: entry.requestId, at: entry.at, body: entry }
  }
}

async function* rowsOf<Kind extends JournalRow['kind']>(
  scan: Source['scan'],
  kind: Kind,
): AsyncGenerator<Extract<JournalRow, { kind: Kind }>> {
  for await (const { row } of scan()) if (row.kind === kind) yield row as Extract<JournalRow, { kind: Kind }>
}

const requestRow = (
  body: Encoded<QuoteRequest>,
  {
    status,
    pendingId = null,
    closedAt = null,
  }: { status: RequestStatus; pendingId?: string | null; closedAt?: number | null },
): Row => ({
  request_id: body.requestId,
  status,
  pending_id: pendingId,
  closed_at: closedAt,
  announced: status !== 'open',
  body,
})

const acceptanceRow = (body: Encoded<Acceptance>, state: Acceptance['state'], endedAt: number | null): Row => ({
  acceptance_id: body.acceptanceId,
  request_id: body.requestId,
  quote_id: body.quoteId,
  maker_id: body.makerId,
  wallet: body.order.maker.toLowerCase(),
  valid_until_s: body.order.validUntil,
  deadline: body.deadline,
  state,
  ended_at: endedAt,
  order_end: null,
  order_ended_at: null,
  defunding: null,
  body,
})

const userRow = ({ mayChoose = false, ...user }: Omit<UserRow, 'mayChoose'> & { mayChoose?: boolean }): Row =>
  snakeCase({ ...user, mayChoose })

const snakeCase = (value: object): Row =>
  Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      field,
    ]),
  )

function* map<Item>(items: Iterable<Item>, change: (item: Item) => Row): Iterable<Row> {
  for (const item of items) yield change(item)
}

function isNew(known: Set<string>, key: string): boolean {
  if (known.has(key)) return false
  known.add(key)
  return true
}
