import { describe, expect, it } from 'vitest'
import { CALL_BUY, createTestRelay, refusal, START_MS } from '../../support/test-relay.ts'

const NOW_S = START_MS / 1_000
const DAY_S = 24 * 3_600
const { yesTokenId } = CALL_BUY.market

function fixtureWith(points: { t: number; p: number }[]) {
  let asked = 0
  const history = async (_: string, from: number, to: number) => {
    asked += 1
    return points.filter(({ t }) => t >= from && t <= to)
  }
  const fixture = createTestRelay({ ports: { prices: { history } } })
  fixture.register(CALL_BUY)
  return { ...fixture, asked: () => asked }
}

describe('the prices of a market', () => {
  it('are those of the last day, recorded ones before those of the source, in order and each second once', async () => {
    const fixture = fixtureWith([
      { t: NOW_S - DAY_S - 1, p: 0.1 },
      { t: NOW_S - 60, p: 0.3 },
      { t: NOW_S - 3_600, p: 0.2 },
      { t: NOW_S - 30, p: Number.NaN },
    ])
    await fixture.ports.store.prices.record(yesTokenId, { t: NOW_S - 60, p: 0.4 })
    expect(await fixture.relay.readPriceHistory(yesTokenId)).toEqual([
      { t: NOW_S - 3_600, p: 0.2 },
      { t: NOW_S - 60, p: 0.4 },
    ])
  })

  it('are a thousand at most, with the first and the last', async () => {
    const points = Array.from({ length: 1_440 }, (_, i) => ({ t: NOW_S - 60 * i, p: 0.5 }))
    const shown = await fixtureWith(points).relay.readPriceHistory(yesTokenId)
    expect(shown).toHaveLength(1_000)
    expect([shown[0]?.t, shown.at(-1)?.t]).toEqual([NOW_S - 60 * 1_439, NOW_S])
  })

  it('are asked of the source at most once a minute, and again when the time of the chain was moved back', async () => {
    const fixture = fixtureWith([{ t: NOW_S, p: 0.5 }])
    const read = () => fixture.relay.readPriceHistory(yesTokenId)
    await Promise.all([read(), read()])
    await fixture.clock.advance(59_000)
    await read()
    expect(fixture.asked()).toBe(1)
    await fixture.clock.advance(1_000)
    await read()
    expect(fixture.asked()).toBe(2)
    fixture.chain.aheadS = -100
    await read()
    expect(fixture.asked()).toBe(3)
  })

  it('are refused for a token without a listed series, which the source is not asked for', async () => {
    const fixture = fixtureWith([])
    expect(await refusal(fixture.relay.readPriceHistory('987'))).toBe('not_found')
    expect(fixture.asked()).toBe(0)
  })
})
