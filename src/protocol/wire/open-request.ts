import type { Static } from 'typebox'
import * as Type from 'typebox'
import { type Audience, MAX_NAMED_MAKERS } from '../domain/audience.ts'
import { usd6ToNumber } from '../domain/decimal.ts'
import {
  isReduceOnly,
  type OneSidedTrade,
  type RequestTerms,
  type StandingLimit,
  type Trade,
} from '../domain/request.ts'
import { decodeLimit } from './commit.ts'
import * as field from './field.ts'
import { decodeContracts, decodeQuestion, MAX_QUESTION_LENGTH } from './fields.ts'
import { createBodyReader, createReader, invalidField, type JsonSchema } from './reader.ts'
import { decodeTerms, EitherOption, encodeParams, OptionFields, PackageFields, TradeFields } from './request.ts'
import { CommitLimit, described, Flag, optional, SecretUuidText, SignatureText, Size, textOf } from './schemas.ts'

/** A taker's trade; makers see the side, and the budget or the size. */
const OpenedTrade = described(
  Type.Object({
    ...TradeFields.properties,
    reduceOnly: optional(
      described(
        Flag,
        'Whether only options that the wallet holds are sold, or that it has written are bought; absent: no.',
        false,
      ),
    ),
  }),
  TradeFields,
)

const MakerIds = Type.Array(textOf(64), {
  minItems: 1,
  maxItems: MAX_NAMED_MAKERS,
  must: `an array of 1 to ${MAX_NAMED_MAKERS} makerIds`,
})

/** Strict as a commit is: a mistyped protection must not be ignored (protocol open-11, message-5). */
const Standing = Type.Object(
  {
    limitPrice: described(CommitLimit, 'The worst price per option, exact to 6 decimals.', 0.12),
    minContracts: optional(described(Size, field.minContracts)),
    side: optional(field.committedSide),
    proof: optional(
      described(
        SignatureText,
        "The wallet's EIP-712 signature over the typed data Commit, of at most 4,096 bytes; it needs `clientRequestId`.",
        null,
      ),
    ),
  },
  { additionalProperties: false },
)

const opening = <Option extends JsonSchema>(option: Option) =>
  Type.Object({
    market: described(
      Type.Object({
        conditionId: field.conditionId,
        yesTokenId: field.yesTokenId,
        question: optional(described(textOf(MAX_QUESTION_LENGTH), field.question)),
      }),
      'The market of the option.',
    ),
    option: described(option, EitherOption),
    trade: OpenedTrade,
    wallet: optional(field.wallet),
    firmOnly: optional(field.firmOnly),
    inventory: optional(
      described(
        Flag,
        'Whether the taker can fill by `fillFromInventory()`, so that options which the seller holds count; absent: no.',
        true,
      ),
    ),
    makers: optional(described(MakerIds, 'The makers that hear of the request, and no others; absent: all.', null)),
    exceptMakers: optional(
      described(MakerIds, 'The makers that do not hear of the request; absent: none.', ['maker-2']),
    ),
    blind: optional(
      described(
        Flag,
        'Whether `wallet` is kept from makers, but for the one that is asked to sign; the request is locked then. Absent: no.',
        false,
      ),
    ),
    standing: optional(
      described(
        Standing,
        'Has the relay commit by itself once a quote is within this limit; absent: it does not.',
        null,
      ),
    ),
    locked: optional(field.locked),
    clientRequestId: optional(
      described(
        SecretUuidText,
        "A random UUID of the client's own, which makes opening safe to repeat; as secret as the taker secret.",
        '1f0e8d6c-5b4a-4c3d-9e2f-7a6b5c4d3e2f',
      ),
    ),
  })

/** A request as it is opened (protocol open-1, open-5). */
export const OpenRequestBody = opening(EitherOption)

/** The longest wait of a call for quotes, milliseconds: less than proxies wait for an answer. */
export const MAX_WAIT_MS = 30_000

const Quotes = Type.String({ pattern: '^([1-9][0-9]{0,2}|1000)$', must: 'an integer 1..1000' })
const WaitMs = Type.String({ pattern: '^([0-9]{1,4}|[12][0-9]{4}|30000)$', must: 'an integer 0..30000' })

/** Query of an opening that waits for quotes (protocol open-7). */
export const QuotesQuery = Type.Object({
  quotes: Type.Optional(
    described(
      Quotes,
      'Waits until so many makers have a quote, and answers with the best; absent: `waitMs` decides.',
      '3',
    ),
  ),
  waitMs: Type.Optional(
    described(
      WaitMs,
      'Longest wait for quotes, milliseconds; absent: 30000 where `quotes` is given, else none.',
      '500',
    ),
  ),
})

const readOpenRequest = createBodyReader(opening(OptionFields))
const readOpenPackage = createBodyReader(opening(PackageFields))
const readQuotesQuery = createReader(QuotesQuery, 'the query')

/** A request that a taker opens; `locked` by decision Q1, and the taker's own id for it. */
type Opening = RequestTerms & { locked: boolean; clientRequestId?: string }

