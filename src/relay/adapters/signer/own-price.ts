import { RfqError } from '@rfqctl/protocol/domain/errors'
import { type ResolutionDecision, resolveSeries, type TwapLimits } from '@rfqctl/protocol/domain/resolution'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import { fixingKey, type SeriesTerms } from '@rfqctl/protocol/domain/series'
import { twapWindow } from '@rfqctl/protocol/domain/twap'
import { LruMap } from 'toad-cache'
import type { Clock } from '../../core/ports/runtime.ts'
import type { MarketSource, PriceSource } from '../../core/ports/sources.ts'

/**
 * The price at which a signer itself would resolve a market at an expiry. Fails with `signer_unavailable` while a source
 * does not answer, or has not caught up with the expiry.
 */
export type OwnPrice = (fixing: Fixing) => Promise<ResolutionDecision>

type Fixing = Pick<SeriesTerms, 'conditionId' | 'yesTokenId' | 'expiry'>

/** Milliseconds: sources have a price a minute, and anyone may have a relay ask. */
const KEPT_MS = 15_000
const FIXINGS_KEPT = 256

/**
 * The rule of the relay (decisions S2, S3), over what these sources say now: a signer records no prices. They are asked
 * at most every 15 s for a market and expiry, for all its series; a failure reaches those that wait for it, and no later ones.
 */
export function createOwnPrice(parts: {
  prices: PriceSource
  markets: Pick<MarketSource, 'outcome'>
  limits: TwapLimits
  /** Time that the price source needs after an expiry, milliseconds. */
  lagMs: number
  clock: Pick<Clock, 'now'>
}): OwnPrice {
  const { prices, markets, limits, lagMs, clock } = parts
  const decisions = new LruMap<{ at: number; decision: Promise<ResolutionDecision> }>(FIXINGS_KEPT)

  async function decide({ conditionId, yesTokenId, expiry }: Fixing): Promise<ResolutionDecision> {
    const { windowStart, windowEnd } = twapWindow(expiry)
    const [outcome, fetched] = await Promise.all([
      markets.outcome(conditionId, yesTokenId),
      prices.history(yesTokenId, windowStart, windowEnd),
    ]).catch((cause: unknown) => {
      throw unavailable("The signer's own sources do not answer.", cause)
    })
    return resolveSeries({ expiry, outcome, recorded: [], fetched, limits })
  }

  return async (fixing) => {
    const now = clock.now()
    const readyAt = fixing.expiry * 1_000 + lagMs
    if (now < readyAt) throw unavailable(`The signer's own sources are complete from ${utcText(readyAt)} on.`)
    const key = fixingKey(fixing)
    const former = decisions.get(key)
    if (former !== undefined && now < former.at + KEPT_MS) return former.decision
    const decision = decide(fixing)
    decision.catch(() => decisions.delete(key))
    decisions.set(key, { at: now, decision })
    return decision
  }
}

const unavailable = (detail: string, cause?: unknown): RfqError => new RfqError('signer_unavailable', { detail, cause })
