import { usd6ToNumber } from './decimal.ts'
import type { ErrorCode } from './errors.ts'
import { collateral } from './option.ts'
import type { Order } from './order.ts'
import type { Quote } from './quote.ts'
import type { QuoteRequest, RequestedOption } from './request.ts'
import { type Contracts, contracts, type Usd6, usd6 } from './units.ts'

/** Limits that the relay enforces for a maker. Null or empty turns a protection off. */
export type MakerProtections = {
  /** Withdraws its quotes `graceMs` after it disconnected, from `any` of stream and socket or from `all`. */
  cancelOnDisconnect: { graceMs: number; channels: 'any' | 'all' } | null
  windows: readonly ProtectionWindow[]
  /** Length of a trip, milliseconds; null: until it is reset. */
  freezeMs: number | null
  /** Larger quotes are refused; null: no bound. */
  maxQuoteSize: Contracts | null
  /** Prices that its quotes must be near to. */
  references: readonly ReferencePrice[]
}

/** Rule that withdraws the quotes of a maker that has disconnected. */
export type DisconnectRule = NonNullable<MakerProtections['cancelOnDisconnect']>

/** The most that takers may accept in any `ms` milliseconds; null: no bound. */
export type ProtectionWindow = {
  /** Its length, milliseconds. */
  ms: number
  /** Orders. */
  maxAccepted: number | null
  /** Options. */
  maxContracts: Contracts | null
  /** Premiums, micro-dollars. */
  maxNotional: Usd6 | null
  /** Collateral that the maker locks as a writer, micro-dollars. */
  maxCollateral: Usd6 | null
}

/** A maker's own price of an option. */
export type ReferencePrice = {
  scope: 'series' | 'market'
  /** A seriesId, or a condition id in lower case. */
  id: string
  /** Micro-dollars per option. */
  price: Usd6
  /** Largest distance of a quote from it, micro-dollars. */
  maxDeviation: Usd6
  /** From then on quotes on it are refused, Unix milliseconds; null: never. */
  expiresAt: number | null
}

/** Accepted quotes of a maker, in the measures of a window. */
export type WindowUse = {
  /** Orders. */
  accepted: number
  contracts: Contracts
  /** Premiums, micro-dollars. */
  notional: Usd6
  /** Collateral that the maker locks as a writer, micro-dollars. */
  collateral: Usd6
}

/** An acceptance that counts; `at` in Unix milliseconds. `isProven`: its taker has proved that the wallet is its own (decision C16). */
export type CountedAcceptance = Omit<WindowUse, 'accepted'> & { at: number; isProven: boolean }

/**
 * Verdict of a maker's windows on one more acceptance. `unproven`: it would be too much for takers without a proven wallet; it is
 * refused and trips nothing.
 */
export type WindowVerdict = { kind: 'within' } | { kind: 'unproven' } | { kind: 'tripped'; trip: ProtectionTrip }

/** Trip of a window that the next order would have exceeded. Times are Unix milliseconds. */
export type ProtectionTrip = {
  /** Time of the trip. */
  at: number
  /** Null: only a reset by the maker ends it. */
  until: number | null
  window: ProtectionWindow
  /** Use of the window before the trip. */
  used: WindowUse
  /** Use of the window with the order that was not offered. */
  withNext: WindowUse
}

/** A maker's current protections; `version` rises with every change. */
export type ProtectionState = {
  makerId: string
  version: number
  protections: MakerProtections
  /** The last trip, also one that is over. */
  trip: ProtectionTrip | null
}

/**
 * The version after `former`, 0 where there are none: the time, Unix milliseconds, or one more. So a store that was restored from a
 * backup gives no version a second time, by which nodes would take other protections for those that they know.
 */
export const nextVersion = (former: number, now: number): number => Math.max(former + 1, now)

/** Time since which a maker has no connection of a channel, Unix milliseconds; null: it has one. */
export type Absence = { stream: number | null; socket: number | null }

