import { type AnnouncedRequest, contracts, type MakerClient, type Usd6, usd6ToNumber } from '@rfqctl/client/index'
import { quotedPrices } from '@rfqctl/client/quoted-prices'
import { CliError } from '@rfqctl/lib/cli-error'
import { plural, priceText, shortId, when } from '@rfqctl/lib/format'
import type { QuoteSubmission } from '@rfqctl/protocol/domain/quote'
import type { RequestTerms } from '@rfqctl/protocol/domain/request'
import type { OwnQuote } from '@rfqctl/protocol/wire/maker-book'
import type { WithdrawTerms } from '@rfqctl/protocol/wire/submit-quote'
import { throwIfLost } from '@rfqctl/web/dashboard/feed'
import type { Cli, Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { type MakerClientOptions, makerClient } from '../context/clients.ts'
import { findByPrefix } from '../context/find-by-prefix.ts'
import { findOffer, saveOffer } from '../context/saved-requests.ts'
import { type ChainOptions, dataDirOf, type RelayOptions } from '../context/targets.ts'
import { findMarket, listSeriesRows } from '../show/series-listing.ts'
import { termsText } from '../show/show-trade.ts'

type QuoteOptions = MakerClientOptions & { price: Usd6; bid?: Usd6; size: number; lifetime?: number; firm?: boolean }

/** Checked before anything is sent: a request for both sides needs a bid beside the price, and no other takes one. */
function pricesFor(terms: RequestTerms, options: Pick<QuoteOptions, 'price' | 'bid'>) {
  const isBoth = terms.trade.side === 'both'
  if (isBoth && options.bid === undefined)
    throw new CliError('the request asks for both sides', {
      hint: 'name what you pay with --bid, and what you take with --price',
    })
  if (!isBoth && options.bid !== undefined)
    throw new CliError(`the request is to ${terms.trade.side}`, { hint: 'leave --bid out' })
  return quotedPrices(terms, options)
}

const shownPrices = ({ price, otherPrice }: Pick<QuoteSubmission, 'price' | 'otherPrice'>): string =>
  otherPrice === undefined ? priceText(price) : `${priceText(otherPrice)} / ${priceText(price)}`

/** Saves the offer, which `maker confirm` checks the order against. */
export const quote: Run<QuoteOptions, [request?: string]> = async (cli, options, text) => {
  const { maker, wallet, client } = await makerClient(cli, options)
  const request = await findOpenRequest(client, text, cli.stop)
  const { requestId, terms } = request
  const size = contracts(BigInt(options.size))
  const expiresInMs = options.lifetime ?? null
  const prices = pricesFor(terms, options)
  const { firm = false } = options
  const { quoteId, price, isFirm } = await client.submitQuote({
    request,
    price: options.price,
    ...(options.bid === undefined ? {} : { bid: options.bid }),
    size,
    expiresInMs,
    firm,
    signal: cli.stop,
  })
  const now = Date.now()
  const expiresAt = expiresInMs === null ? request.expiresAt : Math.min(now + expiresInMs, request.expiresAt)
  const quote = { maker: wallet, ...prices, price, size }
  const dataDir = dataDirOf(cli, options)
  const nonce = findOffer(dataDir, quoteId)?.nonce ?? null
  saveOffer(dataDir, { quoteId, requestId, offer: { terms, quote, expiresAt }, nonce })
  cli.out.print(
    {
      type: 'quote',
      requestId,
      quoteId,
      maker: quote.maker,
      side: terms.trade.side,
      price: usd6ToNumber(price),
      ...(prices.otherPrice === undefined ? {} : { bid: usd6ToNumber(prices.otherPrice) }),
      size: options.size,
      expiresAt: new Date(expiresAt).toISOString(),
      ...(firm ? { firm: isFirm === true } : {}),
    },
    [
      termsText(terms),
      `${cli.out.colors.bold(shownPrices({ ...prices, price }))} for up to ${size}${isFirm === true ? ', firm' : ''}, quote ${shortId(quoteId)}, ends ${when(expiresAt, now)}`,
    ],
  )
  if (isFirm === true) return
  if (firm) cli.out.note('not firm: the request names no wallet, or the quote has changed')
  const account = maker.name === null ? '--key-file PATH' : `--account ${maker.name}`
  const payer = options.maker === undefined ? '' : ` --maker ${wallet}`
  cli.out.note(
    `Next: rfqctl maker confirm ${account}${payer} --wait 5m, before a taker commits: it has seconds to sign`,
  )
}

type WithdrawOptions = RelayOptions &
  ChainOptions &
  AccountOptions & { all?: boolean; series?: string; market?: string }

/** Withdraws one quote or all, of a series or of a market, in one step. */
export const withdraw: Run<WithdrawOptions, [quote?: string]> = async (cli, options, text) => {
  const { client } = await makerClient(cli, options)
  const { all = false, series, market } = options
  if (all || series !== undefined || market !== undefined) {
    const which = await chooseQuotes(cli, options, client)
    const withdrawn = await client.withdrawQuotes({ ...which, signal: cli.stop })
    cli.out.print({ type: 'withdrawn', count: withdrawn, ...which }, `withdrew ${plural(withdrawn, 'quote')}`)
    return
  }
  const { quotes } = await client.getOwnBook({ signal: cli.stop })
  const { quoteId, requestId, price, size } = chooseQuote(quotes, text)
  await client.withdrawQuote({ quoteId, signal: cli.stop })
  cli.out.print(
    { type: 'withdrawn', requestId, quoteId },
    `withdrew quote ${shortId(quoteId)}: ${priceText(price)} for up to ${size}`,
  )
}

/** `--all`, `--series` and `--market` exclude each other. */
async function chooseQuotes(cli: Cli, options: WithdrawOptions, client: MakerClient): Promise<WithdrawTerms> {
  const { all = false, series, market } = options
  if ([all, series !== undefined, market !== undefined].filter(Boolean).length > 1) {
    throw new CliError('--all, --series and --market are three commands', { hint: 'give one of them' })
  }
  if (series !== undefined) {
    const { find } = await listSeriesRows(cli, options, client)
    return { seriesId: find(series).seriesId }
  }
  if (market === undefined) return {}
  const markets = await client.listMarkets({ signal: cli.stop })
  return { conditionId: findMarket(cli, options, { markets, text: market }).conditionId }
}

/**
 * `text` is a prefix of the quoteId or requestId; without it, there must be only one quote. Refuses an ambiguous
 * choice.
 */
function chooseQuote(quotes: readonly OwnQuote[], text: string | undefined): OwnQuote {
  if (text === undefined) return onlyQuote(quotes)
  const ofRequest = quotes.find(({ requestId }) => requestId === text)
  const isByRequest = !quotes.some(({ quoteId }) => quoteId.startsWith(text))
  const idOf = ({ quoteId, requestId }: OwnQuote) => (isByRequest ? requestId : quoteId)
  return ofRequest ?? findByPrefix(text, { noun: 'live quote', items: quotes, idOf, list: 'rfqctl maker status' })
}

function onlyQuote(quotes: readonly OwnQuote[]): OwnQuote {
  const [only, other] = quotes
  if (only !== undefined && other === undefined) return only
  if (only === undefined) {
    throw new CliError('this maker has no live quote', { code: 'not_found', hint: 'rfqctl maker status' })
  }
  throw new CliError(`this maker has ${plural(quotes.length, 'live quote')}`, {
    code: 'ambiguous',
    why: quotes.slice(0, 5).map(({ quoteId, requestId }) => `quote ${quoteId} of request ${requestId}`),
    hint: 'name one of them, or withdraw all with --all',
  })
}

/** By a prefix of its id; without one, the newest. */
async function findOpenRequest(
  client: MakerClient,
  text: string | undefined,
  signal: AbortSignal,
): Promise<AnnouncedRequest> {
  const items = await readOpenRequests(client, signal)
  if (text === undefined) return items.at(-1) ?? refuseNone()
  return findByPrefix(text, {
    noun: 'open request',
    items,
    idOf: ({ requestId }) => requestId,
    list: 'rfqctl maker stream',
  })
}

function refuseNone(): never {
  throw new CliError('no request is open', { code: 'not_found', hint: 'wait for one: rfqctl maker stream' })
}

/** Oldest first, as the stream starts with them. */
async function readOpenRequests(client: MakerClient, signal: AbortSignal): Promise<AnnouncedRequest[]> {
  const open: AnnouncedRequest[] = []
  for await (const event of client.watchQuoteRequests({
    packages: true,
    twoSided: true,
    signal,
    onConnectionState: throwIfLost,
  })) {
    if (event.kind === 'snapshot_complete') break
    if (event.kind === 'quote_request') open.push(event.request)
  }
  return open
}
