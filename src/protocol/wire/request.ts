import type { Static } from 'typebox'
import * as Type from 'typebox'
import { type Audience, MAX_NAMED_MAKERS } from '../domain/audience.ts'
import { usd6ToNumber } from '../domain/decimal.ts'
import { isPackage, type Option, type PackageOption } from '../domain/option.ts'
import {
  isReduceOnly,
  type OneSidedTrade,
  type OpenedRequest,
  type RequestTerms,
  type StandingLimit,
  type Trade,
} from '../domain/request.ts'
import type { SeriesId } from '../domain/series.ts'
import { decodePoll, polled, type ShownBook } from './best-quote.ts'
import { decodeLimit } from './commit.ts'
import * as field from './field.ts'
import {
  decodeAddress,
  decodeBytes32,
  decodeContracts,
  decodeQuestion,
  decodeTime,
  decodeUint256,
  decodeUsd6,
  encodeTime,
  MAX_QUESTION_LENGTH,
  shownQuestion,
} from './fields.ts'
import { decodeOption, encodeOption, encodePackage, LegsInput } from './option.ts'
import { createBodyReader, createReader, invalidField, type JsonSchema } from './reader.ts'
import {
  AddressText,
  Budget,
  CommitLimit,
  Dollars,
  described,
  Flag,
  nullable,
  OptionTypeInput,
  optional,
  SecretUuidText,
  SignatureText,
  Size,
  successOf,
  textOf,
  Uint256Text,
} from './schemas.ts'

const TradeFields = described(
  Type.Object({
    side: field.askedSide,
    budgetUsd: optional(described(Budget, 'Buys only: dollars that the taker spends.', 100)),
    size: optional(
      described(Size, 'Sells: whole options that the taker writes. Both sides: those that it buys or writes.', 1_000),
    ),
  }),
  'What the taker wants to do.',
  { side: 'buy', budgetUsd: 100 },
)

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

const OptionFields = Type.Object({
  strikeBps: field.strikeBps,
  expiryMs: field.expiryMs,
  optionType: described(OptionTypeInput, field.optionType),
})
const PackageFields = Type.Object({
  legs: LegsInput,
  expiryMs: field.expiryMs,
})
const EitherOption = described(Type.Union([OptionFields, PackageFields]), 'The terms of the option.')

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
      described(Standing, 'Has the relay commit by itself once a quote is within this limit; absent: it does not.'),
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

export const RequestParams = Type.Object({
  wallet: nullable(
    described(AddressText, 'Taker wallet; null: named at commit.', '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'),
  ),
  market: described(
    Type.Object({
      conditionId: field.conditionId,
      yesTokenId: field.yesTokenId,
      question: field.question,
      yesPrice: Type.Optional(
        described(
          Dollars,
          'YES price in dollars that the relay knew when the request was opened, at most five minutes old; absent when it knew none.',
          0.5884,
        ),
      ),
    }),
    'The market of the option.',
  ),
  option: EitherOption,
  trade: TradeFields,
  firmOnly: Type.Optional(field.firmOnly),
})

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

const opened = {
  requestId: field.requestId,
  expiresAt: field.expiresAt,
  makersConnected: field.makersConnected,
  takerSecret: field.takerSecret,
  seriesId: field.seriesId,
  seriesListed: described(Flag, 'Whether the series is already in the index; it must be on chain by the commit.', true),
  packageId: Type.Optional(
    described(Uint256Text, 'Packages only: the id of the series again.', '777708714348913593082673'),
  ),
  maxPayoff: Type.Optional(field.maxPayoff),
  floor: Type.Optional(field.floor),
}

/** The first event of a stream that begins with the opening. */
export const OpenedEvent = Type.Object(opened)

/**
 * The answer to opening; the fields after `makersConnected` are beyond the specification. A call that waited for quotes
 * adds what a poll shows.
 */
export const OpenedAnswer = successOf({ ...opened, ...Type.Partial(Type.Object(polled)).properties })

/** The taker's secret of a cancel, where it is not in the header. */
export const CancelBody = Type.Object({ takerSecret: optional(field.takerSecret) })

const readOpenRequest = createBodyReader(opening(OptionFields))
const readOpenPackage = createBodyReader(opening(PackageFields))
const readCancel = createBodyReader(CancelBody)
const readOpened = createReader(OpenedEvent, 'the answer')
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
  if (terms.firmOnly === true && terms.wallet === null) {
    throw invalidField('wallet', 'an address when firmOnly is true', undefined)
  }
  const isBoth = terms.trade.side === 'both'
  if (isBoth && isReduceOnly) throw invalidField('trade.reduceOnly', 'absent when side is both', true)
  if (isBoth && terms.firmOnly === true) throw invalidField('firmOnly', 'absent when trade.side is both', true)
  if (isReduceOnly && terms.wallet === null) {
    throw invalidField('wallet', 'an address when trade.reduceOnly is true', undefined)
  }
  const isBlind = blind === true
  if (isBlind && terms.wallet === null) throw invalidField('wallet', 'an address when blind is true', undefined)
  if (isBlind && terms.firmOnly === true)
    throw invalidField(
      'firmOnly',
      'absent when blind is true: a maker signs beforehand for a wallet that it sees',
      true,
    )
  const audience = audienceOf(makers ?? null, exceptMakers ?? null)
  const limit = standing == null ? null : decodeStanding(standing)
  if (limit !== null && terms.wallet === null) {
    throw invalidField('wallet', 'an address when standing is given', undefined)
  }
  if (limit !== null && (limit.side !== undefined) !== isBoth)
    throw invalidField(
      'standing.side',
      isBoth ? 'given when trade.side is both' : 'absent unless trade.side is both',
      limit.side,
    )
  if (limit?.proof !== undefined && clientRequestId == null) {
    throw invalidField(
      'clientRequestId',
      'given with standing.proof, which signs the id that follows from it',
      undefined,
    )
  }
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
    locked: isBlind || isBoth || (locked ?? false),
    ...(typeof clientRequestId === 'string' ? { clientRequestId: clientRequestId.toLowerCase() } : {}),
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