export function decodeOpenRequest(body: unknown): Opening {
  const { locked, inventory, clientRequestId, trade, makers, exceptMakers, blind, standing, ...params } = (
    hasLegs(body) ? readOpenPackage : readOpenRequest
  )(body)
  const { conditionId, yesTokenId, question } = params.market
  const { reduceOnly, ...shown } = trade
  const isReduceOnly = reduceOnly === true
  const most = isReduceOnly && shown.side === 'buy' ? (shown.size ?? null) : null
  const traded = most === null ? shown : { ...shown, size: null }
  const terms = decodeTerms({ ...params, market: { conditionId, yesTokenId }, trade: traded })
  const isBlind = blind === true
  const audience = audienceOf(makers ?? null, exceptMakers ?? null)
  const limit = standing == null ? null : decodeStanding(standing)
  checkTogether(terms, { isReduceOnly, isBlind, limit, isNamed: clientRequestId != null })
  const market = { ...terms.market, question: decodeQuestion(question, 'market.question') }
  return {
    ...terms,
    ...(isBlind && terms.wallet !== null ? { wallet: null, blindWallet: terms.wallet } : {}),
    market,
    trade: isReduceOnly && terms.trade.side !== 'both' ? reducing(terms.trade, most) : terms.trade,
    ...(inventory === true ? { inventory } : {}),
    ...(audience === null ? {} : { audience }),
    ...(limit === null ? {} : { standing: limit }),
    // A poll shows whose quote has moved behind because its maker did not sign: on one side it was the best.
    locked: isBlind || terms.trade.side === 'both' || (locked ?? false),
    ...(typeof clientRequestId === 'string' ? { clientRequestId: clientRequestId.toLowerCase() } : {}),
  }
}

/** Refuses fields of an opening that do not go together. */
function checkTogether(
  terms: RequestTerms,
  asked: { isReduceOnly: boolean; isBlind: boolean; limit: StandingLimit | null; isNamed: boolean },
): void {
  const { isReduceOnly, isBlind, limit, isNamed } = asked
  const isBoth = terms.trade.side === 'both'
  const withWallet = {
    'firmOnly is true': terms.firmOnly === true,
    'trade.reduceOnly is true': isReduceOnly,
    'blind is true': isBlind,
    'standing is given': limit !== null,
  }
  for (const [when, isSo] of Object.entries(withWallet))
    if (isSo && terms.wallet === null) throw invalidField('wallet', `an address when ${when}`, undefined)
  if (isBoth && isReduceOnly) throw invalidField('trade.reduceOnly', 'absent when side is both', true)
  if (isBlind && terms.firmOnly === true) {
    const must = 'absent when blind is true: a maker signs beforehand for a wallet that it sees'
    throw invalidField('firmOnly', must, true)
  }
  if (limit === null) return
  if ((limit.side !== undefined) !== isBoth) {
    const must = isBoth ? 'given when trade.side is both' : 'absent unless trade.side is both'
    throw invalidField('standing.side', must, limit.side)
  }
  if (limit.proof !== undefined && !isNamed) {
    const must = 'given with standing.proof, which signs the id that follows from it'
    throw invalidField('clientRequestId', must, undefined)
  }
}

function decodeStanding({ limitPrice, minContracts, side, proof }: Static<typeof Standing>): StandingLimit {
  return {
    limitPrice: decodeLimit(limitPrice, 'standing.limitPrice'),
    minContracts: typeof minContracts === 'number' ? decodeContracts(minContracts) : null,
    ...(side == null ? {} : { side }),
    ...(typeof proof === 'string' ? { proof } : {}),
  }
}

const encodeStanding = ({ limitPrice, minContracts, side, proof }: StandingLimit): Static<typeof Standing> => ({
  limitPrice: usd6ToNumber(limitPrice),
  ...(minContracts === null ? {} : { minContracts: Number(minContracts) }),
  ...(side === undefined ? {} : { side }),
  ...(proof === undefined ? {} : { proof }),
})

function audienceOf(makers: readonly string[] | null, exceptMakers: readonly string[] | null): Audience | null {
  if (makers !== null && exceptMakers !== null)
    throw invalidField('exceptMakers', 'absent when makers are given', exceptMakers)
  if (makers !== null) return { kind: 'only', makers }
  return exceptMakers === null ? null : { kind: 'except', makers: exceptMakers }
}

const reducing = (trade: OneSidedTrade, most: number | null): Trade => ({
  ...trade,
  reduceOnly: true,
  ...(most === null ? {} : { most: decodeContracts(most) }),
})

/** Whether a body asks for a package, and for no single option beside it (protocol open-5). */
function hasLegs(body: unknown): boolean {
  const { option } = (body ?? {}) as { option?: { legs?: unknown; strikeBps?: unknown; optionType?: unknown } | null }
  if (option?.legs == null) return false
  for (const name of ['strikeBps', 'optionType'] as const) {
    if (option[name] != null) throw invalidField(`option.${name}`, 'absent when legs are given', option[name])
  }
  return true
}

export function encodeOpenRequest({ locked, clientRequestId, ...terms }: Opening): Static<typeof OpenRequestBody> {
  const { trade, inventory, audience, blindWallet, standing } = terms
  const { trade: shown, ...params } = encodeParams(terms)
  const most = trade.side === 'buy' && trade.most !== undefined ? { size: Number(trade.most) } : {}
  const opened = isReduceOnly(trade) ? { ...shown, ...most, reduceOnly: true } : shown
  const named = clientRequestId === undefined ? {} : { clientRequestId }
  const makers =
    audience === undefined ? {} : { [audience.kind === 'only' ? 'makers' : 'exceptMakers']: [...audience.makers] }
  const blind = blindWallet === undefined ? {} : { wallet: blindWallet, blind: true }
  return {
    ...params,
    ...blind,
    trade: opened,
    ...(inventory === true ? { inventory } : {}),
    ...makers,
    ...(standing === undefined ? {} : { standing: encodeStanding(standing) }),
    locked,
    ...named,
  }
}

/** Infinitely many `quotes`: the time decides. Null: the call does not wait. */
export function decodeQuotesQuery(query: unknown): { quotes: number; waitMs: number } | null {
  const { quotes, waitMs } = readQuotesQuery(query)
  if (quotes === undefined && waitMs === undefined) return null
  return { quotes: Number(quotes ?? Number.POSITIVE_INFINITY), waitMs: Number(waitMs ?? MAX_WAIT_MS) }
}
