import type { Soon } from './ports/soon.ts'

/** Several answers as one: at hand when all of them are, else as soon as the last one comes. */
export function together<const Answers extends readonly unknown[]>(
  answers: Answers,
): Soon<{ -readonly [At in keyof Answers]: Awaited<Answers[At]> }> {
  return answers.some((answer) => answer instanceof Promise)
    ? Promise.all(answers)
    : (answers as { -readonly [At in keyof Answers]: Awaited<Answers[At]> })
}

/** Goes on with an answer, at once when it is at hand. */
export const andThen = <Value, Next>(answer: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> =>
  answer instanceof Promise ? answer.then(next) : next(answer)