/** The terms that makers are shown; a request without a question has an empty one. */
export function encodeParams({ wallet, market, option, trade, firmOnly }: RequestTerms): Static<typeof RequestParams> {
  return {
    wallet,
    market: { ...market, question: market.question ?? '' },
    option: { ...encodeOption(option), expiryMs: option.expiryMs },
    trade:
      trade.side === 'buy'
        ? { side: trade.side, budgetUsd: usd6ToNumber(trade.budget) }
        : { side: trade.side, size: Number(trade.size) },
    ...(firmOnly === true ? { firmOnly } : {}),
  }
}

type MarketOfEither = Static<typeof OpenRequestBody>['market'] & { yesPrice?: number }

/** The terms of a request of either direction. A question from a relay is shown as far as possible. */
export function decodeTerms({
  wallet,
  market,
  option,
  trade,
  firmOnly,
}: Omit<Static<typeof OpenRequestBody>, 'locked' | 'clientRequestId' | 'market'> & {
  market: MarketOfEither
}): RequestTerms {
  return {
    wallet: typeof wallet === 'string' ? decodeAddress(wallet, 'wallet') : null,
    market: {
      conditionId: decodeBytes32(market.conditionId),
      yesTokenId: decodeUint256(market.yesTokenId, 'market.yesTokenId'),
      question: shownQuestion(market.question),
      ...(market.yesPrice === undefined ? {} : { yesPrice: market.yesPrice }),
    },
    option: { ...decodeOption(option), expiryMs: option.expiryMs },
    trade: decodeTrade(trade),
    ...(firmOnly === true ? { firmOnly } : {}),
  }
}

/** Infinitely many `quotes`: the time decides. Null: the call does not wait. */
export function decodeQuotesQuery(query: unknown): { quotes: number; waitMs: number } | null {
  const { quotes, waitMs } = readQuotesQuery(query)
  if (quotes === undefined && waitMs === undefined) return null
  return { quotes: Number(quotes ?? Number.POSITIVE_INFINITY), waitMs: Number(waitMs ?? MAX_WAIT_MS) }
}

export const encodeOpened = (
  opened: OpenedRequest,
  option: Option,
): Static<typeof OpenedEvent> & { success: true } => ({
  success: true,
  requestId: opened.requestId,
  expiresAt: encodeTime(opened.expiresAt),
  makersConnected: opened.makersConnected,
  takerSecret: opened.takerSecret,
  seriesId: opened.seriesId,
  seriesListed: opened.seriesListed,
  ...(isPackage(option) ? openedPackage(opened.seriesId, option) : {}),
})

function openedPackage(packageId: SeriesId, option: PackageOption) {
  const { maxPayoff, floor } = encodePackage(option)
  return { packageId, maxPayoff, floor }
}

export function decodeOpened(answer: unknown): OpenedRequest {
  const { requestId, expiresAt, makersConnected, takerSecret, seriesId, seriesListed } = readOpened(answer)
  const closing = decodeTime(expiresAt, 'expiresAt')
  return { requestId, expiresAt: closing, makersConnected, takerSecret, seriesId, seriesListed }
}

/** `book` is null from a relay that is older than waiting for quotes. */
export function decodeOpenedForQuotes(answer: unknown): { opened: OpenedRequest; book: ShownBook | null } {
  const opened = decodeOpened(answer)
  return { opened, book: (answer as { status?: unknown }).status === undefined ? null : decodePoll(answer) }
}

/** The taker's secret of a cancel; null when the body has none. */
export const decodeCancel = (body: unknown): string | null => readCancel(body).takerSecret ?? null

function decodeTrade({ side, budgetUsd = null, size = null }: Static<typeof TradeFields>): Trade {
  if (side !== 'buy') {
    if (budgetUsd !== null) throw invalidField('trade.budgetUsd', `absent when side is ${side}`, budgetUsd)
    if (size === null) throw invalidField('trade.size', `an integer 1..1000000000 when side is ${side}`, undefined)
    return { side, size: decodeContracts(size) }
  }
  if (size !== null) throw invalidField('trade.size', 'absent when side is buy', size)
  if (budgetUsd === null) throw invalidField('trade.budgetUsd', 'a number of dollars when side is buy', undefined)
  const budget = decodeUsd6(budgetUsd, 'down', 'trade.budgetUsd')
  if (budget === 0n) throw invalidField('trade.budgetUsd', 'at least 0.000001', budgetUsd)
  return { side, budget }
}
