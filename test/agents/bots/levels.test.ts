import { describe, expect, it } from 'vitest'
import { HONEST_STYLES, MAKER_STYLES } from '../../../src/agents/bots/style.ts'
import type { StrikeBps } from '../../../src/protocol/domain/units.ts'
import { eventually } from '../../kit/eventually.ts'
import { CALL_BUY, START_MS } from '../../support/test-relay.ts'
import { startBotFixture } from './bot-fixture.ts'

const { conditionId } = CALL_BUY.market
const SPOT = 0.45
const HOUR_MS = 3_600_000
const KEPT_MS = 5_000

/** A relay with calls and puts around the YES price, from an hour to a month before expiry. */
async function started() {
  const fixture = await startBotFixture()
  fixture.sources.points = [{ t: START_MS / 1_000, p: SPOT }]
  for (const hours of [1, 24, 24 * 30]) {
    for (const cents of [30, 40, 45, 50, 60]) {
      for (const optionType of ['call', 'put'] as const) {
        const strikeBps = (cents * 100) as StrikeBps
        fixture.register({ ...CALL_BUY, option: { optionType, strikeBps, expiryMs: START_MS + hours * HOUR_MS } })
      }
    }
  }
  const makersOf = async () => {
    await fixture.clock.advance(KEPT_MS)
    const { series } = await fixture.taker.getSurface({ conditionId })
    return { series, makers: Math.max(0, ...series.map(({ indicative }) => indicative?.makers ?? 0)) }
  }
  const shownBy = (count: number) => eventually(makersOf, ({ makers }) => makers === count)
  return { ...fixture, shownBy }
}

const SHOWN = { showsLevels: true }

describe('levels of simulated makers', () => {
  it('give each series a mark that lies within their spread', async () => {
    const fixture = await started()
    fixture.bot('ada', { ...MAKER_STYLES[HONEST_STYLES[1] as 'tight'], ...SHOWN }, { spot: async () => SPOT })
    fixture.bot('bob', { ...MAKER_STYLES.wide, ...SHOWN }, { spot: async () => SPOT })
    const { series } = await fixture.shownBy(2)
    expect(series).toHaveLength(30)
    for (const { mark, indicative, strikeBps, expiry } of series as never as Record<string, never>[]) {
      const { bid, ask } = indicative as unknown as { bid: bigint; ask: bigint }
      const where = `strike ${strikeBps}, expiry ${expiry}`
      expect(Number(mark), where).toBeGreaterThanOrEqual(Number(bid))
      expect(Number(mark), where).toBeLessThanOrEqual(Number(ask))
    }
  })

  it('are sent again before the relay forgets them, and end with the maker', async () => {
    const fixture = await started()
    const bot = fixture.bot('ada', SHOWN, { spot: async () => SPOT })
    await fixture.shownBy(1)
    await fixture.clock.advance(HOUR_MS / 30)
    await fixture.shownBy(1)
    await bot.stop()
    await fixture.clock.advance(HOUR_MS / 30)
    await fixture.shownBy(0)
  })

  it('are left out while the price is unknown, and the maker reports it', async () => {
    const fixture = await started()
    const bot = fixture.bot('ada', SHOWN, { spot: async () => Promise.reject(new Error('no feed')) })
    await bot.told('failed')
    expect(bot.of('failed')[0]).toMatchObject({ doing: 'levels', error: { message: 'no feed' } })
    expect((await fixture.shownBy(0)).series.every(({ indicative }) => indicative === null)).toBe(true)
  })
})
