import { type CommitTerms, isWithin } from '@rfqctl/protocol/domain/commit'
import { usd6ToNumber, usdText } from '@rfqctl/protocol/domain/decimal'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { isFillable, type TakerApproval, takerApproval } from '@rfqctl/protocol/domain/order'
import { expirySecond } from '@rfqctl/protocol/domain/request'
import { finishRequest } from './close-request.ts'
import type { Context } from './context.ts'
import type { Execution } from './ports/store.ts'
import { tradingEnd } from './tradable.ts'

export type Commitment = {
  mode: 'onchain' | 'simulated'
  execution: Execution
  approval: TakerApproval
}

/**
 * The order of another call. Closes the book first: that call may have failed before it did, and have released the
 * quote whose hold says that the request may be over (invariant V10).
 */
export async function resumeClosed(context: Context, requestId: string, terms: CommitTerms): Promise<Commitment> {
  await finishRequest(context, requestId)
  return resume(context, requestId, terms)
}

/** Only for the wallet that the order names, and while it can be filled (decision C3). */
export async function resume(
  context: Pick<Context, 'store' | 'chain'>,
  requestId: string,
  terms: CommitTerms,
): Promise<Commitment> {
  const execution = await context.store.executions.findByRequest(requestId)
  if (execution === null || execution.acceptance.order.taker !== terms.wallet) throw new RfqError('already_committed')
  const { order, option } = execution.acceptance
  const tradingEndsAt = tradingEnd(context, expirySecond(option.expiryMs))
  if (!isFillable(order, tradingEndsAt, await context.chain.time('latest'))) {
    throw new RfqError('already_committed')
  }
  return commitmentOf(context, execution, terms)
}

/**
 * Applies to every order, also one from a joined or earlier commit, perhaps of another caller: an order outside this
 * call's protections is never returned as its result.
 */
export function commitmentOf({ chain }: Pick<Context, 'chain'>, execution: Execution, terms: CommitTerms): Commitment {
  const { order, option, quote, fromInventory } = execution.acceptance
  const { quoteId, price } = quote
  const isOtherSide = terms.side !== undefined && terms.side !== quote.side
  if (isOtherSide || !isWithin(quote.side, { ...quote, contracts: order.optionAmount }, terms)) {
    throw new RfqError('already_committed', {
      detail: `The request is already committed: ${order.optionAmount} options at ${usdText(price)}, outside the protections of this commit.`,
      data: { quoteId, price: usd6ToNumber(price), fillContracts: Number(order.optionAmount) },
    })
  }
  return { mode: chain.mode, execution, approval: takerApproval(order, option, fromInventory) }
}
