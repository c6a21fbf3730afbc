import { describe, expect, it } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import type { FinalOutcome } from '../../../src/protocol/domain/resolution.ts'
import { type Series, type SeriesTerms, seriesIdOf } from '../../../src/protocol/domain/series.ts'
import type { PricePoint } from '../../../src/protocol/domain/twap.ts'
import type { Hex, ResolutionBps, StrikeBps } from '../../../src/protocol/domain/units.ts'
import type { RelaySettings } from '../../../src/relay/core/ports/ports.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, EXPIRY_S, refusal, type TestRelay } from '../../support/test-relay.ts'

const CONDITION: Hex = `0x${'44'.repeat(32)}`
const SWEEP_MS = 15_000

type Sources = {
  /** How often the market source was asked, which only a resolution does. */
  asked: number
  /** How many markets are being asked about right now, and the most there ever were. */
  running: number
  most: number
  /** Resolves when the market source is to answer. */
  answer: () => Promise<void>
  points: readonly PricePoint[] | null
  outcome: FinalOutcome | null | 'down'
}

const oneTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A relay without the default series, over sources that a test drives. */
function resolvingFixture(settings: Partial<RelaySettings> = {}): TestRelay & { given: Sources } {
  const given: Sources = {
    asked: 0,
    running: 0,
    most: 0,
    answer: oneTurn,
    points: [{ t: EXPIRY_S, p: 0.4 }],
    outcome: null,
  }
  const history = async () => given.points ?? Promise.reject(new RfqError('price_source_unavailable'))
  const outcome = async () => {
    given.asked += 1
    given.running += 1
    given.most = Math.max(given.most, given.running)
    await given.answer()
    given.running -= 1
    return given.outcome === 'down' ? Promise.reject(new RfqError('price_source_unavailable')) : given.outcome
  }
  const markets = { question: async () => null, outcome }
  const fixture = createTestRelay({ settings, ports: { prices: { history }, markets } })
  fixture.chain.registered.clear()
  return { ...fixture, given }
}

function register(fixture: TestRelay, changes: Partial<SeriesTerms> & { resolutionBps?: number } = {}): Series {
  const { resolutionBps = null, ...others } = changes
  const terms = {
    conditionId: CONDITION,
    yesTokenId: '4',
    strikeBps: 4_500 as StrikeBps,
    expiry: EXPIRY_S,
    optionType: 'call' as const,
    ...others,
  }
  const series = {
    ...terms,
    seriesId: seriesIdOf(terms),
    halted: false,
    resolutionBps: resolutionBps as ResolutionBps | null,
  }
  fixture.chain.registered.set(series.seriesId, series)
  return series
}

/** A call spread of so many options. */
function registerSpread(fixture: TestRelay, quantity: number): Series {
  const legs = [quantity, -quantity].map((signed, i) => ({
    optionType: 'call' as const,
    strikeBps: (1_000 * (i + 1)) as StrikeBps,
    quantity: signed,
  }))
  const terms = { conditionId: CONDITION, yesTokenId: '4', legs, expiry: EXPIRY_S }
  const series = { ...terms, seriesId: seriesIdOf(terms), halted: false, resolutionBps: null }
  fixture.chain.registered.set(series.seriesId, series)
  return series
}

const byId = (a: Series, b: Series): number => (a.seriesId < b.seriesId ? -1 : 1)

const registerStrikes = (fixture: TestRelay, ...strikes: number[]) =>
  strikes.map((strike) => register(fixture, { strikeBps: strike as StrikeBps }))
const pinOf = (fixture: TestRelay, { seriesId }: Series) => fixture.ports.store.resolutions.find(seriesId)
const logged = (fixture: TestRelay, name: string) => fixture.log.lines.filter(({ event }) => event === name)

async function expire(fixture: TestRelay): Promise<void> {
  fixture.chain.aheadS = 3_600
  await fixture.relay.start()
  await settle()
  await settle()
}

