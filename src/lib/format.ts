import { formatUsd6, grouped, usdText } from '@rfqctl/protocol/domain/decimal'
import { isPackage, type Leg, legsOf, type Option } from '@rfqctl/protocol/domain/option'
import type { RequestTerms } from '@rfqctl/protocol/domain/request'
import { type Contracts, ONE_USD, type Usd6, usd6 } from '@rfqctl/protocol/domain/units'

/** A column has a heading and little room: it omits signs and zeros. */
type Place = 'sentence' | 'column'

/**
 * An amount as shown to people (decision U8): to the nearest cent from a dollar on, halves away from zero; exact below.
 */
export function shownUsd(amount: Usd6): Usd6 {
  const magnitude = amount < 0n ? -amount : amount
  if (magnitude < ONE_USD) return amount
  const rounded = ((magnitude + 5_000n) / 10_000n) * 10_000n
  return usd6(amount < 0n ? -rounded : rounded)
}

/** `amount` less `other`, such that the shown figures subtract to the shown result; exact where it is small. */
export function shownRest(amount: Usd6, other: Usd6): Usd6 {
  const rest = usd6(amount - other)
  return shownUsd(rest) === rest ? rest : usd6(shownUsd(amount) - shownUsd(other))
}

/**
 * Micro-dollars for people (decision U8): $1,234.50, $0.0432; a column rounds a million and more to the nearest ten
 * thousand, $12.50M.
 */
export function usd(amount: Usd6, place: Place = 'sentence'): string {
  const shown = shownUsd(amount)
  if (place === 'sentence' || shown < 1_000_000n * ONE_USD) return usdText(shown)
  return `${usdText(usd6(((amount + 5_000n * ONE_USD) / 10_000n / ONE_USD) * 10_000n))}M`
}

/**
 * Micro-dollars to the last one (decision U8), for sums that are signed, approved, compared or checked: $1,234.50,
 * $99.9990.
 */
export const exactUsd = (amount: Usd6): string => usdText(amount)

/** A price per option in one form wherever prices are stacked: $0.1760, $0.1719; in a column 0.1760. */
export const priceText = (amount: Usd6, place: Place = 'sentence'): string =>
  usdText(amount, 4).slice(place === 'column' ? 1 : 0)

/** A mark, to the nearest hundredth of a cent: an estimate is no more exact than the prices beside it. */
export const markText = (mark: Usd6, place?: Place): string => priceText(usd6(((mark + 50n) / 100n) * 100n), place)

/** Rounded like an amount: +$12.30, -$0.0716. */
export function gain(amount: Usd6): string {
  const text = usd(amount)
  return text.startsWith('-') ? text : `+${text}`
}

/** Wei of a chain's coin, rounded up to the micro-coin: 0.000123. */
export function coin(wei: bigint): string {
  const micro = (wei + 999_999_999_999n) / 1_000_000_000_000n
  return formatUsd6(usd6(micro))
}

/** A strike for people: 4500 is $0.45, 4550 is $0.4550; in a column 0.45, 0.455. */
export function strike(strikeBps: number, place: Place = 'sentence'): string {
  const text = (strikeBps / 10_000).toFixed(4)
  return place === 'sentence' ? `$${text.replace(/00$/, '')}` : text.replace(/0{1,2}$/, '')
}

/** An option for people: call $0.45; a package by its legs: +1 call $0.40 -1 call $0.60. In a column call 0.45, and c40-c60. */
export function optionText(option: Option, place: Place = 'sentence'): string {
  if (!isPackage(option)) return `${option.optionType} ${strike(option.strikeBps, place)}`
  if (place === 'column') return optionCode(option)
  return option.legs.map((leg) => `${leg.quantity > 0 ? '+' : ''}${leg.quantity} ${optionText(leg)}`).join(' ')
}

/** A short code as in the names of series: c45, p52_5; a package: c40-2c50+c60. */
export const optionCode = (option: Option): string => legsOf(option).map(legCode).join('')

function legCode({ optionType, strikeBps, quantity }: Leg, index: number): string {
  const sign = quantity < 0 ? '-' : index > 0 ? '+' : ''
  const count = Math.abs(quantity) === 1 ? '' : Math.abs(quantity)
  return `${sign}${count}${optionType === 'call' ? 'c' : 'p'}${`${strikeBps / 100}`.replace('.', '_')}`
}

/** 50 call $0.45, 50 (+1 call $0.40 -1 call $0.60). */
export const optionsText = (amount: Contracts, option: Option): string =>
  `${amount} ${isPackage(option) ? `(${optionText(option)})` : optionText(option)}`

/** The taker's terms, a budget as typed: "buy call 0.45 $100", "sell put 0.50 x100". */
export const termsText = ({ option, trade }: Pick<RequestTerms, 'option' | 'trade'>): string =>
  `${trade.side} ${optionText(option, 'column')} ${trade.side === 'buy' ? usd(trade.budget, 'column').replace(/\.00$/, '') : `x${trade.size}`}`

/** A market's question without its common first words: narrow columns need the distinctive ones first. */
export const marketText = (question: string | null): string =>
  question === null ? '-' : question.replace(/^Will (?:the |an? |(?=\p{Lu}))/u, '')

