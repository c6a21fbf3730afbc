import { CLOSED_MEMORY_MS } from '@rfqctl/protocol/domain/limits'
import type { DisconnectRule } from '@rfqctl/protocol/domain/maker-protections'
import { isPackage } from '@rfqctl/protocol/domain/option'
import { type Quote, quoteOn } from '@rfqctl/protocol/domain/quote'
import type { DemotionRule } from '@rfqctl/protocol/domain/reliability'
import { otherSide, type RequestStatus, walletOf } from '@rfqctl/protocol/domain/request'
import type { Book, CloseRequest, PutQuote } from '../../../core/ports/book.ts'
import { decodeRequest, encode } from '../../store/codec.ts'
import { answerOf } from './connection.ts'
import type { Market } from './market.ts'
import type { OpenRequests } from './open-requests.ts'
import { decodeDemoted, decodeDropped, decodeQuoters, decodeRemoved, decodeRow, decodeTop, encodeRow } from './rows.ts'
import type { SignatureCipher } from './signature-cipher.ts'
import type { RedisParts } from './subscriptions.ts'
import type { TopSubscriptions } from './top-subscriptions.ts'

/** An open request counts as orphaned this long after its expiry, milliseconds: its own node closes it sooner. */
const OVERDUE_MS = 500

/** A quote held for longer than this is checked for a holder that died, milliseconds. */
const HELD_MS = 3_000