describe('the relay by itself', () => {
  it('resolves a series once chain time has come to its expiry, without being asked', async () => {
    const fixture = resolvingFixture()
    const series = register(fixture)
    fixture.chain.aheadS = 3_599
    await fixture.relay.start()
    await fixture.clock.advance(999)
    expect(await pinOf(fixture, series)).toBeNull()
    await fixture.clock.advance(SWEEP_MS)
    expect(await pinOf(fixture, series)).toMatchObject({
      resolutionBps: 40,
      meta: { method: 'twap', pointCount: 1 },
      decision: null,
    })
  })

  it('waits until the source has caught up', async () => {
    const fixture = resolvingFixture({ settleLagMs: 120_000 })
    const series = register(fixture)
    await expire(fixture)
    await fixture.clock.advance(119_000)
    expect(fixture.given.asked).toBe(0)
    await fixture.clock.advance(SWEEP_MS)
    expect(await pinOf(fixture, series)).not.toBeNull()
  })

  it('leaves alone what the chain has settled already', async () => {
    const fixture = resolvingFixture()
    const series = register(fixture, { resolutionBps: 7 })
    await expire(fixture)
    expect(fixture.given.asked).toBe(0)
    expect(await pinOf(fixture, series)).toBeNull()
  })

  it('asks the source once for all series of a market and expiry, and gives them one number', async () => {
    const fixture = resolvingFixture()
    const series = registerStrikes(fixture, 1_000, 2_000, 3_000, 4_000, 5_000)
    await expire(fixture)
    expect(fixture.given.asked).toBe(1)
    for (const one of series) expect(await pinOf(fixture, one)).toMatchObject({ resolutionBps: 40 })
  })

  it('resolves no package that no one holds, which anyone registers, until someone asks for it (invariant V5)', async () => {
    const fixture = resolvingFixture()
    const [low, high] = registerStrikes(fixture, 1_000, 2_000) as [Series, Series]
    const spreads = [3, 4].map((quantity) => registerSpread(fixture, quantity)) as [Series, Series]
    const [held, unheld] = spreads
    fixture.chain.unheld.add(unheld.seriesId)
    await expire(fixture)
    for (const one of [low, high, held]) expect(await pinOf(fixture, one)).toMatchObject({ resolutionBps: 40 })
    expect(await pinOf(fixture, unheld)).toBeNull()
    await fixture.clock.advance(10 * SWEEP_MS)
    expect(await pinOf(fixture, unheld)).toBeNull()
    fixture.given.points = [{ t: EXPIRY_S, p: 0.9 }]
    const { attestation } = await fixture.relay.prepareSettlement(unheld.seriesId)
    expect(attestation.resolutionBps).toBe(40)
    expect(await pinOf(fixture, unheld)).toMatchObject({ resolutionBps: 40 })
    expect(fixture.given.asked).toBe(1)
  })

  it('resolves all packages that no one holds and that are asked for at the same time', async () => {
    const fixture = resolvingFixture({ settleLagMs: 1_000 })
    const series = registerStrikes(fixture, 1_000, 2_000)
    const packages = Array.from({ length: 6 }, (_, i) => registerSpread(fixture, i + 2))
    for (const { seriesId } of packages) fixture.chain.unheld.add(seriesId)
    fixture.chain.aheadS = 3_602
    const asked = await Promise.all(packages.map(({ seriesId }) => fixture.relay.prepareSettlement(seriesId)))
    expect(new Set(asked.map(({ attestation }) => attestation.resolutionBps))).toEqual(new Set([40]))
    for (const one of [...series, ...packages]) expect(await pinOf(fixture, one)).toMatchObject({ resolutionBps: 40 })
  })

  it('does not look again at what it has resolved', async () => {
    const fixture = resolvingFixture()
    registerStrikes(fixture, 1_000, 2_000)
    await expire(fixture)
    let reads = 0
    const { find } = fixture.ports.store.resolutions
    fixture.ports.store.resolutions.find = (seriesId) => {
      reads += 1
      return find(seriesId)
    }
    await fixture.clock.advance(10 * SWEEP_MS)
    expect(reads).toBe(0)
  })

  it('asks for a few markets at a time, however many expire together', async () => {
    const fixture = resolvingFixture()
    const series = Array.from({ length: 40 }, (_, i) => register(fixture, { yesTokenId: String(i + 1) }))
    await expire(fixture)
    await fixture.clock.advance(4 * SWEEP_MS)
    expect(fixture.given.asked).toBe(40)
    expect(fixture.given.most).toBe(4)
    expect((await Promise.all(series.map((one) => pinOf(fixture, one)))).every((pin) => pin !== null)).toBe(true)
  })

  it('tries again after an outage, which is logged once a sweep and stores nothing', async () => {
    const fixture = resolvingFixture()
    const series = [register(fixture), register(fixture, { yesTokenId: '5' })]
    fixture.given.outcome = 'down'
    await expire(fixture)
    await fixture.clock.advance(SWEEP_MS)
    expect(logged(fixture, 'resolutions_postponed')).toHaveLength(2)
    expect(await fixture.ports.store.resolutions.listEscalated()).toEqual([])
    fixture.given.outcome = { yesPrice: 0, closedAt: null }
    await fixture.clock.advance(SWEEP_MS)
    for (const one of series) expect(await pinOf(fixture, one)).toMatchObject({ meta: { method: 'outcome' } })
  })

  it('notes once, for all series concerned, what a person must look at, and asks no source about it again', async () => {
    const fixture = resolvingFixture()
    const series = registerStrikes(fixture, 1_000, 2_000)
    fixture.given.points = []
    await expire(fixture)
    await fixture.clock.advance(10 * SWEEP_MS)
    for (const { seriesId } of series)
      expect(await refusal(fixture.relay.prepareSettlement(seriesId))).toBe('manual_review')
    expect(fixture.given.asked).toBe(1)
    expect(logged(fixture, 'series_escalated')).toMatchObject([{ fields: { count: 2, reason: 'no_price_data' } }])
    expect((await fixture.ports.store.resolutions.listEscalated()).map(({ seriesId }) => seriesId).sort()).toEqual(
      series.map(({ seriesId }) => seriesId).sort(),
    )
  })

  it('does not take back an escalation when the source finds its prices again', async () => {
    const fixture = resolvingFixture()
    const { seriesId } = register(fixture)
    fixture.given.points = []
    await expire(fixture)
    fixture.given.points = [{ t: EXPIRY_S, p: 0.9 }]
    const next = await fixture.restart()
    await next.clock.advance(SWEEP_MS)
    await expect(next.relay.prepareSettlement(seriesId)).rejects.toMatchObject({
      code: 'manual_review',
      data: { seriesId, windowStart: EXPIRY_S - 1_800, windowEnd: EXPIRY_S },
    })
    next.relay.stop()
  })

  it.each([
    ['too_few_points', { twapMinPoints: 2 }],
    ['gap_too_long', { twapMaxGapS: 600 }],
  ])('escalates %s where the settings ask for more', async (reason, settings) => {
    const fixture = resolvingFixture(settings)
    register(fixture)
    await expire(fixture)
    expect(await fixture.ports.store.resolutions.listEscalated()).toMatchObject([{ reason }])
  })
})

