import { createHash } from 'node:crypto'
import { ErrorReply } from '@redis/client'
import { answerOf, type Connection } from './connection.ts'
import { LIBRARY_SOURCE } from './library.ts'

/** What Redis answers to a function of ours: text, numbers, lists of them, or nothing. */
export type Reply = string | number | null | readonly Reply[]

/** The functions of the library. */
export type FunctionName =
  | 'begin'
  | 'claim'
  | 'filled'
  | 'open'
  | 'put'
  | 'remove'
  | 'expire'
  | 'lock'
  | 'unlock'
  | 'forgive'
  | 'close'
  | 'look'
  | 'stale'
  | 'present'
  | 'who_is_present'
  | 'acquire'
  | 'renew'
  | 'conclude'
  | 'is_running'

/** Runs a function. Fails with `store_unavailable` in an outage, and with a `NoEpochError` while the market is empty. */
export type RunFunction = <Answer extends Reply>(
  name: FunctionName,
  ...args: readonly (string | number)[]
) => Promise<Answer>

/** Redis was emptied, or its ids are used up: events need a new epoch before there can be any. */
export class NoEpochError extends Error {
  override readonly name = 'NoEpochError'
}

/** How much of its digest names a library. */
const NAME_DIGITS = 12

const LIBRARY = `rfqctl_${createHash('sha256').update(LIBRARY_SOURCE).digest('hex').slice(0, NAME_DIGITS)}`
const CODE = LIBRARY_SOURCE.replaceAll('LIBRARY', LIBRARY)

/** The library on one connection. A Redis that was restarted or replaced has lost it: then it is loaded again. */
export function createFunctions(connection: Connection, prefix: string): RunFunction {
  const call = (name: FunctionName, args: readonly (string | number)[]) =>
    answerOf(connection.sendCommand<Reply>(['FCALL', `${LIBRARY}_${name}`, '1', prefix, ...args.map(String)]))

  return async <Answer extends Reply>(name: FunctionName, ...args: readonly (string | number)[]) => {
    try {
      return (await call(name, args)) as Answer
    } catch (fault) {
      if (!(fault instanceof ErrorReply)) throw fault
      if (fault.message.startsWith('EPOCH ')) throw new NoEpochError(fault.message)
      if (!fault.message.includes('Function not found')) throw fault
      await answerOf(connection.sendCommand(['FUNCTION', 'LOAD', 'REPLACE', CODE]))
      return (await call(name, args)) as Answer
    }
  }
}
