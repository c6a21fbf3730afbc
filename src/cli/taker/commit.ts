import {
  type CommittedTrade,
  contracts,
  type RequestTerms,
  type ShownQuote,
  type TakerClient,
  type TakerRequest,
  type Usd6,
} from '@rfqctl/client/index'
import { commitmentJson, quoteJson } from '@rfqctl/client/to-json'
import type { WalletActions } from '@rfqctl/client/wallet-actions'
import { CliError } from '@rfqctl/lib/cli-error'
import { duration, priceText, shortId } from '@rfqctl/lib/format'
import { profitsOf } from '@rfqctl/protocol/domain/profit'
import { wantedAt } from '@rfqctl/protocol/domain/quote'
import { isReduceOnly, onSide, type Side } from '@rfqctl/protocol/domain/request'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import type { Cli, Run } from '../cli.ts'
import { DEFAULT_TAKER, type SameAccountOptions } from '../context/account.ts'
import { isSimulated, takerClient, walletClient } from '../context/clients.ts'
import { findSavedRequest, type SavedRequest, saveRequest } from '../context/saved-requests.ts'
import { type ChainOptions, dataDirOf, type RelayOptions } from '../context/targets.ts'
import { noGas } from '../errors/chain-failure.ts'
import { payoffDiagram } from '../show/payoff-diagram.ts'
import { commitmentLines } from '../show/show-trade.ts'
import type { Output } from '../terminal/output.ts'
import { type FillOptions, fillSavedRequest } from './fill.ts'
import { leaveRequest } from './left-open.ts'
import { type PartnerOptions, partnerIn } from './partner.ts'
import { openRelayer } from './relay.ts'

type Options = RelayOptions & ChainOptions & SameAccountOptions & ProtectionOptions & FillOptions & { fill?: boolean }

/** With --fill or --relayer the trade is filled at once. */
export const commit: Run<Options, [request?: string]> = async (cli, typed, text) => {
  const saved = findSavedRequest(cli, typed, text)
  assertUncommitted(saved)
  const options = { ...typed, account: typed.account ?? saved.account ?? DEFAULT_TAKER }
  const fills = options.fill === true || options.relayer !== undefined
  const { client } = fills ? await walletClient(cli, options) : await takerClient(cli, options)
  const relayer = fills && !isReduceOnly(saved.request.terms.trade) ? await openRelayer(cli, options) : null
  if (fills && relayer === null && !isSimulated(cli, options)) await assertGas(client, cli.stop)
  try {
    const committed = await commitSavedRequest(cli, options, { client, saved })
    if (fills) await fillSavedRequest(cli, options, { client, saved: committed, relayer })
    else if (committed.commitment.onchain !== null) cli.out.note('Next: rfqctl taker fill')
  } catch (error) {
    await leaveRequest(cli, options, { requestId: saved.request.requestId, client: null })
    throw error
  }
}

/** The signed order is already here: a second request could only lose it. */
function assertUncommitted({ commitment, fillHash, request }: SavedRequest): void {
  if (commitment === null) return
  throw new CliError(`request ${shortId(request.requestId)} is already committed`, {
    code: 'already_committed',
    hint: fillHash === null && commitment.onchain !== null ? 'rfqctl taker fill' : 'rfqctl taker request',
  })
}

export type ProtectionOptions = { side?: Side; limit?: Usd6; min?: number; expect?: string; firmOnly?: boolean }

