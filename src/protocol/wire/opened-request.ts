import type { Static } from 'typebox'
import * as Type from 'typebox'
import { isPackage, type Option, type PackageOption } from '../domain/option.ts'
import type { OpenedRequest } from '../domain/request.ts'
import type { SeriesId } from '../domain/series.ts'
import { decodePoll, polled, type ShownBook } from './best-quote.ts'
import * as field from './field.ts'
import { decodeTime, encodeTime } from './fields.ts'
import { encodePackage } from './option.ts'
import { createBodyReader, createReader } from './reader.ts'
import { described, Flag, optional, successOf, Uint256Text } from './schemas.ts'

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

const readCancel = createBodyReader(CancelBody)
const readOpened = createReader(OpenedEvent, 'the answer')

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
