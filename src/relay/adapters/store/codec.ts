import type { LossFeedback } from '@rfqctl/protocol/domain/best-quote'
import {
  type CountedAcceptance,
  countOrder,
  type MakerProtections,
  type ProtectionTrip,
  type ProtectionWindow,
  type ReferencePrice,
  type WindowUse,
} from '@rfqctl/protocol/domain/maker-protections'
import type { Order } from '@rfqctl/protocol/domain/order'
import type { Quote } from '@rfqctl/protocol/domain/quote'
import type { QuoteRequest, StandingLimit, Trade, TwoSidedTrade } from '@rfqctl/protocol/domain/request'
import { contracts, usd6 } from '@rfqctl/protocol/domain/units'
import type { Acceptance, Execution } from '../../core/ports/store.ts'

/** A type as JSON carries it: each bigint as decimal text, everything else as it is. */
export type Encoded<T> = T extends bigint
  ? string
  : T extends string | number | boolean | null | undefined
    ? T
    : { [Key in keyof T]: Encoded<T[Key]> }

export function encode<T>(value: T): Encoded<T> {
  if (typeof value === 'bigint') return `${value}` as Encoded<T>
  if (typeof value !== 'object' || value === null) return value as Encoded<T>
  if (Array.isArray(value)) return value.map((item) => encode(item)) as Encoded<T>
  // A copy whose few amounts are replaced: every quote is encoded for the audit log.
  const row = { ...value } as Record<string, unknown>
  for (const name in row)
    if (typeof row[name] === 'bigint' || typeof row[name] === 'object') row[name] = encode(row[name])
  return row as Encoded<T>
}

/** The constructor of each bigint of a type. */
type Amounts<T> = {
  [Key in keyof T as NonNullable<T[Key]> extends bigint ? Key : never]-?: (value: bigint) => NonNullable<T[Key]>
}

type Sale = Extract<Trade, { side: 'sell' }>
type Purchase = Extract<Trade, { side: 'buy' }>

/** Restores the amounts of a row; null stays, and a missing one throws: a quote without its price is not a quote. */
export function decode<T extends object>(row: Encoded<T>, amounts: Amounts<T>): T {
  const value = { ...row } as Record<string, unknown>
  for (const [name, amount] of Object.entries<(value: bigint) => unknown>(amounts)) {
    if (value[name] !== null) value[name] = amount(BigInt(value[name] as string))
  }
  return value as T
}

export function decodeRequest({ standing, ...row }: Encoded<QuoteRequest>): QuoteRequest {
  const request = { ...row, trade: decodeTrade(row.trade) }
  if (standing === undefined) return request
  return { ...request, standing: decode<StandingLimit>(standing, { limitPrice: usd6, minContracts: contracts }) }
}

export function decodeTrade(row: Encoded<Trade>): Trade {
  if (row.side === 'sell') return decode<Sale>(row, { size: contracts })
  if (row.side === 'both') return decode<TwoSidedTrade>(row, { size: contracts })
  const { most, ...rest } = row
  const purchase = decode<Omit<Purchase, 'most'>>(rest, { budget: usd6 })
  return most === undefined ? purchase : { ...purchase, most: contracts(BigInt(most)) }
}

/** The row may have `countedAt`, when a store began to count it. */
export const decodeAcceptance = ({
  countedAt,
  fromInventory,
  ...row
}: Encoded<Acceptance> & { countedAt?: number }): Acceptance => ({
  ...row,
  quote: decodeQuote(row.quote),
  order: decodeOrder(row.order),
  ...(fromInventory === undefined ? {} : { fromInventory: contracts(BigInt(fromInventory)) }),
})

/** An acceptance's part in the windows of its maker. */
export function encodeCounted(acceptance: Acceptance): Omit<Encoded<CountedAcceptance>, 'at'> {
  const { at: _, ...amounts } = encode(countOrder(acceptance, 0))
  return amounts
}

export const decodeExecution = (row: Encoded<Execution>): Execution => ({
  ...row,
  acceptance: decodeAcceptance(row.acceptance),
})

/** A quote, with what its row says of it besides. */
export function decodeQuote<Kept extends Quote>({ otherPrice, ...row }: Encoded<Kept>): Kept {
  const quote = decode<Omit<Quote, 'otherPrice'>>(row as Encoded<Omit<Quote, 'otherPrice'>>, {
    price: usd6,
    size: contracts,
  })
  return (otherPrice === undefined ? quote : { ...quote, otherPrice: usd6(BigInt(otherPrice)) }) as Kept
}

export const decodeOrder = (row: Encoded<Order>): Order =>
  decode<Order>(row, { optionAmount: contracts, premiumAmount: usd6 })

export const decodeFeedback = (row: Encoded<LossFeedback>): LossFeedback =>
  decode<LossFeedback>(row, { winningPrice: usd6 })

export const decodeProtections = ({ windows, references, maxQuoteSize, ...row }: Encoded<MakerProtections>) => ({
  ...row,
  windows: windows.map(decodeWindow),
  maxQuoteSize: maxQuoteSize === null ? null : contracts(BigInt(maxQuoteSize)),
  references: references.map((reference) => decode<ReferencePrice>(reference, { price: usd6, maxDeviation: usd6 })),
})

export const decodeTrip = (row: Encoded<ProtectionTrip>): ProtectionTrip => ({
  ...row,
  window: decodeWindow(row.window),
  used: decodeUse(row.used),
  withNext: decodeUse(row.withNext),
})

const decodeWindow = (row: Encoded<ProtectionWindow>): ProtectionWindow =>
  decode<ProtectionWindow>(row, { maxContracts: contracts, maxNotional: usd6, maxCollateral: usd6 })

export const decodeUse = (row: Encoded<WindowUse>): WindowUse =>
  decode<WindowUse>(row, { contracts, notional: usd6, collateral: usd6 })
