import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLinearizable } from './brute-force.ts'
import { checkLinearizable, type Model, type Operation } from './check-linearizable.ts'

/** A register of a number: it is written, read, and replaced if it is as expected. */
type Call = { kind: 'read' } | { kind: 'write'; value: number } | { kind: 'replace'; expected: number; value: number }
type Answer = number | 'written' | 'replaced' | 'other'

const REGISTER: Model<number, Call, Answer> = {
  initial: 0,
  keyOf: String,
  step: (state, call, answer) => {
    if (call.kind === 'read') return answer === null || answer === state ? state : null
    if (call.kind === 'write') return call.value
    if (answer === 'other') return state === call.expected ? null : state
    if (answer === 'replaced') return state === call.expected ? call.value : null
    return state === call.expected ? call.value : state
  },
}

type Op = Operation<Call, Answer>

const op = (process: string, [called, returned]: [number, number | null], input: Call, output: Answer | null): Op => ({
  process,
  input,
  output,
  called,
  returned,
})

const read = (process: string, times: [number, number | null], value: number | null) =>
  op(process, times, { kind: 'read' }, value)
const write = (process: string, times: [number, number | null], value: number, answer: 'written' | null = 'written') =>
  op(process, times, { kind: 'write', value }, answer)

const verdictOf = (...operations: Op[]) => checkLinearizable(REGISTER, operations).kind

/** What a register would answer now. */
function answerOf(state: number, call: Call): Answer {
  if (call.kind === 'read') return state
  if (call.kind === 'write') return 'written'
  return state === call.expected ? 'replaced' : 'other'
}

const value = fc.integer({ min: 0, max: 2 })
const call: fc.Arbitrary<Call> = fc.oneof(
  fc.constant<Call>({ kind: 'read' }),
  fc.record({ kind: fc.constant('write' as const), value }),
  fc.record({ kind: fc.constant('replace' as const), expected: value, value }),
)

/** Calls that took effect one after the other, the nth at 10 n, and were made and answered around that. */
const honest = (maxLength: number): fc.Arbitrary<Op[]> =>
  fc
    .array(fc.record({ call, before: fc.nat(35), after: fc.nat(35), isAnswered: fc.nat(4).map((n) => n > 0) }), {
      minLength: 1,
      maxLength,
    })
    .map((made) => {
      let state = REGISTER.initial
      return made.map(({ call, before, after, isAnswered }, index) => {
        const output = answerOf(state, call)
        state = REGISTER.step(state, call, output) as number
        const at = 10 * (index + 1)
        return op(`p${index}`, [at - before, isAnswered ? at + after : null], call, isAnswered ? output : null)
      })
    })

/** Calls with any times and any answers. */
const anything: fc.Arbitrary<Op[]> = fc.array(
  fc
    .record({
      call,
      called: fc.nat(8),
      lasts: fc.nat(5),
      answer: fc.option(fc.record({ read: value, replaced: fc.boolean() }), { freq: 5 }),
    })
    .map(({ call, called, lasts, answer }) => {
      const output = answer && (call.kind === 'read' ? answer.read : call.kind === 'write' ? 'written' : null)
      const replaced = answer && (answer.replaced ? 'replaced' : 'other')
      const said = call.kind === 'replace' ? replaced : output
      return op('p', [called, said === null ? null : called + lasts], call, said)
    }),
  { maxLength: 6 },
)

