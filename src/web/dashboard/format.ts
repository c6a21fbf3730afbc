import { optionCode, priceText, shownUsd, usd } from '@rfqctl/lib/format'
import { isPackage, type Option } from '@rfqctl/protocol/domain/option'
import type { RequestTerms } from '@rfqctl/protocol/domain/request'
import { ONE_USD, type Usd6, usd6 } from '@rfqctl/protocol/domain/units'

/** A price per option without its sign, as it is elsewhere: 0.1200. */
export const price = (amount: Usd6): string => priceText(amount).slice(1)

/** Dollars in at most eleven columns (decision U8): $99.96, $1,250.00, and from a million on $12.50M, to the nearest ten thousand. */
export function dollars(amount: Usd6): string {
  if (shownUsd(amount) < 1_000_000n * ONE_USD) return usd(amount)
  return `${usd(usd6(((amount + 5_000n * ONE_USD) / 10_000n / ONE_USD) * 10_000n))}M`
}

/** A strike or a resolution in dollars, of basis points of $1: 0.45, 0.455. */
export const strike = (strikeBps: number): string => (strikeBps / 10_000).toFixed(4).replace(/0{1,2}$/, '')

/** An option: call 0.45; a package in few letters: c40-c60. */
export const optionText = (option: Option): string =>
  isPackage(option) ? optionCode(option) : `${option.optionType} ${strike(option.strikeBps)}`

/** A duration in its two largest units, milliseconds: 7.2s, 42s, 4m 12s, 2h, 3d 4h. What has passed is 0.0s. */
export function duration(ms: number): string {
  if (ms < 10_000) return `${(Math.floor(Math.max(0, ms) / 100) / 10).toFixed(1)}s`
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 60) return `${seconds}s`
  const [largest, next] = UNITS.find(([unit]) => seconds >= unit.seconds) as (typeof UNITS)[number]
  const rest = Math.floor((seconds % largest.seconds) / next.seconds)
  return `${Math.floor(seconds / largest.seconds)}${largest.name}${rest === 0 ? '' : ` ${rest}${next.name}`}`
}

const [DAY, HOUR, MINUTE, SECOND] = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'm', seconds: 60 },
  { name: 's', seconds: 1 },
] as const

/** Units of a duration, each with the next smaller one. */
const UNITS = [
  [DAY, HOUR],
  [HOUR, MINUTE],
  [MINUTE, SECOND],
] as const

/** How long ago something was, in whole seconds at least. */
export const ago = (ms: number): string => (ms < 10_000 ? `${Math.floor(Math.max(0, ms) / 1_000)}s` : duration(ms))

/** A latency: 34ms, 1.2s. */
export const latency = (ms: number | null): string =>
  ms === null ? '-' : ms < 1_000 ? `${Math.round(ms)}ms` : `${(ms / 1_000).toFixed(1)}s`

/** The time of day in UTC, of Unix milliseconds. */
export const clockTime = (at: number): string => new Date(at).toISOString().slice(11, 19)

/** The start of a long id, enough to tell and to type it. */
export const shortId = (id: string): string => id.slice(0, 8)

/** A share in percent. */
export const percent = (share: number | null): string => (share === null ? '-' : `${Math.round(share * 100)}%`)

/** Bytes of memory. */
export const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`

/** What a taker asks for, its budget as it is typed: "buy call 0.45 $100", "sell put 0.50 x100". */
export const termsText = ({ option, trade }: Pick<RequestTerms, 'option' | 'trade'>): string =>
  `${trade.side} ${optionText(option)} ${trade.side === 'buy' ? dollars(trade.budget).replace(/\.00$/, '') : `x${trade.size}`}`

/** When something is, seen from `now`: "in 39m 16s", "30s ago". Unix milliseconds. */
export const when = (at: number, now: number): string =>
  at > now ? `in ${duration(at - now)}` : `${ago(now - at)} ago`

/** A market's question without the words that most begin with: where columns are few, what tells it from others comes first. */
export const marketText = (question: string | null): string =>
  question === null ? '-' : question.replace(/^Will (?:the |an? |(?=\p{Lu}))/u, '')
