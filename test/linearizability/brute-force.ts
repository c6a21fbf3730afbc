import type { Model, Operation } from './check-linearizable.ts'

/** The definition, for few calls: some order of all answered calls and any of the others keeps their times, and is right. */
export function isLinearizable<State, Input, Output>(
  model: Model<State, Input, Output>,
  operations: readonly Operation<Input, Output>[],
): boolean {
  const answered = operations.filter(({ output }) => output !== null)
  const others = operations.filter(({ output }) => output === null)
  return subsetsOf(others).some((effective) =>
    permutationsOf([...answered, ...effective]).some((order) => keepsTimes(order) && isRight(model, order)),
  )
}

/** A call that returned before another one was made comes before it. */
const keepsTimes = (order: readonly Operation<unknown, unknown>[]): boolean =>
  order.every((later, index) =>
    order.slice(0, index).every(({ called }) => later.returned === null || later.returned >= called),
  )

function isRight<State, Input, Output>(
  { initial, step }: Model<State, Input, Output>,
  order: readonly Operation<Input, Output>[],
): boolean {
  let state: State | null = initial
  for (const { input, output } of order) {
    state = step(state, input, output)
    if (state === null) return false
  }
  return true
}

function subsetsOf<T>([first, ...rest]: readonly T[]): T[][] {
  if (first === undefined) return [[]]
  return subsetsOf(rest).flatMap((subset) => [subset, [first, ...subset]])
}

function permutationsOf<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, index) => permutationsOf(items.toSpliced(index, 1)).map((rest) => [item, ...rest]))
}
