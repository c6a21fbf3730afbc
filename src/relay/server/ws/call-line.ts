import { RfqError } from '@rfqctl/protocol/domain/errors'
import * as wire from '@rfqctl/protocol/wire/maker-commands'
import { allMaybe, thenMaybe } from '../../core/ports/maybe-promise.ts'
import { statusOf } from '../errors.ts'
import { type CallParts, createCalls, MAX_UNDER_WAY } from '../maker-calls.ts'

export type CallLine = { take: (message: wire.MakerCalls) => void }

/** Answers that a commit waits for; they are bounded by themselves. */
const MAX_ANSWERS = 64

/** The calls of a socket, whose answers are sent. */
export function createCallLine({ send, ...parts }: CallParts & { send: (message: object) => void }): CallLine {
  let underWay = 0
  let answersUnderWay = 0
  const carryOut = createCalls(parts)

  /** In this very step where all is at hand, as it is for a quote on one machine. */
  function answer(message: wire.MakerCalls, onEnd: () => void): void {
    const read = wire.decodeMakerCalls(message)
    const sent = thenMaybe(allMaybe(read.calls.map(carryOut)), (answers) => send(wire.encodeAnswers(read, answers)))
    if (sent instanceof Promise) void sent.finally(onEnd)
    else onEnd()
  }

  function refuse(message: wire.MakerCalls): void {
    const refusal = new RfqError('too_many_requests', BUSY)
    send(wire.encodeRefused(wire.refOf(message), refusal, statusOf(refusal)))
  }

  return {
    take: (message) => {
      if (wire.answersCommit(message)) {
        if (answersUnderWay >= MAX_ANSWERS) return refuse(message)
        answersUnderWay += 1
        answer(message, () => {
          answersUnderWay -= 1
        })
        return
      }
      const calls = wire.countCalls(message)
      if (underWay + calls > MAX_UNDER_WAY) return refuse(message)
      underWay += calls
      answer(message, () => {
        underWay -= calls
      })
    },
  }
}

const BUSY = { detail: `More than ${MAX_UNDER_WAY} calls of this socket are under way: wait for answers.` }
