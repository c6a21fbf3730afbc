import type { Static } from 'typebox'
import * as Type from 'typebox'
import { usd6ToNumber } from '../domain/decimal.ts'
import type { Quote } from '../domain/quote.ts'
import type { Address } from '../domain/units.ts'
import * as field from './field.ts'
import { decodeContracts, decodeTime, decodeUsd6, encodeTime } from './fields.ts'
import { decodeAcceptance, encodeAcceptance, PendingAcceptance, type SignatureRequest } from './maker-messages.ts'
import { createReader } from './reader.ts'
import { described, successOf } from './schemas.ts'

const LiveQuote = Type.Object({
  quoteId: field.quoteId,
  requestId: field.requestId,
  maker: field.maker,
  side: field.side,
  price: field.price,
  otherPrice: Type.Optional(field.otherPrice),
  size: field.size,
  expiresAt: field.expiresAt,
  firm: Type.Optional(field.firm),
})

export const MakerBookAnswer = successOf({
  quotes: described(Type.Array(LiveQuote), 'The quotes.'),
  pending: described(Type.Array(PendingAcceptance), 'Orders that wait for a signature.'),
})

const readMakerBook = createReader(MakerBookAnswer, 'the answer')

/** A maker's own quote; `expiresAt` in Unix milliseconds. */
export type OwnQuote = Omit<Quote, 'makerId' | 'pricedAt' | 'firmTerms'>

export function encodeMakerBook(book: {
  quotes: readonly OwnQuote[]
  pending: readonly SignatureRequest[]
}): Static<typeof MakerBookAnswer> {
  const quotes = book.quotes.map(({ quoteId, requestId, maker, side, price, otherPrice, size, expiresAt, isFirm }) => ({
    quoteId,
    requestId,
    maker,
    side,
    price: usd6ToNumber(price),
    ...(otherPrice === undefined ? {} : { otherPrice: usd6ToNumber(otherPrice) }),
    size: Number(size),
    expiresAt: encodeTime(expiresAt),
    ...(isFirm === true ? { firm: true } : {}),
  }))
  return { success: true, quotes, pending: book.pending.map(encodeAcceptance) }
}

export function decodeMakerBook(answer: unknown): { quotes: OwnQuote[]; pending: SignatureRequest[] } {
  const { quotes, pending } = readMakerBook(answer)
  return {
    quotes: quotes.map(({ firm, otherPrice, ...quote }) => ({
      ...quote,
      ...(firm === true ? { isFirm: true } : {}),
      maker: quote.maker as Address,
      price: decodeUsd6(quote.price, 'half-up', 'price'),
      ...(otherPrice === undefined ? {} : { otherPrice: decodeUsd6(otherPrice, 'half-up', 'otherPrice') }),
      size: decodeContracts(quote.size),
      expiresAt: decodeTime(quote.expiresAt, 'expiresAt'),
    })),
    pending: pending.map(decodeAcceptance),
  }
}
