/** A call of a history. Times are of one clock that never goes back, in any unit. */
export type Operation<Input, Output> = {
  /** The caller, for the report. */
  process: string
  input: Input
  /** Null: no answer came, so the call may take effect at any time after it was made, or never. */
  output: Output | null
  called: number
  /** Null: no answer came, or its time is not known. */
  returned: number | null
}

/** An object that takes one call at a time. */
export type Model<State, Input, Output> = {
  initial: State
  /** The state after a call; null: the answer is wrong in this state. Without an answer it is that of a call that took effect. */
  step: (state: State, input: Input, output: Output | null) => State | null
  /** Equal for equal states. */
  keyOf: (state: State) => string
}

/** `looked`: how many configurations the search has seen, each a set of calls and the state after them. */
export type Verdict<State, Input, Output> = { looked: number } & (
  | { kind: 'linearizable'; order: readonly Operation<Input, Output>[] }
  | ({ kind: 'not_linearizable' } & Refutation<State, Input, Output>)
  /** The search was given up: nothing is shown. */
  | { kind: 'undecided' }
)

/** The order that explains the most answers. One of `misfits` must come next, and each is wrong in `state`. */
type Refutation<State, Input, Output> = {
  prefix: readonly Operation<Input, Output>[]
  state: State
  misfits: readonly Operation<Input, Output>[]
}

/** Where a search is given up, in configurations. */
const MAX_LOOKED = 100_000

/**
 * Whether there is an order of all calls, each between its call and its return, in which the model gives the same answers.
 * It is the search of Wing and Gong (1993); of several ways to the same calls and state it follows one, as Lowe (2017)
 * and porcupine do.
 */
export function checkLinearizable<State, Input, Output>(
  { initial, step, keyOf }: Model<State, Input, Output>,
  operations: readonly Operation<Input, Output>[],
  { maxLooked = MAX_LOOKED }: { maxLooked?: number } = {},
): Verdict<State, Input, Output> {
  const head = listOf(operations)
  const seen = new Set<string>()
  const taken: { call: Call<Operation<Input, Output>>; before: State }[] = []
  let longest: Refutation<State, Input, Output> = { prefix: [], state: initial, misfits: callsOf(head) }
  let state = initial
  let bits = 0n
  /** Answered calls that are left to explain, now and at best. */
  let left = operations.filter(({ output }) => output !== null).length
  let fewest = left
  let entry = head.next
  while (left > 0) {
    if (entry?.kind === 'call') {
      const { operation, bit } = entry
      const after = step(state, operation.input, operation.output)
      // A call without an answer that changes nothing might as well have had no effect.
      const isIdle = operation.output === null && after !== null && keyOf(after) === keyOf(state)
      if (after === null || isIdle || !isNew(seen, `${bits | bit} ${keyOf(after)}`)) {
        entry = entry.next
        continue
      }
      if (seen.size > maxLooked) return { kind: 'undecided', looked: seen.size }
      taken.push({ call: entry, before: state })
      state = after
      bits |= bit
      if (operation.output !== null) left -= 1
      takeOut(entry)
      entry = head.next
      if (left < fewest) {
        fewest = left
        longest = { prefix: taken.map(({ call }) => call.operation), state, misfits: callsOf(head) }
      }
      continue
    }
    // What returned here should have come before: the last call was taken too early.
    const last = taken.pop()
    if (last === undefined) return { kind: 'not_linearizable', ...longest, looked: seen.size }
    const { call, before } = last
    putBack(call)
    state = before
    bits ^= call.bit
    if (call.operation.output !== null) left += 1
    entry = call.next
  }
  return { kind: 'linearizable', order: taken.map(({ call }) => call.operation), looked: seen.size }
}

type Link<Op> = { previous: Link<Op> | null; next: Entry<Op> | null }
type Return<Op> = Link<Op> & { kind: 'return' }
/** `end` is null where no answer came. */
type Call<Op> = Link<Op> & { kind: 'call'; operation: Op; bit: bigint; end: Return<Op> | null }
type Entry<Op> = Call<Op> | Return<Op>

/** The head of a list of all calls and returns by time. Of one moment calls come first: they may have overlapped. */
function listOf<Op extends Operation<unknown, unknown>>(operations: readonly Op[]): Link<Op> {
  const entries = operations.flatMap((operation, index) => {
    const link = { previous: null, next: null }
    const end: Return<Op> | null = operation.output === null ? null : { ...link, kind: 'return' }
    const call: Call<Op> = { ...link, kind: 'call', operation, bit: 1n << BigInt(index), end }
    const called: { at: number; entry: Entry<Op> } = { at: operation.called, entry: call }
    return end === null ? [called] : [called, { at: operation.returned ?? Number.POSITIVE_INFINITY, entry: end }]
  })
  const rank = ({ entry }: { entry: Entry<Op> }) => (entry.kind === 'call' ? 0 : 1)
  entries.sort((a, b) => (a.at === b.at ? rank(a) - rank(b) : a.at - b.at))
  const head: Link<Op> = { previous: null, next: null }
  let last = head
  for (const { entry } of entries) {
    last.next = entry
    entry.previous = last
    last = entry
  }
  return head
}

/** Answered calls of which one must come next: those before the first return. */
function callsOf<Op extends Operation<unknown, unknown>>(head: Link<Op>): Op[] {
  const calls: Op[] = []
  for (let entry = head.next; entry?.kind === 'call'; entry = entry.next)
    if (entry.end !== null) calls.push(entry.operation)
  return calls
}

function takeOut<Op>(call: Call<Op>): void {
  for (const { previous, next } of call.end === null ? [call] : [call, call.end]) {
    if (previous !== null) previous.next = next
    if (next !== null) next.previous = previous
  }
}

/** In the opposite order of `takeOut`, since a call may be beside its own return. */
function putBack<Op>(call: Call<Op>): void {
  for (const entry of call.end === null ? [call] : [call.end, call]) {
    if (entry.previous !== null) entry.previous.next = entry
    if (entry.next !== null) entry.next.previous = entry
  }
}

/** Adds a key that was not there. */
const isNew = (seen: Set<string>, key: string): boolean => seen.size < seen.add(key).size
