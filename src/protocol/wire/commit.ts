import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { CommitTerms } from '../domain/commit.ts'
import { toFixedPoint, usd6ToNumber } from '../domain/decimal.ts'
import type { Order, TakerApproval, TypedDataDomain } from '../domain/order.ts'
import type { Quote } from '../domain/quote.ts'
import { type Address, type Contracts, contracts, type Hex, type Usd6, usd6 } from '../domain/units.ts'
import { BestQuote, decodeBestQuote, encodeBestQuote, type ShownQuote } from './best-quote.ts'
import * as field from './field.ts'
import { decodeAddress, decodeContracts, decodeTime, encodeTime } from './fields.ts'
import { DomainFields, decodeDomain, decodeOrder, encodeOrder, OrderFields } from './order.ts'
import { createBodyReader, createReader, invalidField } from './reader.ts'
import {
  AnyAddressText,
  CommitLimit,
  described,
  HexText,
  IsoTime,
  oneOf,
  optional,
  SignatureText,
  Size,
  successOf,
  Uint256Text,
  UuidText,
} from './schemas.ts'

/** A commit with its protections; unknown fields are refused (protocol commit-1, message-5). */
export const CommitBody = Type.Object(
  {
    wallet: field.wallet,
    limitPrice: optional(described(CommitLimit, field.limitPrice)),
    minContracts: optional(described(Size, field.minContracts)),
    expectedQuoteId: optional(described(UuidText, field.expectedQuoteId)),
    firmOnly: optional(field.firmOnly),
    side: optional(field.committedSide),
    takerSecret: optional(field.takerSecret),
    proof: optional(
      described(
        SignatureText,
        "The wallet's EIP-712 signature over the typed data Commit, which shows that the wallet is the taker's; of at most 4,096 bytes.",
        `0x${'1b6e2f40'.repeat(16)}1b`,
      ),
    ),
  },
  { additionalProperties: false },
)

const ExecutionRecord = Type.Object({
  execution_id: field.executionId,
  request_id: field.requestId,
  quote_id: field.quoteId,
  maker_id: field.makerId,
  executed_at: described(IsoTime, "Time of the maker's signature.", '2027-01-15T07:00:03.401Z'),
})

const OnchainFields = Type.Object({
  settlementAddress: field.settlementAddress,
  coreAddress: field.coreAddress,
  order: OrderFields,
  makerSignature: described(
    HexText,
    "The maker's EIP-712 signature over the order: its key's, its contract's (ERC-1271), or that of a key that it has authorized.",
    `0x${'1b6e2f40'.repeat(16)}1b`,
  ),
  domain: DomainFields,
  chainId: field.chainId,
  takerApproval: described(
    Type.Object({
      spender: described(AnyAddressText, 'The contract to approve.', '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'),
      amount: described(Uint256Text, 'Micro-dollars to approve, as a decimal string.', '99960000'),
      reason: described(oneOf('premium', 'collateral'), '`premium` on a buy, `collateral` on a sell.'),
    }),
    'The one approval that the taker must make before `fill()`.',
  ),
  fromInventory: Type.Optional(field.fromInventory),
  closeAfter: Type.Optional(
    described(
      Uint256Text,
      'Of the options, those that end what the taker has written, as a decimal string; absent: none.',
      '0',
    ),
  ),
})

/** The answer to a commit; `onchain` is absent when the mode is `simulated`. */
export const CommitAnswer = successOf({
  message: field.message,
  mode: field.mode,
  quote: BestQuote,
  execution: described(ExecutionRecord, 'The record of the trade.'),
  onchain: Type.Optional(
    described(OnchainFields, 'What the taker needs for `fill()`; absent when the mode is `simulated`.'),
  ),
})

const readCommit = createBodyReader(CommitBody)
const readAnswer = createReader(CommitAnswer, 'the answer')

type Commitment = {
  mode: 'onchain' | 'simulated'
  execution: {
    executionId: string
    executedAt: number
    signature: Hex
    acceptance: {
      requestId: string
      quoteId: string
      makerId: string
      quote: Quote
      order: Order
      domain: TypedDataDomain
      fromInventory?: Contracts
      closes?: true
    }
  }
  approval: TakerApproval
}

/** A signed trade as the relay shows it to its taker. */
export type SignedTrade = {
  message: string
  /** A simulated trade has nothing to fill. */
  mode: 'onchain' | 'simulated'
  /** The taken quote. */
  quote: ShownQuote
  /** The record of the trade. */
  execution: Execution
  /** Null when the mode is `simulated`. */
  onchain: OnchainTrade | null
}

/** The record of a trade. */
export type Execution = {
  executionId: string
  requestId: string
  quoteId: string
  makerId: string
  /** When the maker's signature was taken, Unix milliseconds. */
  executedAt: number
}

/** The data with which a taker fills. The addresses are the relay's claim: `fillOrder` uses the client's own. */
export type OnchainTrade = {
  settlementAddress: Address
  coreAddress: Address
  /** The order that the maker signed. */
  order: Order
  makerSignature: Hex
  /** The domain that it was signed for. */
  domain: TypedDataDomain
  /** The chain on which to fill. */
  chainId: number
  /** Allows `amount` before the fill, micro-dollars. */
  takerApproval: { spender: Address; amount: Usd6; reason: TakerApproval['reason'] }
  /** Options that their seller holds and need not write; absent: none. */
  fromInventory?: Contracts
  /** Options that the fill closes against those that the taker has written; absent: none. */
  closeAfter?: Contracts
}

