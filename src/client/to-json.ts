import { usd6ToNumber } from '@rfqctl/protocol/domain/decimal'
import type { RequestTerms } from '@rfqctl/protocol/domain/request'
import type { CommittedTrade, ShownBook, ShownQuote, TakerRequest } from './index.ts'

/** Terms of a request, for programs. */
export const termsJson = ({ wallet, market, option, trade }: RequestTerms) => ({
  wallet,
  market,
  option,
  trade:
    trade.side === 'buy'
      ? { side: trade.side, budgetUsd: usd6ToNumber(trade.budget) }
      : { side: trade.side, size: Number(trade.size) },
})

/** A request for programs, without its secret, which stays in the data directory. */
export const requestJson = ({ requestId, seriesId, expiresAt, makersConnected, terms }: TakerRequest) => ({
  type: 'request',
  requestId,
  seriesId,
  expiresAt: new Date(expiresAt).toISOString(),
  makersConnected,
  trade: termsJson(terms).trade,
})

/** A quote for programs, with the specification's names and in dollars. */
export const quoteJson = ({
  makerId,
  quoteId,
  maker,
  side,
  price,
  size,
  fillContracts,
  expiresInMs,
  isFirm,
}: ShownQuote) => ({
  maker_id: makerId,
  quote_id: quoteId,
  ...(maker === null ? {} : { maker }),
  side,
  price: usd6ToNumber(price),
  size: Number(size),
  fillContracts: Number(fillContracts),
  ...(isFirm === true ? { firm: true } : {}),
  ...(expiresInMs === null ? {} : { expires_in_ms: expiresInMs }),
})

/** The top of a book for programs. */
export const bookJson = (
  requestId: string,
  { bestQuote, bestBid, bestForSize, quoteCount, status, bookSeq, isDisplaced }: ShownBook,
) => ({
  type: 'best_quote',
  requestId,
  bestQuote: bestQuote === null ? null : quoteJson(bestQuote),
  ...(bestBid === undefined ? {} : { bestBid: bestBid === null ? null : quoteJson(bestBid) }),
  ...(bestForSize === null ? {} : { bestForSize: quoteJson(bestForSize) }),
  quoteCount,
  status,
  bookSeq,
  ...(isDisplaced === true ? { displaced: true } : {}),
})

/** A trade for programs: the execution and, on a chain, the order with its approval. */
export const commitmentJson = ({ mode, message, quote, execution, onchain, protections }: CommittedTrade) => ({
  type: 'commitment',
  mode,
  message,
  quote: quoteJson(quote),
  execution: {
    execution_id: execution.executionId,
    request_id: execution.requestId,
    quote_id: execution.quoteId,
    maker_id: execution.makerId,
    executed_at: new Date(execution.executedAt).toISOString(),
  },
  limitPrice: protections.limitPrice === null ? null : usd6ToNumber(protections.limitPrice),
  minContracts: protections.minContracts === null ? null : Number(protections.minContracts),
  ...(onchain === null ? {} : { onchain }),
})
