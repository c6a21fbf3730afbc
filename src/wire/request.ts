import Type, { type Static } from 'typebox'
import { usd6ToNumber } from '../domain/decimal.ts'
import type { OpenedRequest, RequestTerms, Trade } from '../domain/request.ts'
import {
  decodeAddress,
  decodeBytes32,
  decodeContracts,
  decodeOptionType,
  decodeQuestion,
  decodeTime,
  decodeUint256,
  decodeUsd6,
  encodeTime,
  MAX_QUESTION_LENGTH,
  shownQuestion,
} from './fields.ts'
import { createBodyReader, createReader, invalidField } from './reader.ts'
import {
  AddressText,
  Budget,
  Bytes32Text,
  Count,
  Dollars,
  Flag,
  IsoTime,
  nullable,
  OptionTypeInput,
  optional,
  SecretText,
  SideText,
  Size,
  Strike,
  successOf,
  Text,
  textOf,
  Uint256Text,
  UnixMs,
} from './schemas.ts'

const TradeFields = Type.Object({ side: SideText, budgetUsd: optional(Budget), size: optional(Size) })

const OptionFields = Type.Object({ strikeBps: Strike, expiryMs: UnixMs, optionType: OptionTypeInput })

/** A request as it is opened (protocol open-1). */
export const OpenRequestBody = Type.Object({
  market: Type.Object({
    conditionId: Bytes32Text,
    yesTokenId: Uint256Text,
    question: optional(textOf(MAX_QUESTION_LENGTH)),
  }),
  option: OptionFields,
  trade: TradeFields,
  wallet: optional(AddressText),
  locked: optional(Flag),
})

/** The terms of a request as makers see them. */
export const RequestParams = Type.Object({
  wallet: nullable(AddressText),
  market: Type.Object({
    conditionId: Bytes32Text,
    yesTokenId: Uint256Text,
    question: Text,
    yesPrice: Type.Optional(Dollars),
  }),
  option: OptionFields,
  trade: TradeFields,
})

/** The answer to opening; what stands after `makersConnected` is beyond the specification. */
export const OpenedAnswer = successOf({
  requestId: Text,
  expiresAt: IsoTime,
  makersConnected: Count,
  takerSecret: SecretText,
  seriesId: Uint256Text,
  seriesListed: Flag,
})

/** The taker's secret of a cancel, where it is not in the header. */
export const CancelBody = Type.Object({ takerSecret: optional(SecretText) })

const readOpenRequest = createBodyReader(OpenRequestBody)
const readCancel = createBodyReader(CancelBody)
const readOpened = createReader(OpenedAnswer, 'the answer')

/** What a taker opens; `locked` by decision Q1. */
export function decodeOpenRequest(body: unknown): RequestTerms & { locked: boolean } {
  const { locked, ...params } = readOpenRequest(body)
  const { conditionId, yesTokenId, question } = params.market
  const terms = decodeTerms({ ...params, market: { conditionId, yesTokenId } })
  const market = { ...terms.market, question: decodeQuestion(question, 'market.question') }
  return { ...terms, market, locked: locked ?? false }
}

/** The body that opens a request. */
export function encodeOpenRequest({
  locked,
  ...terms
}: RequestTerms & { locked: boolean }): Static<typeof OpenRequestBody> {
  return { ...encodeParams(terms), locked }
}

/** The terms that makers are shown; a request without a question has an empty one. */
export function encodeParams({ wallet, market, option, trade }: RequestTerms): Static<typeof RequestParams> {
  return {
    wallet,
    market: { ...market, question: market.question ?? '' },
    option: { optionType: option.optionType, strikeBps: option.strikeBps, expiryMs: option.expiryMs },
    trade:
      trade.side === 'buy'
        ? { side: 'buy', budgetUsd: usd6ToNumber(trade.budget) }
        : { side: 'sell', size: Number(trade.size) },
  }
}

/** A market as takers send it, or as makers are shown it. */
type MarketOfEither = Static<typeof OpenRequestBody>['market'] & { yesPrice?: number }

/** The terms of a request of either direction. A question that a relay told is shown as far as it can be. */
export function decodeTerms({
  wallet,
  market,
  option,
  trade,
}: Omit<Static<typeof OpenRequestBody>, 'locked' | 'market'> & { market: MarketOfEither }): RequestTerms {
  return {
    wallet: typeof wallet === 'string' ? decodeAddress(wallet, 'wallet') : null,
    market: {
      conditionId: decodeBytes32(market.conditionId),
      yesTokenId: decodeUint256(market.yesTokenId, 'market.yesTokenId'),
      question: shownQuestion(market.question),
      ...(market.yesPrice === undefined ? {} : { yesPrice: market.yesPrice }),
    },
    option: {
      optionType: decodeOptionType(option.optionType),
      strikeBps: option.strikeBps as RequestTerms['option']['strikeBps'],
      expiryMs: option.expiryMs,
    },
    trade: decodeTrade(trade),
  }
}

/** The answer to a taker that opened a request. */
export const encodeOpened = (opened: OpenedRequest): Static<typeof OpenedAnswer> => ({
  success: true,
  requestId: opened.requestId,
  expiresAt: encodeTime(opened.expiresAt),
  makersConnected: opened.makersConnected,
  takerSecret: opened.takerSecret,
  seriesId: opened.seriesId,
  seriesListed: opened.seriesListed,
})

/** The answer to opening a request. */
export function decodeOpened(answer: unknown): OpenedRequest {
  const { success: _, expiresAt, ...opened } = readOpened(answer)
  return { ...opened, expiresAt: decodeTime(expiresAt, 'expiresAt') }
}

/** The taker's secret of a cancel; null when the body has none. */
export const decodeCancel = (body: unknown): string | null => readCancel(body).takerSecret ?? null

function decodeTrade({ side, budgetUsd = null, size = null }: Static<typeof TradeFields>): Trade {
  if (side === 'sell') {
    if (budgetUsd !== null) throw invalidField('trade.budgetUsd', 'absent when side is sell', budgetUsd)
    if (size === null) throw invalidField('trade.size', 'an integer 1..1000000000 when side is sell', undefined)
    return { side, size: decodeContracts(size) }
  }
  if (size !== null) throw invalidField('trade.size', 'absent when side is buy', size)
  if (budgetUsd === null) throw invalidField('trade.budgetUsd', 'a number of dollars when side is buy', undefined)
  const budget = decodeUsd6(budgetUsd, 'down', 'trade.budgetUsd')
  if (budget === 0n) throw invalidField('trade.budgetUsd', 'at least 0.000001', budgetUsd)
  return { side, budget }
}