/** Reads the terms of a commit, with the taker's secret and its proof if the body carries them (decisions C1, C16, Q1). */
export function decodeCommit(body: unknown): { terms: CommitTerms; takerSecret: string | null; proof: string | null } {
  const { wallet, limitPrice, minContracts, expectedQuoteId, firmOnly, side, takerSecret, proof } = readCommit(body)
  const terms: CommitTerms = {
    wallet: decodeAddress(wallet, 'wallet'),
    limitPrice: typeof limitPrice === 'number' ? decodeLimit(limitPrice, 'limitPrice') : null,
    minContracts: typeof minContracts === 'number' ? decodeContracts(minContracts) : null,
    expectedQuoteId: expectedQuoteId ?? null,
    ...(firmOnly === true ? { firmOnly } : {}),
    ...(side == null ? {} : { side }),
  }
  return { terms, takerSecret: takerSecret ?? null, proof: proof ?? null }
}

/** The body of a commit; `proof` shows that its wallet is its taker's. */
export function encodeCommit(
  { wallet, limitPrice, minContracts, expectedQuoteId, firmOnly, side }: CommitTerms,
  proof: Hex | null = null,
): Static<typeof CommitBody> {
  return {
    wallet,
    limitPrice: limitPrice === null ? null : usd6ToNumber(limitPrice),
    minContracts: minContracts === null ? null : Number(minContracts),
    expectedQuoteId,
    // A relay that does not know the fields refuses them.
    ...(firmOnly === true ? { firmOnly } : {}),
    ...(side === undefined ? {} : { side }),
    ...(proof === null ? {} : { proof }),
  }
}

/** The answer to a commit, the same however often it is given: the quote's lifetime counts from the execution (decision C3). */
export function encodeCommitment(
  { mode, execution, approval }: Commitment,
  environment: { chainId: number; settlementAddress: Address; coreAddress: Address },
): Static<typeof CommitAnswer> {
  const { acceptance, executedAt } = execution
  const answer: Static<typeof CommitAnswer> = {
    success: true,
    message: mode === 'onchain' && isFromInventory(acceptance) ? FROM_INVENTORY : MESSAGES[mode],
    mode,
    quote: encodeBestQuote(acceptance.quote, acceptance.order.optionAmount, executedAt),
    execution: {
      execution_id: execution.executionId,
      request_id: acceptance.requestId,
      quote_id: acceptance.quoteId,
      maker_id: acceptance.makerId,
      executed_at: encodeTime(executedAt),
    },
  }
  return mode === 'simulated' ? answer : { ...answer, onchain: encodeOnchain({ execution, approval }, environment) }
}

export function decodeCommitment(body: unknown): SignedTrade {
  const { message, mode, quote, execution, onchain } = readAnswer(body)
  return {
    message,
    mode,
    quote: decodeBestQuote(quote),
    execution: {
      executionId: execution.execution_id,
      requestId: execution.request_id,
      quoteId: execution.quote_id,
      makerId: execution.maker_id,
      executedAt: decodeTime(execution.executed_at, 'execution.executed_at'),
    },
    onchain: onchain === undefined ? null : decodeOnchain(onchain),
  }
}

const MESSAGES = {
  onchain: 'The maker signed. Approve takerApproval.amount to takerApproval.spender, then call fill().',
  simulated: 'The maker signed. No chain is configured, so there is nothing to fill.',
}
const FROM_INVENTORY =
  'The maker signed. Approve takerApproval.amount to takerApproval.spender, then call fillFromInventory() with fromInventory and closeAfter.'

const isFromInventory = ({ fromInventory, closes }: Commitment['execution']['acceptance']): boolean =>
  fromInventory !== undefined || closes === true

/** A limit is kept exactly or refused: rounding it could let through a price just beyond it. */
export function decodeLimit(limitPrice: number, field: string): Usd6 {
  const exact = toFixedPoint(limitPrice, 6, 'down')
  if (exact === null || exact !== toFixedPoint(limitPrice, 6, 'up')) {
    throw invalidField(field, 'a number of dollars with at most 6 decimals', limitPrice)
  }
  return usd6(exact)
}

function encodeOnchain(
  { execution, approval }: Omit<Commitment, 'mode'>,
  { chainId, settlementAddress, coreAddress }: { chainId: number; settlementAddress: Address; coreAddress: Address },
): Static<typeof OnchainFields> {
  const { acceptance } = execution
  const { order, domain, fromInventory = 0n, closes = false } = acceptance
  const inventory = { fromInventory: `${fromInventory}`, closeAfter: `${closes ? order.optionAmount : 0n}` }
  const spender = approval.spender === 'core' ? coreAddress : settlementAddress
  return {
    settlementAddress,
    coreAddress,
    order: encodeOrder(order),
    makerSignature: execution.signature,
    domain,
    chainId,
    takerApproval: { spender, amount: approval.amount.toString(), reason: approval.reason },
    ...(isFromInventory(acceptance) ? inventory : {}),
  }
}

function decodeOnchain(fields: Static<typeof OnchainFields>): OnchainTrade {
  const { spender, amount, reason } = fields.takerApproval
  return {
    settlementAddress: fields.settlementAddress as Address,
    coreAddress: fields.coreAddress as Address,
    order: decodeOrder(fields.order),
    makerSignature: fields.makerSignature as Hex,
    domain: decodeDomain(fields.domain),
    chainId: fields.chainId,
    takerApproval: { spender: spender as Address, amount: usd6(BigInt(amount)), reason },
    ...(fields.fromInventory === undefined ? {} : { fromInventory: contracts(BigInt(fields.fromInventory)) }),
    ...(fields.closeAfter === undefined ? {} : { closeAfter: contracts(BigInt(fields.closeAfter)) }),
  }
}
