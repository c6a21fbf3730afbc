import type { Parser } from './parsers.ts'

export type StaticMakerKey = { apiKey: string; makerId: string }

/** Shorter keys can be guessed: refused in production, warned of elsewhere (decision M6). */
const MIN_MAKER_KEY_LENGTH = 16

/** Maker of the legacy `MAKER_API_KEY`. */
const LEGACY_MAKER_ID = 'default'

/** A fault names the entry by its number, never the key (decision M6). */
export const parseMakerKeys: Parser<readonly StaticMakerKey[]> = (text) => {
  const entries = parseJson(text)
  if (!Array.isArray(entries)) return { fault: 'is not a JSON array of {"apiKey", "makerId"}' }
  const faults = entries.flatMap((entry, index) => faultsOf(entry).map((fault) => `entry ${index + 1} ${fault}`))
  if (faults.length > 0) return { fault: faults.join('; ') }
  return { value: entries.map(({ apiKey, makerId }: StaticMakerKey) => ({ apiKey, makerId })) }
}

export const staticMakerKeys = (listed: readonly StaticMakerKey[], legacy: string | null): readonly StaticMakerKey[] =>
  legacy === null ? listed : [...listed, { apiKey: legacy, makerId: LEGACY_MAKER_ID }]

/** A key may occur once, even for the same maker. Faults name positions, from 1. */
export function checkDistinctKeys(keys: readonly StaticMakerKey[]): string[] {
  return keys.flatMap(({ apiKey }, index) => {
    const first = keys.findIndex((other) => other.apiKey === apiKey)
    return first === index ? [] : [`entry ${index + 1} repeats the key of entry ${first + 1}`]
  })
}

/** Positions count from 1. */
export const shortKeyPositions = (keys: readonly StaticMakerKey[]): number[] =>
  keys.flatMap(({ apiKey }, index) => (apiKey.length < MIN_MAKER_KEY_LENGTH ? [index + 1] : []))

function faultsOf(entry: unknown): string[] {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return ['is not an object']
  const { apiKey, makerId, ...others } = entry as Record<string, unknown>
  const faults: string[] = []
  if (!isFilled(apiKey)) faults.push('has no apiKey')
  if (!isFilled(makerId)) faults.push('has no makerId')
  if (Object.keys(others).length > 0) faults.push('has a field that is neither apiKey nor makerId')
  return faults
}

const isFilled = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
