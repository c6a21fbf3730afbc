import type { Cadence } from '@rfqctl/protocol/domain/listing'
import type { OptionType } from '@rfqctl/protocol/domain/option'
import type { Hex, StrikeBps } from '@rfqctl/protocol/domain/units'
import { InvalidArgumentError } from 'commander'
import { parseCount, parseHash } from './parse.ts'

/** Per market. */
const MAX_STRIKES = 20

const CADENCES = Object.keys({ daily: 0, weekly: 0, monthly: 0 } satisfies Record<Cadence, 0>) as Cadence[]

const OPTION_TYPES = Object.keys({ call: 0, put: 0 } satisfies Record<OptionType, 0>) as OptionType[]

/** Comma-separated cents such as 25,50,72.5, returned ascending and without duplicates. */
export function parseStrikes(text: string): StrikeBps[] {
  const strikes = text.split(',').map((part) => {
    const [, whole = '0', hundredths = ''] = /^(\d{1,2})(?:\.(\d{1,2}))?$/.exec(part.trim()) ?? []
    const strikeBps = Number(`${whole}${hundredths.padEnd(2, '0')}`)
    if (strikeBps === 0) throw new InvalidArgumentError('Expected strikes in cents such as 25,50,75.')
    return strikeBps as StrikeBps
  })
  if (strikes.length > MAX_STRIKES) throw new InvalidArgumentError(`Expected at most ${MAX_STRIKES} strikes.`)
  return [...new Set(strikes)].toSorted((a, b) => a - b)
}

export const parseCadences = (text: string): Cadence[] => parseWords(text, CADENCES)

export const parseOptionTypes = (text: string): OptionType[] => parseWords(text, OPTION_TYPES)

function parseWords<Word extends string>(text: string, words: readonly Word[]): Word[] {
  const found = text.split(',').map((part) => words.find((word) => word === part.trim()))
  if (found.includes(undefined)) throw new InvalidArgumentError(`Expected one or more of ${words.join(', ')}.`)
  return words.filter((word) => found.includes(word))
}

/** A whole number from 1 to `most`. */
export const parseCountUpTo =
  (most: number) =>
  (text: string): number => {
    const count = parseCount(text)
    if (count > most) throw new InvalidArgumentError(`Expected at most ${most}.`)
    return count
  }

/** Repeatable: appends to the conditions before it. */
export const parseConditions = (text: string, before: readonly Hex[] = []): Hex[] => [...before, parseHash(text)]

export function parseSourceUrl(text: string): string {
  if (/^https?:\/\/\S+$/.test(text) && URL.canParse(text)) return text
  throw new InvalidArgumentError('Expected an http(s) URL such as https://gamma-api.polymarket.com/markets.')
}
