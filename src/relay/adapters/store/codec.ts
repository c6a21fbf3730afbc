import type { LossFeedback } from '@rfqctl/protocol/domain/best-quote'
import {
  type CountedAcceptance,
  countOrder,
  type MakerProtections,
  type ProtectionTrip,
  type ProtectionWindow,
  type WindowUse,
} from '@rfqctl/protocol/domain/maker-protections'
import type { Order } from '@rfqctl/protocol/domain/order'
import type { Quote } from '@rfqctl/protocol/domain/quote'
import type { QuoteRequest, Trade } from '@rfqctl/protocol/domain/request'
import { contracts, usd6 } from '@rfqctl/protocol/domain/units'
import type { Acceptance, Execution } from '../../core/ports/store.ts'

/** A type as JSON carries it: each bigint as decimal text, everything else as it is. */
export type Encoded<T> = T extends bigint
  ? string
  : T extends string | number | boolean | null | undefined
    ? T
    : { [Key in keyof T]: Encoded<T[Key]> }

export const encodeRequest = (request: QuoteRequest): Encoded<QuoteRequest> => ({
  ...request,
  trade: encodeTrade(request.trade),
})

export const decodeRequest = (row: Encoded<QuoteRequest>): QuoteRequest => ({ ...row, trade: decodeTrade(row.trade) })

export function encodeTrade(trade: Trade): Encoded<Trade> {
  if (trade.side === 'sell') return { ...trade, size: `${trade.size}` }
  const { most, ...rest } = trade
  return { ...rest, budget: `${trade.budget}`, ...(most === undefined ? {} : { most: `${most}` }) }
}

export function decodeTrade(row: Encoded<Trade>): Trade {
  if (row.side === 'sell') return { ...row, size: contracts(BigInt(row.size)) }
  const { most, ...rest } = row
  const budget = usd6(BigInt(row.budget))
  return { ...rest, budget, ...(most === undefined ? {} : { most: contracts(BigInt(most)) }) }
}

export const encodeAcceptance = ({ fromInventory, ...acceptance }: Acceptance): Encoded<Acceptance> => ({
  ...acceptance,
  quote: encodeQuote(acceptance.quote),
  order: encodeOrder(acceptance.order),
  ...(fromInventory === undefined ? {} : { fromInventory: `${fromInventory}` }),
})

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
  const { contracts, notional, collateral, isProven } = countOrder(acceptance, 0)
  return { contracts: `${contracts}`, notional: `${notional}`, collateral: `${collateral}`, isProven }
}

export const decodeExecution = (row: Encoded<Execution>): Execution => ({
  ...row,
  acceptance: decodeAcceptance(row.acceptance),
})

export const encodeQuote = (quote: Quote): Encoded<Quote> => ({
  ...quote,
  price: `${quote.price}`,
  size: `${quote.size}`,
})

export const decodeQuote = (row: Encoded<Quote>): Quote => ({
  ...row,
  price: usd6(BigInt(row.price)),
  size: contracts(BigInt(row.size)),
})

export const encodeOrder = (order: Order): Encoded<Order> => ({
  ...order,
  optionAmount: `${order.optionAmount}`,
  premiumAmount: `${order.premiumAmount}`,
})

export const decodeOrder = (row: Encoded<Order>): Order => ({
  ...row,
  optionAmount: contracts(BigInt(row.optionAmount)),
  premiumAmount: usd6(BigInt(row.premiumAmount)),
})

export const encodeFeedback = (feedback: LossFeedback): Encoded<LossFeedback> => ({
  ...feedback,
  winningPrice: textOrNull(feedback.winningPrice),
})

export const decodeFeedback = (row: Encoded<LossFeedback>): LossFeedback => ({
  ...row,
  winningPrice: row.winningPrice === null ? null : usd6(BigInt(row.winningPrice)),
})

export const encodeProtections = (protections: MakerProtections): Encoded<MakerProtections> => ({
  ...protections,
  windows: protections.windows.map(encodeWindow),
  maxQuoteSize: textOrNull(protections.maxQuoteSize),
  references: protections.references.map((reference) => ({
    ...reference,
    price: `${reference.price}`,
    maxDeviation: `${reference.maxDeviation}`,
  })),
})

export const decodeProtections = (row: Encoded<MakerProtections>): MakerProtections => ({
  ...row,
  windows: row.windows.map(decodeWindow),
  maxQuoteSize: row.maxQuoteSize === null ? null : contracts(BigInt(row.maxQuoteSize)),
  references: row.references.map((reference) => ({
    ...reference,
    price: usd6(BigInt(reference.price)),
    maxDeviation: usd6(BigInt(reference.maxDeviation)),
  })),
})

export const encodeTrip = (trip: ProtectionTrip): Encoded<ProtectionTrip> => ({
  ...trip,
  window: encodeWindow(trip.window),
  used: encodeUse(trip.used),
  withNext: encodeUse(trip.withNext),
})

export const decodeTrip = (row: Encoded<ProtectionTrip>): ProtectionTrip => ({
  ...row,
  window: decodeWindow(row.window),
  used: decodeUse(row.used),
  withNext: decodeUse(row.withNext),
})

const encodeWindow = (window: ProtectionWindow): Encoded<ProtectionWindow> => ({
  ...window,
  maxContracts: textOrNull(window.maxContracts),
  maxNotional: textOrNull(window.maxNotional),
  maxCollateral: textOrNull(window.maxCollateral),
})

const decodeWindow = ({ maxContracts, maxNotional, maxCollateral, ...rest }: Encoded<ProtectionWindow>) => ({
  ...rest,
  maxContracts: maxContracts === null ? null : contracts(BigInt(maxContracts)),
  maxNotional: maxNotional === null ? null : usd6(BigInt(maxNotional)),
  maxCollateral: maxCollateral === null ? null : usd6(BigInt(maxCollateral)),
})

const encodeUse = ({ accepted, ...use }: WindowUse): Encoded<WindowUse> => ({
  accepted,
  contracts: `${use.contracts}`,
  notional: `${use.notional}`,
  collateral: `${use.collateral}`,
})

const decodeUse = ({ accepted, ...use }: Encoded<WindowUse>): WindowUse => ({
  accepted,
  contracts: contracts(BigInt(use.contracts)),
  notional: usd6(BigInt(use.notional)),
  collateral: usd6(BigInt(use.collateral)),
})

const textOrNull = (value: bigint | null): string | null => (value === null ? null : `${value}`)
