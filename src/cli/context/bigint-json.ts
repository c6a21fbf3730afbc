/** JSON has no bigint: one is written as `{"$bigint": "123"}`. */
export const tag = (value: unknown): unknown =>
  mapDeep(value, (part) => (typeof part === 'bigint' ? { $bigint: part.toString() } : undefined))

/** What `tag` was given. */
export const untag = (value: unknown): unknown =>
  mapDeep(value, (part) =>
    typeof part === 'object' && part !== null && '$bigint' in part ? BigInt(String(part.$bigint)) : undefined,
  )

/** A copy of a JSON-like value in which `change` replaced the parts that it did not answer `undefined` for. */
function mapDeep(value: unknown, change: (part: unknown) => unknown): unknown {
  const changed = change(value)
  if (changed !== undefined) return changed
  if (Array.isArray(value)) return value.map((part) => mapDeep(part, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapDeep(part, change)]))
}
