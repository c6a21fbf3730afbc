import { describe, expect, it } from 'vitest'
import { seriesTermsOf } from '../../../src/protocol/domain/request.ts'
import type { ReviewDecision } from '../../../src/protocol/domain/review.ts'
import { seriesIdOf } from '../../../src/protocol/domain/series.ts'
import type { ResolutionBps } from '../../../src/protocol/domain/units.ts'
import { CALL_BUY, createTestRelay, EXPIRY_S, PUT_SELL, refusal, type TestRelay } from '../../support/test-relay.ts'

const CALL = seriesIdOf(seriesTermsOf(CALL_BUY))
const PUT = seriesIdOf(seriesTermsOf(PUT_SELL))

const decision = (changes: Partial<ReviewDecision> = {}): ReviewDecision => ({
  resolutionBps: 59 as ResolutionBps,
  by: 'Ada',
  reason: "the exchange's own page",
  ...changes,
})

/** Both series of the fixture are past expiry; the source has no price for them. */
async function reviewFixture(): Promise<TestRelay> {
  const fixture = createTestRelay()
  fixture.chain.aheadS = 3_600
  await refusal(fixture.relay.prepareSettlement(CALL))
  return fixture
}

describe('the review queue', () => {
  it('lists what waits for a person and why, longest waiting first', async () => {
    const fixture = await reviewFixture()
    const reviews = await fixture.relay.listReviews()
    expect(reviews.map(({ series }) => series.seriesId).sort()).toEqual([CALL, PUT].sort())
    expect(reviews[0]).toMatchObject({
      reason: 'no_price_data',
      windowStart: EXPIRY_S - 1_800,
      windowEnd: EXPIRY_S,
      escalatedAt: fixture.clock.now(),
    })
  })

  it('lets go of what was decided, and of what the chain settled without us', async () => {
    const fixture = await reviewFixture()
    const put = fixture.register(PUT_SELL)
    fixture.chain.registered.set(PUT, { ...put, resolutionBps: 3 as ResolutionBps })
    expect((await fixture.relay.listReviews()).map(({ series }) => series.seriesId)).toEqual([CALL])
    await fixture.relay.resolveReview(CALL, decision())
    expect(await fixture.relay.listReviews()).toEqual([])
  })

  it('shows the prices of a series with their origin, and what they come to', async () => {
    const fixture = await reviewFixture()
    await fixture.ports.store.prices.record('123456789', { t: EXPIRY_S - 1_800, p: 0.5 })
    fixture.sources.points = [{ t: EXPIRY_S - 900, p: 0.68 }]
    expect(await fixture.relay.readReview(CALL)).toMatchObject({
      series: { seriesId: CALL },
      review: { reason: 'no_price_data' },
      resolution: null,
      sourceAvailable: true,
      points: [
        { t: EXPIRY_S - 1_800, p: 0.5, origin: 'recorded' },
        { t: EXPIRY_S - 900, p: 0.68, origin: 'fetched' },
      ],
      pointCount: 2,
      twap: 0.59,
    })
    fixture.sources.points = null
    expect(await fixture.relay.readReview(CALL)).toMatchObject({ sourceAvailable: false, pointCount: 1 })
    expect(await refusal(fixture.relay.readReview('1'))).toBe('series_not_found')
  })

  it('counts no time to come as a time without a price', async () => {
    const fixture = createTestRelay()
    const points = [0, 60, 120].map((second) => ({ t: EXPIRY_S - 1_800 + second, p: 0.5 }))
    for (const point of points) await fixture.ports.store.prices.record('123456789', point)
    await fixture.clock.advance((EXPIRY_S - 1_800 + 150) * 1_000 - fixture.clock.now())
    expect(await fixture.relay.readReview(CALL)).toMatchObject({ pointCount: 3, maxGapS: 60 })
    await fixture.clock.advance(400_000)
    expect(await fixture.relay.readReview(CALL)).toMatchObject({ pointCount: 3, maxGapS: 430 })
  })

  it('shows no price of the time to come', async () => {
    const asked: [number, number][] = []
    const history = async (_: string, from: number, to: number) => {
      asked.push([from, to])
      return []
    }
    const fixture = createTestRelay({ ports: { prices: { history } } })
    expect(await fixture.relay.readReview(CALL)).toMatchObject({ sourceAvailable: true, points: [], twap: null })
    fixture.chain.aheadS = 2_000
    await fixture.relay.readReview(CALL)
    expect(asked).toEqual([[EXPIRY_S - 1_800, EXPIRY_S - 1_600]])
  })
})

