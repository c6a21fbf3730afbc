import { parseUint256 } from '@rfqctl/protocol/domain/series'
import { isStrikeBps } from '@rfqctl/protocol/domain/units'

type Fields = Record<string, unknown>
type Rule = { field: string; holds: (value: unknown) => boolean; must: string }

const isList = (item: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every(item)
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isWhole = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const isProbability = (value: unknown) => typeof value === 'number' && value > 0 && value < 1
const isOutcome = (value: unknown) =>
  value === null || (isFields(value) && (value.yesPrice === 0 || value.yesPrice === 1) && isWhole(value.closedAt))

const MARKET_RULES: readonly Rule[] = [
  {
    field: 'question',
    holds: (value) => typeof value === 'string' && value.length > 0 && value.length <= 300,
    must: 'text of 1 to 300 characters',
  },
  {
    field: 'conditionId',
    holds: (value) => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value),
    must: '32 bytes of lower-case hex',
  },
  {
    field: 'yesTokenId',
    holds: (value) => typeof value === 'string' && parseUint256(value) === value,
    must: 'a uint256 in decimal text',
  },
  { field: 'path', holds: isFields, must: 'an object' },
  { field: 'outcome', holds: isOutcome, must: 'null or { yesPrice: 0 or 1, closedAt: Unix seconds }' },
  { field: 'series', holds: isList(isFields), must: 'a list of objects' },
]

const PATH_RULES: readonly Rule[] = [
  { field: 'seed', holds: isWhole, must: 'a whole number' },
  { field: 'base', holds: isProbability, must: 'between 0 and 1' },
  { field: 'swing', holds: (value) => typeof value === 'number' && value >= 0 && value <= 2, must: '0 to 2 logits' },
]

const SERIES_RULES: readonly Rule[] = [
  {
    field: 'strikesBps',
    holds: isList((value) => typeof value === 'number' && isStrikeBps(value)),
    must: 'strikes of 1 to 9999',
  },
  { field: 'expiresInS', holds: isList((value) => isWhole(value) && value !== 0), must: 'seconds above 0' },
  { field: 'optionTypes', holds: isList((value) => value === 'call' || value === 'put'), must: 'of call and put' },
]

/** Returns every fault with its place; empty when the markets are usable. */
export function checkFixtureMarkets(content: unknown): string[] {
  const markets = isFields(content) ? content.markets : undefined
  if (!isList(isFields)(markets)) return ['markets must be a list of objects']
  const list = markets as readonly Fields[]
  return [...list.flatMap(checkMarket), ...checkDistinct(list, 'conditionId'), ...checkDistinct(list, 'yesTokenId')]
}

function checkMarket(market: Fields, index: number): string[] {
  const path = `markets[${index}]`
  const series = Array.isArray(market.series) ? market.series : []
  return [
    ...checkFields(market, MARKET_RULES, path),
    ...(isFields(market.path) ? checkFields(market.path, PATH_RULES, `${path}.path`) : []),
    ...series.flatMap((entry, i) => (isFields(entry) ? checkFields(entry, SERIES_RULES, `${path}.series[${i}]`) : [])),
  ]
}

const checkFields = (fields: Fields, rules: readonly Rule[], path: string): string[] =>
  rules.filter(({ field, holds }) => !holds(fields[field])).map(({ field, must }) => `${path}.${field} must be ${must}`)

function checkDistinct(markets: readonly Fields[], field: string): string[] {
  const values = markets.map((market) => market[field])
  return values.flatMap((value, index) =>
    values.indexOf(value) === index ? [] : [`markets[${index}].${field} repeats an earlier one`],
  )
}