/** A title: Call $0.50; a package by its traders' name: Call spread $0.45 / $0.60. */
export function optionName(option: Option): string {
  if (!isPackage(option)) return capital(optionText(option))
  const strikes = legsOf(option).map(({ strikeBps }) => strike(strikeBps))
  return `${packageName(option.legs)} ${[...new Set(strikes)].join(' / ')}`
}

function packageName(legs: readonly Leg[]): string {
  const [first, second] = legs
  if (legs.length !== 2 || first === undefined || second === undefined) return 'Package'
  const quantities = `${first.quantity} ${second.quantity}`
  if (first.optionType === second.optionType) {
    const isSpread = quantities === '1 -1' || quantities === '-1 1'
    return isSpread ? `${capital(first.optionType)} spread` : 'Package'
  }
  if (quantities !== '1 1') return 'Package'
  return first.strikeBps === second.strikeBps ? 'Straddle' : 'Strangle'
}

/** Legs as + 1 call $0.45, − 1 call $0.60; null for a single option. */
export const legsText = (option: Option): string | null =>
  isPackage(option)
    ? option.legs.map((leg) => `${leg.quantity > 0 ? '+' : '−'}${Math.abs(leg.quantity)} ${optionText(leg)}`).join(', ')
    : null

/** A YES price in hundredths of $1, written like a strike: $0.55, $0.4592. */
export const centsText = (price: number): string => strike(price * 100)

/** A resolution price for people: 59 is $0.59 (decision U3: not the scale of a strike). */
export const resolution = (resolutionBps: number): string => `$${(resolutionBps / 100).toFixed(2)}`

/** A dash if it is unknown. */
export const yesPriceText = (market: { yesPrice: number | null } | undefined): string =>
  market?.yesPrice == null ? '-' : `$${market.yesPrice.toFixed(2)}`

/** A dash if there is none. */
export const percent = (share: number | null): string => (share === null ? '-' : `${Math.round(share * 100)}%`)

/**
 * The start of a long id, enough to distinguish it. A column omits the ellipsis, so that the id can be typed as shown.
 */
export const shortId = (id: string, place: Place = 'sentence'): string =>
  id.length <= 10 ? id : `${id.slice(0, 8)}${place === 'sentence' ? '…' : ''}`

/** The two largest units: 1h 30m, 2d, 850ms. Milliseconds. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`
  const seconds = Math.round(ms / 1_000)
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor((seconds % 86_400) / 3_600), 'h'],
    [Math.floor((seconds % 3_600) / 60), 'm'],
    [seconds % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ')
}

/**
 * Remaining time, milliseconds. Below ten seconds it shows tenths, as whole seconds would seem to stand still: 7.2s;
 * else a duration.
 */
export const countdown = (ms: number): string =>
  ms < 10_000 ? `${(Math.floor(Math.max(0, ms) / 100) / 10).toFixed(1)}s` : duration(ms)

/** Answer times in comparable form: 34ms, 1.2s, 42s; a dash if there was no answer. */
export const latency = (ms: number | null): string =>
  ms === null ? '-' : ms < 1_000 || ms >= 9_950 ? duration(ms) : `${(ms / 1_000).toFixed(1)}s`

/** At least a second: clocks differ by less, and a screen is not redrawn more often. */
export const age = (ms: number): string => duration(Math.max(1_000, ms))

/** Relative to `now`: "in 2h", "3d ago". Unix milliseconds. */
export const when = (at: number, now: number): string =>
  at > now ? `in ${duration(at - now)}` : `${age(now - at)} ago`

/** UTC time of day of Unix milliseconds: 09:05:07. */
export const clockTime = (at: number): string => new Date(at).toISOString().slice(11, 19)

/** UTC hour and minute of Unix milliseconds: 09:05. */
export const minuteTime = (at: number): string => clockTime(at).slice(0, 5)

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const DAY_MS = 86_400_000

/** An expiry among others, Unix seconds, in UTC; `now` is Unix milliseconds: Today 15:40, Tomorrow 12:00, 29 Nov 12:00. */
export function expiryText(expiry: number, now: number): string {
  const days = Math.floor((expiry * 1_000) / DAY_MS) - Math.floor(now / DAY_MS)
  const day = days === 0 ? 'Today' : days === 1 ? 'Tomorrow' : DAY.format(expiry * 1_000)
  return `${day} ${minuteTime(expiry * 1_000)}`
}

/** Unix seconds: 2 Jun, 12:00 UTC. */
export const timeText = (seconds: number): string =>
  `${DAY.format(seconds * 1_000)}, ${minuteTime(seconds * 1_000)} UTC`

/** For records, Unix seconds, in UTC: 2 Jun 2026. */
export const dayText = (seconds: number): string =>
  `${DAY.format(seconds * 1_000)} ${new Date(seconds * 1_000).getUTCFullYear()}`

/** 2 Jun 2026, 12:00 UTC. */
export const dateText = (seconds: number): string =>
  `${dayText(seconds)}, ${clockTime(seconds * 1_000).slice(0, 5)} UTC`

/** For a chain whose time was moved, as in a sandbox; null within a minute of the clock, the rounding of blocks. */
export const chainAheadText = (aheadMs: number): string | null =>
  aheadMs < 60_000 ? null : `chain time is ${duration(aheadMs)} ahead of the clock`

/** Grouped: 2,510. */
export const count = (amount: bigint): string => grouped(`${amount}`)

/** 0x1111…1111. */
export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
