import { literal, parse, print } from './s-expressions.mjs'
import { factsOf, relevant, spanOf, unified, wrapOf } from './smt-query.mjs'

/**
 * @typedef {import('./s-expressions.mjs').Expression} Expression
 * @typedef {object} Term
 * @property {string} text
 * @property {string} sort of SMT-LIB
 * @property {bigint} [min] the least value, of what was an integer in the query
 * @property {bigint} [max] the greatest
 * @property {number} [low] bits of a bit vector that may be set, from the low end
 * @property {bigint} [value] of a literal
 * @property {string} [name] of a variable
 * @property {number} [declared] bits that the variable is declared with
 */

/** Bits of an integer in an array, a datatype or a function: those of the EVM, and a sign. */
const STORED = 257

/** Bits of a product of two of these. */
const PRODUCT = 2 * STORED

/** An integer of which the query says no range: a product of two words. */
const UNBOUNDED = { min: -(2n ** 513n), max: 2n ** 513n - 1n }

/** @param {number} bits */
const sortOf = (bits) => `(_ BitVec ${bits})`

/** Bits that the two's complement of a number takes. @param {bigint} value */
const bitsOf = (value) => (value < 0n ? (-value - 1n).toString(2).length + 1 : value.toString(2).length + 1)

/** @param {Expression} sort @returns {string} the sort with stored integers in place of integers */
function storedSort(sort) {
  if (typeof sort === 'string') return sort === 'Int' ? sortOf(STORED) : sort
  return sort[0] === '_' ? print(sort) : `(${sort.map(storedSort).join(' ')})`
}

/** Sort of the elements of an array. @param {string} sort */
function elementsOf(sort) {
  const [array] = parse(sort)
  if (!Array.isArray(array) || array[0] !== 'Array' || array[2] === undefined) throw new Error(`${sort} is no array`)
  return print(array[2])
}

/** Bits of the sort of a bit vector. @param {Term} term */
const widthOf = ({ sort }) => Number(sort.match(/\d+/)?.[0])

/** @param {Term} term @returns {term is Term & { min: bigint, max: bigint }} */
const isInteger = (term) => term.min !== undefined

/** The text of an integer with so many bits, by its sign or by cutting. @param {Term} term @param {number} bits */
function resized(term, bits) {
  if (term.value !== undefined) return `(_ bv${BigInt.asUintN(bits, term.value)} ${bits})`
  const from = widthOf(term)
  if (from === bits) return term.text
  return bits > from ? `((_ sign_extend ${bits - from}) ${term.text})` : `((_ extract ${bits - 1} 0) ${term.text})`
}

/** As it is stored. @param {Term} term @returns {string} */
const stored = (term) => (isInteger(term) ? resized(term, STORED) : term.text)

/** @param {bigint} min @param {bigint} max */
const bitsFor = (min, max) => Math.max(bitsOf(min), bitsOf(max))

/** An integer whose text may have more bits than it takes. @param {string} text @param {number} bits @param {bigint} min @param {bigint} max @returns {Term} */
function integer(text, bits, min, max) {
  if (min === max) return number(min)
  const fewer = Math.min(bits, bitsFor(min, max))
  return { text: resized({ text, sort: sortOf(bits) }, fewer), sort: sortOf(fewer), min, max }
}

/** @param {bigint} value @returns {Term} */
function number(value) {
  const bits = bitsOf(value)
  return { text: `(_ bv${BigInt.asUintN(bits, value)} ${bits})`, sort: sortOf(bits), min: value, max: value, value }
}

/** @param {string} text @returns {Term} */
const bool = (text) => ({ text, sort: 'Bool' })

/** @param {string} text @param {number} bits @param {number} [low] @returns {Term} */
const vector = (text, bits, low = bits) => ({ text, sort: sortOf(bits), low: Math.max(0, Math.min(low, bits)) })

/**
 * A variable of as few bits as its bounds take, all of whose bits may be set: an assertion of its bounds would exclude what is not
 * reached.
 * @param {string} name @param {bigint} least @param {bigint} most
 * @returns {Term}
 */
function variableWithin(name, least, most) {
  const bits = bitsFor(least, most)
  const end = 2n ** BigInt(bits - 1)
  if (least < 0n) return { text: name, sort: sortOf(bits), min: -end, max: end - 1n, name, declared: bits }
  return { text: `(concat #b0 ${name})`, sort: sortOf(bits), min: 0n, max: end - 1n, name, declared: bits - 1 }
}

