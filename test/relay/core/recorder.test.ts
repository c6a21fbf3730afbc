import { describe, expect, it } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { seriesTermsOf } from '../../../src/protocol/domain/request.ts'
import { type Series, seriesIdOf } from '../../../src/protocol/domain/series.ts'
import type { PricePoint } from '../../../src/protocol/domain/twap.ts'
import type { ResolutionBps, StrikeBps } from '../../../src/protocol/domain/units.ts'
import { CALL_BUY, createTestRelay, EXPIRY_S, START_MS, type TestRelay } from '../../support/test-relay.ts'

const TOKEN = CALL_BUY.market.yesTokenId
const SERIES = seriesIdOf(seriesTermsOf(CALL_BUY))
const MINUTE_MS = 60_000
const WINDOW_START = EXPIRY_S - 1_800

/** A price a minute: the minute of the hour in hundredths. */
const priceAt = (t: number): PricePoint => ({ t, p: (Math.floor(t / 60) % 60) / 100 })

type Question = { token: string; from: number; to: number }

/** A relay that runs, and what its price source was asked. */
async function recordingFixture(): Promise<
  TestRelay & { asked: Question[]; state: { down: boolean; empty: boolean } }
> {
  const asked: Question[] = []
  const state = { down: false, empty: false }
  const history = async (token: string, from: number, to: number) => {
    asked.push({ token, from, to })
    if (state.down) throw new RfqError('price_source_unavailable')
    const first = Math.ceil(from / 60)
    const count = Math.max(0, Math.floor(to / 60) - first + 1)
    return state.empty ? [] : Array.from({ length: count }, (_, i) => priceAt((first + i) * 60))
  }
  const fixture = createTestRelay({ ports: { prices: { history } } })
  await fixture.relay.start()
  return { ...fixture, asked, state }
}

const recorded = ({ ports }: TestRelay) => ports.store.prices.between(TOKEN, 0, EXPIRY_S + 3_600)

function registerAlso(fixture: TestRelay, changes: Partial<Series>): Series {
  const terms = { ...seriesTermsOf(CALL_BUY), ...changes }
  const series = { ...terms, seriesId: seriesIdOf(terms), halted: false, resolutionBps: null, ...changes }
  fixture.chain.registered.set(series.seriesId, series)
  return series
}

describe('the recorder', () => {
  it('keeps a price a minute while the window of a series is open, and no other', async () => {
    const fixture = await recordingFixture()
    await fixture.clock.advance((WINDOW_START - 1) * 1_000 - START_MS)
    expect(fixture.asked).toEqual([])
    await fixture.clock.advance(40 * MINUTE_MS)
    const points = await recorded(fixture)
    expect(points.map(({ t }) => t)).toEqual(Array.from({ length: 32 }, (_, i) => WINDOW_START + i * 60))
    expect(points[7]).toEqual(priceAt(WINDOW_START + 420))
    const questions = fixture.asked.length
    await fixture.clock.advance(60 * MINUTE_MS)
    expect(fixture.asked).toHaveLength(questions)
  })

  it('asks once for a token, from its earliest open window, whatever its series', async () => {
    const fixture = await recordingFixture()
    registerAlso(fixture, { strikeBps: 3_000 as StrikeBps })
    registerAlso(fixture, { expiry: EXPIRY_S + 900 })
    registerAlso(fixture, { yesTokenId: '7', expiry: EXPIRY_S + 900 })
    registerAlso(fixture, { yesTokenId: '8', resolutionBps: 5 as ResolutionBps })
    await fixture.clock.advance(WINDOW_START * 1_000 - START_MS + 15 * MINUTE_MS)
    fixture.asked.length = 0
    await fixture.clock.advance(MINUTE_MS)
    expect(fixture.asked).toEqual([
      { token: TOKEN, from: WINDOW_START, to: WINDOW_START + 960 },
      { token: '7', from: WINDOW_START + 900, to: WINDOW_START + 960 },
    ])
  })

  it('fills the gap that an outage left, and stores nothing twice', async () => {
    const fixture = await recordingFixture()
    let stored = 0
    const { record } = fixture.ports.store.prices
    fixture.ports.store.prices.record = (...args) => {
      stored += 1
      return record(...args)
    }
    await fixture.clock.advance(WINDOW_START * 1_000 - START_MS + 5 * MINUTE_MS)
    fixture.state.down = true
    await fixture.clock.advance(10 * MINUTE_MS)
    expect(await recorded(fixture)).toHaveLength(6)
    fixture.state.down = false
    await fixture.clock.advance(MINUTE_MS)
    expect(await recorded(fixture)).toHaveLength(17)
    expect(stored).toBe(17)
    expect(fixture.log.lines.filter(({ event }) => event === 'token_not_recorded')).toHaveLength(10)
  })

  it('does not let one token that fails stop another', async () => {
    const asked: string[] = []
    const history = async (token: string) => {
      asked.push(token)
      if (token === TOKEN) throw new Error('no such token')
      return [{ t: WINDOW_START, p: 0.5 }]
    }
    const fixture = createTestRelay({ ports: { prices: { history } } })
    registerAlso(fixture, { yesTokenId: '7' })
    fixture.chain.aheadS = WINDOW_START - START_MS / 1_000
    await fixture.relay.start()
    await fixture.clock.advance(0)
    expect(asked.sort()).toEqual(['123456789', '7'])
    expect(await fixture.ports.store.prices.between('7', 0, EXPIRY_S)).toHaveLength(1)
  })

  it('continues after a restart with what was recorded before it', async () => {
    const fixture = await recordingFixture()
    await fixture.clock.advance(WINDOW_START * 1_000 - START_MS + 5 * MINUTE_MS)
    const next = await fixture.restart()
    await next.clock.advance(5 * MINUTE_MS)
    expect(await recorded(next)).toHaveLength(11)
    next.relay.stop()
  })

  it('is what a market that resolved at expiry is settled by, when the source has let its prices go', async () => {
    const fixture = await recordingFixture()
    await fixture.clock.advance(WINDOW_START * 1_000 - START_MS + 25 * MINUTE_MS)
    fixture.state.empty = true
    await fixture.clock.advance(5 * MINUTE_MS)
    const { meta } = await fixture.relay.prepareSettlement(SERIES)
    expect(meta).toMatchObject({ method: 'twap', pointCount: 26 })
  })

  it('rests when the relay is stopped', async () => {
    const fixture = await recordingFixture()
    fixture.relay.stop()
    await fixture.clock.advance(EXPIRY_S * 1_000 - START_MS)
    expect(fixture.asked).toEqual([])
    expect(fixture.clock.pending()).toBe(0)
  })
})
