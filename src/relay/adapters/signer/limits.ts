import type { SigningRequest } from '@rfqctl/protocol/domain/attestation'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { TypedDataDomain } from '@rfqctl/protocol/domain/order'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import { seriesIdOf } from '@rfqctl/protocol/domain/series'
import type { Chain, ResolutionSigner } from '../../core/ports/chain.ts'
import type { Clock, Log } from '../../core/ports/runtime.ts'
import type { OwnPrice } from './own-price.ts'
import type { SignedPrices } from './signed-prices.ts'

/**
 * A signer that signs only what it can check itself, whatever the caller says: for one deployment, a series that has
 * expired by the chain and by its own clock, one price for all series of a market and expiry, for no longer than
 * `maxValidityS` seconds ahead. Refuses all else with `signer_refused` and logs why. The price is on its disk before a
 * signature leaves it. With `ownPrice` that price is at most a hundredth from what its own sources give, and
 * `signer_unavailable` while they do not answer; a price that is on its disk already needs no source.
 */
export function createLimitedSigner(parts: {
  signer: ResolutionSigner
  chain: Pick<Chain, 'series' | 'time'>
  domain: TypedDataDomain
  prices: SignedPrices
  /** Null: whatever price the caller gives is the first one. */
  ownPrice: OwnPrice | null
  clock: Pick<Clock, 'now'>
  log: Log
  maxValidityS: number
}): ResolutionSigner {
  const { signer, chain, domain, prices, ownPrice, clock, log, maxValidityS } = parts
  function refusalOf({ attestation, terms, domain: asked }: SigningRequest): string | null {
    const { seriesId, validUntil } = attestation
    const now = Math.floor(clock.now() / 1_000)
    if (!isSameDomain(asked, domain)) return OTHER_DEPLOYMENT
    if (seriesIdOf(terms) !== seriesId) return 'The terms are not those of the series.'
    if (now < terms.expiry)
      return `The series expires at ${utcText(terms.expiry * 1_000)}; the signer's clock is at ${utcText(now * 1_000)}.`
    if (validUntil > now + maxValidityS) {
      return `The attestation would be valid until ${utcText(validUntil * 1_000)}, later than ${utcText((now + maxValidityS) * 1_000)}.`
    }
    return null
  }

  async function refusalOfChain({ attestation: { seriesId }, terms }: SigningRequest): Promise<string | null> {
    const [state, chainTime] = await Promise.all([chain.series(seriesId, 'latest'), chain.time('latest')])
    if (state === null) return 'The chain does not know the series.'
    if (state.resolutionBps !== null) return `The series is settled at ${state.resolutionBps} hundredths of a dollar.`
    return chainTime < terms.expiry
      ? `The series expires at ${utcText(terms.expiry * 1_000)}; chain time is ${utcText(chainTime * 1_000)}.`
      : null
  }

  async function refusalOfSources({ attestation: { resolutionBps }, terms }: SigningRequest): Promise<string | null> {
    if (ownPrice === null || (await prices.find(terms)) !== null) return null
    const decision = await ownPrice(terms)
    if (decision.kind === 'review') {
      return `The signer's own sources give no price (${decision.reason}): its operator has to agree to one.`
    }
    const own = decision.resolutionBps
    return Math.abs(own - resolutionBps) <= TOLERANCE
      ? null
      : `The signer's own sources give ${own} hundredths of a dollar, not ${resolutionBps}.`
  }

  /** Checked last, because recording the price binds the signer. */
  async function refusalOfPrice({ attestation: { resolutionBps }, terms }: SigningRequest): Promise<string | null> {
    const standing = await prices.agree(terms, resolutionBps)
    return standing === resolutionBps
      ? null
      : `The signer has signed ${standing} hundredths of a dollar for this market and expiry, not ${resolutionBps}.`
  }

  function refuse(reason: string, seriesId?: string): RfqError {
    log.warn('signature_refused', { reason, ...(seriesId === undefined ? {} : { seriesId }) })
    return new RfqError('signer_refused', { detail: reason })
  }

  return {
    address: signer.address,
    probe: async (asked) => {
      if (!isSameDomain(asked, domain)) throw refuse(OTHER_DEPLOYMENT)
      return signer.probe(domain)
    },
    sign: async (request) => {
      const { seriesId } = request.attestation
      const reason =
        refusalOf(request) ??
        (await refusalOfChain(request)) ??
        (await refusalOfSources(request)) ??
        (await refusalOfPrice(request))
      if (reason !== null) throw refuse(reason, seriesId)
      const signature = await signer.sign({ ...request, domain })
      log.info('resolution_signed', { seriesId, reason: `${request.attestation.resolutionBps}` })
      return signature
    },
  }
}

/** Hundredths of a dollar: two sources have other points of one average, and round it apart. */
const TOLERANCE = 1

const OTHER_DEPLOYMENT = 'The attestation is for another chain or core.'

const isSameDomain = (a: TypedDataDomain, b: TypedDataDomain): boolean =>
  a.chainId === b.chainId && a.verifyingContract.toLowerCase() === b.verifyingContract.toLowerCase()
