import type {
  CancelSeen,
  CommitSeen,
  Moment,
  ObservationOf,
  QuoteMadeFirm,
  QuoteSeen,
} from '../../invariants/observation.ts'
import type { Answer } from '../../kit/http.ts'
import type { Maker } from '../../kit/maker.ts'
import type { Committed } from '../../kit/service.ts'
import { fixedPointFromText } from '../../support/oracles/decimal-text.ts'

/** What a maker puts as its protections, as far as it is checked. */
type ProtectionsBody = {
  cancelOnDisconnect?: { graceMs: number; channels?: 'any' | 'all' } | null
  windows?: { ms: number; maxAccepted?: number; maxContracts?: number; maxNotional?: number }[]
}

/** What the harness asks for where a test does not say. */
const TRADE = { side: 'buy', budgetUsd: 100 }

/** A quote as a test makes it. */
type Made = { side?: 'buy' | 'sell'; price: number; size: number; expires_in_ms?: number }

/** Money has six decimals (decision U2). */
const DECIMALS = 6

/** A request that was opened with a trade; what it leaves out is what the harness asks for. */
export function requestOpened(requestId: string, trade: object): ObservationOf<'request_opened'> {
  const { side, budgetUsd, size } = { ...TRADE, size: null, ...trade }
  return side === 'sell'
    ? { kind: 'request_opened', requestId, side: 'sell', budget: null, size: BigInt(size ?? 0) }
    : {
        kind: 'request_opened',
        requestId,
        side: 'buy',
        budget: usd6(budgetUsd, 'down'),
        size: size ? BigInt(size) : null,
      }
}

/** A quote that is sent; `note` is told of its answer. */
export function quoteSent({
  maker: { makerId, wallet },
  requestId,
  made,
  sent,
}: {
  maker: Maker
  requestId: string
  made: Made
  sent: Moment
}): { quote: QuoteSeen; note: (answer: Answer<{ quoteId: string }>, answered: Moment) => void } {
  const quote: QuoteSeen = {
    kind: 'quote',
    requestId,
    makerId,
    wallet: wallet.address,
    // In favour of the maker, who sells what a taker buys.
    price: usd6(made.price, made.side === 'sell' ? 'down' : 'up'),
    size: BigInt(made.size),
    livesMs: made.expires_in_ms ?? null,
    sent,
    answered: null,
    countsFrom: null,
    quoteId: null,
    isRefused: false,
  }
  return {
    quote,
    note: ({ status, body }, answered) => {
      if (status === 200) Object.assign(quote, { quoteId: body.quoteId, answered })
      // Of one that failed it is not known whether it was taken.
      else quote.isRefused = status < 500
    },
  }
}

/** A commit that is sent; `note` is told of its answer. */
export function commitSent({
  requestId,
  body: { wallet, limitPrice },
  sent,
}: {
  requestId: string
  body: Record<string, unknown>
  sent: Moment
}): { commit: CommitSeen; note: (answer: Answer<Committed>, answered: Moment) => void } {
  const commit: CommitSeen = {
    kind: 'commit',
    requestId,
    wallet: String(wallet),
    limitPrice: typeof limitPrice === 'number' ? usd6(limitPrice, 'half-up') : null,
    sent,
    answered: null,
    status: 0,
    executionId: null,
    quoteId: null,
    revealed: null,
  }
  return {
    commit,
    note: ({ status, body: { code, execution, quote, onchain } }, answered) => {
      Object.assign(commit, { status, answered, ...(code === undefined ? {} : { code }) })
      if (status !== 200) return
      commit.executionId = String(execution.execution_id)
      commit.quoteId = String(quote.quote_id)
      commit.isFirm = quote.firm === true
      if (onchain !== undefined) commit.revealed = revealedBy(onchain, answered)
    },
  }
}

/** A cancel that is sent; `note` is told of its answer. */
export function cancelSent(
  requestId: string,
  sent: Moment,
): { cancel: CancelSeen; note: (answer: Answer<{ code?: string }>, answered: Moment) => void } {
  const cancel: CancelSeen = { kind: 'cancel', requestId, sent, answered: null, status: 0 }
  return {
    cancel,
    note: ({ status, body: { code } }, answered) =>
      void Object.assign(cancel, { status, answered, ...(code === undefined ? {} : { code }) }),
  }
}

/** A poll that was answered; null where the answer does not say how the request is. */
export function pollAnswered(
  requestId: string,
  { body: { status, code } }: Answer<{ status?: string; code?: string }>,
  times: Pick<ObservationOf<'polled'>, 'asked' | 'answered'>,
): ObservationOf<'polled'> | null {
  const said = code === 'request_expired' ? 'expired' : status
  if (said !== 'open' && said !== 'committed' && said !== 'cancelled' && said !== 'expired') return null
  return { kind: 'polled', requestId, status: said, ...times }
}

/** The order of a quote that its maker has signed, and the relay's answer. */
export const quoteMadeFirm = (
  { makerId, requestId, quoteId, order }: Pick<QuoteMadeFirm, 'makerId' | 'requestId' | 'quoteId' | 'order'>,
  { signature, sent, answered, status }: Pick<QuoteMadeFirm, 'signature' | 'sent' | 'answered' | 'status'>,
): QuoteMadeFirm => ({ kind: 'quote_sealed', requestId, makerId, quoteId, order, signature, sent, answered, status })

/** Protections that a maker has put, and when they stood at the latest. */
export function protectionsPut(
  makerId: string,
  body: unknown,
  moment: Moment,
): { put: ObservationOf<'protections_put'>; channels: 'any' | 'all' } {
  const { cancelOnDisconnect, windows = [] } = body as ProtectionsBody
  const rules = windows.map(({ ms, maxAccepted, maxContracts, maxNotional }) => ({
    ms,
    maxAccepted: maxAccepted ?? null,
    maxContracts: maxContracts === undefined ? null : BigInt(maxContracts),
    maxNotional: maxNotional === undefined ? null : usd6(maxNotional, 'down'),
  }))
  const graceMs = cancelOnDisconnect?.graceMs ?? null
  return {
    put: { kind: 'protections_put', makerId, windows: rules, graceMs, moment },
    channels: cancelOnDisconnect?.channels ?? 'all',
  }
}

const revealedBy = (
  { order, makerSignature, domain }: NonNullable<Committed['onchain']>,
  { at }: Moment,
): CommitSeen['revealed'] => ({
  order,
  signature: makerSignature,
  domain: domain as NonNullable<CommitSeen['revealed']>['domain'],
  at,
})

const usd6 = (value: number, rounding: 'up' | 'down' | 'half-up'): bigint =>
  fixedPointFromText(value, DECIMALS, rounding)
