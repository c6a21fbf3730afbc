import { sourceFault } from '../json-source.ts'

/** A market of the public API, as it came. */
export type Fields = Readonly<Record<string, unknown>>

/** As long as a question of a quote request may be. */
const MAX_QUESTION_LENGTH = 300

/** The markets of an answer. Refuses with `price_source_unavailable` what is not a list. */
export function marketsIn(answer: unknown): readonly Fields[] {
  if (!Array.isArray(answer)) throw sourceFault('its answer is not a list of markets')
  return answer.filter((entry): entry is Fields => typeof entry === 'object' && entry !== null)
}

/** Strangers' text: on one line, without what could change how the rest is shown; null where there is none. */
export function questionOf(market: Fields | null): string | null {
  if (typeof market?.question !== 'string') return null
  const text = market.question.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  const cut = [...text].slice(0, MAX_QUESTION_LENGTH).join('')
  return cut === '' ? null : cut
}

/** A list, or the JSON of a list in a string, which is how the API gives them; null where it is neither. */
export function listIn(market: Fields, field: string): readonly unknown[] | null {
  const value = market[field]
  const list = typeof value === 'string' ? parseJson(value) : value
  return Array.isArray(list) ? list : null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** ISO 8601 or Postgres' own form, always with a zone: without one a time is a guess. */
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d(?::?\d\d)?)$/

/** A time of the API as Unix milliseconds; NaN where it is not one. */
export function parseTime(value: unknown): number {
  const [, day, time, zone = ''] = TIME.exec(String(value)) ?? []
  const offset = zone.length === 3 ? `${zone}:00` : zone.replace(/^(...)(\d\d)$/, '$1:$2')
  return Date.parse(`${day}T${time}${offset}`)
}
