import { sourceFault } from '../json-source.ts'

export type Fields = Readonly<Record<string, unknown>>

/** The bound on a question of a quote request. */
const MAX_QUESTION_LENGTH = 300

/** Refuses an answer that is not a list with `price_source_unavailable`. */
export function marketsIn(answer: unknown): readonly Fields[] {
  if (!Array.isArray(answer)) throw sourceFault('its answer is not a list of markets')
  return answer.filter((entry): entry is Fields => typeof entry === 'object' && entry !== null)
}

/** Strangers' text: reduced to one line, without characters that change the display of the rest; null if none. */
export function questionOf(market: Fields | null): string | null {
  if (typeof market?.question !== 'string') return null
  const text = market.question.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  const cut = [...text].slice(0, MAX_QUESTION_LENGTH).join('')
  return cut === '' ? null : cut
}

/** Takes a list, or the JSON of a list in a string, which the API uses; null for anything else. */
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

/** Unix milliseconds; NaN for anything but a time. */
export function parseTime(value: unknown): number {
  const [, day, time, zone = ''] = TIME.exec(String(value)) ?? []
  const offset = zone.length === 3 ? `${zone}:00` : zone.replace(/^(...)(\d\d)$/, '$1:$2')
  return Date.parse(`${day}T${time}${offset}`)
}
