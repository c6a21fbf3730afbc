import { usd6ToNumber } from './decimal.ts'
import type { ErrorCode } from './errors.ts'
import { collateral } from './option.ts'
import type { Order } from './order.ts'
import type { Quote } from './quote.ts'
import type { QuoteRequest, RequestedOption } from './request.ts'
import { type Contracts, contracts, type Usd6, usd6 } from './units.ts'

/** What a maker has the relay hold for it. Null or empty turns a protection off. */
export type MakerProtections = {
  /**
   * Withdraws its quotes `graceMs` milliseconds after it disconnected: `channels` says whether from `any` of stream and socket or
   * from `all`.
   */
  cancelOnDisconnect: { graceMs: number; channels: 'any' | 'all' } | null
  /** What takers may take in a time. */
  windows: readonly ProtectionWindow[]
  /** How long a trip lasts, milliseconds; null: until it is reset. */
  freezeMs: number | null
  /** The largest size of a quote, in options. */
  maxQuoteSize: Contracts | null
  /** The prices that its quotes must stay near to. */
  references: readonly ReferencePrice[]
}

/** When the quotes of a maker go that disconnects. */
export type DisconnectRule = NonNullable<MakerProtections['cancelOnDisconnect']>

/** The most that takers may take in any `ms` milliseconds; null: no bound. */
export type ProtectionWindow = {
  /** Its length, milliseconds. */
  ms: number
  /** Orders. */
  maxAccepted: number | null
  /** Options. */
  maxContracts: Contracts | null
  /** Premiums, micro-dollars. */
  maxNotional: Usd6 | null
  /** What the maker locks as a writer, micro-dollars. */
  maxCollateral: Usd6 | null
}

/** A maker's own price of an option, for one series or for all series of a market. */
export type ReferencePrice = {
  /** Whether `id` is that of a series or of a market. */
  scope: 'series' | 'market'
  /** A seriesId, or a condition id in lower case. */
  id: string
  /** Micro-dollars per option. */
  price: Usd6
  /** How far a quote may be from it, micro-dollars. */
  maxDeviation: Usd6
  /** When it is too old, Unix milliseconds: then quotes on it are refused. Null: never. */
  expiresAt: number | null
}

/** What was accepted of a maker, in the measures of a window. */
export type WindowUse = {
  /** Orders. */
  accepted: number
  /** Options. */
  contracts: Contracts
  /** Premiums, micro-dollars. */
  notional: Usd6
  /** What the maker locks as a writer, micro-dollars. */
  collateral: Usd6
}

/** An acceptance that counts; `at` in Unix milliseconds. `isProven`: its taker has proved whose wallet it is (decision C16). */
export type CountedAcceptance = Omit<WindowUse, 'accepted'> & { at: number; isProven: boolean }

/**
 * What one more acceptance is to the windows of its maker. `unproven`: it would be too much for takers that have proved no wallet,
 * which is refused and trips nothing.
 */
export type WindowVerdict = { kind: 'within' } | { kind: 'unproven' } | { kind: 'tripped'; trip: ProtectionTrip }

/** A window that was about to be exceeded, and with it the maker's protections. Times are Unix milliseconds. */
export type ProtectionTrip = {
  /** When it tripped. */
  at: number
  /** When it ends by itself; null: when the maker resets it. */
  until: number | null
  /** The window. */
  window: ProtectionWindow
  /** What was accepted in the window. */
  used: WindowUse
  /** What would have been, with the order that was not offered. */
  withNext: WindowUse
}

/** A maker's protections as they stand; `version` rises with every change. */
export type ProtectionState = {
  makerId: string
  version: number
  protections: MakerProtections
  /** The last trip, also one that is over. */
  trip: ProtectionTrip | null
}

/** Since when a maker has no connection of a channel, Unix milliseconds; null: it has one. */
export type Absence = { stream: number | null; socket: number | null }

/** The longest window and freeze, milliseconds: acceptances are counted for a day. */
export const MAX_WINDOW_MS = 24 * 3_600_000

/** How many windows and reference prices a maker may have. */
export const MAX_WINDOWS = 8
export const MAX_REFERENCES = 32

