import type { Answer } from '../../conformance/harness/http.ts'
import type { Maker } from '../../conformance/harness/maker.ts'
import type { Committed, Created } from '../../conformance/harness/service.ts'
import { fixedPointFromText } from '../../support/oracles/decimal-text.ts'
import type { CommitSeen, History, QuoteSeen } from './history.ts'

/** What the harness asks for where a test does not say. */
const TRADE = { side: 'buy', budgetUsd: 100 }

/** A quote as a test makes it. */
type Made = { side?: 'buy' | 'sell'; price: number; size: number; expires_in_ms?: number }

/** Money has six decimals (decision U2). */
const DECIMALS = 6

/** A request was opened. */
export function noteOpened(
  { opened }: History,
  {
    created: { requestId, makersConnected },
    trade,
    sentAt,
    makersBetween,
  }: { created: Created; trade: object; sentAt: number; makersBetween: readonly [number, number] },
): void {
  const { side, budgetUsd, size } = { ...TRADE, size: null, ...trade }
  const amounts =
    side === 'sell'
      ? { side: 'sell' as const, budget: null, size: BigInt(size ?? 0) }
      : { side: 'buy' as const, budget: fixedPointFromText(budgetUsd, DECIMALS, 'down'), size: null }
  opened.push({ requestId, ...amounts, sentAt, makersConnected, makersBetween })
}

/** A quote was sent; returns what is to be told of its answer. One that is refused counts for nothing. */
export function noteQuote(
  { quotes }: History,
  { maker: { makerId, wallet }, requestId, made }: { maker: Maker; requestId: string; made: Made },
): (answer: Answer<{ quoteId: string }>) => void {
  const seen: QuoteSeen = {
    requestId,
    quoteId: null,
    makerId,
    wallet: wallet.address,
    // In favour of the maker, who sells what a taker buys.
    price: fixedPointFromText(made.price, DECIMALS, made.side === 'sell' ? 'down' : 'up'),
    size: BigInt(made.size),
    sentAt: Date.now(),
    answeredAt: Number.POSITIVE_INFINITY,
    livesMs: made.expires_in_ms ?? null,
  }
  quotes.push(seen)
  return ({ status, body }) => {
    if (status === 200) Object.assign(seen, { quoteId: body.quoteId, answeredAt: Date.now() })
    if (status < 500 && status !== 200) quotes.splice(quotes.indexOf(seen), 1)
  }
}

/** A commit was sent; returns what is to be told of its answer. */
export function noteCommit(
  { commits }: History,
  { requestId, wallet }: { requestId: string; wallet: string },
): (answer: Answer<Committed>) => void {
  const seen: CommitSeen = {
    requestId,
    wallet,
    sentAt: Date.now(),
    answeredAt: Number.POSITIVE_INFINITY,
    status: 0,
    executionId: null,
    makerId: null,
    revealed: null,
  }
  commits.push(seen)
  return ({ status, body: { execution, quote, onchain } }) => {
    Object.assign(seen, { status, answeredAt: Date.now() })
    if (status !== 200) return
    seen.executionId = String(execution.execution_id)
    seen.makerId = String(quote.maker_id)
    if (onchain !== undefined) seen.revealed = revealedBy(onchain)
  }
}

const revealedBy = ({ order, makerSignature, domain }: NonNullable<Committed['onchain']>) => ({
  order,
  signature: makerSignature,
  domain: domain as NonNullable<CommitSeen['revealed']>['domain'],
})
