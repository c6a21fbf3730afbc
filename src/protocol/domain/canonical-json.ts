/** A value that JSON has. Properties that are undefined are left out. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined }

/**
 * The one JSON text of a value by RFC 8785, so that everyone hashes the same bytes.
 * Throws a `TypeError` for what I-JSON has not: numbers that are not finite, and halves of surrogate pairs.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'string') return textOf(value)
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('JSON has no such number.')
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  let members = ''
  // RFC 8785 sorts by UTF-16 code units, as the language does.
  for (const name of Object.keys(value).sort()) {
    const member = value[name]
    if (member !== undefined) members += `${members === '' ? '' : ','}${textOf(name)}:${canonicalJson(member)}`
  }
  return `{${members}}`
}

const isArray: (value: unknown) => value is readonly JsonValue[] = Array.isArray

/** Nearly every text needs no escape. */
const isPlain = (text: string): boolean => /^[ !#-[\]-~]*$/.test(text)

function textOf(text: string): string {
  if (isPlain(text)) return `"${text}"`
  if (/\p{Surrogate}/u.test(text)) throw new TypeError('The text has half of a surrogate pair.')
  return JSON.stringify(text)
}
