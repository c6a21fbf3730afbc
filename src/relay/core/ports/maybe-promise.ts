/**
 * An answer that is at hand, or a promise of it. For what every quote asks: an adapter that keeps things in its own memory
 * answers at once, one that must ask elsewhere promises. The caller awaits either; a refusal may throw or reject.
 */
export type MaybePromise<Value> = Value | Promise<Value>

/** Several answers as one: at hand when all of them are, else as soon as the last one comes. */
export function allMaybe<const Answers extends readonly unknown[]>(
  answers: Answers,
): MaybePromise<{ -readonly [At in keyof Answers]: Awaited<Answers[At]> }> {
  return answers.some((answer) => answer instanceof Promise)
    ? Promise.all(answers)
    : (answers as { -readonly [At in keyof Answers]: Awaited<Answers[At]> })
}

/** Does work, and continues with its refusal if it has one, at once when that is at hand. */
export function catchMaybe<Value, Other>(
  work: () => MaybePromise<Value>,
  onFault: (fault: unknown) => MaybePromise<Other>,
): MaybePromise<Value | Other> {
  try {
    const value = work()
    return value instanceof Promise ? value.catch(onFault) : value
  } catch (fault) {
    return onFault(fault)
  }
}

/** Continues with an answer, at once when it is at hand. */
export const thenMaybe = <Value, Next>(
  answer: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> => (answer instanceof Promise ? answer.then(next) : next(answer))