/** What was read out of an array, a datatype or a function. @param {string} text @param {string} sort @returns {Term} */
const read = (text, sort) =>
  sort === sortOf(STORED) ? integer(text, STORED, -(2n ** 256n), 2n ** 256n - 1n) : { text, sort }

/** Integers of the same number of bits, as text. @param {Term[]} terms */
function alike(terms) {
  const bits = Math.max(...terms.map(widthOf))
  return terms.map((one) => (isInteger(one) ? resized(one, bits) : one.text))
}

/** @param {bigint} a @param {bigint} b */
const floorOf = (a, b) => (a >= 0n ? a / b : -((-a + b - 1n) / b))

/** @param {string} head @param {Term[]} terms @returns {Term} */
function bitwise(head, terms) {
  const [a, b] = /** @type {[Term, Term]} */ (terms)
  const text = `(${head} ${terms.map((one) => one.text).join(' ')})`
  const width = widthOf(a)
  const [lowA, lowB] = [a.low ?? width, b?.low ?? width]
  const by = b?.value === undefined ? undefined : Number(b.value)
  if (head === 'bvand') return vector(text, width, Math.min(lowA, lowB))
  if (head === 'bvor' || head === 'bvxor') return vector(text, width, Math.max(lowA, lowB))
  if (head === 'bvshl' && by !== undefined) return vector(text, width, lowA + by)
  if (head === 'bvlshr' && by !== undefined) return vector(text, width, lowA - by)
  return vector(text, width)
}

/** @param {string} head @param {Term[]} terms @returns {Term} */
function connected(head, terms) {
  const texts = terms.map(({ text }) => text)
  const [a = '', b = ''] = texts
  if (head === 'not') return bool(a === 'true' ? 'false' : a === 'false' ? 'true' : `(not ${a})`)
  if (head === '=>') return bool(a === 'true' ? b : a === 'false' || b === 'true' ? 'true' : `(=> ${a} ${b})`)
  if (head === 'xor') return bool(`(xor ${a} ${b})`)
  const [neutral, other] = head === 'and' ? ['true', 'false'] : ['false', 'true']
  if (texts.includes(other)) return bool(other)
  const left = texts.filter((text) => text !== neutral)
  return bool(left.length === 0 ? neutral : left.length === 1 ? (left[0] ?? '') : `(${head} ${left.join(' ')})`)
}

const comparisons = new Map([
  ['<', 'bvslt'],
  ['<=', 'bvsle'],
  ['>', 'bvsgt'],
  ['>=', 'bvsge'],
])

/** @param {string} head @param {Required<Term>} a @param {Required<Term>} b @returns {Term} */
function compared(head, a, b) {
  if (head === '>' || head === '>=') return compared(head === '>' ? '<' : '<=', b, a)
  if (head === '<' ? a.max < b.min : a.max <= b.min) return bool('true')
  if (head === '<' ? a.min >= b.max : a.min > b.max) return bool('false')
  return bool(`(${comparisons.get(head)} ${alike([a, b]).join(' ')})`)
}

const connectives = new Set(['and', 'or', 'not', '=>', 'xor'])

const operations = new Set(['bvand', 'bvor', 'bvxor', 'bvnot', 'bvneg', 'bvadd', 'bvsub', 'bvshl', 'bvlshr', 'bvashr'])

/** Whether these are parts of `(ite (< number 0) (+ number 2^256) number)`. @param {Expression[]} parts */
function isUnsigned([condition, sum, same]) {
  if (!Array.isArray(condition) || !Array.isArray(sum) || typeof same !== 'string') return false
  const isSum = sum[0] === '+' && sum[1] === same && literal(sum[2]) === 2n ** 256n
  return isSum && condition[0] === '<' && condition[1] === same && condition[2] === '0'
}

/**
 * solc writes integers without bounds and turns them into bit vectors and back at each `&` and `<<`, of which z3 finds no
 * end. This writes the same query in bit vectors alone. No sum or product wraps: each has the bits that its operands' least and
 * greatest values ask for. A variable has the bounds of what it is defined as, within those of its type. The type's hold where the
 * code is reached; where it is not, a variable is a function of others that nothing reads. A product of two variables is any
 * function of them that is zero where one of them is. So there is an answer to this query if there is one to solc's.
 * @param {string} query in SMT-LIB 2, as solc asks it
 * @returns {string} commands up to `(check-sat)`
 */
