/**
 * A document whose objects take no field that it does not name: documents leave room for later versions, and this version
 * is to be told of completely.
 */
export function closeSchemas<Document>(document: Document): Document {
  return close(document, false) as Document
}

function close(value: unknown, isPart: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => close(item, isPart))
  if (typeof value !== 'object' || value === null) return value
  const closed = Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === 'example' ? inner : close(inner, name === 'allOf')]),
  )
  if ('allOf' in closed) return { ...closed, unevaluatedProperties: false }
  const isObject = closed.type === 'object' && typeof closed.properties === 'object'
  return isObject && !isPart && !isShared(closed) ? { additionalProperties: false, ...closed } : closed
}

/** The envelope of failures is always a part of another schema. */
const isShared = ({ properties }: Record<string, unknown>): boolean => {
  const { success } = properties as { success?: { const?: unknown } }
  return success?.const === false
}
