import { ATTESTATION_VALIDITY_S, attestationDomain } from '@rfqctl/protocol/domain/attestation'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import type { Series, SeriesId } from '@rfqctl/protocol/domain/series'
import { isKeyOf, readActiveSigner, signsAs } from './active-signer.ts'
import type { Context } from './context.ts'
import { findSeries } from './discovery.ts'
import { isDue, type Resolver } from './resolver.ts'

/** The resolution is pinned: every call signs the same number, with a new `validUntil` (decisions S1, S4). */
export async function prepareSettlement(context: Context, resolver: Resolver, seriesId: SeriesId) {
  const { chain, resolutionSigner } = context
  const known = await findSeries(context, seriesId)
  const [{ series, chainTime }, activeSigner] = await Promise.all([
    readExpired(context, known),
    chain.resolutionSigner('latest'),
  ])
  // Until it is settled by hand, the chain refuses this signature.
  if (series.vetoed === true) throw new RfqError('price_vetoed', { data: { seriesId } })
  if (!isDue(context, series.expiry, chainTime)) throw new RfqError('resolution_pending')
  const { resolutionBps, meta } = await resolver.resolve(series)
  if (resolutionSigner === null) throw new RfqError('signer_not_configured')
  const isOther = activeSigner !== null && !isKeyOf(resolutionSigner, activeSigner)
  // The active signer may be a contract that accepts this key's signature as its own.
  if (isOther && !(await readActiveSigner(chain, resolutionSigner, 'latest'))?.isOurs) {
    const detail = `The core accepts attestations signed by ${activeSigner}; ${signsAs(resolutionSigner)}.`
    throw new RfqError('signer_not_in_office', { detail })
  }
  const validUntil = (await chain.time('latest')) + ATTESTATION_VALIDITY_S
  const attestation = { seriesId, resolutionBps, validUntil }
  const domain = attestationDomain(chain.environment.chainId, chain.environment.coreAddress)
  return { attestation, signature: await resolutionSigner.sign({ attestation, terms: series, domain }), meta, domain }
}

/**
 * Expired by chain time and not settled on chain, where the chain's number takes precedence. Refuses with
 * `series_not_found`, `series_already_settled` and `series_not_expired` (decision S1).
 */
export const expiredSeries = async (context: Context, seriesId: SeriesId) =>
  readExpired(context, await findSeries(context, seriesId))

async function readExpired({ chain }: Context, known: Series): Promise<{ series: Series; chainTime: number }> {
  const { seriesId } = known
  const [state, chainTime] = await Promise.all([chain.series(seriesId, 'latest'), chain.time('latest')])
  if (state === null) throw new RfqError('series_not_found')
  const series = { ...known, ...state }
  const { expiry, resolutionBps } = series
  if (resolutionBps !== null) throw new RfqError('series_already_settled', { data: { seriesId, resolutionBps } })
  if (chainTime < expiry) {
    const detail = `The series expires at ${utcText(expiry * 1_000)}; chain time is ${utcText(chainTime * 1_000)}.`
    throw new RfqError('series_not_expired', { detail, data: { seriesId, expiry, chainTime } })
  }
  return { series, chainTime }
}
