import { RfqError } from '@rfqctl/protocol/domain/errors'
import { type ResolutionDecision, resolveSeries, type TwapLimits } from '@rfqctl/protocol/domain/resolution'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import type { SeriesTerms } from '@rfqctl/protocol/domain/series'
import { twapWindow } from '@rfqctl/protocol/domain/twap'
import type { Clock } from '../../core/ports/runtime.ts'
import type { MarketSource, PriceSource } from '../../core/ports/sources.ts'

/**
 * The price at which a signer itself would resolve a market at an expiry. Fails with `signer_unavailable` while a source
 * does not answer, or has not caught up with the expiry.
 */
export type OwnPrice = (
  terms: Pick<SeriesTerms, 'conditionId' | 'yesTokenId' | 'expiry'>,
) => Promise<ResolutionDecision>

/** The rule of the relay (decisions S2, S3), over what these sources say now: a signer records no prices. */
export const createOwnPrice =
  (parts: {
    prices: PriceSource
    markets: Pick<MarketSource, 'outcome'>
    limits: TwapLimits
    /** Time that the price source needs after an expiry, milliseconds. */
    lagMs: number
    clock: Pick<Clock, 'now'>
  }): OwnPrice =>
  async ({ conditionId, yesTokenId, expiry }) => {
    const { prices, markets, limits, lagMs, clock } = parts
    const readyAt = expiry * 1_000 + lagMs
    if (clock.now() < readyAt) {
      throw unavailable(`The signer's own sources are complete from ${utcText(readyAt)} on.`)
    }
    const { windowStart, windowEnd } = twapWindow(expiry)
    const [outcome, fetched] = await Promise.all([
      markets.outcome(conditionId, yesTokenId),
      prices.history(yesTokenId, windowStart, windowEnd),
    ]).catch((cause: unknown) => {
      throw unavailable("The signer's own sources do not answer.", cause)
    })
    return resolveSeries({ expiry, outcome, recorded: [], fetched, limits })
  }

const unavailable = (detail: string, cause?: unknown): RfqError => new RfqError('signer_unavailable', { detail, cause })
