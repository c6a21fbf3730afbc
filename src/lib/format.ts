import { formatUsd6, usdText } from '@rfqctl/protocol/domain/decimal'
import { isPackage, type Leg, legsOf, type Option } from '@rfqctl/protocol/domain/option'
import { type Contracts, ONE_USD, type Usd6, usd6 } from '@rfqctl/protocol/domain/units'

/** An amount as people read it (decision U8): to the nearest cent from a dollar on, halves away from zero; exact below. */
export function shownUsd(amount: Usd6): Usd6 {
  const magnitude = amount < 0n ? -amount : amount
  if (magnitude < ONE_USD) return amount
  const rounded = ((magnitude + 5_000n) / 10_000n) * 10_000n
  return usd6(amount < 0n ? -rounded : rounded)
}

/** `amount` less `other`, so that a reader who subtracts one from the other as they are shown gets what is shown; exact where it is small. */
export function shownRest(amount: Usd6, other: Usd6): Usd6 {
  const rest = usd6(amount - other)
  return shownUsd(rest) === rest ? rest : usd6(shownUsd(amount) - shownUsd(other))
}

/** Micro-dollars for people (decision U8): $1,234.50, $0.0432. */
export const usd = (amount: Usd6): string => usdText(shownUsd(amount))

/** Micro-dollars where each of them counts (decision U8): what is signed, approved, compared or checked. $1,234.50, $99.9990. */
export const exactUsd = (amount: Usd6): string => usdText(amount)

/** A price per option for people, in one form wherever several stand under each other: $0.1760, $0.1719. */
export const priceText = (amount: Usd6): string => usdText(amount, 4)

/** A gain or a loss for people, as an amount is shown: +$12.30, -$0.0716. */
export function gain(amount: Usd6): string {
  const text = usd(amount)
  return text.startsWith('-') ? text : `+${text}`
}

/** Wei of a chain's coin for people: 0.000123, to the micro-coin and rounded up. */
export function coin(wei: bigint): string {
  const micro = (wei + 999_999_999_999n) / 1_000_000_000_000n
  return formatUsd6(usd6(micro))
}

/** A strike for people: 4500 is $0.45. */
export const strike = (strikeBps: number): string => `$${(strikeBps / 10_000).toFixed(4).replace(/00$/, '')}`

/** An option for people: call $0.45; a package by its legs: +1 call $0.40 -1 call $0.60. */
export const optionText = (option: Option): string =>
  isPackage(option)
    ? option.legs.map((leg) => `${leg.quantity > 0 ? '+' : ''}${leg.quantity} ${optionText(leg)}`).join(' ')
    : `${option.optionType} ${strike(option.strikeBps)}`

/** An option in few letters, as in the names of series: c45, p52_5; a package: c40-2c50+c60. */
export const optionCode = (option: Option): string => legsOf(option).map(legCode).join('')

function legCode({ optionType, strikeBps, quantity }: Leg, index: number): string {
  const sign = quantity < 0 ? '-' : index > 0 ? '+' : ''
  const count = Math.abs(quantity) === 1 ? '' : Math.abs(quantity)
  return `${sign}${count}${optionType === 'call' ? 'c' : 'p'}${`${strikeBps / 100}`.replace('.', '_')}`
}

/** A number of options for people: 50 call $0.45, 50 (+1 call $0.40 -1 call $0.60). */
export const optionsText = (amount: Contracts, option: Option): string =>
  `${amount} ${isPackage(option) ? `(${optionText(option)})` : optionText(option)}`

/** A resolution price for people: 59 is $0.59 (decision U3: not the scale of a strike). */
export const resolution = (resolutionBps: number): string => `$${(resolutionBps / 100).toFixed(2)}`

/** The price of a market's YES token for people; a dash where none is known. */
export const yesPriceText = (market: { yesPrice: number | null } | undefined): string =>
  market?.yesPrice == null ? '-' : `$${market.yesPrice.toFixed(2)}`

/** The start of a long id, enough to tell and to type it. */
export const shortId = (id: string): string => (id.length <= 10 ? id : `${id.slice(0, 8)}…`)

/** A duration for people in its two largest units: 1h 30m, 2d, 850ms. Milliseconds. */
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

/** When something is, seen from `now`: "in 2h", "3d ago". Unix milliseconds. */
export const when = (at: number, now: number): string =>
  at >= now ? `in ${duration(at - now)}` : `${duration(now - at)} ago`

/** A chain whose time was moved, as in a sandbox; null within a minute of the clock, which is the rounding of blocks. */
export const chainAheadText = (aheadMs: number): string | null =>
  aheadMs < 60_000 ? null : `chain time is ${duration(aheadMs)} ahead of the clock`

/** A count with its noun: 1 maker, 3 makers. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
