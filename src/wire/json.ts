import { RfqError } from '../domain/errors.ts'

/** Names that reach a prototype in JavaScript and are no field of any body of ours. */
const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Text without these cannot hold a prototype key, not even an escaped one. */
const SUSPECT = /__proto__|constructor|prototype|\\u00/

/**
 * JSON text as a value. Refuses broken text with `invalid_json` and prototype keys, at any depth, with
 * `invalid_request` (ruling E2).
 */
export function parseJson(text: string): unknown {
  try {
    return SUSPECT.test(text) ? JSON.parse(text, refusePrototypeKey) : JSON.parse(text)
  } catch (fault) {
    throw fault instanceof RfqError ? fault : new RfqError('invalid_json', { cause: fault })
  }
}

function refusePrototypeKey(key: string, value: unknown): unknown {
  if (PROTOTYPE_KEYS.has(key)) throw new RfqError('invalid_request', { detail: `${key} is not a field of any body` })
  return value
}
