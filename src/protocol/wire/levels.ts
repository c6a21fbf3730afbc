import type { Static } from 'typebox'
import * as Type from 'typebox'
import { usd6ToNumber } from '../domain/decimal.ts'
import { RfqError } from '../domain/errors.ts'
import type { Level } from '../domain/surface.ts'
import * as field from './field.ts'
import { decodeUint256, decodeUsd6 } from './fields.ts'
import { createBodyReader, createReader } from './reader.ts'
import { described, LimitPrice, successOf } from './schemas.ts'

/** Levels that a maker may have. */
export const MAX_LEVELS = 100

const LevelFields = Type.Object({
  seriesId: field.seriesId,
  bid: described(LimitPrice, 'Price at which the maker would buy an option now, in dollars; 0: at none.', 0.11),
  ask: described(LimitPrice, 'Price at which the maker would sell an option now, in dollars.', 0.13),
})

/** The indicative levels of a maker, which replace its former ones (protocol level-1). */
export const LevelsBody = Type.Object({
  levels: described(
    Type.Array(LevelFields, { maxItems: MAX_LEVELS, must: `a list of at most ${MAX_LEVELS} levels` }),
    'All indicative levels of the maker; an empty list withdraws them.',
  ),
})

/** Answer to levels over HTTP. */
export const LevelsAnswer = successOf({
  count: field.levelCount,
  keptMs: field.keptMs,
})

const readBody = createBodyReader(LevelsBody)
const readAnswer = createReader(LevelsAnswer, 'the answer')

/** Reads a body, or a message of the socket. */
export function decodeLevels(body: unknown): Level[] {
  return readBody(body).levels.map(({ seriesId, bid, ask }, i) => {
    const level = {
      seriesId: decodeUint256(seriesId, `levels[${i}].seriesId`),
      bid: decodeUsd6(bid, 'down', `levels[${i}].bid`),
      ask: decodeUsd6(ask, 'up', `levels[${i}].ask`),
    }
    if (level.bid <= level.ask) return level
    throw new RfqError('invalid_request', { detail: `levels[${i}].bid must be at most the ask, got ${bid}` })
  })
}

export const encodeLevels = (levels: readonly Level[]): Static<typeof LevelsBody> => ({
  levels: levels.map(({ seriesId, bid, ask }) => ({ seriesId, bid: usd6ToNumber(bid), ask: usd6ToNumber(ask) })),
})

export function decodeLevelsKept(answer: unknown): { count: number; keptMs: number } {
  const { count, keptMs } = readAnswer(answer)
  return { count, keptMs }
}
