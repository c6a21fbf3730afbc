import type { Parser } from './parsers.ts'

/** A maker key set by the operator. */
export type StaticMakerKey = { apiKey: string; makerId: string }

/** Below this many characters a key can be guessed; it is refused in production and warned of elsewhere (decision M6). */
const MIN_MAKER_KEY_LENGTH = 16

/** The maker id of the legacy single key. */
const LEGACY_MAKER_ID = 'default'

/** The JSON array of `MAKER_API_KEYS`; `[]` is none. A fault names the entry by its number, never the key (decision M6). */
export const parseMakerKeys: Parser<readonly StaticMakerKey[]> = (text) => {
  const entries = parseJson(text)
  if (!Array.isArray(entries)) return { fault: 'is not a JSON array of {"apiKey", "makerId"}' }
  const faults = entries.flatMap((entry, index) => faultsOf(entry).map((fault) => `entry ${index + 1} ${fault}`))
  if (faults.length > 0) return { fault: faults.join('; ') }
  return { value: entries.map(({ apiKey, makerId }: StaticMakerKey) => ({ apiKey, makerId })) }
}

/** The listed keys, then the legacy one. */
export const staticMakerKeys = (listed: readonly StaticMakerKey[], legacy: string | null): readonly StaticMakerKey[] =>
  legacy === null ? listed : [...listed, { apiKey: legacy, makerId: LEGACY_MAKER_ID }]

/** What is wrong with keys taken together: one key for two makers, or twice for the same. Named by position. */
export function checkDistinctKeys(keys: readonly StaticMakerKey[]): string[] {
  return keys.flatMap(({ apiKey }, index) => {
    const first = keys.findIndex((other) => other.apiKey === apiKey)
    return first === index ? [] : [`entry ${index + 1} repeats the key of entry ${first + 1}`]
  })
}

/** Positions, from 1, of the keys that are too short to be safe. */
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