export function inBitVectors(query) {
  // Values are asked for of constants that come last, after the question proper.
  const asked = /** @type {Expression[][]} */ (parse(query)).filter((command) => !/EVALEXPR/.test(print(command)))
  const integers = asked.filter(
    ([head, , parameters, sort]) => head === 'declare-fun' && !parameters?.length && sort === 'Int',
  )
  const commands = relevant(unified(asked, new Set(integers.map(([, name]) => String(name)))))
  const { ranges, definitions } = factsOf(commands)
  /** What was declared: the sort of a variable or result, or undefined for an integer. @type {Map<string, string | undefined>} */
  const sorts = new Map()
  /** @type {Map<string, Term>} */
  const variables = new Map()
  /** @type {Map<string, { quotient: Term, rest: Term }>} */
  const divisions = new Map()
  /** Whether two variables are multiplied. */
  let hasProduct = false
  /** What is declared and asserted besides. @type {string[]} */
  const added = []

  /** @param {string} name @returns {Term} */
  const variable = (name) => {
    const sort = sorts.get(name)
    if (sort !== undefined) return { text: name, sort }
    const done = variables.get(name)
    if (done) return done
    let { min, max } = ranges.get(name) ?? UNBOUNDED
    /** @param {bigint} least @param {bigint} most @returns {Term} */
    const within = (least, most) => (least === most ? number(least) : variableWithin(name, least, most))
    // Of two variables that are defined by each other, one has its range.
    variables.set(name, within(min, max))
    for (const { condition, values } of definitions.get(name) ?? []) {
      const isFirst = condition !== undefined && term(condition).text === 'true'
      const terms = (isFirst ? values.slice(0, 1) : values).map(term)
      const span = spanOf(terms.flatMap((one) => (isInteger(one) ? [one.min, one.max] : [min, max])))
      // Bounds that lie within others; those that overlap say something of what is not reached.
      if (span.min >= min && span.max <= max) [min, max] = [span.min, span.max]
    }
    const found = within(min, max)
    variables.set(name, found)
    return found
  }

  /** @param {Expression} expression @returns {Term} */
  const term = (expression) => {
    const value = literal(expression)
    if (value !== undefined) return number(value)
    if (typeof expression !== 'string') return application(expression)
    if (expression === 'true' || expression === 'false') return bool(expression)
    if (expression.startsWith('#b')) return vector(expression, expression.length - 2)
    if (!sorts.has(expression)) throw new Error(`${expression} was not declared`)
    return variable(expression)
  }

  /** @param {Expression[]} expression @returns {Term} */
  const application = (expression) => {
    const [head = '', ...rest] = expression
    if (Array.isArray(head)) {
      const of = term(rest[0] ?? '')
      if (head[0] === 'as' && head[1] === 'const') {
        const sort = storedSort(head[2] ?? '')
        return { text: `((as const ${sort}) ${stored(of)})`, sort }
      }
      if (head[0] === '_' && head[1] === 'int2bv') return fromInteger(of, Number(head[2]))
      if (head[0] === '_' && head[1] === 'extract') {
        return vector(`(${print(head)} ${of.text})`, Number(head[2]) - Number(head[3]) + 1)
      }
      throw new Error(`${print(head)} is not known`)
    }
    // The bits of a number: solc takes those of its size and negates them, which are the same.
    const [, yes, no] = rest
    if (head === 'ite' && Array.isArray(yes) && Array.isArray(yes[0]) && yes[0][1] === 'int2bv') {
      const same = ['bvneg', [yes[0], ['-', yes[1] ?? '']]]
      if (print(no ?? '') === print(same)) return term(yes)
    }
    // A number of 256 bits that is read without its sign, as a conversion from int256 does.
    if (head === 'ite' && isUnsigned(rest)) {
      const of = term(rest[2] ?? '')
      if (of.min !== undefined && of.min < 0n)
        return integer(`(concat #b0 ${resized(of, 256)})`, 257, 0n, 2n ** 256n - 1n)
      return of
    }
    const wrap = wrapOf(expression)
    if (wrap) return wrapped(wrap)
    const terms = rest.map(term)
    const [a, b] = /** @type {[Required<Term>, Required<Term>]} */ (terms)
    if (connectives.has(head)) return connected(head, terms)
    if (comparisons.has(head)) return compared(head, a, b)
    if (head === '=' || head === 'distinct') {
      // A definition cuts what is not reached; where it is reached, the type says that nothing was cut.
      const isDefinition = head === '=' && typeof rest[0] === 'string' && Array.isArray(rest[1])
      if (isDefinition && a.declared !== undefined) return bool(`(= ${a.name} ${resized(b, a.declared)})`)
      if (rest.length === 2 && a.text === b.text) return bool(head === '=' ? 'true' : 'false')
      if (isInteger(a) && a.value !== undefined && a.value === b.value) return bool(head === '=' ? 'true' : 'false')
      return bool(`(${head} ${alike(terms).join(' ')})`)
    }
    if (head === 'ite') {
      const [, one, other] = /** @type {[Term, Term, Term]} */ (terms)
      if (a.text === 'true') return one
      if (a.text === 'false') return other
      const text = `(ite ${a.text} ${alike([one, other]).join(' ')})`
      if (!isInteger(one) || !isInteger(other)) return { text, sort: one.sort }
      const span = spanOf([one.min, one.max, other.min, other.max])
      return integer(text, Math.max(widthOf(one), widthOf(other)), span.min, span.max)
    }
    if (head === '+' || head === '-' || head === '*') return calculated(head, /** @type {Required<Term>[]} */ (terms))
    if (head === 'div' || head === 'mod') return divided(head, a, b)
    if (head === 'bv2nat') {
      const low = a.low ?? widthOf(a)
      if (low === 0) return number(0n)
      return integer(`(concat #b0 ((_ extract ${low - 1} 0) ${a.text}))`, low + 1, 0n, 2n ** BigInt(low) - 1n)
    }
    if (operations.has(head)) return bitwise(head, terms)
    if (head === 'select') return read(`(select ${a.text} ${stored(b)})`, elementsOf(a.sort))
    if (head === 'store') return { ...a, text: `(store ${a.text} ${terms.slice(1).map(stored).join(' ')})` }
    const sort = sorts.get(head)
    if (sort === undefined) throw new Error(`${head} is not known`)
    return read(`(${head} ${terms.map(stored).join(' ')})`, sort)
  }

  /** @param {'+' | '-' | '*'} head @param {Required<Term>[]} terms @returns {Term} */
  const calculated = (head, terms) => {
    const [first, ...others] = /** @type {[Required<Term>, ...Required<Term>[]]} */ (terms)
    if (others.length === 0) return calculated('-', [/** @type {Required<Term>} */ (number(0n)), first])
    const operation = { '+': 'bvadd', '-': 'bvsub', '*': 'bvmul' }[head]
    return others.reduce((/** @type {Term} */ so, one) => {
      const far = /** @type {Required<Term>} */ (so)
      const span = spanOf(
        head === '+'
          ? [far.min + one.min, far.max + one.max]
          : head === '-'
            ? [far.min - one.max, far.max - one.min]
            : [far.min * one.min, far.min * one.max, far.max * one.min, far.max * one.max],
      )
      const bits = Math.max(bitsFor(span.min, span.max), widthOf(far), widthOf(one))
      // OpenZeppelin's Math multiplies by conditions, and z3 is slow with products.
      if (head === '*' && one.min === 0n && one.max === 1n) {
        const isOne = `(= ${one.text} ${resized(number(1n), widthOf(one))})`
        return integer(`(ite ${isOne} ${resized(far, bits)} ${resized(number(0n), bits)})`, bits, span.min, span.max)
      }
      if (head === '*' && far.value === undefined && one.value === undefined) {
        hasProduct = true
        const product = { text: `(product ${stored(far)} ${stored(one)})`, sort: sortOf(PRODUCT) }
        const isNone = `(or ${[far, one].map((factor) => `(= ${factor.text} ${resized(number(0n), widthOf(factor))})`).join(' ')})`
        const text = `(ite ${isNone} ${resized(number(0n), bits)} ${resized(product, bits)})`
        return integer(text, bits, span.min, span.max)
      }
      return integer(`(${operation} ${resized(far, bits)} ${resized(one, bits)})`, bits, span.min, span.max)
    }, first)
  }

  /**
   * Quotient or remainder, as two variables that multiply back: z3 is quicker with these than with its own division. A divisor is
   * a literal that is positive.
   * @param {'div' | 'mod'} head @param {Required<Term>} a @param {Required<Term>} b @returns {Term}
   */
  const divided = (head, a, b) => {
    if (b.value === undefined || b.value <= 0n) throw new Error('a divisor is not a positive number')
    const key = `${a.text} ${b.value}`
    const made = divisions.get(key)
    const { quotient, rest } = made ?? {
      quotient: variableWithin(`quotient_${divisions.size}`, floorOf(a.min, b.value), floorOf(a.max, b.value)),
      rest: variableWithin(`rest_${divisions.size}`, 0n, b.value),
    }
    if (!made) {
      divisions.set(key, { quotient, rest })
      const product = calculated('*', [/** @type {Required<Term>} */ (quotient), b])
      const sum = calculated('+', [/** @type {Required<Term>} */ (product), /** @type {Required<Term>} */ (rest)])
      for (const one of [quotient, rest]) {
        added.push(`(declare-fun ${one.name} () ${sortOf(one.declared ?? 0)})`)
      }
      added.push(`(assert (= ${alike([a, sum]).join(' ')}))`, `(assert (bvult ${alike([rest, b]).join(' ')}))`)
    }
    return head === 'div' ? quotient : rest
  }

  /** @param {{ name: string, value: Expression, bits: number }} wrap @returns {Term} */
  const wrapped = ({ name, value, bits }) => {
    const to = variable(name)
    if (to.declared === undefined) return bool(`(= ${to.text} ${resized(term(value), widthOf(to))})`)
    if (to.declared > bits) throw new Error(`${name} has more than ${bits} bits`)
    return bool(`(= ${name} ${resized(term(value), to.declared)})`)
  }

  /** @param {Term} of @param {number} bits @returns {Term} */
  const fromInteger = (of, bits) => {
    const value = of.value === undefined ? undefined : BigInt.asUintN(bits, of.value)
    const low = isInteger(of) && of.min >= 0n ? bitsOf(of.max) - 1 : bits
    return { ...vector(resized(of, bits), bits, low), ...(value === undefined ? {} : { value }) }
  }

  /** @param {Expression[]} command */
  const declare = ([head, name = '', parameters = [], sort = '']) => {
    if (head === 'declare-fun' && typeof name === 'string') {
      const isVariable = Array.isArray(parameters) && parameters.length === 0
      sorts.set(name, isVariable && sort === 'Int' ? undefined : storedSort(sort))
    }
    if (head !== 'declare-datatypes' || !Array.isArray(name) || !Array.isArray(parameters)) return
    const [type = ''] = /** @type {string[]} */ (name[0])
    for (const [maker = '', ...fields] of /** @type {Expression[][]} */ (parameters[0])) {
      sorts.set(String(maker), type)
      for (const [field = '', of = ''] of /** @type {Expression[][]} */ (fields)) {
        sorts.set(String(field), storedSort(of))
      }
    }
  }

  /** @param {Expression[]} command @returns {string | undefined} */
  const translated = (command) => {
    const [head, name = '', parameters = [], sort = ''] = command
    if (head === 'declare-fun' && typeof name === 'string' && Array.isArray(parameters)) {
      if (parameters.length > 0) return `(declare-fun ${name} ${storedSort(parameters)} ${storedSort(sort)})`
      const { value, sort: own, declared } = variable(name)
      if (value !== undefined) return undefined
      return `(declare-fun ${name} () ${declared === undefined ? own : sortOf(declared)})`
    }
    if (head === 'declare-datatypes') return `(declare-datatypes ${print(name)} ${storedSort(parameters)})`
    if (head === 'assert') return `(assert ${term(name).text})`
    if (head === 'set-option' || head === 'set-logic' || head === 'check-sat' || head === 'get-value') return undefined
    throw new Error(`${print(command).slice(0, 80)} is not known`)
  }

  for (const command of commands) declare(command)
  const lines = commands.map(translated).filter((line) => line !== undefined && line !== '(assert true)')
  // Of a product of two variables no more is known than that it gives like for like, and nothing for nothing.
  if (hasProduct) added.unshift(`(declare-fun product (${sortOf(STORED)} ${sortOf(STORED)}) ${sortOf(PRODUCT)})`)
  const isPlain =
    !hasProduct && !commands.some(([head, , parameters]) => head === 'declare-fun' && Boolean(parameters?.length))
  const logic = isPlain && !/Array|declare-datatypes/.test(lines.join('')) ? ['(set-logic QF_BV)'] : []
  // A division that bounds of a variable were found by is made of variables that come before it.
  const declarations = [...lines, ...added].filter((line) => !line?.startsWith('(assert'))
  const assertions = [...lines, ...added].filter((line) => line?.startsWith('(assert'))
  return `${[...logic, ...declarations, ...assertions, '(check-sat)'].join('\n')}\n`
}