describe('one resolution', () => {
  it('is computed once for all that ask at the same time', async () => {
    const fixture = resolvingFixture()
    const [first, second] = registerStrikes(fixture, 1_000, 2_000) as [Series, Series]
    fixture.chain.aheadS = 3_600
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => fixture.relay.prepareSettlement((i % 2 ? first : second).seriesId)),
    )
    expect(fixture.given.asked).toBe(1)
  })

  it('covers the series that a relay which was killed halfway had not come to', async () => {
    const fixture = resolvingFixture()
    const series = registerStrikes(fixture, 1_000, 2_000, 3_000)
    const { pin } = fixture.ports.store.resolutions
    let pins = 0
    fixture.ports.store.resolutions.pin = (resolution) => {
      pins += 1
      return pins > 1 ? Promise.reject(new RfqError('store_unavailable')) : pin(resolution)
    }
    await expire(fixture)
    fixture.ports.store.resolutions.pin = pin
    fixture.given.points = [{ t: EXPIRY_S, p: 0.9 }]
    const next = await fixture.restart()
    await next.clock.advance(0)
    for (const one of series) expect(await pinOf(next, one)).toMatchObject({ resolutionBps: 40 })
    expect(fixture.given.asked).toBe(1)
    next.relay.stop()
  })

  it('is the same on two nodes that see different prices', async () => {
    const fixture = resolvingFixture()
    const series = registerStrikes(fixture, 1_000, 2_000, 3_000)
    const other = createTestRelay({
      ports: { ...fixture.ports, prices: { history: async () => [{ t: EXPIRY_S, p: 0.7 }] } },
    })
    fixture.chain.aheadS = 3_600
    const [first, , last] = series as [Series, Series, Series]
    const { pin } = fixture.ports.store.resolutions
    fixture.ports.store.resolutions.pin = (resolution) => oneTurn().then(() => pin(resolution))
    const calls = Array.from({ length: 50 }, (_, i) => [
      fixture.relay.prepareSettlement((i % 2 ? series[1] : first)?.seriesId ?? ''),
      other.relay.prepareSettlement(last.seriesId),
    ])
    const attested = await Promise.all(calls.flat())
    expect(new Set(attested.map(({ attestation }) => attestation.resolutionBps)).size).toBe(1)
  })

  it('is the same on two nodes of which one is asked for a package that no one holds (invariant V5)', async () => {
    const fixture = resolvingFixture()
    const [series] = registerStrikes(fixture, 1_000, 2_000) as [Series]
    // One that comes before all calls and puts, by its id.
    const [spread] = Array.from({ length: 20 }, (_, i) => registerSpread(fixture, i + 2)).toSorted(byId) as [Series]
    for (const { seriesId } of fixture.chain.registered.values()) fixture.chain.unheld.add(seriesId)
    expect([...fixture.chain.registered.values()].toSorted(byId)[0]).toBe(spread)
    const other = createTestRelay({
      ports: { ...fixture.ports, prices: { history: async () => [{ t: EXPIRY_S, p: 0.7 }] } },
    })
    fixture.chain.aheadS = 3_600
    const { pin } = fixture.ports.store.resolutions
    fixture.ports.store.resolutions.pin = (resolution) => oneTurn().then(() => pin(resolution))
    const attested = await Promise.all([
      fixture.relay.prepareSettlement(spread.seriesId),
      other.relay.prepareSettlement(series.seriesId),
    ])
    expect(new Set(attested.map(({ attestation }) => attestation.resolutionBps)).size).toBe(1)
  })

  it('that a person made counts for all series of the market and expiry, whichever it was made for', async () => {
    const fixture = resolvingFixture()
    const series = registerStrikes(fixture, 1_000, 2_000).toSorted((a, b) => (a.seriesId < b.seriesId ? -1 : 1))
    const [other, decided] = series as [Series, Series]
    await fixture.ports.store.resolutions.pin({
      seriesId: decided.seriesId,
      resolutionBps: 77 as ResolutionBps,
      meta: {
        method: 'manual',
        twap: 0.77,
        pointCount: 0,
        yesPrice: 0.77,
        windowStart: EXPIRY_S - 1_800,
        windowEnd: EXPIRY_S,
      },
      resolvedAt: 1,
      decision: { by: 'Ada', reason: 'she knows' },
    })
    await expire(fixture)
    expect(await pinOf(fixture, decided)).toMatchObject({ resolutionBps: 77 })
    expect(await pinOf(fixture, other)).toMatchObject({ resolutionBps: 77, decision: { by: 'Ada' } })
    expect(fixture.given.asked).toBe(0)
  })

  it('is that of the others for a series too new for the list that another call resolves by', async () => {
    const fixture = resolvingFixture()
    const [listed] = registerStrikes(fixture, 1_000) as [Series]
    fixture.chain.aheadS = 3_600
    let answer = () => {}
    fixture.given.answer = () =>
      new Promise((resolve) => {
        answer = resolve
      })
    const first = fixture.relay.prepareSettlement(listed.seriesId)
    await settle()
    const { seriesId } = register(fixture, { strikeBps: 2_000 as StrikeBps })
    const second = fixture.relay.prepareSettlement(seriesId)
    await settle()
    answer()
    expect((await first).attestation.resolutionBps).toBe(40)
    expect((await second).attestation.resolutionBps).toBe(40)
    expect(fixture.given.asked).toBe(1)
  })
})
