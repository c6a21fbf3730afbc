import { literal } from './s-expressions.mjs'

/** @typedef {import('./s-expressions.mjs').Expression} Expression */

/** The least and the greatest of some numbers. @param {bigint[]} numbers */
export const spanOf = (numbers) => ({
  min: numbers.reduce((least, one) => (one < least ? one : least)),
  max: numbers.reduce((most, one) => (one > most ? one : most)),
})

/**
 * What an unchecked operation wraps to, where an expression is `(= value (+ rest (* modulus turns)))`, as solc writes it.
 * @param {Expression} expression
 */
export function wrapOf(expression) {
  const [equals, value, sum] = Array.isArray(expression) ? expression : []
  const [plus, rest, product] = Array.isArray(sum) ? sum : []
  const [times, modulus, turns] = Array.isArray(product) ? product : []
  if (equals !== '=' || plus !== '+' || times !== '*' || value === undefined) return undefined
  if (typeof rest !== 'string' || typeof turns !== 'string') return undefined
  if (!/^k_/.test(rest) || turns !== rest.replace(/^k_/, 'm_')) return undefined
  const size = literal(modulus)
  return size === undefined ? undefined : { name: rest, value, bits: size.toString(2).length - 1 }
}

/**
 * The name of what an operation wraps to, where an expression is `(ite (> raw max) name (ite (< raw min) name raw))`: within the bounds
 * it is the same.
 * @param {Expression | undefined} expression
 */
function wrappedIn(expression) {
  const [head, , name, rest] = Array.isArray(expression) ? expression : []
  const [inner, , same] = Array.isArray(rest) ? rest : []
  const isWrap = head === 'ite' && inner === 'ite' && typeof name === 'string' && name === same && /^k_/.test(name)
  return isWrap ? name : undefined
}

/** @typedef {{ condition?: Expression, values: Expression[] }} Definition values of a variable: the first if the condition holds */

/** @param {Expression} expression of what holds always @returns {[string, Definition][]} */
function definitionsIn(expression) {
  if (typeof expression === 'string') return []
  const [head, left = '', right = '', last = ''] = expression
  const wrap = wrapOf(expression)
  if (wrap) return [[wrap.name, { values: [wrap.value] }]]
  if (head === 'and') return expression.slice(1).flatMap(definitionsIn)
  if (head === '=' && typeof left === 'string') return [[left, { values: [right] }]]
  if (head !== 'ite' || !Array.isArray(right) || !Array.isArray(last)) return []
  const [name, value = '', other = ''] = [right[1], right[2], last[2]]
  if (right[0] !== '=' || last[0] !== '=' || typeof name !== 'string' || name !== last[1]) return []
  return [[name, { condition: left, values: [value, other] }]]
}

/** @param {Expression} expression @returns {[string, bigint, bigint][]} ranges of the types of variables */
function rangesIn(expression) {
  if (typeof expression === 'string') return []
  const [head, left, right] = expression
  const inner = expression.flatMap(rangesIn)
  if (head !== 'and' || !Array.isArray(left) || !Array.isArray(right)) return inner
  const [name, low, high] = [left[1], literal(left[2]), literal(right[2])]
  if (left[0] !== '>=' || right[0] !== '<=' || typeof name !== 'string' || name !== right[1]) return inner
  return low === undefined || high === undefined || !isType(low, high) ? inner : [...inner, [name, low, high]]
}

/**
 * Whether these are the bounds of an integer type. solc gives each part of what a program compares a name of its own, so that no range
 * of a program has this form; one that had must not count as a type's.
 * @param {bigint} low @param {bigint} high
 */
function isType(low, high) {
  const size = high - low + 1n
  const bits = size.toString(2).length - 1
  return size === 2n ** BigInt(bits) && bits % 8 === 0 && (low === 0n || low === -size / 2n)
}

/** @typedef {{ name: string, isLeast: boolean, bound: bigint }} Bound a variable is at least this, or at most */

/** @param {Expression} expression of what holds always @returns {Bound[]} */
function boundsIn(expression) {
  if (typeof expression === 'string') return []
  const [head, name, right] = expression
  if (head === 'and') return expression.slice(1).flatMap(boundsIn)
  const bound = literal(right)
  if ((head !== '>=' && head !== '<=') || typeof name !== 'string' || bound === undefined) return []
  return [{ name, isLeast: head === '>=', bound }]
}