describe('a decision', () => {
  it('is pinned with who made it and why, and signed like any other resolution', async () => {
    const fixture = await reviewFixture()
    const resolvedAt = fixture.clock.now()
    const who = { by: 'Ada', reason: "the exchange's own page" }
    expect(await fixture.relay.resolveReview(CALL, decision())).toEqual({
      resolutionBps: 59,
      method: 'manual',
      resolvedAt,
      decision: who,
    })
    expect(await fixture.ports.store.resolutions.find(CALL)).toEqual({
      seriesId: CALL,
      resolutionBps: 59,
      resolvedAt,
      decision: who,
      meta: {
        method: 'manual',
        twap: 0.59,
        pointCount: 0,
        yesPrice: 0.59,
        windowStart: EXPIRY_S - 1_800,
        windowEnd: EXPIRY_S,
      },
    })
    expect(await fixture.relay.prepareSettlement(CALL)).toMatchObject({
      attestation: { resolutionBps: 59 },
      meta: { method: 'manual' },
    })
    expect(await fixture.relay.readReview(CALL)).toMatchObject({ resolution: { decision: { by: 'Ada' } } })
  })

  it('is refused where there is a resolution already, also the same one again', async () => {
    const fixture = await reviewFixture()
    await fixture.relay.resolveReview(CALL, decision())
    await fixture.clock.advance(1)
    for (const other of [decision(), decision({ resolutionBps: 1 as ResolutionBps })]) {
      await expect(fixture.relay.resolveReview(CALL, other)).rejects.toMatchObject({
        code: 'already_resolved',
        data: { seriesId: CALL, resolutionBps: 59 },
      })
    }
    const resolved = createTestRelay()
    resolved.chain.aheadS = 3_600
    resolved.sources.points = [{ t: EXPIRY_S, p: 0.4 }]
    await resolved.relay.prepareSettlement(CALL)
    await expect(resolved.relay.resolveReview(CALL, decision())).rejects.toMatchObject({
      code: 'already_resolved',
      data: { resolutionBps: 40 },
    })
  })

  it('counts for every series of the market and expiry, and a second one for a sibling is refused', async () => {
    const fixture = await reviewFixture()
    await fixture.relay.resolveReview(PUT, decision())
    expect((await fixture.relay.prepareSettlement(CALL)).attestation.resolutionBps).toBe(59)
    await expect(
      fixture.relay.resolveReview(CALL, decision({ resolutionBps: 1 as ResolutionBps })),
    ).rejects.toMatchObject({
      code: 'already_resolved',
      data: { seriesId: CALL, resolutionBps: 59 },
    })
  })

  it('for one series and another one for its sibling, by two persons at the same moment, end as one number', async () => {
    const fixture = await reviewFixture()
    const answers = await Promise.allSettled([
      fixture.relay.resolveReview(CALL, decision({ by: 'Ada', resolutionBps: 20 as ResolutionBps })),
      fixture.relay.resolveReview(PUT, decision({ by: 'Bob', resolutionBps: 80 as ResolutionBps })),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const prices = await Promise.all([CALL, PUT].map((seriesId) => fixture.relay.prepareSettlement(seriesId)))
    expect(new Set(prices.map(({ attestation }) => attestation.resolutionBps)).size).toBe(1)
  })

  it('by one of two persons at the same moment wins, and the other learns so', async () => {
    const fixture = await reviewFixture()
    const answers = await Promise.allSettled([
      fixture.relay.resolveReview(CALL, decision({ by: 'Ada' })),
      fixture.relay.resolveReview(CALL, decision({ by: 'Bob' })),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('is possible without an escalation, for a source that is gone for good', async () => {
    const fixture = createTestRelay()
    fixture.chain.aheadS = 3_600
    fixture.sources.points = null
    await fixture.relay.resolveReview(CALL, decision())
    expect((await fixture.relay.prepareSettlement(CALL)).attestation.resolutionBps).toBe(59)
  })

  it('is refused before expiry, after settlement and for an unknown series', async () => {
    const fixture = createTestRelay()
    expect(await refusal(fixture.relay.resolveReview(CALL, decision()))).toBe('series_not_expired')
    expect(await refusal(fixture.relay.resolveReview('1', decision()))).toBe('series_not_found')
    fixture.chain.aheadS = 3_600
    fixture.chain.registered.set(CALL, { ...fixture.register(), resolutionBps: 7 as ResolutionBps })
    await expect(fixture.relay.resolveReview(CALL, decision())).rejects.toMatchObject({
      code: 'series_already_settled',
      data: { resolutionBps: 7 },
    })
  })
})
