import type { TakerMix } from '@rfqctl/agents/bots/session'
import type { StyleName } from '@rfqctl/agents/bots/style'
import { toUsd6 } from '@rfqctl/protocol/domain/decimal'
import {
  type Hex,
  isStrikeBps,
  ONE_USD,
  type ResolutionBps,
  type StrikeBps,
  type Usd6,
  usd6,
} from '@rfqctl/protocol/domain/units'
import { InvalidArgumentError } from 'commander'

/** Milliseconds. */
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** The relay's own bound on a budget (decision U2). */
const MOST_USD = usd6(1_000_000_000_000_000n)

/** Exact, in micro-dollars. */
export function parseUsd(text: string): Usd6 {
  const value = usdUpTo(MOST_USD, text)
  if (value !== null) return value
  throw new InvalidArgumentError('Expected dollars from 0.000001 to 1000000000, such as 100 or 0.25.')
}

/** At most a dollar: an option pays no more. */
export function parsePrice(text: string): Usd6 {
  const value = usdUpTo(ONE_USD, text)
  if (value !== null) return value
  throw new InvalidArgumentError('Expected dollars per option from 0.000001 to 1, such as 0.25.')
}

/** Percent as a ratio: 80 is 0.8. */
export function parseVolatility(text: string): number {
  const value = Number(text.replace(/%$/, '')) / 100
  if (/^\d{1,4}(\.\d{1,4})?%?$/.test(text) && value > 0) return value
  throw new InvalidArgumentError('Expected a volatility in percent, above 0 and below 10000, such as 80.')
}

function usdUpTo(most: Usd6, text: string): Usd6 | null {
  const value = /^\d{1,10}(\.\d{1,6})?$/.test(text) ? toUsd6(Number(text), 'down') : null
  return value === null || value <= 0n || value > most ? null : value
}

/** In micro-dollars; 0: no fee. */
export const parseFee = (text: string): Usd6 => (/^0(\.0{1,6})?$/.test(text) ? usd6(0n) : parseUsd(text))

/** Gwei as wei. */
export const parseGwei = (text: string): bigint => parseUnits(text, 9, 'Expected a price in gwei such as 100 or 1.5.')

/** Coin as wei. */
export const parseCoin = (text: string): bigint => parseUnits(text, 18, 'Expected a sum of the coin such as 5 or 0.25.')

/** A decimal text in units of 10^-decimals, exact and above 0. */
function parseUnits(text: string, decimals: number, expected: string): bigint {
  const [, whole, fraction = ''] = /^(\d{1,9})(?:\.(\d{1,18}))?$/.exec(text) ?? []
  const value = fraction.length > decimals ? 0n : BigInt(`${whole ?? 0}${fraction.padEnd(decimals, '0')}`)
  if (value === 0n) throw new InvalidArgumentError(expected)
  return value
}

/** A whole number above 0. */
export function parseCount(text: string): number {
  const value = Number(text)
  if (!/^\d{1,9}$/.test(text) || value < 1) throw new InvalidArgumentError('Expected a whole number above 0.')
  return value
}

/** Whole dollars; `none` is 0. */
export function parseCap(text: string): Usd6 {
  if (text === 'none') return usd6(0n)
  if (!/^[1-9]\d{0,12}$/.test(text)) {
    throw new InvalidArgumentError('Expected whole dollars from 1 to 9999999999999 such as 250000, or none.')
  }
  return usd6(BigInt(text) * 1_000_000n)
}

/** Some chain ids have ten digits. */
export function parseChainId(text: string): number {
  const value = Number(text)
  if (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(value)) return value
  throw new InvalidArgumentError('Expected the id of a chain: a whole number, 1 to 2^53 - 1.')
}

/** Exact as a JSON number. */
export function parseNonce(text: string): number {
  const value = Number(text)
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError('Expected a nonce: a whole number, 0 to 2^53 - 1.')
  }
  return value
}

/** `quantity` is negative for a sold leg; `series` is what `find` of a listing takes. */
export type LegText = { quantity: number; series: string }

/** Repeatable: +1@1 or -2@norvik-c45, appended to the legs before it. */
export function parseLeg(text: string, before: readonly LegText[] = []): LegText[] {
  const [, quantity, series = ''] = /^([+-]?[1-4])@(\S{1,100})$/.exec(text) ?? []
  if (quantity === undefined) {
    throw new InvalidArgumentError('Expected how often and which series, such as +1@1, -2@3 or +1@norvik-c45.')
  }
  return [...before, { quantity: Number(quantity), series: /^\d{1,6}$/.test(series) ? `@${series}` : series }]
}

/** A whole number, 0 or more. */
export function parseSeed(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.')
  return Number(text)
}

/** 1 is real time, 0.5 leaves as much time again for reading. */
export function parseSpeed(text: string): number {
  const value = Number(text)
  if (!/^[01](\.\d{1,2})?$/.test(text) || value < 0.1 || value > 1) {
    throw new InvalidArgumentError('Expected a speed between 0.1 and 1.')
  }
  return value
}

