import {
  type Contracts,
  computeMaxPayoff,
  contracts,
  type ListedSeries,
  type SeriesId,
  type TakerRequest,
  type Trade,
  toRequestedOption,
  usd6,
} from '@rfqctl/client/index'
import { isPackage } from '@rfqctl/protocol/domain/option'
import { findTrade, runTask, type SessionContext, type TaskProgress } from './context.ts'
import { questionOf } from './position-view.ts'
import { assertPrivate, privateTerms } from './privacy.ts'
import type { Purpose, TradeRecord } from './trade-record.ts'
import { relayNow, ticketView } from './view-model.ts'

export const ask = (context: SessionContext): Promise<void> =>
  runTask(context, 'ask', async (progress) => {
    const { get, signal } = context
    const view = ticketView(get())
    const { problem, terms, trade } = view
    if (problem !== null) throw new Error(problem.text)
    if (terms === null || trade === null) throw new Error('Choose an option.')
    if (view.isNewPackage && get().environment?.mode === 'onchain' && isPackage(terms)) {
      await register(context, terms, progress)
    }
    const { ticket } = get()
    const wallet = context.wallet()?.address ?? null
    const { conditionId, yesTokenId } = terms
    const request = await context.reader().openQuoteRequest({
      market: { conditionId, yesTokenId, question: questionOf(get().markets, terms) },
      option: toRequestedOption(terms),
      trade,
      inventory: ticket.inventory,
      // A maker can sign only for a taker that it knows.
      ...(ticket.firmOnly ? { firmOnly: true, wallet } : {}),
      ...privateTerms(get(), wallet),
      signal,
    })
    show(context, { request, purpose: 'open' })
    return { kind: 'asked', requestId: request.requestId }
  })

async function register(
  context: SessionContext,
  terms: Parameters<ReturnType<SessionContext['reader']>['registerPackage']>[0]['terms'],
  { step }: TaskProgress,
): Promise<void> {
  const { signal, dispatch } = context
  step('wallet')
  const trader = context.traderFor((hash) => step('sent', hash))
  const { seriesId } = await trader.registerPackage({ terms, signal })
  // Asked for an unknown series, the relay reads it at once, long before its next round.
  dispatch({ kind: 'series-read', series: await trader.getSeries({ seriesId, signal }) })
  step('relay')
}

/** Keeps a new request before anything else, for its secret is returned only once. */
function show(context: SessionContext, { request, purpose }: { request: TakerRequest; purpose: Purpose }): void {
  const { get, ports } = context
  const record: TradeRecord = {
    request,
    purpose,
    question: request.terms.market.question ?? '',
    openedAt: relayNow({ ...get(), now: ports.clock.now() }),
    stage: { kind: 'quoting' },
    failure: null,
    revision: 1,
  }
  context.dispatch({ kind: 'trade-opened', record })
  // Limits belong to a shown price; another request shows others.
  context.dispatch({ kind: 'ticket-edited', change: { limitText: null, minText: null } })
}

export const cancel = (context: SessionContext, requestId: string): Promise<void> =>
  runTask(context, `cancel:${requestId}`, async () => {
    const record = findTrade(context, requestId)
    if (record === undefined) throw new Error('The request is not known here.')
    await context.reader().cancelQuoteRequest({ request: record.request, signal: context.signal })
    context.dispatch({ kind: 'trade-moved', requestId, stage: { kind: 'ended', how: 'cancelled' } })
    return { kind: 'cancelled' }
  })

/** Reads how the price of a trade was found, and verifies it. Few trades need what that takes, so it is loaded then. */
export const findPrice = (context: SessionContext, requestId: string): Promise<void> =>
  runTask(context, `found:${requestId}`, async () => {
    const record = findTrade(context, requestId)
    if (record === undefined) throw new Error('The request is not known here.')
    const { takerSecret } = record.request
    const [file, { verifyPrice }] = await Promise.all([
      context.reader().getTranscript({ requestId, takerSecret, signal: context.signal }),
      import('./found-price.ts'),
    ])
    return { kind: 'found', found: await verifyPrice(file, context.get().environment?.logKeys ?? []) }
  })

/**
 * Leaves a position, as `rfqctl taker close` does: options both held and written end at once, without anyone; makers
 * are asked to buy options only held, or to sell options only written.
 */
export const closePosition = (context: SessionContext, seriesId: SeriesId): Promise<void> =>
  runTask(context, `close:${seriesId}`, async ({ step }) => {
    const { signal } = context
    const trader = context.traderFor((hash) => step('sent', hash))
    const [[position], series] = await Promise.all([
      trader.listPositions({ seriesIds: [seriesId], signal }),
      trader.getSeries({ seriesId, signal }),
    ])
    const { long, short } = position ?? { long: contracts(0n), short: contracts(0n) }
    if (long === 0n && short === 0n) throw new Error('The wallet has none of these options.')
    if (long > 0n && short > 0n) {
      step('wallet')
      const closed = await trader.closePosition({ seriesId, signal })
      if (closed === null) throw new Error('The wallet has none of these options.')
      return { kind: 'closed', amount: closed.amount, paid: closed.paid, hash: closed.receipt.transactionHash }
    }
    // Before a transaction, as nothing is asked where this fails.
    assertPrivate(context.get())
    if (long > 0n && !(await trader.getInventoryApproval({ signal }))) {
      step('wallet')
      await trader.approveInventory({ signal })
      step('relay')
    }
    const request = await openReducing(context, series, { long, short })
    show(context, { request, purpose: 'close' })
    return { kind: 'asked', requestId: request.requestId }
  })

/**
 * Requests quotes that leave a position. A purchase may spend all that the options can ever be worth: the quote decides
 * the cost.
 */
function openReducing(
  context: SessionContext,
  series: ListedSeries,
  { long, short }: { long: Contracts; short: Contracts },
): Promise<TakerRequest> {
  const { conditionId, yesTokenId } = series
  const wallet = context.wallet()?.address ?? null
  const trade: Trade =
    long > 0n
      ? { side: 'sell', size: long, reduceOnly: true }
      : { side: 'buy', budget: usd6(short * computeMaxPayoff(series)), reduceOnly: true, most: short }
  return context.reader().openQuoteRequest({
    market: { conditionId, yesTokenId, question: questionOf(context.get().markets, series) },
    option: toRequestedOption(series),
    trade,
    inventory: true,
    wallet,
    ...privateTerms(context.get(), wallet),
    signal: context.signal,
  })
}
