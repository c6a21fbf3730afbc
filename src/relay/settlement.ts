import { ATTESTATION_VALIDITY_S, attestationDomain, type SettlementAttestation } from '../domain/attestation.ts'
import { RfqError } from '../domain/errors.ts'
import type { TypedDataDomain } from '../domain/order.ts'
import { type ResolutionMeta, resolveSeries } from '../domain/resolution.ts'
import type { Series, SeriesId } from '../domain/series.ts'
import { twapWindow } from '../domain/twap.ts'
import type { Hex } from '../domain/units.ts'
import type { Context } from './context.ts'
import type { PinnedResolution } from './ports.ts'

/** A signed resolution, ready to be relayed on chain. */
export type PreparedSettlement = {
  attestation: SettlementAttestation
  signature: Hex
  meta: ResolutionMeta
  domain: TypedDataDomain
}

/**
 * Signs the resolution of an expired series. The first call computes and pins it; every later one signs that same number
 * with a new `validUntil` (rulings S1, S4).
 * @see spec "POST /settlement/prepare"
 */
export async function prepareSettlement(context: Context, seriesId: SeriesId): Promise<PreparedSettlement> {
  const { chain, store, resolutionSigner } = context
  const series = await expiredSeries(context, seriesId)
  const { resolutionBps, meta } = (await store.resolutions.find(seriesId)) ?? (await resolve(context, series))
  if (resolutionSigner === null) throw new RfqError('signer_not_configured')
  const validUntil = (await chain.time('latest')) + ATTESTATION_VALIDITY_S
  const attestation = { seriesId, resolutionBps, validUntil }
  const domain = attestationDomain(chain.environment.chainId, chain.environment.coreAddress)
  return { attestation, signature: await resolutionSigner.sign(attestation, domain), meta, domain }
}

async function expiredSeries({ chain, seriesIndex, settings }: Context, seriesId: SeriesId): Promise<Series> {
  const series = chain.mode === 'simulated' ? await seriesIndex.find(seriesId) : await chain.series(seriesId)
  if (series === null) throw new RfqError('series_not_found')
  const { expiry, resolutionBps } = series
  if (resolutionBps !== null) throw new RfqError('series_already_settled', { data: { seriesId, resolutionBps } })
  const chainTime = await chain.time('latest')
  if (chainTime < expiry) {
    const detail = `The series expires at ${expiry}; chain time is ${chainTime}.`
    throw new RfqError('series_not_expired', { detail, data: { seriesId, expiry, chainTime } })
  }
  if (chainTime * 1_000 < expiry * 1_000 + settings.settleLagMs) throw new RfqError('resolution_pending')
  return series
}

async function resolve(context: Context, series: Series): Promise<PinnedResolution> {
  const { store, prices, markets, clock, settings, log } = context
  const { seriesId, conditionId, yesTokenId, expiry } = series
  const window = twapWindow(expiry)
  const { windowStart, windowEnd } = window
  const [outcome, recorded, fetched] = await Promise.all([
    markets.outcome(conditionId, yesTokenId),
    store.prices.between(yesTokenId, windowStart, windowEnd),
    prices.history(yesTokenId, windowStart, windowEnd),
  ])
  const limits = { minPoints: settings.twapMinPoints, maxGapS: settings.twapMaxGapS }
  const decision = resolveSeries({ expiry, outcome, recorded, fetched, limits })
  if (decision.kind === 'review') {
    await store.resolutions.escalate({ seriesId, reason: decision.reason, ...window, at: clock.now() })
    log.warn('series_escalated', { seriesId, reason: decision.reason })
    throw new RfqError('manual_review', { data: { seriesId, windowStart, windowEnd } })
  }
  const { resolutionBps, meta } = decision
  return store.resolutions.pin({ seriesId, resolutionBps, meta, resolvedAt: clock.now(), decision: null })
}
