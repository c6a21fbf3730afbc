import {
  type AnnouncedRequest,
  type Clock,
  type Contracts,
  computeSeriesId,
  type MakerClient,
  RelayError,
  type Usd6,
} from '@rfqctl/client/index'
import { pause } from '@rfqctl/lib/clock'
import { seriesTermsOf } from '@rfqctl/protocol/domain/request'
import type { OnMakerEvent } from './maker-events.ts'
import type { Portfolio, Spot } from './portfolio.ts'
import { decideQuote, type QuotePlan } from './quote-plan.ts'
import type { MakerStyle } from './style.ts'

export type QuoterContext = {
  client: MakerClient
  style: MakerStyle
  spot: Spot
  portfolio: Pick<Portfolio, 'position'>
  clock: Clock
  /** Unix milliseconds of chain time, which a sandbox moves ahead; prices and expiries go by it. */
  marketTime: () => Promise<number>
  onEvent: OnMakerEvent
}

type LiveQuote = { quoteId: string; price: Usd6; bid?: Usd6; size: Contracts }

/** Refusals after which no quote of this request can stay live. */
const FINAL_REFUSALS: ReadonlySet<string> = new Set([
  'request_not_found',
  'request_expired',
  'request_closed',
  'option_expired',
])

/**
 * Quotes one request for as long as it lasts: thinks, quotes, improves as its style says (it cannot see what others
 * quote), then follows the price. Resolves when the request is over; rejects with the signal's reason, or with a refusal
 * of the maker itself (its key).
 */
export async function runQuoter(
  context: QuoterContext,
  { request, plan, signal }: { request: AnnouncedRequest; plan: QuotePlan; signal: AbortSignal },
): Promise<void> {
  const { style, clock } = context
  let live: LiveQuote | null = null
  for (let round = 0; ; round += 1) {
    const pauseMs = plan.pausesMs[round] ?? style.refreshMs
    if (pauseMs === null) return
    await pause(pauseMs, { clock, signal })
    if (clock.now() >= request.expiresAt) return
    const next: LiveQuote | null | 'over' = await quoteOnce(context, { request, plan, round, live, signal })
    if (next === 'over') return
    live = next
  }
}

async function quoteOnce(
  { client, style, spot, portfolio, marketTime, onEvent }: QuoterContext,
  input: { request: AnnouncedRequest; plan: QuotePlan; round: number; live: LiveQuote | null; signal: AbortSignal },
): Promise<LiveQuote | null | 'over'> {
  const { request, plan, live, signal } = input
  const { requestId, terms } = request
  const round = Math.min(input.round, style.improvements)
  const seen = await look({ spot, marketTime }, terms.market.yesTokenId).catch((error: unknown) => {
    onEvent({ kind: 'failed', doing: 'spot', requestId, error: asError(error) })
    return null
  })
  if (seen === null) return live
  const position = portfolio.position(computeSeriesId(seriesTermsOf(terms)))
  const decision = decideQuote({ request: terms, style, plan, ...seen, position, round })
  try {
    if (decision.kind === 'pass') {
      if (live === null) onEvent({ kind: 'passed', requestId, reason: decision.reason })
      else {
        await client.withdrawQuote({ quoteId: live.quoteId, signal })
        onEvent({ kind: 'withdrew', requestId, quoteId: live.quoteId })
      }
      return null
    }
    const { size, value, bid } = decision
    if (live?.price === decision.price && live.bid === bid && live.size === size) return live
    const other = bid === undefined ? {} : { bid }
    const quoted = await client.submitQuote({
      request,
      price: decision.price,
      ...other,
      size,
      expiresInMs: style.quoteLifetimeMs,
      firm: style.firm && style.signing === 'prompt',
      signal,
    })
    onEvent({ kind: 'quoted', requestId, ...quoted, size, value, round })
    return { ...quoted, ...other, size }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof RelayError && error.status === 401) throw error
    // Its live quote already won: there is nothing to improve until it has signed.
    if (error instanceof RelayError && error.code === 'quote_locked') return live
    onEvent({ kind: 'failed', doing: 'quote', requestId, error: asError(error) })
    return error instanceof RelayError && FINAL_REFUSALS.has(error.code) ? 'over' : live
  }
}

async function look({ spot, marketTime }: Pick<QuoterContext, 'spot' | 'marketTime'>, yesTokenId: string) {
  const now = await marketTime()
  return { now, spot: await spot(yesTokenId, now) }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
