import { describe, expect, it } from 'vitest'
import { attestationDigest, attestationDomain } from '../../../src/protocol/domain/attestation.ts'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { seriesTermsOf } from '../../../src/protocol/domain/request.ts'
import { seriesIdOf } from '../../../src/protocol/domain/series.ts'
import type { Hex, ResolutionBps } from '../../../src/protocol/domain/units.ts'
import type { ResolutionSigner } from '../../../src/relay/core/ports/chain.ts'
import { CALL_BUY, createTestRelay, EXPIRY_S, refusal, SIGNER, TAKER } from '../../support/test-relay.ts'

const SERIES = seriesIdOf(seriesTermsOf(CALL_BUY))

function expiredFixture() {
  const fixture = createTestRelay()
  fixture.chain.aheadS = 3_600
  return fixture
}

describe('preparing a settlement', () => {
  it('signs the TWAP of the window with the resolution key', async () => {
    const fixture = expiredFixture()
    fixture.sources.points = [
      { t: EXPIRY_S - 1_800, p: 0.5 },
      { t: EXPIRY_S - 900, p: 0.68 },
    ]
    const { attestation, signature, meta, domain } = await fixture.relay.prepareSettlement(SERIES)
    expect(attestation).toEqual({ seriesId: SERIES, resolutionBps: 59, validUntil: EXPIRY_S + 900 })
    expect(meta).toEqual({
      method: 'twap',
      twap: 0.59,
      pointCount: 2,
      maxGapS: 900,
      yesPrice: 0.59,
      windowStart: EXPIRY_S - 1_800,
      windowEnd: EXPIRY_S,
    })
    expect(await fixture.ports.signatures.recover(attestationDigest(attestation, domain), signature)).toBe(SIGNER)
  })

  it('takes a final outcome before the average', async () => {
    const fixture = expiredFixture()
    fixture.sources.points = [{ t: EXPIRY_S, p: 0.5 }]
    fixture.sources.outcome = { yesPrice: 1, closedAt: EXPIRY_S }
    expect(await fixture.relay.prepareSettlement(SERIES)).toMatchObject({
      attestation: { resolutionBps: 100 },
      meta: { method: 'outcome', twap: 1, pointCount: 0 },
    })
  })

  it('signs the same number forever, whatever the source says later', async () => {
    const fixture = expiredFixture()
    fixture.sources.points = [{ t: EXPIRY_S, p: 0.4 }]
    await Promise.all(Array.from({ length: 20 }, () => fixture.relay.prepareSettlement(SERIES)))
    fixture.sources.points = null
    await fixture.clock.advance(5_000)
    const { attestation } = await fixture.relay.prepareSettlement(SERIES)
    expect(attestation).toMatchObject({ resolutionBps: 40, validUntil: EXPIRY_S + 905 })
  })

  it('declines without a price in the window and says what a person must look at', async () => {
    const fixture = expiredFixture()
    fixture.sources.points = [{ t: EXPIRY_S - 1_801, p: 0.4 }]
    const declined = fixture.relay.prepareSettlement(SERIES)
    await expect(declined).rejects.toMatchObject({
      code: 'manual_review',
      data: { seriesId: SERIES, windowStart: EXPIRY_S - 1_800, windowEnd: EXPIRY_S },
    })
  })

  it('takes a source that is down for no answer at all, and stores nothing', async () => {
    const fixture = expiredFixture()
    fixture.sources.points = null
    expect(await refusal(fixture.relay.prepareSettlement(SERIES))).not.toBe('not refused')
    fixture.sources.points = [{ t: EXPIRY_S, p: 0.4 }]
    expect((await fixture.relay.prepareSettlement(SERIES)).attestation.resolutionBps).toBe(40)
  })

  it('is refused for a series that is unknown, not expired by chain time, or settled', async () => {
    const fixture = createTestRelay()
    expect(await refusal(fixture.relay.prepareSettlement('1'))).toBe('series_not_found')
    fixture.chain.aheadS = 3_599
    expect(await refusal(fixture.relay.prepareSettlement(SERIES))).toBe('series_not_expired')
    const series = fixture.register()
    fixture.chain.registered.set(SERIES, { ...series, resolutionBps: 7 as ResolutionBps })
    await expect(fixture.relay.prepareSettlement(SERIES)).rejects.toMatchObject({
      code: 'series_already_settled',
      data: { resolutionBps: 7 },
    })
  })

  it('is judged by chain time, however far the clock of the relay has gone', async () => {
    const fixture = createTestRelay()
    await fixture.clock.advance((3_600 + 300) * 1_000)
    fixture.chain.aheadS = -301
    await expect(fixture.relay.prepareSettlement(SERIES)).rejects.toMatchObject({
      code: 'series_not_expired',
      data: { seriesId: SERIES, expiry: EXPIRY_S, chainTime: EXPIRY_S - 1 },
    })
    fixture.chain.aheadS = -300
    fixture.sources.points = [{ t: EXPIRY_S, p: 0.4 }]
    expect((await fixture.relay.prepareSettlement(SERIES)).attestation.validUntil).toBe(EXPIRY_S + 900)
  })

  it('waits for the source to catch up, and needs a signer', async () => {
    const lagging = createTestRelay({ settings: { settleLagMs: 120_000 } })
    lagging.chain.aheadS = 3_719
    expect(await refusal(lagging.relay.prepareSettlement(SERIES))).toBe('resolution_pending')
    const unsigned = createTestRelay({ ports: { resolutionSigner: null } })
    unsigned.chain.aheadS = 3_600
    unsigned.sources.points = [{ t: EXPIRY_S, p: 0.4 }]
    expect(await refusal(unsigned.relay.prepareSettlement(SERIES))).toBe('signer_not_configured')
  })

  it('signs nothing that the core would refuse, and keeps the resolution for the key of the active signer', async () => {
    const fixture = expiredFixture()
    fixture.sources.points = [{ t: EXPIRY_S, p: 0.4 }]
    fixture.chain.signer = TAKER
    await expect(fixture.relay.prepareSettlement(SERIES)).rejects.toMatchObject({
      code: 'signer_not_in_office',
      message: expect.stringContaining(SIGNER),
    })
    fixture.sources.points = [{ t: EXPIRY_S, p: 0.9 }]
    fixture.chain.signer = SIGNER
    expect(await fixture.relay.prepareSettlement(SERIES)).toMatchObject({ attestation: { resolutionBps: 40 } })
  })

  it('asks several keys together, and the active contract whether that counts, though it has the address they began with', async () => {
    const key = createTestRelay().ports.resolutionSigner as ResolutionSigner
    let probe: () => Promise<Hex> = () => key.probe(attestationDomain(1, TAKER))
    const several: ResolutionSigner = { ...key, address: TAKER, isQuorum: true, probe: () => probe() }
    const fixture = createTestRelay({ ports: { resolutionSigner: several } })
    fixture.chain.aheadS = 3_600
    fixture.sources.points = [{ t: EXPIRY_S, p: 0.4 }]
    fixture.chain.signer = TAKER
    const refused = {
      code: 'signer_not_in_office',
      message: expect.stringContaining('the signers of another contract'),
    }
    await expect(fixture.relay.prepareSettlement(SERIES)).rejects.toMatchObject(refused)
    probe = () => Promise.reject(new RfqError('signer_not_in_office'))
    await expect(fixture.relay.prepareSettlement(SERIES)).rejects.toMatchObject(refused)
    probe = () => Promise.reject(new RfqError('signer_unavailable', { detail: 'too few' }))
    await expect(fixture.relay.prepareSettlement(SERIES)).rejects.toMatchObject({ code: 'signer_unavailable' })
    // What was resolved meanwhile stays.
    fixture.sources.points = [{ t: EXPIRY_S, p: 0.9 }]
    probe = () => key.probe(attestationDomain(fixture.chain.environment.chainId, fixture.chain.environment.coreAddress))
    fixture.chain.signerKey = SIGNER
    expect(await fixture.relay.prepareSettlement(SERIES)).toMatchObject({ attestation: { resolutionBps: 40 } })
  })

  it("signs what a contract accepts as its active signer's signature, and nothing else", async () => {
    const fixture = expiredFixture()
    fixture.sources.points = [{ t: EXPIRY_S, p: 0.4 }]
    fixture.chain.signer = TAKER
    fixture.chain.signerKey = SIGNER
    const { attestation, signature, domain } = await fixture.relay.prepareSettlement(SERIES)
    const digest = attestationDigest(attestation, domain)
    expect(await fixture.ports.signatures.recover(digest, signature)).toBe(SIGNER)
    fixture.chain.signerKey = TAKER
    expect(await refusal(fixture.relay.prepareSettlement(SERIES))).toBe('signer_not_in_office')
  })

  it('is refused once the price of the series was taken back: the chain would take no attestation', async () => {
    const fixture = expiredFixture()
    fixture.sources.points = [{ t: EXPIRY_S, p: 0.4 }]
    fixture.chain.registered.set(SERIES, { ...fixture.register(), vetoed: true })
    await expect(fixture.relay.prepareSettlement(SERIES)).rejects.toMatchObject({
      code: 'price_vetoed',
      data: { seriesId: SERIES },
    })
  })

  it('asks the chain for nothing when the series does not exist', async () => {
    const fixture = expiredFixture()
    fixture.chain.down = true
    expect(await refusal(fixture.relay.prepareSettlement('7'))).toBe('series_not_found')
  })
})
