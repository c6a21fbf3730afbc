import {
  type Address,
  contracts,
  RelayError,
  type ShownBook,
  type Side,
  type StandingInput,
  type TakerClient,
  type TakerRequest,
  type Trade,
  type Usd6,
} from '@rfqctl/client/index'
import { bookJson, requestJson } from '@rfqctl/client/to-json'
import { CliError } from '@rfqctl/lib/cli-error'
import { exactUsd, plural, shortId, usd, when } from '@rfqctl/lib/format'
import { wrapWords } from '@rfqctl/lib/text-width'
import { type Audience, MAX_NAMED_MAKERS } from '@rfqctl/protocol/domain/audience'
import { maxPayoff } from '@rfqctl/protocol/domain/option'
import { toRequestedOption } from '@rfqctl/protocol/domain/request'
import type { Cli, Run } from '../cli.ts'
import { type AccountOptions, openAccount } from '../context/account.ts'
import { publicClient, takerClient } from '../context/clients.ts'
import { runFor } from '../context/run-for.ts'
import { findSavedRequest, type SavedRequest, saveRequest } from '../context/saved-requests.ts'
import { dataDirOf, type RelayOptions } from '../context/targets.ts'
import { listSeriesRows, type SeriesListing, type SeriesRow, seriesText } from '../show/series-listing.ts'
import { bookLine, createBookPrinter } from '../show/show-trade.ts'
import { noteConnection, type Output } from '../terminal/output.ts'
import { commitSavedRequest } from './commit.ts'
import { leaveRequest } from './left-open.ts'

/** Makers that are asked, and the facts that they get. */
export type AudienceOptions = { makers?: string; exceptMakers?: string; blind?: boolean }

/** A limit at which the relay commits by itself. */
type StandingOptions = { standingLimit?: Usd6; standingMin?: number; side?: Side }

type RequestOptions = RelayOptions &
  AccountOptions &
  AudienceOptions &
  StandingOptions & { budget?: Usd6; size?: number; both?: number; firmOnly?: boolean; quotes?: number; wait?: number }

export const request: Run<RequestOptions, [series: string]> = async (cli, options, text) => {
  const { quotes, wait, standingMin } = options
  if (standingMin !== undefined && options.standingLimit === undefined)
    throw new CliError('--standing-min is without a limit', { hint: 'add --standing-limit PRICE' })
  const stands = options.standingLimit !== undefined
  const needsSide = stands && options.both !== undefined
  if (needsSide !== (options.side !== undefined))
    throw new CliError(
      needsSide ? 'the standing limit is without a side' : '--side belongs to a standing limit on both sides',
      {
        hint: needsSide
          ? 'add --side buy or --side sell'
          : 'leave --side out, or add --both COUNT --standing-limit PRICE',
      },
    )
  const client = stands ? (await takerClient(cli, options)).client : publicClient(cli, options)
  const opened = await openRequest(cli, options, {
    client,
    choose: seriesNamed(text),
    trade: tradeOf(options),
    ...(quotes === undefined && wait === undefined ? {} : { waitFor: { quotes, waitMs: wait } }),
  })
  const { request, book } = opened
  cli.out.print(requestJson(request), requestLines(opened, cli.out))
  if (book !== null) createBookPrinter(cli.out, request.requestId)(book)
  if (stands) await awaitOrder(cli, options, { client, saved: opened.saved })
  else cli.out.note('Next: rfqctl taker watch, rfqctl taker commit')
}

/** Shows the best quote until the request has ended, and gets the order if the relay has committed. */
async function awaitOrder(
  cli: Cli,
  { firmOnly: _, ...options }: RequestOptions,
  { client, saved }: { client: TakerClient; saved: SavedRequest },
): Promise<void> {
  const { request } = saved
  const { requestId } = request
  try {
    await watchUntilEnded(cli, { client, request })
    const { commitment } = await commitSavedRequest(cli, options, { client, saved })
    if (commitment.onchain !== null) cli.out.note('Next: rfqctl taker fill')
  } catch (error) {
    await leaveRequest(cli, options, { requestId, client: null })
    throw error
  }
}

async function watchUntilEnded(
  cli: Cli,
  { client, request }: { client: TakerClient; request: TakerRequest },
): Promise<void> {
  const show = createBookPrinter(cli.out, request.requestId)
  const onConnectionState = noteConnection(cli.out)
  try {
    for await (const book of client.watchBestQuote({ request, signal: cli.stop, onConnectionState })) show(book)
  } catch (error) {
    // The relay may have committed before the stream was there: the commit says what became of the request.
    if (!(error instanceof RelayError && error.status === 404)) throw error
  }
}

/** A budget buys, a size writes; a size for both sides leaves the side to the commit. */
export function tradeOf({ budget, size, both }: { budget?: Usd6; size?: number; both?: number }): Trade {
  if (both !== undefined) return { side: 'both', size: contracts(BigInt(both)) }
  if (budget !== undefined) return { side: 'buy', budget }
  if (size !== undefined) return { side: 'sell', size: contracts(BigInt(size)) }
  throw new CliError('no amount given', {
    hint: '--budget USD to buy, --size COUNT to sell, --both COUNT for prices of both',
  })
}

/** Prints every change until the request closes or the time is over. */
export const watch: Run<RelayOptions & { for?: number }, [request?: string]> = async (cli, options, text) => {
  const { request } = findSavedRequest(cli, options, text)
  const { requestId } = request
  const client = publicClient(cli, options)
  const show = createBookPrinter(cli.out, requestId)
  try {
    await runFor(options.for ?? null, cli.stop, async (signal) => {
      for await (const book of client.watchBestQuote({ request, signal, onConnectionState: noteConnection(cli.out) }))
        show(book)
      cli.out.print({ type: 'closed', requestId }, 'the request is closed')
    })
  } catch (error) {
    await leaveRequest(cli, options, { requestId, client: null })
    throw error
  }
}

