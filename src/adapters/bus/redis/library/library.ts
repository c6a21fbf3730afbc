import { ATTEMPTS } from './attempts.ts'
import { FEED } from './feed.ts'
import { MARKET } from './market.ts'
import { PRESENCE } from './presence.ts'
import { QUOTES } from './quotes.ts'

/**
 * What the relay asks of Redis, as one library of functions: each write of the live market is one of them, and Redis runs
 * one at a time. `LIBRARY` stands for its name, which is made of its text, so that two versions can run side by side.
 * KEYS[1] is the prefix of all keys; other keys are made from it, for which Redis Cluster would have to be told of each:
 * it is not supported. Times are Unix milliseconds, given by the caller. Every key has a time to live or a bound.
 */
export const LIBRARY_SOURCE = ['#!lua name=LIBRARY', FEED, QUOTES, MARKET, PRESENCE, ATTEMPTS].join('\n')
