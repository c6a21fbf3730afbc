import type { Static } from 'typebox'
import * as Type from 'typebox'
import { usd6ToNumber } from '../domain/decimal.ts'
import { isPackage } from '../domain/option.ts'
import type { PublicTrade, TapePage, TapePlace } from '../domain/public-trade.ts'
import * as field from './field.ts'
import { decodeBytes32, decodeContracts, decodeTime, decodeUsd6, encodeTime } from './fields.ts'
import { decodeOption, encodePackage, PackageTerms } from './option.ts'
import { createReader } from './reader.ts'
import { Count, described, nullable, oneOf, successOf, Text } from './schemas.ts'

const CURSOR = /^(\d{1,15})_([0-9A-Za-z-]{1,64})$/

const CursorText = Type.String({ pattern: CURSOR.source, must: 'the `nextCursor` of a page' })

const CURSOR_EXAMPLE = '1799996402250_c56a4180-65aa-42ec-a945-5fd21dec0538'

/** `GET /v1/trades`, query. */
export const TradesQuery = Type.Object({
  conditionId: Type.Optional(field.conditionId),
  seriesId: Type.Optional(field.seriesId),
  cursor: Type.Optional(described(CursorText, 'The `nextCursor` of the previous page.', CURSOR_EXAMPLE)),
})

const common = {
  tradeId: field.executionId,
  at: described(field.at, "Time of the maker's signature.", '2027-01-15T07:00:02.250Z'),
  seriesId: field.seriesId,
  conditionId: field.conditionId,
  yesClobTokenId: field.yesTokenId,
  expiry: field.expiry,
  side: field.side,
  size: described(Count, 'Number of options.', 833),
  price: field.price,
  state: Type.Optional(
    described(
      oneOf('open', 'filled', 'expired'),
      '`filled` once a final block has filled the signed order, else `open` or `expired` by its time, cancelled or not; absent where that is not known.',
      'filled',
    ),
  ),
}

const TradeFields = Type.Object({ ...common, strikeBps: field.strikeBps, optionType: field.optionType })

const PackageTradeFields = Type.Object({ ...common, ...PackageTerms })

const AnyTrade = Type.Union([TradeFields, PackageTradeFields])

/** A page, which may hold none of the series that are asked for and still have a next one. */
export const TradesAnswer = successOf({
  trades: described(Type.Array(AnyTrade), 'Signed trades, newest first; `nextCursor` leads to older ones.'),
  nextCursor: nullable(described(Text, 'Start of the next page; null on the last page.', CURSOR_EXAMPLE)),
})

const readQuery = createReader(TradesQuery, 'the query')
const readAnswer = createReader(TradesAnswer, 'the answer')

export function decodeTradesQuery(query: unknown): TapePage {
  const { conditionId, seriesId, cursor } = readQuery(query)
  const [, at = '', tradeId = ''] = CURSOR.exec(cursor ?? '') ?? []
  return {
    conditionId: conditionId === undefined ? null : decodeBytes32(conditionId),
    seriesId: seriesId ?? null,
    before: cursor === undefined ? null : { at: Number(at), tradeId },
  }
}

/** `next` is the place of the oldest trade that the page looked at; null: there is none older. */
export const encodeTrades = (trades: readonly PublicTrade[], next: TapePlace | null): Static<typeof TradesAnswer> => ({
  success: true,
  trades: trades.map(encodeTrade),
  nextCursor: next === null ? null : `${next.at}_${next.tradeId}`,
})

function encodeTrade(trade: PublicTrade): Static<typeof AnyTrade> {
  const { tradeId, at, seriesId, conditionId, yesTokenId, expiry, side, size, price, state } = trade
  const fields = {
    tradeId,
    at: encodeTime(at),
    seriesId,
    conditionId,
    yesClobTokenId: yesTokenId,
    expiry,
    side,
    size: Number(size),
    price: usd6ToNumber(price),
    ...(state === null ? {} : { state }),
  }
  if (isPackage(trade)) return { ...fields, ...encodePackage(trade) }
  return { ...fields, strikeBps: trade.strikeBps, optionType: trade.optionType }
}

export function decodeTrades(answer: unknown): { trades: PublicTrade[]; nextCursor: string | null } {
  const { trades, nextCursor } = readAnswer(answer)
  return { trades: trades.map(decodeTrade), nextCursor }
}

function decodeTrade(fields: Static<typeof AnyTrade>): PublicTrade {
  const { tradeId, at, seriesId, conditionId, yesClobTokenId, expiry, side, size, price, state = null } = fields
  return {
    tradeId,
    at: decodeTime(at, 'at'),
    seriesId,
    conditionId: decodeBytes32(conditionId),
    yesTokenId: yesClobTokenId,
    expiry,
    ...decodeOption(fields),
    side,
    size: decodeContracts(size),
    price: decodeUsd6(price, 'half-up', 'price'),
    state,
  }
}