export function createRedisBook(
  parts: RedisParts & {
    market: Market
    topSubscriptions: TopSubscriptions
    openRequests: OpenRequests
    demotion: DemotionRule
    cipher: SignatureCipher
    maxQuotes: number
  },
): Book {
  const { connection, prefix, run, clock, market, topSubscriptions, openRequests, demotion, cipher, maxQuotes } = parts
  const command = <Reply>(...args: string[]) => answerOf(connection.sendCommand<Reply>(args))

  async function readTop(requestId: string) {
    const found = await run<[body: string, closedAt: string, top: string] | null>('read_top', requestId, clock.now())
    if (found === null) return null
    const [body, closedAt, top] = found
    if (closedAt !== '' && clock.now() >= Number(closedAt) + CLOSED_MEMORY_MS) return null
    return decodeTop(top, decodeRequest(JSON.parse(body)))
  }

  const readRanked = async (requestId: string) =>
    (await command<string[]>('ZRANGE', `${prefix}ranked:${requestId}`, '0', '-1')).map(decodeRow)

  async function findQuoteAt(requestId: string, makerId: string) {
    const row = await command<string | null>('HGET', `${prefix}rows:${requestId}`, makerId)
    return row === null ? null : decodeRow(row)
  }

  return {
    open: async (request, { signing, quotedBy } = { signing: null, quotedBy: [] }) => {
      const { requestId, expiresAt, firmOnly = false, option, audience, trade } = request
      const marks = [
        firmOnly ? 1 : '',
        isPackage(option) ? 1 : '',
        audience === undefined ? '' : JSON.stringify(audience),
        trade.side === 'both' ? 1 : '',
      ]
      const body = JSON.stringify(encode(request))
      const held = [signing?.makerId ?? '', signing?.quoteId ?? '', signing?.heldAt ?? 0]
      const quoters = quotedBy.flatMap(({ makerId, quoteId, misses }) => [makerId, quoteId, misses])
      await run('open', requestId, body, expiresAt, clock.now(), walletOf(request) ?? '', ...marks, ...held, ...quoters)
    },

    find: async (requestId) => {
      const known = openRequests.known(requestId)
      const [status, holder, held, heldAt, closedAt, body] = await command<(string | null)[]>(
        ...['HMGET', `${prefix}request:${requestId}`, 'status', 'holder', 'held', 'heldAt', 'closedAt'],
        ...(known === null ? ['body'] : []),
      )
      if (status == null || (closedAt != null && clock.now() >= Number(closedAt) + CLOSED_MEMORY_MS)) return null
      const signing = holder == null || held == null ? null : { makerId: holder, quoteId: held, heldAt: Number(heldAt) }
      const request = known ?? decodeRequest(JSON.parse(body as string))
      return { request, status: status as RequestStatus, signing }
    },

    known: openRequests.known,
    countKnown: openRequests.countKnown,
    openRequests: openRequests.list,

    top: readTop,
    ranked: readRanked,
    look: async (requestId) => {
      // In this order on one connection: a quote that comes in between is ranked, one that goes has left.
      const [quoters, ranked] = await Promise.all([
        command<string[]>('HGETALL', `${prefix}quoted:${requestId}`),
        readRanked(requestId),
      ])
      const names = new Set(ranked.map(({ quoteId }) => quoteId))
      return { ranked, left: decodeQuoters(quoters).filter(({ quoteId }) => !names.has(quoteId)) }
    },

    findQuote: async ({ makerId, quoteId }) => {
      const place = ['HMGET', `${prefix}place:${quoteId}`, 'request', 'maker']
      const [requestId, owner] = await command<(string | null)[]>(...place)
      return requestId == null || owner !== makerId ? null : findQuoteAt(requestId, makerId)
    },

    quotesOf: async (makerId) => {
      const requestIds = await command<string[]>('ZRANGE', `${prefix}maker:${makerId}`, '0', '-1')
      const quotes = await Promise.all(requestIds.map((requestId) => findQuoteAt(requestId, makerId)))
      return quotes.flatMap((quote) => quote ?? [])
    },

    put: async (quote, unlessGone): Promise<PutQuote> => {
      const { requestId, makerId } = quote
      const { price, pricedAt, body } = encodeRow(quote)
      const [kind, quoteId = '', since, ...dropped] = await run<readonly string[]>(
        'put',
        ...[requestId, makerId, quote.quoteId, price, pricedAt, body, clock.now(), maxQuotes, ...ruleOf(unlessGone)],
      )
      if (kind === 'stored') {
        const stored = { kind, quote: { ...quote, quoteId, pricedAt: Number(since) } } as const
        return dropped.length === 0 ? stored : { ...stored, dropped: decodeDropped(dropped) }
      }
      return { kind: kind as Exclude<PutQuote['kind'], 'stored'> }
    },

    remove: ({ requestId, quoteId }) => run('remove', requestId, quoteId, clock.now()),
    removeAll: async (makerId, { seriesId = '', conditionId = '', held, ifGone }) => {
      const which = [makerId, seriesId, conditionId, held]
      return decodeRemoved(await run<string[]>('remove_all', ...which, clock.now(), ...ruleOf(ifGone)))
    },
    expire: async ({ requestId, quoteId }) => (await run<number>('expire', requestId, quoteId, clock.now())) === 1,

    claimWallet: async (requestId, makerId, wallet) =>
      (await run<number>('claim_wallet', requestId, makerId, wallet, clock.now())) === 1,

    makeFirm: async (quote, signature, other) => {
      const encrypted = cipher.encrypt(signature, signedText(quote))
      const otherQuote = quoteOn(quote, otherSide(quote.side))
      const both = other === undefined ? [encrypted] : [encrypted, cipher.encrypt(other, signedText(otherQuote))]
      const { body } = encodeRow(quote)
      return run('make_firm', quote.requestId, quote.quoteId, body, both.join(' '), clock.now())
    },

    firmSignature: async (quote) => {
      const encrypted = await run<string | null>('firm_signature', quote.requestId, quote.makerId)
      // Each opens for its own side alone.
      const opened = encrypted?.split(' ').map((one) => cipher.decrypt(one, signedText(quote)))
      return opened?.find((signature) => signature !== null) ?? null
    },

    lock: async ({ requestId, quoteId }) => {
      const held = await run<string | null>('lock', requestId, quoteId, clock.now())
      return held === null ? null : decodeRow(held)
    },
    unlock: async (requestId, quoteId, result) => {
      await run('unlock', requestId, quoteId, result, clock.now(), demotion.windowMs, demotion.misses)
    },

    close: async (requestId, status, isDisplaced): Promise<CloseRequest> => {
      const mark = isDisplaced ? 1 : ''
      const [kind, ...rest] = await run<[CloseRequest['kind'], ...string[]]>(
        ...(['close', requestId, status, clock.now(), mark] as const),
      )
      if (kind !== 'closed') return { kind }
      return { kind, quotedBy: decodeQuoters(rest) }
    },

    demoted: async () => {
      const range = [`(${clock.now()}`, '+inf', 'WITHSCORES']
      return decodeDemoted(await command<string[]>('ZRANGEBYSCORE', `${prefix}demoted`, ...range))
    },
    forgive: async (makerId) => {
      await run('forgive', makerId, clock.now())
    },

    watch: topSubscriptions.watch,
    orphans: () => run('stale', clock.now() - OVERDUE_MS, clock.now() - HELD_MS),
    onEmptied: market.onEmptied,
  }
}

/** A signature is bound to this text: the offer, and on both sides the one that it reads. */
function signedText(quote: Quote): string {
  const text = `${quote.quoteId} ${encodeRow(quote).body}`
  return quote.otherPrice !== undefined && quote.side === 'sell' ? `${text} sell` : text
}

const ruleOf = (rule: DisconnectRule | null | undefined): [channels: string, graceMs: number] =>
  rule ? [rule.channels, rule.graceMs] : ['', 0]