/** The longest window and freeze, milliseconds: acceptances are counted for a day. */
export const MAX_WINDOW_MS = 24 * 3_600_000

/** Most windows, and most reference prices, of a maker. */
export const MAX_WINDOWS = 8
export const MAX_REFERENCES = 32

/** Protections of a maker that has set none. */
export const NO_PROTECTIONS: MakerProtections = {
  cancelOnDisconnect: null,
  windows: [],
  freezeMs: null,
  maxQuoteSize: null,
  references: [],
}

/** An order as its maker's windows count it. A maker that buys locks nothing. */
export function countOrder(
  { order, option, proven = false }: { order: Order; option: RequestedOption; proven?: boolean },
  at: number,
): CountedAcceptance {
  const { optionAmount, premiumAmount, makerSelling } = order
  const locked = makerSelling ? collateral(option, optionAmount) : usd6(0n)
  return { at, contracts: optionAmount, notional: premiumAmount, collateral: locked, isProven: proven }
}

/** A window with its use by all takers, and by those without a proven wallet. */
export type UsedWindow = { window: ProtectionWindow; all: WindowUse; unproven: WindowUse }

/** The use of a window at a moment, Unix milliseconds, by the acceptances that its maker's windows count. */
export function usedWindow(window: ProtectionWindow, counted: readonly CountedAcceptance[], now: number): UsedWindow {
  const within = counted.filter(({ at }) => at > now - window.ms)
  return { window, all: sumOf(within), unproven: sumOf(within.filter(({ isProven }) => !isProven)) }
}

/**
 * Judges one more acceptance by every window, as they are used before it. Takers without a proven wallet share a
 * quarter of each and trip none: anyone may name any wallet, and must not be able to shut a maker out by it.
 */
export function judgeWindows(
  used: readonly UsedWindow[],
  { freezeMs }: Pick<MakerProtections, 'freezeMs'>,
  next: CountedAcceptance,
): WindowVerdict {
  for (const { window, all, unproven } of used) {
    const withNext = plus(all, next)
    if (!next.isProven) {
      if (exceeds(plus(unproven, next), quarterOf(window)) || exceeds(withNext, window)) return { kind: 'unproven' }
    } else if (exceeds(withNext, window)) {
      const until = freezeMs === null ? null : next.at + freezeMs
      return { kind: 'tripped', trip: { at: next.at, until, window, used: all, withNext } }
    }
  }
  return { kind: 'within' }
}

/** A quarter of each bound, rounded down, so that a bound of three orders leaves 0. */
const quarterOf = (full: ProtectionWindow): ProtectionWindow => ({
  ms: full.ms,
  maxAccepted: full.maxAccepted === null ? null : Math.floor(full.maxAccepted / 4),
  maxContracts: full.maxContracts === null ? null : contracts(full.maxContracts / 4n),
  maxNotional: full.maxNotional === null ? null : usd6(full.maxNotional / 4n),
  maxCollateral: full.maxCollateral === null ? null : usd6(full.maxCollateral / 4n),
})

/** The use of a window in which nothing counts. */
export const NO_USE: WindowUse = { accepted: 0, contracts: contracts(0n), notional: usd6(0n), collateral: usd6(0n) }

const sumOf = (counted: readonly CountedAcceptance[]): WindowUse => counted.reduce(plus, NO_USE)

const plus = (use: WindowUse, one: Omit<WindowUse, 'accepted'>): WindowUse => addUse(use, { ...one, accepted: 1 })

/** The use of a window by two groups of acceptances. */
export const addUse = (one: WindowUse, other: WindowUse): WindowUse => ({
  accepted: one.accepted + other.accepted,
  contracts: contracts(one.contracts + other.contracts),
  notional: usd6(one.notional + other.notional),
  collateral: usd6(one.collateral + other.collateral),
})

const exceeds = (use: WindowUse, window: ProtectionWindow): boolean =>
  isOver(use.accepted, window.maxAccepted) ||
  isOver(use.contracts, window.maxContracts) ||
  isOver(use.notional, window.maxNotional) ||
  isOver(use.collateral, window.maxCollateral)

