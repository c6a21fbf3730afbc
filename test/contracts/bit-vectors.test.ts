import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inBitVectors } from '../../contracts/scripts/bit-vectors.mjs'

const HAS_Z3 = spawnSync('z3', ['--version']).error === undefined
const HINT = HAS_Z3 ? '' : ' (skipped: needs z3)'

/** An integer of a query: its text, and its value where each variable has the one that it was drawn with. */
type Drawn = { text: string; value: bigint }
type Variable = { name: string; value: bigint; bits: number; isSigned: boolean }

const MOST = 2n ** 256n
const word = (value: bigint) => BigInt.asUintN(256, value)
const modulo = (a: bigint, b: bigint) => ((a % b) + b) % b
const literal = (value: bigint) => (value < 0n ? `(- ${-value})` : `${value}`)
const bits = (of: Drawn) => `((_ int2bv 256) ${of.text})`

const drawn: fc.Arbitrary<Variable> = fc
  .record({
    bits: fc.constantFrom(8, 24, 64, 256),
    isSigned: fc.boolean(),
    seed: fc.bigInt({ min: 0n, max: MOST - 1n }),
  })
  .map(({ bits, isSigned, seed }) => ({
    name: '',
    bits,
    isSigned,
    value: isSigned ? BigInt.asIntN(bits, seed) : BigInt.asUintN(bits, seed),
  }))
const variables = fc
  .array(drawn, { minLength: 3, maxLength: 3 })
  .map((some) => some.map((one, i) => ({ ...one, name: `x_${i}` })))

/** What solc's queries are made of, over variables; `pick` chooses. */
function build(known: readonly Variable[], pick: () => number, depth: number): Drawn {
  const choose = <Item>(items: readonly Item[]): Item => items[pick() % items.length] as Item
  if (depth === 0) {
    const { name, value } = choose(known)
    return { text: name, value }
  }
  const [a, b] = [build(known, pick, depth - 1), build(known, pick, depth - 1)]
  const by = choose([1n, 3n, 100n, 10_000n, 2n ** 40n])
  const [shiftA, shiftB] = [word(a.value), word(b.value)]
  return choose<() => Drawn>([
    () => ({ text: `(+ ${a.text} ${b.text})`, value: a.value + b.value }),
    () => ({ text: `(- ${a.text} ${b.text})`, value: a.value - b.value }),
    () => ({ text: `(* ${a.text} ${by})`, value: a.value * by }),
    () => ({ text: `(div ${a.text} ${by})`, value: (a.value - modulo(a.value, by)) / by }),
    () => ({ text: `(mod ${a.text} ${by})`, value: modulo(a.value, by) }),
    () => ({ text: `(ite (< ${a.text} ${b.text}) ${b.text} ${a.text})`, value: a.value < b.value ? b.value : a.value }),
    () => ({
      text: `(ite (<= ${b.text} ${a.text}) ${b.text} ${a.text})`,
      value: b.value <= a.value ? b.value : a.value,
    }),
    () => ({ text: `(ite (= ${a.text} ${b.text}) 1 ${a.text})`, value: a.value === b.value ? 1n : a.value }),
    () => ({ text: `(bv2nat (bvand ${bits(a)} ${bits(b)}))`, value: shiftA & shiftB }),
    () => ({ text: `(bv2nat (bvor ${bits(a)} ${bits(b)}))`, value: shiftA | shiftB }),
    () => ({ text: `(bv2nat (bvxor ${bits(a)} (bvnot ${bits(b)})))`, value: shiftA ^ word(~shiftB) }),
    () => ({ text: `(bv2nat (bvshl ${bits(a)} ((_ int2bv 256) 40)))`, value: word(shiftA << 40n) }),
    () => ({ text: `(bv2nat (bvlshr ${bits(a)} ((_ int2bv 256) 72)))`, value: shiftA >> 72n }),
  ])()
}

/** Facts that hold: ranges of types, bounds, each more than once, and what each variable is, in a form that is no definition. */
const factsOf = (known: readonly Variable[]): string[] =>
  known.flatMap(({ name, value, bits, isSigned }) => {
    const size = 2n ** BigInt(bits)
    const [low, high] = isSigned ? [-size / 2n, size / 2n - 1n] : [0n, size - 1n]
    return [
      `(and (>= ${name} ${literal(low)}) (<= ${name} ${literal(high)}))`,
      `(>= ${name} ${literal(value - 9n)})`,
      `(>= ${name} ${literal(value - 2n)})`,
      `(or (= ${name} ${literal(value)}) (= ${name} ${literal(value)}))`,
    ]
  })

