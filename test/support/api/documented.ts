import { describeApi } from '../../../src/relay/server/openapi/describe.ts'
import { createJudge, type SeenAnswer } from './judge.ts'

const judge = createJudge(await describeApi())

export const assertAnswerDocumented = (seen: SeenAnswer): void => refuse(judge.answer(seen))

export const assertEventDocumented = (path: string, seen: Parameters<typeof judge.event>[1]): void =>
  refuse(judge.event(path, seen))

export const assertMessageDocumented = (path: string, seen: unknown): void => refuse(judge.message(path, seen))

function refuse(complaints: readonly string[]): void {
  if (complaints.length > 0) throw new Error(`not as documented: ${complaints.join('\n')}`)
}