const isOver = (value: number | bigint, most: number | bigint | null): boolean => most !== null && value > most

/** A trip as figures for programs: dollars, options, and times in ISO 8601. */
export const tripFigures = ({ at, until, window, used, withNext }: ProtectionTrip) => ({
  at: new Date(at).toISOString(),
  until: until === null ? null : new Date(until).toISOString(),
  window: windowFigures(window),
  used: useFigures(used),
  withNext: useFigures(withNext),
})

/** A window as figures for programs. */
export const windowFigures = ({ ms, maxAccepted, maxContracts, maxNotional, maxCollateral }: ProtectionWindow) => ({
  ms,
  maxAccepted,
  maxContracts: maxContracts === null ? null : Number(maxContracts),
  maxNotional: maxNotional === null ? null : usd6ToNumber(maxNotional),
  maxCollateral: maxCollateral === null ? null : usd6ToNumber(maxCollateral),
})

const useFigures = (use: WindowUse) => ({
  accepted: use.accepted,
  contracts: Number(use.contracts),
  notional: usd6ToNumber(use.notional),
  collateral: usd6ToNumber(use.collateral),
})

/** The trip that holds a maker back at a moment, Unix milliseconds; null when none does. */
export const activeTrip = ({ trip }: Pick<ProtectionState, 'trip'>, now: number): ProtectionTrip | null =>
  trip === null || (trip.until !== null && now >= trip.until) ? null : trip

/** Code and sentence of the protection of its maker that a quote violates; null when it keeps within them. */
export function refusalOf(
  { maxQuoteSize, references }: Pick<MakerProtections, 'maxQuoteSize' | 'references'>,
  request: Pick<QuoteRequest, 'seriesId' | 'market'>,
  quote: Pick<Quote, 'price' | 'otherPrice' | 'size'>,
  now: number,
): { code: Extract<ErrorCode, 'outside_protections'>; detail: string } | null {
  const refuse = (detail: string) => ({ code: 'outside_protections' as const, detail })
  if (maxQuoteSize !== null && quote.size > maxQuoteSize) {
    return refuse(`The size ${quote.size} is above the maxQuoteSize ${maxQuoteSize} of the maker's protections.`)
  }
  const reference = referenceOf(references, request)
  if (reference === null) return null
  const { price, maxDeviation, expiresAt } = reference
  if (expiresAt !== null && now >= expiresAt)
    return refuse("The reference price of the maker's protections has expired.")
  const isNear = (one: Usd6) => (one > price ? one - price : price - one) <= maxDeviation
  if (isNear(quote.price) && isNear(quote.otherPrice ?? quote.price)) return null
  return refuse("The price is further from the reference price than the maxDeviation of the maker's protections.")
}

/** The reference price of the series, else of its market. */
function referenceOf(
  references: readonly ReferencePrice[],
  { seriesId, market }: Pick<QuoteRequest, 'seriesId' | 'market'>,
): ReferencePrice | null {
  if (references.length === 0) return null
  const conditionId = market.conditionId.toLowerCase()
  return (
    references.find(({ scope, id }) => scope === 'series' && id === seriesId) ??
    references.find(({ scope, id }) => scope === 'market' && id === conditionId) ??
    null
  )
}

/**
 * Time since which a maker counts as disconnected, Unix milliseconds; null while it is connected. With `any` it needs stream and
 * socket, with `all` one of them is enough.
 */
export function disconnectedSince({ stream, socket }: Absence, channels: 'any' | 'all'): number | null {
  if (channels === 'all') return stream === null || socket === null ? null : Math.max(stream, socket)
  if (stream === null || socket === null) return stream ?? socket
  return Math.min(stream, socket)
}

/** End of the grace of a disconnected maker, Unix milliseconds; null while it is connected. */
export function graceEndOf(absence: Absence, { graceMs, channels }: DisconnectRule): number | null {
  const since = disconnectedSince(absence, channels)
  return since === null ? null : since + graceMs
}
