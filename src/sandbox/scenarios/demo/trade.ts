import { accountOf } from '@rfqctl/client/from-text'
import {
  type CommittedTrade,
  type Contracts,
  computeCollateral,
  computeMaxPayoff,
  contracts,
  createTakerClient,
  type ListedSeries,
  type SeriesId,
  type ShownBook,
  type ShownQuote,
  type Side,
  type TakerClient,
  type TakerRequest,
  type Trade,
  type Usd6,
  usd6,
} from '@rfqctl/client/index'
import { commitmentJson, quoteJson } from '@rfqctl/client/to-json'
import { exactUsd, optionText, priceText, usd } from '@rfqctl/lib/format'
import { isPackage, type Option, type PackageOption } from '@rfqctl/protocol/domain/option'
import { type OneSidedTrade, toRequestedOption } from '@rfqctl/protocol/domain/request'
import type { SandboxWallet } from '@rfqctl/relay/app/sandbox-file'
import type { Reporter } from '../scenario.ts'
import { type BalanceChecks, CORE, readSnapshot, type Snapshot } from './balances.ts'
import type { DemoContext } from './open-demo.ts'

export type TradePlan = {
  title: string
  taker: SandboxWallet
  series: ListedSeries
  question: string
  trade: OneSidedTrade
}

export type Offered = { option: Option; side: Side; price: Usd6; amount: Contracts }

type Parts = {
  context: DemoContext
  checks: BalanceChecks
  all: readonly SeriesId[]
  onOffer: (offer: Offered) => void
}

export type FilledTrade = { series: ListedSeries; taker: string; holder: string; writer: string; amount: bigint }

/** Quotes are final after this long without news: makers have improved, milliseconds. */
const QUIET_MS = 1_000
const WATCH_LIMIT_MS = 6_000
const QUOTES_AWAITED = 3

export async function makeTrade({ context, checks, all, onOffer }: Parts, plan: TradePlan): Promise<FilledTrade> {
  const { taker, series, trade } = plan
  const { url, chain, makers, reporter, signal } = context
  const client = createTakerClient({ url, account: accountOf(taker.privateKey), chain })
  if (isPackage(series)) await registerPackage(client, series, context)
  const request = await openRequest(client, plan, context)
  const best = await watchQuotes(client, request, context)
  if (isPackage(series)) {
    onOffer({ option: series, side: trade.side, price: best.price, amount: best.fillContracts })
    await reporter.pause()
  }
  const commitment = await client.commitToBestQuote({ request, shown: best, signal })
  const maker = makerOf(makers, commitment)
  reporter.event(
    'committed',
    commitmentJson(commitment),
    `committed: ${maker} signed ${commitment.quote.fillContracts} options at ${priceText(commitment.quote.price)} with its own key`,
  )
  await reporter.pause()
  const before = await readSnapshot(context, all)
  const { approval, fill } = await client.fillOrder({ commitment, signal })
  const filled = sides(trade, { taker: taker.name, maker, amount: commitment.quote.fillContracts, series })
  reporter.event(
    'filled',
    { approvalTx: approval?.transactionHash ?? null, fillTx: fill.transactionHash, gasUsed: fill.gasUsed },
    `one approval, one fill(): ${filled.holder} holds ${filled.amount} options, ${filled.writer} locked their collateral`,
  )
  const after = await readSnapshot(context, all)
  checkFill({ context, checks }, { before, after, commitment, filled })
  return filled
}

/** Registers a package before its trade, which anyone may. */
async function registerPackage(
  client: TakerClient,
  series: ListedSeries & PackageOption,
  { reporter, signal }: DemoContext,
): Promise<void> {
  const { seriesId, receipt } = await client.registerPackage({ terms: series, signal })
  // Asked for an unknown series, the relay reads it at once, long before its next round.
  await client.getSeries({ seriesId, signal })
  const most = exactUsd(computeMaxPayoff(series))
  const sentence = `anyone may register a package: ${optionText(series)} pays at most ${most}`
  reporter.event('package_registered', { seriesId, legs: series.legs, tx: receipt?.transactionHash ?? null }, sentence)
}

async function openRequest(
  client: TakerClient,
  plan: TradePlan,
  { reporter, signal }: DemoContext,
): Promise<TakerRequest> {
  const { taker, series, question, trade } = plan
  const { conditionId, yesTokenId } = series
  const request = await client.openQuoteRequest({
    market: { conditionId, yesTokenId, question },
    option: toRequestedOption(series),
    trade,
    wallet: taker.address,
    signal,
  })
  const wish = trade.side === 'buy' ? `buy for ${usd(trade.budget)}` : `write ${trade.size}`
  reporter.event(
    'requested',
    { requestId: request.requestId, seriesId: series.seriesId, question, side: trade.side, taker: taker.name },
    `${taker.name} asks to ${wish}: ${optionText(series)} on "${question}"`,
  )
  return request
}

