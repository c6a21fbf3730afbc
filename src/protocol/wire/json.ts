import { RfqError } from '../domain/errors.ts'

/** Names that reach a prototype in JavaScript and are no field of any body of ours. */
const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Text without these cannot hold a prototype key, not even an escaped one. */
const SUSPECT = /__proto__|constructor|prototype|\\u00/

/**
 * JSON text as a value. Refuses broken text with `invalid_json` and prototype keys, at any depth, with
 * `invalid_request`.
 */
export function parseJson(text: string): unknown {
  const value = parse(text)
  if (SUSPECT.test(text)) refusePrototypeKeys(value)
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (fault) {
    throw new RfqError('invalid_json', { cause: fault })
  }
}

/** Without a call for each value, as a reviver would be, and without one inside the other: bodies may be of any depth. */
function refusePrototypeKeys(body: unknown): void {
  const inside: object[] = []
  const enter = (value: unknown) => {
    if (typeof value === 'object' && value !== null) inside.push(value)
  }
  enter(body)
  for (let value = inside.pop(); value !== undefined; value = inside.pop()) {
    if (Array.isArray(value)) {
      value.forEach(enter)
      continue
    }
    for (const [key, field] of Object.entries(value)) {
      if (PROTOTYPE_KEYS.has(key)) {
        throw new RfqError('invalid_request', { detail: `${key} is not a field of any body` })
      }
      enter(field)
    }
  }
}
