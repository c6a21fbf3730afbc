import { describeApi } from '../../../src/relay/server/openapi/describe.ts'
import { createJudge, type SeenAnswer } from './judge.ts'

const judge = createJudge(await describeApi())

/** Fails for an answer that the documents do not tell of. */
export const assertAnswerDocumented = (seen: SeenAnswer): void => refuse(judge.answer(seen))

/** Fails for an event that the documents do not tell of. */
export const assertEventDocumented = (path: string, seen: Parameters<typeof judge.event>[1]): void =>
  refuse(judge.event(path, seen))

/** Fails for a message of a socket that the documents do not tell of. */
export const assertMessageDocumented = (path: string, seen: unknown): void => refuse(judge.message(path, seen))

function refuse(complaints: readonly string[]): void {
  if (complaints.length > 0) throw new Error(`not as documented: ${complaints.join('\n')}`)
}
