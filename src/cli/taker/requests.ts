import { RelayError, RelayUnreachableError, type ShownBook } from '@rfqctl/client/index'
import { quoteJson, termsJson } from '@rfqctl/client/to-json'
import { optionText, plural, priceText, shortId, usd, when } from '@rfqctl/lib/format'
import { usd6ToNumber } from '@rfqctl/protocol/domain/decimal'
import type { OrderState } from '@rfqctl/protocol/domain/order-end'
import { premiumOf } from '@rfqctl/protocol/domain/quote'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import type { Cli, Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import { listSavedRequests, REQUEST_ROWS, type SavedRequest } from '../context/saved-requests.ts'
import { keepShownRows } from '../context/shown-rows.ts'
import { dataDirOf, type RelayOptions } from '../context/targets.ts'
import { type Column, tableLines } from '../terminal/table.ts'

/** The default without --all. */
const NEWEST = 20

/** `committed`: signed but not filled; `lapsed`: the signed order expired; `unknown`: no relay reports it. */
type RequestState = 'open' | 'committed' | 'filled' | 'cancelled' | 'expired' | 'lapsed' | 'unknown'

/** `book` is null where the relay was not asked. */
type Row = { saved: SavedRequest; state: RequestState; book: ShownBook | null }

/** Newest first. */
export const listRequests: Run<RelayOptions & { all?: boolean }> = async (cli, options) => {
  const saved = listSavedRequests(dataDirOf(cli, options)).toSorted((a, b) => b.createdAt - a.createdAt)
  const kept = options.all === true ? saved : saved.slice(0, NEWEST)
  const now = Date.now()
  const rows = await Promise.all(kept.map((one) => readRow(cli, options, { saved: one, now })))
  keepShownRows(cli, options, { ...REQUEST_ROWS, items: kept })
  cli.out.print(
    { type: 'requests', count: rows.length, requests: rows.map((row, index) => ({ ...rowJson(row), row: index + 1 })) },
    rows.length === 0 ? 'no request was made in this folder' : tableLines(columnsAt(now, rows), rows, cli.out),
  )
  if (saved.length > rows.length) {
    cli.out.note(`${plural(saved.length - rows.length, 'older request')} not shown: rfqctl taker requests --all`)
  }
  if (rows.some(({ state }) => state === 'open'))
    cli.out.note('Next: rfqctl taker commit @N, or rfqctl taker cancel @N')
  else if (rows.some(({ state }) => state === 'committed')) cli.out.note('Next: rfqctl taker fill @N')
}

/** Only a request that can still change is looked up: the relay forgets it some time after its end. */
async function readRow(
  cli: Cli,
  options: RelayOptions,
  { saved, now }: { saved: SavedRequest; now: number },
): Promise<Row> {
  const { request, commitment, fillHash } = saved
  if (fillHash !== null) return { saved, state: 'filled', book: null }
  const endsAt = commitment?.onchain == null ? request.expiresAt : commitment.onchain.order.validUntil * 1_000
  const book = await publicClient(cli, options)
    .getBestQuote({ request, signal: cli.stop })
    .catch((error: unknown) => {
      if (error instanceof RelayError || error instanceof RelayUnreachableError) return null
      throw error
    })
  if (book !== null) return { saved, state: stateOf(book), book }
  const past = commitment === null ? 'expired' : 'lapsed'
  const state = endsAt <= now ? past : commitment === null ? 'unknown' : 'committed'
  return { saved, state, book: null }
}

function stateOf({ status, orderStanding }: ShownBook): RequestState {
  if (status !== 'committed' || orderStanding === null || orderStanding.state === 'open') return status
  return orderStanding.state === 'expired' ? 'lapsed' : orderStanding.state
}

/** Without its secret. */
const rowJson = ({ saved: { createdAt, account, request, commitment, fillHash }, state, book }: Row) => ({
  requestId: request.requestId,
  createdAt: new Date(createdAt).toISOString(),
  expiresAt: new Date(request.expiresAt).toISOString(),
  account,
  seriesId: request.seriesId,
  ...termsJson(request.terms),
  state,
  bestQuote: book?.bestQuote == null ? null : quoteJson(book.bestQuote),
  commitment:
    commitment === null
      ? null
      : {
          price: usd6ToNumber(commitment.quote.price),
          contracts: Number(commitment.quote.fillContracts),
          premium: usd6ToNumber(premiumOf(commitment.quote.fillContracts, commitment.quote.price)),
          makerId: commitment.quote.makerId,
          validUntil: commitment.onchain === null ? null : isoSeconds(commitment.onchain.order.validUntil),
        },
  fillHash: fillHash ?? filledIn(book?.orderStanding ?? null),
})

const isoSeconds = (seconds: number): string => new Date(seconds * 1_000).toISOString()

const filledIn = (standing: OrderState | null) => (standing?.state === 'filled' ? standing.transactionHash : null)

const columnsAt = (now: number, rows: readonly Row[]): Column<Row>[] => [
  { heading: '', cell: (row) => `@${rows.indexOf(row) + 1}` },
  { heading: 'REQUEST', cell: ({ saved }) => shortId(saved.request.requestId) },
  { heading: 'ASKED', cell: ({ saved }) => when(saved.createdAt, now) },
  { heading: 'WHAT', cell: ({ saved }) => whatText(saved) },
  { heading: 'STATE', cell: (row) => stateText(row, now) },
  { heading: 'PRICE', cell: priceOf, align: 'right' },
  {
    heading: 'QUESTION',
    cell: ({ saved }) => safeText(saved.request.terms.market.question ?? saved.request.terms.market.conditionId),
    overflow: 'drop',
  },
]

function whatText({ request: { terms } }: SavedRequest): string {
  const { option, trade } = terms
  return trade.side === 'buy'
    ? `buy ${optionText(option)} for ${usd(trade.budget)}`
    : `sell ${trade.size} ${optionText(option)}`
}

/** With the time left, for a state that expires. */
function stateText({ saved: { request, commitment }, state }: Row, now: number): string {
  if (state === 'open') return `open, closes ${when(request.expiresAt, now)}`
  if (state !== 'committed' || commitment?.onchain == null) return state
  return `signed, fill it within ${when(commitment.onchain.order.validUntil * 1_000, now).replace(/^in /, '')}`
}

/** The agreed price, else the best offered. */
function priceOf({ saved: { commitment }, book }: Row): string {
  const quote = commitment?.quote ?? book?.bestQuote ?? null
  return quote === null ? '-' : priceText(quote.price)
}
