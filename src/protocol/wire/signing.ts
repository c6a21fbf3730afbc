import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { SigningRequest } from '../domain/attestation.ts'
import { RfqError } from '../domain/errors.ts'
import type { TypedDataDomain } from '../domain/order.ts'
import type { SeriesTerms } from '../domain/series.ts'
import type { Address, Hex } from '../domain/units.ts'
import { decodeOption, encodeOption, LegsInput } from './option.ts'
import { DomainFields, decodeDomain } from './order.ts'
import { createReader } from './reader.ts'
import {
  AnyAddressText,
  Bytes32Text,
  HexText,
  nullable,
  oneOf,
  ResolutionPrice,
  Strike,
  Text,
  Uint256Text,
  UnixSeconds,
} from './schemas.ts'

/** A relay's question to the process that holds its key: for its address, a signature that attests to nothing, or a resolution. */
export type SignerQuestion =
  | { ask: 'address' }
  | { ask: 'probe'; domain: TypedDataDomain }
  | ({ ask: 'sign' } & SigningRequest)

/** The process's answer: its address, with a signature if one was asked for, or the reason for none. */
export type SignerAnswer = { address: Address; signature: Hex | null; refusal: SignerRefusal | null }

/** The reason for which nothing was signed. */
export type SignerRefusal = { code: 'signer_refused' | 'signer_unavailable'; detail: string }

const Market = { conditionId: Bytes32Text, yesTokenId: Uint256Text, expiry: UnixSeconds }

const Question = Type.Object({
  ask: oneOf('address', 'probe', 'sign'),
  domain: Type.Optional(DomainFields),
  attestation: Type.Optional(
    Type.Object({ seriesId: Uint256Text, resolutionBps: ResolutionPrice, validUntil: UnixSeconds }),
  ),
  terms: Type.Optional(
    Type.Union([
      Type.Object({ ...Market, strikeBps: Strike, optionType: oneOf('call', 'put') }),
      Type.Object({ ...Market, legs: LegsInput }),
    ]),
  ),
})

const Answer = Type.Object({
  address: AnyAddressText,
  signature: nullable(HexText),
  refusal: nullable(Type.Object({ code: oneOf('signer_refused', 'signer_unavailable'), detail: Text })),
})

const readQuestion = createReader(Question, 'the question')
const readAnswer = createReader(Answer, 'the answer')

export function encodeSignerQuestion(question: SignerQuestion): string {
  if (question.ask !== 'sign') return JSON.stringify(question)
  const { conditionId, yesTokenId, expiry } = question.terms
  return JSON.stringify({ ...question, terms: { conditionId, yesTokenId, expiry, ...encodeOption(question.terms) } })
}

/** The question in a line. Refuses with `invalid_request`. */
export function decodeSignerQuestion(line: string): SignerQuestion {
  const { ask, domain, attestation, terms } = readQuestion(parse(line))
  if (ask === 'address') return { ask }
  if (domain !== undefined && ask === 'probe') return { ask, domain: decodeDomain(domain) }
  if (domain === undefined || attestation === undefined || terms === undefined) throw new RfqError('invalid_request')
  return {
    ask: 'sign',
    attestation: attestation as SigningRequest['attestation'],
    terms: termsOf(terms),
    domain: decodeDomain(domain),
  }
}

function termsOf(fields: NonNullable<Static<typeof Question>['terms']>): SeriesTerms {
  const { conditionId, yesTokenId, expiry } = fields
  return { conditionId: conditionId as Hex, yesTokenId, expiry, ...decodeOption(fields) }
}

export const encodeSignerAnswer = (answer: SignerAnswer): string =>
  JSON.stringify(answer satisfies Static<typeof Answer>)

/** The answer in a line. Refuses with `invalid_request`. */
export const decodeSignerAnswer = (line: string): SignerAnswer => readAnswer(parse(line)) as SignerAnswer

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new RfqError('invalid_json')
  }
}
