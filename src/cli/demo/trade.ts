import type { SandboxWallet } from '../../app/sandbox-file.ts'
import { accountOf } from '../../client/from-text.ts'
import {
  type CommittedTrade,
  computeCollateral,
  createTakerClient,
  type ListedSeries,
  type ShownBook,
  type ShownQuote,
  type TakerClient,
  type TakerRequest,
  type Trade,
} from '../../client/index.ts'
import { commitmentJson, quoteJson } from '../../client/to-json.ts'
import { optionWords, priceText, usd } from '../../lib/format.ts'
import { CORE, checkMovements, readSnapshot, type Snapshot } from './accounts.ts'
import type { Narrator } from './narrator.ts'
import { chainOf, type Stage } from './stage.ts'

/** One side of the story: who trades what. */
export type Plot = { taker: SandboxWallet; series: ListedSeries; question: string; trade: Trade }

/** A filled trade: who holds the options, who wrote them, and how many there are. */
export type LivedTrade = { series: ListedSeries; taker: string; holder: string; writer: string; amount: bigint }

/** How long the race is watched: until the makers have improved and are quiet, milliseconds. */
const RACE_MS = 1_000
const RACE_LIMIT_MS = 6_000
const QUOTES_AWAITED = 3

/** Lives a trade from the request to the filled order, checking each movement of money and options on the chain. */
export async function liveTrade(
  { stage, narrator, signal, all }: { stage: Stage; narrator: Narrator; signal: AbortSignal; all: readonly string[] },
  plot: Plot,
): Promise<LivedTrade> {
  const { taker, series, trade } = plot
  const client = createTakerClient({ url: stage.url, account: accountOf(taker.privateKey), chain: chainOf(stage) })
  const request = await open(client, narrator, plot, signal)
  const best = await watchRace({ client, narrator, request, signal })
  const commitment = await client.commitToBestQuote({ request, shown: best, signal })
  const maker = makerOf(stage, commitment)
  narrator.tell(
    'committed',
    commitmentJson(commitment),
    `committed: ${maker} signed ${commitment.quote.fillContracts} options at ${priceText(commitment.quote.price)} with its own key`,
  )
  await narrator.pause()
  const before = await readSnapshot(stage, all)
  const { approval, fill } = await client.fillOrder({ commitment, signal })
  const lived = sides(trade, { taker: taker.name, maker, amount: commitment.quote.fillContracts, series })
  narrator.tell(
    'filled',
    { approvalTx: approval?.transactionHash ?? null, fillTx: fill.transactionHash, gasUsed: fill.gasUsed },
    `one approval, one fill(): ${lived.holder} holds ${lived.amount} options, ${lived.writer} locked their collateral`,
  )
  checkFill(narrator, { before, after: await readSnapshot(stage, all), commitment, lived })
  return lived
}

async function open(client: TakerClient, narrator: Narrator, plot: Plot, signal: AbortSignal): Promise<TakerRequest> {
  const { taker, series, question, trade } = plot
  const { conditionId, yesTokenId, strikeBps, expiry, optionType } = series
  const request = await client.openQuoteRequest({
    market: { conditionId, yesTokenId, question },
    option: { strikeBps, expiryMs: expiry * 1_000, optionType },
    trade,
    wallet: taker.address,
    signal,
  })
  const wish = trade.side === 'buy' ? `buy for ${usd(trade.budget)}` : `write ${trade.size}`
  narrator.tell(
    'requested',
    { requestId: request.requestId, seriesId: series.seriesId, question, side: trade.side, taker: taker.name },
    `${taker.name} asks to ${wish}: ${optionWords(series)} on "${question}"`,
  )
  return request
}

/** Shows each new best quote until all makers have quoted, one has been outdone, and nothing has changed for a while. */
async function watchRace({
  client,
  narrator,
  request,
  signal,
}: {
  client: TakerClient
  narrator: Narrator
  request: TakerRequest
  signal: AbortSignal
}): Promise<ShownQuote> {
  const race = new AbortController()
  const limit = AbortSignal.any([signal, race.signal, AbortSignal.timeout(RACE_LIMIT_MS)])
  let best: ShownQuote | null = null
  let calm: NodeJS.Timeout | undefined
  const onBook = ({ bestQuote, quoteCount }: ShownBook) => {
    if (bestQuote !== null && bestQuote.price !== best?.price) tellBest(narrator, bestQuote, quoteCount)
    best = bestQuote
    clearTimeout(calm)
    if (quoteCount >= QUOTES_AWAITED) calm = setTimeout(() => race.abort(), RACE_MS)
  }
  try {
    for await (const book of client.watchBestQuote({ request, signal: limit })) onBook(book)
  } catch (error) {
    if (signal.aborted || !limit.aborted) throw error
  } finally {
    clearTimeout(calm)
  }
  return best ?? (await firstQuote(client, request, signal))
}

function tellBest(narrator: Narrator, quote: ShownQuote, quoteCount: number): void {
  const facts = { bestQuote: quoteJson(quote), quoteCount }
  narrator.tell('best_quote', facts, `best is ${priceText(quote.price)} by ${quote.makerId} (quotes: ${quoteCount})`)
}

/** Where the race brought nothing, the commit is left to say why. */
async function firstQuote(client: TakerClient, request: TakerRequest, signal: AbortSignal): Promise<ShownQuote> {
  const { bestQuote } = await client.getBestQuote({ request, signal })
  if (bestQuote === null) throw new Error('No simulated maker quoted.')
  return bestQuote
}

function makerOf(stage: Stage, { onchain }: CommittedTrade): string {
  return stage.makers.find(({ address }) => address === onchain?.order.maker)?.name ?? 'a stranger'
}

function sides(
  trade: Trade,
  { taker, maker, amount, series }: { taker: string; maker: string; amount: bigint; series: ListedSeries },
): LivedTrade {
  const [holder, writer] = trade.side === 'buy' ? [taker, maker] : [maker, taker]
  return { series, taker, holder, writer, amount }
}

/** The buyer pays the premium to the writer, the writer locks the collateral in the core, and no one else moves. */
function checkFill(
  narrator: Narrator,
  {
    before,
    after,
    commitment,
    lived,
  }: { before: Snapshot; after: Snapshot; commitment: CommittedTrade; lived: LivedTrade },
): void {
  const { series, holder, writer, amount } = lived
  const locked = computeCollateral(series.optionType, series.strikeBps, commitment.quote.fillContracts)
  const premium = amount * commitment.quote.price
  checkMovements(narrator, {
    before,
    after,
    seriesId: series.seriesId,
    movements: {
      [holder]: { usd: -premium, long: amount },
      [writer]: { usd: premium - locked, short: amount },
      [CORE]: { usd: locked },
    },
  })
  narrator.tell(
    'fill_checked',
    { premium, collateral: locked, options: amount },
    `on chain: premium ${usd((commitment.quote.price * amount) as never)} moved, collateral ${usd(locked)} locked, nothing else`,
  )
}