export function parsePort(text: string): number {
  const value = Number(text)
  if (!/^\d{1,5}$/.test(text) || value > 65_535) throw new InvalidArgumentError('Expected a port, 0 to 65535.')
  return value
}

/** A month of UTC, as it is written. */
export function parseMonth(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('Expected a month such as 2027-01.')
  return text
}

/** A day of UTC, as the Unix seconds of its start. */
export function parseDate(text: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(text))
    throw new InvalidArgumentError('Expected a day such as 2026-01-31.')
  return ms / 1_000
}

/** 90s, 30m, 1h or 2d, in milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? []
  const ms = Math.round(Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS])
  if (!(ms > 0)) throw new InvalidArgumentError('Expected a duration such as 90s, 30m, 1h or 2d.')
  return ms
}

/** In milliseconds; never is Infinity, since commander turns null into an empty text. */
export const parseDurationOrNever = (text: string): number =>
  text === 'never' ? Number.POSITIVE_INFINITY : parseDuration(text)

/** `longest` is written as a duration, such as 30d. */
export const parseDurationUpTo = (longest: string) => {
  const longestMs = parseDuration(longest)
  return (text: string): number => {
    const ms = parseDuration(text)
    if (ms > longestMs) throw new InvalidArgumentError(`Expected at most ${longest}.`)
    return ms
  }
}

/** UTC in ISO 8601 to the minute or finer, as Unix milliseconds. */
export function parseUtcTime(text: string): number {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw new InvalidArgumentError('Expected a time in UTC such as 2026-12-01T00:00Z.')
  return time
}

export function parseUint256Text(text: string): string {
  if (/^\d{1,78}$/.test(text) && BigInt(text) < 2n ** 256n) return BigInt(text).toString()
  throw new InvalidArgumentError('Expected the decimal id of a token.')
}

/** 32 bytes, as of a transaction or a condition. */
export function parseHash(text: string): Hex {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) throw new InvalidArgumentError('Expected a hash: 0x and 64 hex digits.')
  return text.toLowerCase() as Hex
}

/** In hundredths of a percent of $1. */
export function parseStrikeBps(text: string): StrikeBps {
  const value = Number(text)
  if (!/^\d{1,4}$/.test(text) || !isStrikeBps(value)) throw new InvalidArgumentError('Expected a strike, 1 to 9999.')
  return value
}

/** Dollars in whole cents, at most 1 (decision U3). */
export function parseResolution(text: string): ResolutionBps {
  const [, whole, cents = ''] = /^([01])(?:\.(\d{1,2}))?$/.exec(text) ?? []
  const value = Number(whole) * 100 + Number(cents.padEnd(2, '0'))
  if (!(value <= 100)) throw new InvalidArgumentError('Expected the price of a YES token in whole cents, such as 0.59.')
  return value as ResolutionBps
}

export function parsePostgresUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) {
    throw new InvalidArgumentError('Expected a Postgres URL such as postgres://host/database.')
  }
  return text
}

/** Repeated here: help must not load the bots for their names. */
export const STYLE_NAMES = Object.keys({
  tight: 0,
  wide: 0,
  skewed: 0,
  requoting: 0,
  protected: 0,
  flaky: 0,
  silent: 0,
  late: 0,
  declining: 0,
  'bad-signature': 0,
  insolvent: 0,
} satisfies Record<StyleName, 0>) as StyleName[]

export function parseStyles(text: string): StyleName[] {
  return text.split(',').map((name) => {
    const style = STYLE_NAMES.find((candidate) => candidate === name.trim())
    if (style === undefined) throw new InvalidArgumentError(`Expected one or more of ${STYLE_NAMES.join(', ')}.`)
    return style
  })
}

/** Requests per second, up to 1000; fractions are allowed. */
export function parseRate(text: string): number {
  const rate = Number(text)
  if (!/^\d{1,4}(\.\d{1,3})?$/.test(text) || rate <= 0 || rate > 1_000) {
    throw new InvalidArgumentError('Expected a rate such as 0.5 or 20.')
  }
  return rate
}

const MIX_PARTS = ['buy', 'sell', 'cancel'] as const

/** Shares in any whole numbers: buy=60,sell=25,cancel=15. A taker that cancels also asks to buy or sell. */
export function parseMix(text: string): Pick<TakerMix, 'buyShare' | 'walkAwayShare'> {
  const shares = { buy: 0, sell: 0, cancel: 0 }
  for (const part of text.split(',')) {
    const [, name, share] = /^(\w+)=(\d{1,6})$/.exec(part.trim()) ?? []
    const known = MIX_PARTS.find((candidate) => candidate === name)
    if (known === undefined) throw new InvalidArgumentError('Expected shares such as buy=60,sell=25,cancel=15.')
    shares[known] = Number(share)
  }
  const { buy, sell, cancel } = shares
  if (buy + sell === 0) throw new InvalidArgumentError('The share of buy or sell must be above 0.')
  return { buyShare: buy / (buy + sell), walkAwayShare: cancel / (buy + sell + cancel) }
}

/** Whole milliseconds, 0 or more. */
export function parseLatency(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Expected a whole number of milliseconds.')
  return Number(text)
}
