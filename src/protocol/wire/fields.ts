import { parseAddress } from '../domain/address.ts'
import { toUsd6, usd6ToNumber } from '../domain/decimal.ts'
import type { Side } from '../domain/request.ts'
import { isPlainText, safeText } from '../domain/safe-text.ts'
import { parseUint256 } from '../domain/series.ts'
import { type Address, type Contracts, contracts, type Hex, type Usd6 } from '../domain/units.ts'
import { invalidField } from './reader.ts'
import { ADDRESS } from './schemas.ts'

/** A price nearer to zero than this is noise of a model around zero, and is not rounded away from it. */
const PRICE_NOISE = 1e-9

export const MAX_QUESTION_LENGTH = 300

/** Addresses that are remembered: two megabytes of them, more than any relay has makers. */
const KNOWN_ADDRESSES = 10_000

const UINT256 = 'a uint256 in decimal digits'
const PLAIN_TEXT = 'characters that can be seen, without control, direction or zero-width characters'
const QUESTION = `at most ${MAX_QUESTION_LENGTH} ${PLAIN_TEXT}`

/** Texts that were found to be addresses, with what they mean. */
const knownAddresses = new Map<string, Address>()

/** An address in its checksummed form. A maker sends the same one with each quote: remembered, it costs 0.1 µs, not 1.5. */
export function decodeAddress(text: string, field: string): Address {
  const known = knownAddresses.get(text)
  if (known !== undefined) return known
  const address = parseAddress(text)
  if (address === null) throw invalidField(field, ADDRESS, text)
  if (knownAddresses.size >= KNOWN_ADDRESSES) knownAddresses.clear()
  knownAddresses.set(text, address)
  return address
}

export function decodeUint256(text: string, field: string): string {
  const value = parseUint256(text)
  if (value === null) throw invalidField(field, UINT256, text)
  return value
}

/** A bytes32 that its schema has checked, in lower case (decision U6). */
export const decodeBytes32 = (text: string): Hex => text.toLowerCase() as Hex

/** Strangers' text that is shown to people; null if absent. */
export function decodeQuestion(text: string | null | undefined, field: string): string | null {
  if (text === null || text === undefined || text === '') return null
  if ([...text].length > MAX_QUESTION_LENGTH || !isPlainText(text)) throw invalidField(field, QUESTION, text)
  return text
}

/** A question that a relay accepted by the rules of its time, made safe to show; null if absent. */
export function shownQuestion(text: string | null | undefined): string | null {
  if (text === null || text === undefined || text === '') return null
  return isPlainText(text) ? text : safeText(text)
}

/** Text of an operator that is shown to people: something, and at most `max` characters of it. */
export function decodePlainText(text: string, field: string, max: number): string {
  if (text.trim() !== '' && [...text].length <= max && isPlainText(text)) return text
  throw invalidField(field, `1 to ${max} ${PLAIN_TEXT}`, text)
}

/** A name that its owner gave something, shown to people; empty if absent. */
export function decodeLabel(text: string | null | undefined, field: string, max: number): string {
  if (text === null || text === undefined) return ''
  if ([...text].length <= max && isPlainText(text)) return text
  throw invalidField(field, `at most ${max} ${PLAIN_TEXT}`, text)
}

export const decodeContracts = (count: number): Contracts => contracts(BigInt(count))

/** A price in micro-dollars, rounded in the maker's favour: up when it sells, down when it buys (decision U2). */
export function decodePrice(price: number, takerSide: Side, field: string): Usd6 {
  const isNoise = Math.abs(price) < PRICE_NOISE
  return decodeUsd6(price, takerSide === 'buy' && !isNoise ? 'up' : 'down', field)
}

export function decodeUsd6(dollars: number, rounding: 'up' | 'down' | 'half-up', field: string): Usd6 {
  const amount = toUsd6(dollars, rounding)
  if (amount === null) throw invalidField(field, 'a number of dollars', dollars)
  return amount
}

/** An amount that may not be known. */
export const encodeAmount = (amount: Usd6 | null): number | null => (amount === null ? null : usd6ToNumber(amount))

export const decodeAmount = (dollars: number | null, field: string): Usd6 | null =>
  dollars === null ? null : decodeUsd6(dollars, 'half-up', field)

export function decodeTime(text: string, field: string): number {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw invalidField(field, 'a time in ISO 8601', text)
  return time
}

export const encodeTime = (time: number): string => new Date(time).toISOString()
