import { parseAddress } from '@rfqctl/protocol/domain/address'
import { toUsd6 } from '@rfqctl/protocol/domain/decimal'
import { EXPLORER_URL } from '@rfqctl/protocol/domain/explorer'
import { MAX_PARTNER_BPS, type PartnerFee, parsePartnerFee } from '@rfqctl/protocol/domain/partner-fee'
import type { Address, Hex, Usd6 } from '@rfqctl/protocol/domain/units'

/** The fault ends a sentence, as in "PORT is not a port", and never quotes the text. */
export type Parsed<Value> = { value: Value } | { fault: string }

export type Parser<Value> = (text: string) => Parsed<Value>

/** Longest delay of a Node timer; a longer one fires at once. */
const MAX_TIMER_MS = 2_147_483_647

/** Order of the secp256k1 group. @see SEC 2, section 2.4.1 */
const GROUP_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

export const parseText: Parser<string> = (text) => ({ value: text })

/** Both bounds are included. */
export const integer =
  (min: number, max: number): Parser<number> =>
  (text) => {
    const value = Number(text)
    return /^\d+$/.test(text) && value >= min && value <= max
      ? { value }
      : { fault: `is not an integer from ${min} to ${max}` }
  }

/** Milliseconds, at most the longest delay of a timer. */
export const duration = (min: number): Parser<number> => integer(min, MAX_TIMER_MS)

export const choice =
  <const Choice extends string>(choices: readonly Choice[]): Parser<Choice> =>
  (text) => {
    const value = choices.find((choice) => choice === text)
    return value === undefined ? { fault: `is not one of ${choices.join(', ')}` } : { value }
  }

export const parseSwitch: Parser<boolean> = (text) =>
  text === 'true' || text === 'false' ? { value: text === 'true' } : { fault: 'is neither true nor false' }

export const secretParser =
  (minLength: number): Parser<string> =>
  (text) =>
    text.length >= minLength ? { value: text } : { fault: `is shorter than ${minLength} characters` }

export const url =
  (...schemes: readonly string[]): Parser<string> =>
  (text) => {
    const scheme = URL.canParse(text) ? new URL(text).protocol.slice(0, -1) : null
    return scheme !== null && schemes.includes(scheme)
      ? { value: text }
      : { fault: `is not a URL that starts with ${schemes.map((known) => `${known}://`).join(' or ')}` }
  }

export const parseContractAddress: Parser<Address> = (text) => {
  const value = parseAddress(text)
  return value === null ? { fault: 'is not an address: 0x and 40 hex digits, with the right checksum' } : { value }
}

/** Addresses with commas between them, at most `most`. */
export const contractAddresses =
  (most: number): Parser<readonly Address[]> =>
  (text) => {
    const addresses = splitList(text).map(parseAddress)
    return addresses.length <= most && addresses.every((address) => address !== null)
      ? { value: [...new Set(addresses)] }
      : { fault: `is not a list of at most ${most} addresses: each 0x and 40 hex digits, with the right checksum` }
  }
export const parsePartner: Parser<PartnerFee> = (text) => {
  const value = parsePartnerFee(text)
  return value === null ? { fault: `is not an address and basis points from 1 to ${MAX_PARTNER_BPS}` } : { value }
}

export const parseExplorer: Parser<string> = (text) => {
  const value = text.replace(/\/$/, '')
  return EXPLORER_URL.test(value)
    ? { value }
    : { fault: 'is not a URL that starts with https://, of a host and at most three folders' }
}

/** A secp256k1 key is above 0 and below the order of the group. */
export const parsePrivateKey: Parser<Hex> = (text) =>
  /^0x[0-9a-fA-F]{64}$/.test(text) && BigInt(text) > 0n && BigInt(text) < GROUP_ORDER
    ? { value: text as Hex }
    : { fault: 'is not a private key: 0x and 64 hex digits' }

export const parseDollars: Parser<Usd6> = (text) => {
  const value = /^\d+(\.\d{1,6})?$/.test(text) ? toUsd6(Number(text), 'down') : null
  return value !== null && value > 0n && value <= 1_000_000_000_000_000n
    ? { value }
    : { fault: 'is not an amount of dollars above 0, up to 1e9, with at most 6 decimals' }
}

export const parseRatio: Parser<number> = (text) =>
  /^(0|1|0?\.\d{1,9}|[01]\.\d{1,9})$/.test(text) && Number(text) <= 1
    ? { value: Number(text) }
    : { fault: 'is not a number from 0 to 1' }

/** OpenTelemetry's format: `name=value`, separated by commas, values percent-encoded. */
export const parseHeaders: Parser<Readonly<Record<string, string>>> = (text) => {
  const headers: Record<string, string> = {}
  for (const part of splitList(text)) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)=([!-~ ]*)$/.exec(part) ?? []
    if (name === undefined || value === undefined) return { fault: 'is not a list of headers: name=value,name=value' }
    headers[name] = decoded(value)
  }
  return { value: headers }
}

/** Text that is not percent-encoded stays as it is. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** A quorum has no more keys. */
const MOST_PATHS = 16

export const parsePaths: Parser<readonly string[]> = (text) => {
  const paths = splitList(text)
  return paths.length > 0 && paths.length <= MOST_PATHS && new Set(paths).size === paths.length
    ? { value: paths }
    : { fault: `is not a list of 1 to ${MOST_PATHS} different paths` }
}

/** Accepts `*` or a comma-separated list. */
export const parseOrigins: Parser<'*' | readonly string[]> = (text) => {
  if (text.trim() === '*') return { value: '*' }
  const origins = splitList(text)
  const isOrigin = (origin: string) => URL.canParse(origin) && new URL(origin).origin === origin
  return origins.every(isOrigin)
    ? { value: origins }
    : { fault: 'is neither * nor a list of origins like https://a.example' }
}

/** Proxies whose `X-Forwarded-For` is trusted: none, all, the last n hops, or listed addresses. */
export const parseTrustProxy: Parser<boolean | number | string> = (text) => {
  if (text === 'true' || text === 'false') return { value: text === 'true' }
  if (/^\d{1,2}$/.test(text)) return { value: Number(text) }
  return /^[0-9a-fA-F.:/, ]+$/.test(text)
    ? { value: splitList(text).join(',') }
    : { fault: 'is neither true, false, a number of hops nor a list of addresses' }
}

const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
