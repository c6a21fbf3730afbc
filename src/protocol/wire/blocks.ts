import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { MakerStanding } from '../domain/operations.ts'
import * as field from './field.ts'
import { decodeLabel, decodePlainText, decodeTime, encodeTime } from './fields.ts'
import { decodeMakerStanding, encodeMakerStanding, MakerStandingFields } from './maker-standing.ts'
import { createBodyReader, createReader } from './reader.ts'
import { described, optional, successOf, textOf } from './schemas.ts'

const MAX_MAKER_ID_LENGTH = 200
const MAX_NAME_LENGTH = 100
const MAX_REASON_LENGTH = 500

/** The decider where no one is named: the holder of the operator token. */
const OPERATOR = 'operator'

const BlockFields = { makerId: field.makerId, blocked: field.blocked, at: field.at, by: field.by, reason: field.reason }

/** An operator's decision about a maker; without `blocked` it blocks the maker. */
export const BlockBody = Type.Object({
  blocked: optional(field.blocked),
  by: optional(described(textOf(MAX_NAME_LENGTH), field.by)),
  reason: optional(described(textOf(MAX_REASON_LENGTH), field.reason)),
})

export const BlockAnswer = successOf(BlockFields)

/** The standing of the makers, and the decisions on all that were ever blocked. */
export const MakersAnswer = successOf({
  count: field.count,
  makers: described(Type.Array(MakerStandingFields), 'Makers that are connected or have been active.'),
  blocks: described(
    Type.Array(Type.Object(BlockFields)),
    'The latest decision about each maker that was ever blocked.',
  ),
})

const readBlock = createBodyReader(BlockBody)
const readAnswer = createReader(BlockAnswer, 'the answer')
const readMakers = createReader(MakersAnswer, 'the answer')

/** An operator's decision on a maker. */
export type BlockTerms = {
  /** Whether the maker is blocked; false unblocks it and forgets its misses. */
  isBlocked: boolean
  /** May be empty. */
  by: string
  /** May be empty. */
  reason: string
}

/** A decision in force on a maker. */
export type Block = BlockTerms & {
  makerId: string
  /** Time of the decision, Unix milliseconds. */
  at: number
}

/** Makers as operators know them. */
export type MakersView = {
  /** Every maker that the relay has met. */
  makers: MakerStanding[]
  /** Decisions on makers that were ever blocked. */
  blocks: Block[]
}

export const decodeMakerId = (text: string): string => decodePlainText(text, 'makerId', MAX_MAKER_ID_LENGTH)

export function decodeBlock(body: unknown): BlockTerms {
  const { blocked, by, reason } = readBlock(body)
  return {
    isBlocked: blocked ?? true,
    by: decodeLabel(by, 'by', MAX_NAME_LENGTH) || OPERATOR,
    reason: decodeLabel(reason, 'reason', MAX_REASON_LENGTH),
  }
}

export const encodeBlock = ({ isBlocked, by, reason }: BlockTerms): Static<typeof BlockBody> => ({
  blocked: isBlocked,
  by,
  reason,
})

export const encodeBlocked = (block: Block): Static<typeof BlockAnswer> => ({ success: true, ...blockFields(block) })

export function decodeBlocked(answer: unknown): Block {
  const { success: _, ...fields } = readAnswer(answer)
  return blockOf(fields)
}

export const encodeMakers = ({
  makers,
  blocks,
}: {
  makers: readonly Parameters<typeof encodeMakerStanding>[0][]
  blocks: readonly Block[]
}): Static<typeof MakersAnswer> => ({
  success: true,
  count: makers.length,
  makers: makers.map(encodeMakerStanding),
  blocks: blocks.map(blockFields),
})

export function decodeMakers(answer: unknown): MakersView {
  const { makers, blocks } = readMakers(answer)
  return { makers: makers.map(decodeMakerStanding), blocks: blocks.map(blockOf) }
}

const blockFields = ({ makerId, isBlocked, at, by, reason }: Block) => ({
  makerId,
  blocked: isBlocked,
  at: encodeTime(at),
  by,
  reason,
})

const blockOf = ({ makerId, blocked, at, by, reason }: ReturnType<typeof blockFields>): Block => ({
  makerId,
  isBlocked: blocked,
  at: decodeTime(at, 'at'),
  by,
  reason,
})
