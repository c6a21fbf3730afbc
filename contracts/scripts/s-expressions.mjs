/** @typedef {string | Expression[]} Expression an S-expression */

/** A symbol may be written with and without bars. */
const tokens = /\(|\)|\|[^|]*\||"[^"]*"|[^\s()|"]+/g

/** @param {string} text @returns {Expression[]} */
export function parse(text) {
  /** @type {Expression[][]} */
  const open = [[]]
  for (const [token] of text.matchAll(tokens)) {
    if (token === '(') open.push([])
    else if (token === ')') {
      const done = /** @type {Expression[]} */ (open.pop())
      open.at(-1)?.push(done)
    } else open.at(-1)?.push(token.replace(/^\|([\w.~!@$%^&*+=<>?/-]+)\|$/, '$1'))
  }
  return open[0] ?? []
}

/** @param {Expression} expression @returns {string} */
export const print = (expression) =>
  typeof expression === 'string' ? expression : `(${expression.map(print).join(' ')})`

/** The number that sums and differences of literals are. @param {Expression | undefined} expression @returns {bigint | undefined} */
export function literal(expression) {
  if (typeof expression === 'string') return /^\d+$/.test(expression) ? BigInt(expression) : undefined
  const [head, ...rest] = expression ?? []
  if (head !== '-' && head !== '+') return undefined
  const values = rest.map(literal)
  if (!values.every((value) => value !== undefined)) return undefined
  if (values.length === 1) return head === '-' ? -(values[0] ?? 0n) : values[0]
  return values.reduce((sum, value) => (head === '-' ? sum - value : sum + value))
}
