import type { Static } from 'typebox'
import * as Type from 'typebox'
import { usd6ToNumber } from '../domain/decimal.ts'
import type { RequestTerms, Trade } from '../domain/request.ts'
import * as field from './field.ts'
import { decodeAddress, decodeBytes32, decodeContracts, decodeUint256, decodeUsd6, shownQuestion } from './fields.ts'
import { decodeOption, encodeOption, LegsInput } from './option.ts'
import { invalidField } from './reader.ts'
import { AddressText, Budget, Dollars, described, nullable, OptionTypeInput, optional, Size } from './schemas.ts'

export const TradeFields = described(
  Type.Object({
    side: field.askedSide,
    budgetUsd: optional(described(Budget, 'Buys only: dollars that the taker spends.', 100)),
    size: optional(
      described(Size, 'Sells: whole options that the taker writes. Both sides: those that it buys or writes.', 1_000),
    ),
  }),
  'What the taker wants to do.',
  { side: 'buy', budgetUsd: 100 },
)

export const OptionFields = Type.Object({
  strikeBps: field.strikeBps,
  expiryMs: field.expiryMs,
  optionType: described(OptionTypeInput, field.optionType),
})
export const PackageFields = Type.Object({
  legs: LegsInput,
  expiryMs: field.expiryMs,
})
export const EitherOption = described(Type.Union([OptionFields, PackageFields]), 'The terms of the option.')

/** The terms of a request as makers are shown them. */
export const RequestParams = Type.Object({
  wallet: nullable(
    described(AddressText, 'Taker wallet; null: named at commit.', '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'),
  ),
  market: described(
    Type.Object({
      conditionId: field.conditionId,
      yesTokenId: field.yesTokenId,
      question: field.question,
      yesPrice: Type.Optional(
        described(
          Dollars,
          'YES price in dollars that the relay knew when the request was opened, at most five minutes old; absent when it knew none.',
          0.5884,
        ),
      ),
    }),
    'The market of the option.',
  ),
  option: EitherOption,
  trade: TradeFields,
  firmOnly: Type.Optional(field.firmOnly),
})

/** The terms that makers are shown; a request without a question has an empty one. */
export function encodeParams({ wallet, market, option, trade, firmOnly }: RequestTerms): Static<typeof RequestParams> {
  return {
    wallet,
    market: { ...market, question: market.question ?? '' },
    option: { ...encodeOption(option), expiryMs: option.expiryMs },
    trade:
      trade.side === 'buy'
        ? { side: trade.side, budgetUsd: usd6ToNumber(trade.budget) }
        : { side: trade.side, size: Number(trade.size) },
    ...(firmOnly === true ? { firmOnly } : {}),
  }
}

/** Terms of a request, as a taker opens it or a relay shows it. */
type ShownTerms = Omit<Static<typeof RequestParams>, 'wallet' | 'market' | 'firmOnly'> & {
  wallet?: string | null | undefined
  market: { conditionId: string; yesTokenId: string; question?: string | null; yesPrice?: number }
  firmOnly?: boolean | null | undefined
}

/** The terms of a request of either direction. A question from a relay is shown as far as possible. */
export function decodeTerms({ wallet, market, option, trade, firmOnly }: ShownTerms): RequestTerms {
  return {
    wallet: typeof wallet === 'string' ? decodeAddress(wallet, 'wallet') : null,
    market: {
      conditionId: decodeBytes32(market.conditionId),
      yesTokenId: decodeUint256(market.yesTokenId, 'market.yesTokenId'),
      question: shownQuestion(market.question),
      ...(market.yesPrice === undefined ? {} : { yesPrice: market.yesPrice }),
    },
    option: { ...decodeOption(option), expiryMs: option.expiryMs },
    trade: decodeTrade(trade),
    ...(firmOnly === true ? { firmOnly } : {}),
  }
}

function decodeTrade({ side, budgetUsd = null, size = null }: Static<typeof TradeFields>): Trade {
  if (side !== 'buy') {
    if (budgetUsd !== null) throw invalidField('trade.budgetUsd', `absent when side is ${side}`, budgetUsd)
    if (size === null) throw invalidField('trade.size', `an integer 1..1000000000 when side is ${side}`, undefined)
    return { side, size: decodeContracts(size) }
  }
  if (size !== null) throw invalidField('trade.size', 'absent when side is buy', size)
  if (budgetUsd === null) throw invalidField('trade.budgetUsd', 'a number of dollars when side is buy', undefined)
  const budget = decodeUsd6(budgetUsd, 'down', 'trade.budgetUsd')
  if (budget === 0n) throw invalidField('trade.budgetUsd', 'at least 0.000001', budgetUsd)
  return { side, budget }
}
