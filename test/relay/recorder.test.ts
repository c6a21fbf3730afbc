import { describe, expect, it } from 'vitest'
import { RfqError } from '../../src/domain/errors.ts'
import { seriesTermsOf } from '../../src/domain/request.ts'
import { type Series, seriesIdOf } from '../../src/domain/series.ts'
import type { PricePoint } from '../../src/domain/twap.ts'
import type { ResolutionBps, StrikeBps } from '../../src/domain/units.ts'
import { CALL_BUY, createRelayHouse, EXPIRY_S, type RelayHouse, START_MS } from '../support/relay-house.ts'

const TOKEN = CALL_BUY.market.yesTokenId
const SERIES = seriesIdOf(seriesTermsOf(CALL_BUY))
const MINUTE_MS = 60_000
const WINDOW_START = EXPIRY_S - 1_800

/** A price a minute: the minute of the hour in hundredths. */
const priceAt = (t: number): PricePoint => ({ t, p: (Math.floor(t / 60) % 60) / 100 })

type Question = { token: string; from: number; to: number }

/** A relay that runs, and what its price source was asked. */
async function recordingHouse(): Promise<RelayHouse & { asked: Question[]; state: { down: boolean; empty: boolean } }> {
  const asked: Question[] = []
  const state = { down: false, empty: false }
  const history = async (token: string, from: number, to: number) => {
    asked.push({ token, from, to })
    if (state.down) throw new RfqError('price_source_unavailable')
    const first = Math.ceil(from / 60)
    const count = Math.max(0, Math.floor(to / 60) - first + 1)
    return state.empty ? [] : Array.from({ length: count }, (_, i) => priceAt((first + i) * 60))
  }
  const house = createRelayHouse({ ports: { prices: { history } } })
  await house.relay.start()
  return { ...house, asked, state }
}

const recorded = ({ ports }: RelayHouse) => ports.store.prices.between(TOKEN, 0, EXPIRY_S + 3_600)

function registerAlso(house: RelayHouse, changes: Partial<Series>): Series {
  const terms = { ...seriesTermsOf(CALL_BUY), ...changes }
  const series = { ...terms, seriesId: seriesIdOf(terms), halted: false, resolutionBps: null, ...changes }
  house.chain.registered.set(series.seriesId, series)
  return series
}

describe('the recorder', () => {
  it('keeps a price a minute while the window of a series is open, and no other', async () => {
    const house = await recordingHouse()
    await house.clock.advance((WINDOW_START - 1) * 1_000 - START_MS)
    expect(house.asked).toEqual([])
    await house.clock.advance(40 * MINUTE_MS)
    const points = await recorded(house)
    expect(points.map(({ t }) => t)).toEqual(Array.from({ length: 32 }, (_, i) => WINDOW_START + i * 60))
    expect(points[7]).toEqual(priceAt(WINDOW_START + 420))
    const questions = house.asked.length
    await house.clock.advance(60 * MINUTE_MS)
    expect(house.asked).toHaveLength(questions)
  })

  it('asks once for a token, from its earliest open window, whatever its series', async () => {
    const house = await recordingHouse()
    registerAlso(house, { strikeBps: 3_000 as StrikeBps })
    registerAlso(house, { expiry: EXPIRY_S + 900 })
    registerAlso(house, { yesTokenId: '7', expiry: EXPIRY_S + 900 })
    registerAlso(house, { yesTokenId: '8', resolutionBps: 5 as ResolutionBps })
    await house.clock.advance(WINDOW_START * 1_000 - START_MS + 15 * MINUTE_MS)
    house.asked.length = 0
    await house.clock.advance(MINUTE_MS)
    expect(house.asked).toEqual([
      { token: TOKEN, from: WINDOW_START, to: WINDOW_START + 960 },
      { token: '7', from: WINDOW_START + 900, to: WINDOW_START + 960 },
    ])
  })

  it('fills the gap that an outage left, and stores nothing twice', async () => {
    const house = await recordingHouse()
    let stored = 0
    const { record } = house.ports.store.prices
    house.ports.store.prices.record = (...args) => {
      stored += 1
      return record(...args)
    }
    await house.clock.advance(WINDOW_START * 1_000 - START_MS + 5 * MINUTE_MS)
    house.state.down = true
    await house.clock.advance(10 * MINUTE_MS)
    expect(await recorded(house)).toHaveLength(6)
    house.state.down = false
    await house.clock.advance(MINUTE_MS)
    expect(await recorded(house)).toHaveLength(17)
    expect(stored).toBe(17)
    expect(house.log.lines.filter(({ event }) => event === 'token_not_recorded')).toHaveLength(10)
  })

  it('does not let one token that fails stop another', async () => {
    const asked: string[] = []
    const history = async (token: string) => {
      asked.push(token)
      if (token === TOKEN) throw new Error('no such token')
      return [{ t: WINDOW_START, p: 0.5 }]
    }
    const house = createRelayHouse({ ports: { prices: { history } } })
    registerAlso(house, { yesTokenId: '7' })
    house.chain.aheadS = WINDOW_START - START_MS / 1_000
    await house.relay.start()
    await house.clock.advance(0)
    expect(asked.sort()).toEqual(['123456789', '7'])
    expect(await house.ports.store.prices.between('7', 0, EXPIRY_S)).toHaveLength(1)
  })

  it('goes on after a restart with what was recorded before it', async () => {
    const house = await recordingHouse()
    await house.clock.advance(WINDOW_START * 1_000 - START_MS + 5 * MINUTE_MS)
    const next = await house.restart()
    await next.clock.advance(5 * MINUTE_MS)
    expect(await recorded(next)).toHaveLength(11)
    next.relay.stop()
  })

  it('is what a market that resolved at expiry is settled by, when the source has let its prices go', async () => {
    const house = await recordingHouse()
    await house.clock.advance(WINDOW_START * 1_000 - START_MS + 25 * MINUTE_MS)
    house.state.empty = true
    await house.clock.advance(5 * MINUTE_MS)
    const { meta } = await house.relay.prepareSettlement(SERIES)
    expect(meta).toMatchObject({ method: 'twap', pointCount: 26 })
  })

  it('rests when the relay is stopped', async () => {
    const house = await recordingHouse()
    house.relay.stop()
    await house.clock.advance(EXPIRY_S * 1_000 - START_MS)
    expect(house.asked).toEqual([])
    expect(house.clock.pending()).toBe(0)
  })
})