export const showQuotes: Run<RelayOptions, [request?: string]> = async (cli, options, text) => {
  const { request, fillHash } = findSavedRequest(cli, options, text)
  const book = await publicClient(cli, options).getBestQuote({ request, signal: cli.stop })
  // The relay reports an order as filled only when the block is final.
  const orderStanding = fillHash === null ? book.orderStanding : { state: 'filled' as const }
  const line = bookLine({ ...book, orderStanding }, cli.out.colors)
  cli.out.print({ ...bookJson(request.requestId, book), confirming: book.confirming }, line)
}

/** The makers are notified. */
export const cancel: Run<RelayOptions, [request?: string]> = async (cli, options, text) => {
  const { request } = findSavedRequest(cli, options, text)
  await publicClient(cli, options).cancelQuoteRequest({ request, signal: cli.stop })
  const { requestId } = request
  cli.out.print({ type: 'cancelled', requestId }, `request ${shortId(requestId)} is cancelled`)
}

/** `book` is null unless quotes were waited for. */
export type Opened = { request: TakerRequest; series: SeriesRow; saved: SavedRequest; book: ShownBook | null }

export type ChooseSeries = (listing: SeriesListing, client: TakerClient) => SeriesRow | Promise<SeriesRow>

export const seriesNamed =
  (text: string): ChooseSeries =>
  ({ find }) =>
    find(text)

/** `waitFor`: the request is answered with its best quote, once so many makers have one or the time is over. */
type OpenInput = {
  client: TakerClient
  choose: ChooseSeries
  trade: Trade
  wallet?: Address
  waitFor?: { quotes: number | undefined; waitMs: number | undefined }
}

/** Saves the request with its secret. */
export async function openRequest(
  cli: Cli,
  options: RelayOptions & AccountOptions & AudienceOptions & StandingOptions & { firmOnly?: boolean },
  { client, choose, trade, wallet, waitFor }: OpenInput,
): Promise<Opened> {
  const series = await choose(await listSeriesRows(cli, options, client), client)
  const { conditionId, yesTokenId, market } = series
  const terms = {
    market: { conditionId, yesTokenId, question: market },
    option: toRequestedOption(series),
    trade,
    // Our own fill takes options that their seller holds.
    inventory: true,
    ...(wallet === undefined ? {} : { wallet }),
    // A maker signs a firm quote for a known taker only.
    ...(options.firmOnly === true ? { firmOnly: true } : {}),
    ...(options.blind === true ? { blind: true } : {}),
    ...standingOf(options),
    ...(options.firmOnly === true || options.blind === true || options.standingLimit !== undefined
      ? { wallet: (await openAccount(cli, options)).account.address }
      : {}),
    ...audienceOf(cli, options),
    signal: cli.stop,
  }
  const { request, book } =
    waitFor === undefined
      ? { request: await client.openQuoteRequest(terms), book: null }
      : await client.openForQuotes({ ...terms, ...waitFor })
  const hasOwnKey = options.keyFile !== undefined || options.keyStdin === true
  const account = hasOwnKey ? null : options.account
  const saved: SavedRequest = { createdAt: Date.now(), request, account, commitment: null, fillHash: null }
  saveRequest(dataDirOf(cli, options), saved)
  return { request, series, saved, book }
}

function standingOf({ standingLimit, standingMin, side }: StandingOptions): { standing?: StandingInput } {
  if (standingLimit === undefined) return {}
  const minContracts = standingMin === undefined ? null : contracts(BigInt(standingMin))
  return { standing: { limitPrice: standingLimit, minContracts, ...(side === undefined ? {} : { side }) } }
}

/** Makers that are chosen by name, less those that the taker never asks. */
function audienceOf(
  { environment }: Pick<Cli, 'environment'>,
  { makers, exceptMakers = environment.RFQCTL_EXCEPT_MAKERS }: AudienceOptions,
): { audience?: Audience } {
  const left = namesIn(exceptMakers)
  if (makers === undefined) return left.length === 0 ? {} : { audience: { kind: 'except', makers: left } }
  const asked = namesIn(makers).filter((makerId) => !left.includes(makerId))
  if (asked.length > 0) return { audience: { kind: 'only', makers: asked } }
  throw new CliError('no maker is left to ask', { hint: 'name others with --makers, or change RFQCTL_EXCEPT_MAKERS' })
}

/** `ada,bob`; none where there is no text. */
function namesIn(text: string | undefined): readonly string[] {
  const names = text ? text.split(',').map((name) => name.trim()) : []
  if (names.length <= MAX_NAMED_MAKERS && names.every((name) => /^\S{1,64}$/.test(name))) return names
  throw new CliError('the names of makers cannot be read', {
    hint: `give up to ${MAX_NAMED_MAKERS} names such as ada,bob`,
  })
}

export function requestLines(
  { request, series }: Opened,
  { colors, width }: Pick<Output, 'colors' | 'width'>,
): string[] {
  const { trade } = request.terms
  const amount = trade.side === 'buy' ? `for ${usd(trade.budget)}` : `${trade.size}`
  const verb = trade.side === 'both' ? 'buy or sell' : trade.side
  const most = exactUsd(maxPayoff(series))
  return [
    ...wrapWords(`${colors.bold(verb)} ${amount}: ${seriesText(series)}, pays at most ${most} each`, width),
    `request ${shortId(request.requestId)} closes ${when(request.expiresAt, Date.now())}, ${plural(request.makersConnected, 'maker')} connected`,
  ]
}