function ask(names: readonly string[], facts: readonly string[], question: string): string {
  const declared = names.map((name) => `(declare-fun ${name} () Int)`)
  const asserted = [...facts, question].map((fact) => `(assert ${fact})`)
  const input = inBitVectors([...declared, ...asserted, '(check-sat)'].join('\n'))
  return spawnSync('z3', ['-in', 'rlimit=20000000'], { input, encoding: 'utf8' }).stdout.trim()
}

describe.skipIf(!HAS_Z3)(`a query in bit vectors${HINT}`, () => {
  test('has the answers of the one in integers', () => {
    const pool = fc.array(fc.nat(), { minLength: 64, maxLength: 64 })
    fc.assert(
      fc.property(variables, pool, (known, choices) => {
        let place = 0
        const pick = () => choices[place++ % choices.length] as number
        const { text, value } = build(known, pick, 3)
        const names = known.map(({ name }) => name)
        expect(ask(names, factsOf(known), `(= ${text} ${literal(value)})`), text).toBe('sat')
        expect(ask(names, factsOf(known), `(not (= ${text} ${literal(value)}))`), text).toBe('unsat')
      }),
      { numRuns: Number(process.env.RFQCTL_SMT_RUNS ?? 40), seed: 1 },
    )
  }, 60_000)

  test('wraps as unchecked arithmetic does', () => {
    const wrapOf = (bits: number, low: bigint, a: bigint, b: bigint) => {
      const size = 2n ** BigInt(bits)
      const high = low + size - 1n
      const facts = [
        `(and (>= x ${literal(low)}) (<= x ${literal(high)}))`,
        `(and (>= y ${literal(low)}) (<= y ${literal(high)}))`,
        `(and (>= k_1 ${literal(low)}) (<= k_1 ${literal(high)}))`,
        `(= (+ x y) (+ k_1 (* ${size} m_1)))`,
        `(or (= x ${literal(a)}) (= x ${literal(a)}))`,
        `(or (= y ${literal(b)}) (= y ${literal(b)}))`,
      ]
      return (k: bigint) => ask(['x', 'y', 'k_1', 'm_1'], facts, `(or (= k_1 ${literal(k)}) (= k_1 ${literal(k)}))`)
    }
    const unsigned = wrapOf(8, 0n, 200n, 100n)
    expect([unsigned(44n), unsigned(300n), unsigned(45n)]).toEqual(['sat', 'unsat', 'unsat'])
    const signed = wrapOf(16, -32_768n, 32_000n, 1_000n)
    expect([signed(-32_536n), signed(33_000n), signed(0n)]).toEqual(['sat', 'unsat', 'unsat'])
  })

  test('takes no bounds that are not those of a type, and no lower bound for an upper one', () => {
    const byte = '(and (>= x 0) (<= x 255))'
    const is = (value: number) => `(or (= x ${value}) (= x ${value}))`
    expect(ask(['x'], [byte], '(not (and (>= x 0) (<= x 127)))')).toBe('sat')
    expect(ask(['x'], [byte, '(or (> x 3) (and (>= x 0) (<= x 7)))'], is(200))).toBe('sat')
    expect(ask(['x'], ['(>= x 5)', '(>= x 10)', byte], is(200))).toBe('sat')
    expect(ask(['x'], ['(>= x 5)', '(<= x 10)'], is(11))).toBe('unsat')
  })

  test('compares at the ends of a range', () => {
    const byte = '(and (>= x 0) (<= x 255))'
    const answers = ['(< x 255)', '(<= x 254)', '(> x 0)', '(<= x 255)', '(>= x 0)'].map((holds) =>
      ask(['x'], [byte], `(not ${holds})`),
    )
    expect(answers).toEqual(['sat', 'sat', 'sat', 'unsat', 'unsat'])
  })

  test('knows of a product that like gives like and nothing gives nothing, and no more', () => {
    const words = ['x', 'y', 'z'].map((name) => `(and (>= ${name} 0) (<= ${name} ${MOST - 1n}))`)
    const names = ['x', 'y', 'z']
    expect(ask(names, [...words, '(or (= y z) (= z y))'], '(not (= (* x y) (* x z)))')).toBe('unsat')
    expect(ask(names, [...words, '(or (= y 0) (= y 0))'], '(not (= (* x y) 0))')).toBe('unsat')
    expect(ask(names, words, '(not (= (* x y) (* y z)))')).toBe('sat')
  })
})