/** The protections of a maker that has put none. */
export const NO_PROTECTIONS: MakerProtections = {
  cancelOnDisconnect: null,
  windows: [],
  freezeMs: null,
  maxQuoteSize: null,
  references: [],
}

/** What an order adds to the windows of its maker. A maker that buys locks nothing. */
export function countOrder(
  { order, option, proven = false }: { order: Order; option: RequestedOption; proven?: boolean },
  at: number,
): CountedAcceptance {
  const { optionAmount, premiumAmount, makerSelling } = order
  const locked = makerSelling ? collateral(option, optionAmount) : usd6(0n)
  return { at, contracts: optionAmount, notional: premiumAmount, collateral: locked, isProven: proven }
}

/**
 * What one more acceptance is to every window. Takers that have proved no wallet have a quarter of each together, and trip none: anyone
 * may name any wallet, and must not be able to shut a maker by it.
 */
export function judgeWindows(
  { windows, freezeMs }: Pick<MakerProtections, 'windows' | 'freezeMs'>,
  counted: readonly CountedAcceptance[],
  next: CountedAcceptance,
): WindowVerdict {
  for (const window of windows) {
    const within = counted.filter(({ at }) => at > next.at - window.ms)
    const used = sumOf(within)
    const withNext = plus(used, next)
    if (!next.isProven) {
      const unproven = plus(sumOf(within.filter(({ isProven }) => !isProven)), next)
      if (exceeds(unproven, quarterOf(window)) || exceeds(withNext, window)) return { kind: 'unproven' }
    } else if (exceeds(withNext, window)) {
      const until = freezeMs === null ? null : next.at + freezeMs
      return { kind: 'tripped', trip: { at: next.at, until, window, used, withNext } }
    }
  }
  return { kind: 'within' }
}

/** A quarter of each bound, rounded down: of three orders there is none. */
const quarterOf = ({
  maxAccepted,
  maxContracts,
  maxNotional,
  maxCollateral,
  ms,
}: ProtectionWindow): ProtectionWindow => ({
  ms,
  maxAccepted: maxAccepted === null ? null : Math.floor(maxAccepted / 4),
  maxContracts: maxContracts === null ? null : contracts(maxContracts / 4n),
  maxNotional: maxNotional === null ? null : usd6(maxNotional / 4n),
  maxCollateral: maxCollateral === null ? null : usd6(maxCollateral / 4n),
})

const sumOf = (counted: readonly CountedAcceptance[]): WindowUse =>
  counted.reduce(plus, { accepted: 0, contracts: contracts(0n), notional: usd6(0n), collateral: usd6(0n) })

function plus(use: WindowUse, one: Omit<WindowUse, 'accepted'>): WindowUse {
  return {
    accepted: use.accepted + 1,
    contracts: contracts(use.contracts + one.contracts),
    notional: usd6(use.notional + one.notional),
    collateral: usd6(use.collateral + one.collateral),
  }
}

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

/** Why a quote is outside its maker's own protections, as a code and a sentence; null when it is not. */
export function refusalOf(
  { maxQuoteSize, references }: Pick<MakerProtections, 'maxQuoteSize' | 'references'>,
  request: Pick<QuoteRequest, 'seriesId' | 'market'>,
  quote: Pick<Quote, 'price' | 'size'>,
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
  const deviation = quote.price > price ? quote.price - price : price - quote.price
  if (deviation <= maxDeviation) return null
  return refuse("The price is further from the reference price than the maxDeviation of the maker's protections.")
}

/** That of the series, else that of its market. */
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
 * Since when a maker counts as disconnected, Unix milliseconds; null while it is connected. With `any` it needs stream and
 * socket, with `all` one of them is enough.
 */
export function disconnectedSince({ stream, socket }: Absence, channels: 'any' | 'all'): number | null {
  if (channels === 'all') return stream === null || socket === null ? null : Math.max(stream, socket)
  if (stream === null || socket === null) return stream ?? socket
  return Math.min(stream, socket)
}

/** When the grace of a maker ends that is disconnected, Unix milliseconds; null while it is connected. */
export function graceEndOf(absence: Absence, { graceMs, channels }: DisconnectRule): number | null {
  const since = disconnectedSince(absence, channels)
  return since === null ? null : since + graceMs
}