describe('a linearizable history', () => {
  it('may be empty', () => {
    expect(checkLinearizable(REGISTER, [])).toEqual({ kind: 'linearizable', order: [], looked: 0 })
  })

  it('may have a read during a write, of the value before or after it', () => {
    expect(verdictOf(write('a', [0, 10], 1), read('b', [5, 6], 0))).toBe('linearizable')
    expect(verdictOf(write('a', [0, 10], 1), read('b', [5, 6], 1))).toBe('linearizable')
  })

  it('may have a write without an answer, which took effect late or never', () => {
    const lost = write('a', [0, null], 1, null)
    expect(verdictOf(lost, read('b', [50, 60], 1))).toBe('linearizable')
    expect(verdictOf(lost, read('b', [50, 60], 0), read('b', [70, 80], 1))).toBe('linearizable')
    expect(verdictOf(lost, read('b', [50, 60], 0))).toBe('linearizable')
  })

  it('may have an answer that came at an unknown time', () => {
    expect(verdictOf(op('a', [0, null], { kind: 'write', value: 1 }, 'written'), read('b', [9, 10], 0))).toBe(
      'linearizable',
    )
  })

  it('may have a call that returned in the moment in which another was made: they may have overlapped', () => {
    expect(verdictOf(write('a', [0, 5], 1), read('b', [5, 6], 0))).toBe('linearizable')
  })

  it('is any number of calls that took effect one after the other, and the order that is found explains them', () => {
    fc.assert(
      fc.property(honest(60), (operations) => {
        const verdict = checkLinearizable(REGISTER, operations)
        if (verdict.kind !== 'linearizable') throw new Error(verdict.kind)
        let state: number | null = REGISTER.initial
        let latest = Number.NEGATIVE_INFINITY
        for (const { input, output, called, returned } of verdict.order) {
          state = REGISTER.step(state, input, output)
          if (state === null) throw new Error('the order does not explain the answers')
          latest = Math.max(latest, called)
          expect(returned ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(latest)
        }
        const answered = operations.filter(({ output }) => output !== null)
        expect(verdict.order).toEqual(expect.arrayContaining(answered))
      }),
    )
  })
})

describe('a history that is not linearizable', () => {
  it('has a read after a write with the value before it', () => {
    expect(verdictOf(write('a', [0, 4], 1), read('b', [5, 6], 0))).toBe('not_linearizable')
  })

  it('has two reads during one write that see it come and go', () => {
    const during = write('a', [0, 10], 1)
    expect(verdictOf(during, read('b', [1, 2], 1), read('c', [3, 4], 0))).toBe('not_linearizable')
    expect(verdictOf(during, read('b', [1, 2], 0), read('c', [3, 4], 1))).toBe('linearizable')
  })

  it('has a write without an answer that is read before it was made', () => {
    expect(verdictOf(read('b', [0, 1], 1), write('a', [2, null], 1, null))).toBe('not_linearizable')
  })

  it('has two callers that replaced the same value', () => {
    const replace = (process: string, value: number) =>
      op(process, [0, 10], { kind: 'replace', expected: 0, value }, 'replaced')
    expect(verdictOf(replace('a', 1), replace('b', 2))).toBe('not_linearizable')
  })

  it('is shown with the order that explains most of it, and the calls that cannot come next', () => {
    const [first, second] = [write('a', [0, 1], 1), read('b', [2, 3], 1)]
    const [stale, later] = [read('c', [4, 6], 0), read('d', [5, 8], 2)]
    const verdict = checkLinearizable(REGISTER, [first, second, stale, later, read('e', [9, 10], 1)])
    expect(verdict).toMatchObject({ kind: 'not_linearizable', prefix: [first, second], state: 1 })
    expect(verdict).toMatchObject({ misfits: [stale, later] })
  })

  it('has one read of a value that was never written', () => {
    fc.assert(
      fc.property(honest(30), fc.nat(), (operations, at) => {
        const forged = operations.toSpliced(at % operations.length, 0, read('forger', [0, 1_000], 7))
        expect(verdictOf(...forged)).toBe('not_linearizable')
      }),
    )
  })
})

describe('the search', () => {
  it('has the verdict of all permutations, for any calls', () => {
    const verdicts = { linearizable: 0, not_linearizable: 0 }
    fc.assert(
      fc.property(anything, (operations) => {
        const expected = isLinearizable(REGISTER, operations) ? 'linearizable' : 'not_linearizable'
        verdicts[expected] += 1
        expect(verdictOf(...operations)).toBe(expected)
      }),
      { numRuns: 1_500 },
    )
    // Either verdict is tried often.
    expect(Math.min(verdicts.linearizable, verdicts.not_linearizable)).toBeGreaterThan(150)
  })

  it('has the verdict of all permutations where one answer of an honest history is changed: most are wrong', () => {
    let found = 0
    fc.assert(
      fc.property(honest(6), fc.nat(), value, (operations, at, other) => {
        const index = at % operations.length
        const { input, output } = operations[index] as Op
        const changed = input.kind === 'read' ? other : output === 'replaced' ? 'other' : 'replaced'
        fc.pre(input.kind !== 'write' && output !== null && output !== changed)
        const forged = operations.with(index, { ...(operations[index] as Op), output: changed })
        const isStillRight = isLinearizable(REGISTER, forged)
        if (!isStillRight) found += 1
        expect(verdictOf(...forged)).toBe(isStillRight ? 'linearizable' : 'not_linearizable')
      }),
      { numRuns: 300 },
    )
    expect(found).toBeGreaterThan(100)
  })

  it('is given up beyond a bound, which is neither verdict', () => {
    const many = Array.from({ length: 12 }, (_, n) => write(`p${n}`, [0, 100], n + 1))
    const impossible = read('q', [200, 201], 99)
    const verdict = checkLinearizable(REGISTER, [...many, impossible], { maxLooked: 1_000 })
    expect(verdict.kind).toBe('undecided')
    expect(checkLinearizable(REGISTER, [...many, impossible]).kind).toBe('not_linearizable')
  })

  it('remembers what it has tried: twelve writes at once have a few thousand configurations, not twelve factorial', () => {
    const many = Array.from({ length: 12 }, (_, n) => write(`p${n}`, [0, 100], n + 1))
    const { looked } = checkLinearizable(REGISTER, [...many, read('q', [200, 201], 99)])
    expect(looked).toBeLessThanOrEqual(12 * 2 ** 11)
  })
})