/** @param {Expression} expression of what holds always @returns {Expression[]} */
const conjunctsOf = (expression) =>
  Array.isArray(expression) && expression[0] === 'and' ? expression.slice(1).flatMap(conjunctsOf) : [expression]

/** @param {Expression} expression @returns {string[]} */
const symbolsOf = (expression) => (typeof expression === 'string' ? [expression] : expression.flatMap(symbolsOf))

/**
 * Leaves out what shares no variable with the question, which comes last: with less asserted there are no fewer answers.
 * @param {Expression[][]} commands
 */
export function relevant(commands) {
  const declared = new Set(commands.filter(([head]) => head === 'declare-fun').map(([, name]) => String(name)))
  const asserted = commands.filter(([head]) => head === 'assert').flatMap(([, what = '']) => conjunctsOf(what))
  /** @type {Map<string, number[]>} */
  const places = new Map()
  const symbols = asserted.map((conjunct, place) => {
    const own = new Set(symbolsOf(conjunct).filter((symbol) => declared.has(symbol)))
    for (const symbol of own) places.set(symbol, [...(places.get(symbol) ?? []), place])
    return own
  })
  const reached = new Set([asserted.length - 1])
  for (const place of reached) {
    for (const symbol of symbols[place] ?? []) for (const other of places.get(symbol) ?? []) reached.add(other)
  }
  const used = new Set([...reached].flatMap((place) => [...(symbols[place] ?? [])]))
  return [
    ...commands.filter(
      ([head, name]) => head === 'declare-datatypes' || (head === 'declare-fun' && used.has(String(name))),
    ),
    ...[...reached].sort((a, b) => a - b).map((place) => ['assert', asserted[place] ?? '']),
  ]
}

/**
 * Writes one name for variables that are always equal.
 * @param {Expression[][]} commands
 * @param {ReadonlySet<string>} integers names of the variables that are integers
 */
export function unified(commands, integers) {
  /** @type {Map<string, string>} */
  const parents = new Map()
  /** @param {string} name @returns {string} */
  const rootOf = (name) => {
    const parent = parents.get(name)
    return parent === undefined ? name : rootOf(parent)
  }
  for (const [head, asserted = ''] of commands) {
    if (head !== 'assert') continue
    for (const [name, { condition, values }] of definitionsIn(asserted)) {
      const value = wrappedIn(values[0]) ?? values[0]
      if (condition !== undefined || typeof value !== 'string') continue
      if (!integers.has(name) || !integers.has(value)) continue
      const [root, other] = [rootOf(name), rootOf(value)]
      if (root !== other) parents.set(root, other)
    }
  }
  /** @param {Expression} expression @returns {Expression} */
  const renamed = (expression) => (typeof expression === 'string' ? rootOf(expression) : expression.map(renamed))
  return commands
    .filter(([head, name]) => head !== 'declare-fun' || !parents.has(String(name)))
    .map((command) => (command[0] === 'assert' ? /** @type {Expression[]} */ (renamed(command)) : command))
}

/**
 * What a query says of its variables. Of the types of variables that are equal, the narrowest counts: it is that of the first.
 * @param {Expression[][]} commands
 */
export function factsOf(commands) {
  /** @type {Map<string, { min: bigint, max: bigint }>} */
  const ranges = new Map()
  /** @type {Map<string, Definition[]>} */
  const definitions = new Map()
  const asserted = ['and', ...commands.filter(([head]) => head === 'assert').map(([, what = '']) => what)]
  const bounds = boundsIn(asserted)
  /** @param {string} name @param {boolean} isLeast */
  const boundsOf = (name, isLeast) =>
    bounds.filter((one) => one.name === name && one.isLeast === isLeast).map(({ bound }) => bound)
  const within = [...new Set(bounds.map(({ name }) => name))].flatMap((name) => {
    const [least, most] = [boundsOf(name, true), boundsOf(name, false)]
    if (least.length === 0 || most.length === 0) return []
    const [min, max] = [spanOf(least).max, spanOf(most).min]
    return min <= max ? [/** @type {[string, bigint, bigint]} */ ([name, min, max])] : []
  })
  for (const [name, min, max] of [...rangesIn(asserted), ...within]) {
    const range = ranges.get(name)
    if (range === undefined || max - min < range.max - range.min) ranges.set(name, { min, max })
  }
  for (const [name, definition] of definitionsIn(asserted)) {
    if (definition.values[0] !== name) definitions.set(name, [...(definitions.get(name) ?? []), definition])
  }
  return { ranges, definitions }
}
