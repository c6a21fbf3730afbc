import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ErrorReply } from '@redis/client'
import { CLOSED_MEMORY_MS, EPOCH_SIZE, FEED_LENGTH } from '@rfqctl/protocol/domain/limits'
import { answerOf, type Connection } from './connection.ts'
import { ROW_FIELDS } from './rows.ts'

/** Each part uses the ones before it. */
const PARTS = ['feed', 'presence', 'rows', 'quotes', 'market', 'commit-leases']

/** Numbers that the functions share with the TypeScript code, by the same names. */
const LIMITS = Object.entries({ CLOSED_MEMORY_MS, EPOCH_SIZE, FEED_LENGTH, ...ROW_FIELDS }).map(
  ([name, value]) => `local ${name} = ${value}\n`,
)

const textOf = (part: string): string => readFileSync(new URL(`./lua/${part}.lua`, import.meta.url), 'utf8')

/**
 * The relay's operations in Redis, as one library of functions: each write of the live market is one function, and
 * Redis runs one at a time. `LIBRARY` is a placeholder for its name, which is a digest of its text, so that two
 * versions can run side by side. KEYS[1] is the prefix of all keys. The functions derive other keys from it, which
 * Redis Cluster does not allow: it is not supported. Times are Unix milliseconds, given by the caller. Every key has a
 * time to live or a bound.
 */
const LIBRARY_SOURCE = ['#!lua name=LIBRARY', ...LIMITS, ...PARTS.map(textOf)].join('\n')

export type Reply = string | number | null | readonly Reply[]

export type FunctionName =
  | 'begin'
  | 'claim'
  | 'filled'
  | 'open'
  | 'put'
  | 'claim_wallet'
  | 'make_firm'
  | 'firm_signature'
  | 'remove'
  | 'remove_all'
  | 'expire'
  | 'lock'
  | 'unlock'
  | 'forgive'
  | 'close'
  | 'read_top'
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

/** Redis was emptied, is older than this node has seen, or its ids are used up: nothing works before a new epoch. */
export class NoEpochError extends Error {
  override readonly name = 'NoEpochError'
}

const NAME_DIGITS = 12

const LIBRARY = `rfqctl_${createHash('sha256').update(LIBRARY_SOURCE).digest('hex').slice(0, NAME_DIGITS)}`
const CODE = LIBRARY_SOURCE.replaceAll('LIBRARY', LIBRARY)

/**
 * The library on one connection. A restarted or replaced Redis has lost it, so it is loaded again. Every call carries
 * the newest epoch that this node has seen.
 */
export function createFunctions(connection: Connection, prefix: string, newestEpoch: () => number): RunFunction {
  const call = (name: FunctionName, args: readonly (string | number)[]) =>
    answerOf(
      connection.sendCommand<Reply>([
        ...['FCALL', `${LIBRARY}_${name}`, '1', prefix, `${newestEpoch()}`],
        ...args.map(String),
      ]),
    )

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