/** Saves the signed trade for `taker fill`. */
export async function commitSavedRequest(
  cli: Cli,
  options: RelayOptions & ProtectionOptions & PartnerOptions,
  { client, saved }: { client: TakerClient; saved: SavedRequest },
): Promise<SavedRequest & { commitment: CommittedTrade }> {
  const partnerFee = partnerIn(options)
  const startedAt = Date.now()
  // The terms of a standing limit are those of the relay's own commit, and lead to its order.
  const { standing } = saved.request.terms
  const side = standing === undefined ? sideOf(saved.request.terms, options) : undefined
  const shown = side === undefined ? null : await chooseQuote(cli, { client, request: saved.request, side })
  if (shown !== null) showPayoff(cli.out, saved.request.terms, shown)
  if (standing === undefined)
    cli.out.note(shown?.isFirm === true ? 'taking the firm quote' : 'asking the best maker to sign')
  const commitment = await client.commitToBestQuote({
    request: saved.request,
    signal: cli.stop,
    ...(options.side === undefined ? {} : { side: options.side }),
    ...(shown === null ? {} : { shown }),
    ...(options.limit === undefined ? {} : { limitPrice: options.limit }),
    ...(options.min === undefined ? {} : { minContracts: contracts(BigInt(options.min)) }),
    ...(options.expect === undefined ? {} : { expectedQuoteId: options.expect }),
    ...(options.firmOnly === undefined ? {} : { firmOnly: options.firmOnly }),
  })
  const committed = { ...saved, commitment }
  saveRequest(dataDirOf(cli, options), committed)
  const tookMs = Date.now() - startedAt
  const [head = '', ...rest] = commitmentLines(commitment, cli.out.colors, partnerFee)
  // Quotes may have changed since the last one that a program was told.
  const chosen = shown === null ? {} : { shown: quoteJson(shown) }
  cli.out.print({ ...commitmentJson(commitment), ...chosen, tookMs }, [`${head} in ${duration(tookMs)}`, ...rest])
  return committed
}

/**
 * The quote of a commit without limits: the best one or, where that fills less than half of the request, the best one
 * that fills half. The taker is informed when the two differ, and when no quote fills half. Null: no quote.
 */
async function chooseQuote(
  cli: Cli,
  { client, request, side }: { client: Pick<TakerClient, 'getBestQuote'>; request: TakerRequest; side: Side },
): Promise<ShownQuote | null> {
  const book = await client.getBestQuote({ request, signal: cli.stop })
  const isBid = request.terms.trade.side === 'both' && side === 'sell'
  const bestQuote = isBid ? (book.bestBid ?? null) : book.bestQuote
  const bestForSize = isBid ? null : book.bestForSize
  if (bestQuote === null) return null
  const wanted = wantedAt(onSide(request.terms, side).trade, bestQuote.price)
  if (bestQuote.fillContracts * 2n >= wanted) return bestQuote
  const small = `${safeText(bestQuote.makerId)} fills only ${bestQuote.fillContracts} of ${wanted} at ${priceText(bestQuote.price)}`
  if (bestForSize === null) {
    cli.out.note(`${small}: the rest of the budget is not spent`)
    return bestQuote
  }
  const { price, fillContracts, makerId } = bestForSize
  cli.out.note(
    `${small}; choosing ${priceText(price)} for ${fillContracts} by ${safeText(makerId)} (change this with --limit and --min)`,
  )
  return bestForSize
}

/** The profit at each possible resolution price. */
function showPayoff(out: Output, { option, trade }: RequestTerms, { side, price, fillContracts }: ShownQuote): void {
  // The profit of a closing trade depends on what its options cost.
  if (isReduceOnly(trade)) return
  const profits = profitsOf(option, { side, price, amount: fillContracts })
  out.note(payoffDiagram(profits, out).join('\n'))
}

/** A request for both sides leaves the choice to its commit. */
function sideOf({ trade }: RequestTerms, { side }: Pick<ProtectionOptions, 'side'>): Side {
  if (trade.side === 'both') {
    if (side !== undefined) return side
    throw new CliError('the request asks for both sides', { hint: 'name yours with --side buy or --side sell' })
  }
  if (side === undefined || side === trade.side) return trade.side
  throw new CliError(`the request is to ${trade.side}`, { hint: `leave --side out, or pass --side ${trade.side}` })
}

/** Checked first: a signed order would be wasted on a wallet that cannot pay gas. */
export async function assertGas(client: Pick<WalletActions, 'getCoinBalance'>, signal: AbortSignal): Promise<void> {
  if ((await client.getCoinBalance({ signal })) > 0n) return
  const { message, ...rest } = noGas
  throw new CliError(message, rest)
}