/** Shows each new best quote until all makers have quoted, one has been outdone, and nothing has changed for a while. */
async function watchQuotes(
  client: TakerClient,
  request: TakerRequest,
  { reporter, signal }: DemoContext,
): Promise<ShownQuote> {
  const quiet = new AbortController()
  const limit = AbortSignal.any([signal, quiet.signal, AbortSignal.timeout(WATCH_LIMIT_MS)])
  let best: ShownQuote | null = null
  let timer: NodeJS.Timeout | undefined
  const onBook = ({ bestQuote, quoteCount }: ShownBook) => {
    if (bestQuote !== null && bestQuote.price !== best?.price) reportBest(reporter, bestQuote, quoteCount)
    best = bestQuote
    clearTimeout(timer)
    if (quoteCount >= QUOTES_AWAITED) timer = setTimeout(() => quiet.abort(), QUIET_MS)
  }
  try {
    for await (const book of client.watchBestQuote({ request, signal: limit })) onBook(book)
  } catch (error) {
    if (signal.aborted || !limit.aborted) throw error
  } finally {
    clearTimeout(timer)
  }
  return best ?? (await firstQuote(client, request, signal))
}

function reportBest(reporter: Reporter, quote: ShownQuote, quoteCount: number): void {
  const facts = { bestQuote: quoteJson(quote), quoteCount }
  reporter.event('best_quote', facts, `best is ${priceText(quote.price)} by ${quote.makerId} (quotes: ${quoteCount})`)
}

/** Null if watching brought nothing: the commit then says why. */
async function firstQuote(client: TakerClient, request: TakerRequest, signal: AbortSignal): Promise<ShownQuote> {
  const { bestQuote } = await client.getBestQuote({ request, signal })
  if (bestQuote === null) throw new Error('No simulated maker quoted.')
  return bestQuote
}

function makerOf(makers: readonly SandboxWallet[], { onchain }: CommittedTrade): string {
  return makers.find(({ address }) => address === onchain?.order.maker)?.name ?? 'a stranger'
}

function sides(
  trade: Trade,
  { taker, maker, amount, series }: { taker: string; maker: string; amount: bigint; series: ListedSeries },
): FilledTrade {
  const [holder, writer] = trade.side === 'buy' ? [taker, maker] : [maker, taker]
  return { series, taker, holder, writer, amount }
}

/** The buyer pays the premium to the writer, the writer locks the collateral in the core, and no one else moves. */
function checkFill(
  { context: { reporter }, checks }: { context: DemoContext; checks: BalanceChecks },
  input: { before: Snapshot; after: Snapshot; commitment: CommittedTrade; filled: FilledTrade },
): void {
  const { before, after, commitment, filled } = input
  const { series, holder, writer, amount } = filled
  const locked = computeCollateral(series, commitment.quote.fillContracts)
  const premium = amount * commitment.quote.price
  checks.movements({
    before,
    after,
    seriesId: series.seriesId,
    movements: {
      [holder]: { usd: -premium, long: amount },
      [writer]: { usd: premium - locked, short: amount },
      [CORE]: { usd: locked },
    },
  })
  reporter.event(
    'fill_checked',
    { premium, collateral: locked, options: amount },
    `on chain: premium ${exactUsd((commitment.quote.price * amount) as never)} moved, collateral ${exactUsd(locked)} locked, nothing else`,
  )
  if (isPackage(series)) reportLegs(reporter, { series, amount: commitment.quote.fillContracts, locked })
}

/** Reports the collateral that the legs would lock if each were traded alone. */
function reportLegs(
  reporter: Reporter,
  { series, amount, locked }: { series: PackageOption; amount: Contracts; locked: Usd6 },
): void {
  const legs = series.legs.map((leg) => ({
    ...leg,
    collateral: computeCollateral(
      { optionType: leg.optionType, strikeBps: leg.strikeBps },
      contracts(amount * BigInt(Math.abs(leg.quantity))),
    ),
  }))
  const legByLeg = usd6(legs.reduce((sum, { collateral }) => sum + collateral, 0n))
  const each = legs.map(
    (leg) =>
      `${exactUsd(leg.collateral)} for the ${optionText({ optionType: leg.optionType, strikeBps: leg.strikeBps })}`,
  )
  const sentence = `leg by leg ${exactUsd(legByLeg)} would be locked: ${each.join(', ')}`
  reporter.event('legs_compared', { collateral: locked, legByLeg }, sentence)
}
