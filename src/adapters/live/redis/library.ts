import { readFileSync } from 'node:fs'
import { CLOSED_MEMORY_MS, EPOCH_SIZE, FEED_LENGTH } from '../../../domain/limits.ts'

/** In the order in which each uses what stands above it. */
const PARTS = ['feed', 'quotes', 'market', 'presence', 'commit-leases']

/** What it has in common with everyone else, by the same names. */
const LIMITS = Object.entries({ CLOSED_MEMORY_MS, EPOCH_SIZE, FEED_LENGTH }).map(
  ([name, value]) => `local ${name} = ${value}\n`,
)

const textOf = (part: string): string => readFileSync(new URL(`./lua/${part}.lua`, import.meta.url), 'utf8')

/**
 * What the relay asks of Redis, as one library of functions: each write of the live market is one of them, and Redis runs
 * one at a time. `LIBRARY` stands for its name, which is made of its text, so that two versions can run side by side.
 * KEYS[1] is the prefix of all keys; other keys are made from it, for which Redis Cluster would have to be told of each:
 * it is not supported. Times are Unix milliseconds, given by the caller. Every key has a time to live or a bound.
 */
export const LIBRARY_SOURCE = ['#!lua name=LIBRARY', ...LIMITS, ...PARTS.map(textOf)].join('\n')
