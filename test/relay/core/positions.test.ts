import { describe, expect, it } from 'vitest'
import { isPackage } from '../../../src/protocol/domain/option.ts'
import type { Series } from '../../../src/protocol/domain/series.ts'
import { contracts, type ResolutionBps, usd6 } from '../../../src/protocol/domain/units.ts'
import {
  CALL_BUY,
  createTestRelay,
  EXPIRY_S,
  PUT_SELL,
  refusal,
  START_MS,
  TAKER,
  type TestRelay,
} from '../../support/test-relay.ts'

const NOW_S = START_MS / 1_000

/** The taker holds 100 calls and has written 40 puts, of the same market and strike. */
function tradedFixture(): TestRelay & { call: Series; put: Series } {
  const fixture = createTestRelay()
  const [call, put] = [fixture.register(CALL_BUY), fixture.register(PUT_SELL)]
  fixture.chain.held.set(TAKER, [
    { seriesId: call.seriesId, long: contracts(100n), short: contracts(0n) },
    { seriesId: put.seriesId, long: contracts(0n), short: contracts(40n) },
  ])
  return { ...fixture, call, put }
}

const byType = async ({ relay }: TestRelay) => {
  const positions = await relay.readPositions(TAKER)
  const of = (type: string) => positions.find(({ series }) => !isPackage(series) && series.optionType === type)
  return { call: of('call'), put: of('put') }
}

describe('the positions of a wallet', () => {
  it('are valued at the newest price of their market', async () => {
    const fixture = tradedFixture()
    fixture.sources.points = [
      { t: NOW_S - 60, p: 0.6 },
      { t: NOW_S - 120, p: 0.1 },
    ]
    expect(await byType(fixture)).toMatchObject({
      call: { long: 100n, short: 0n, price: 0.6, intrinsic: 150_000n, value: 15_000_000n, claimable: 0n },
      put: { long: 0n, short: 40n, price: 0.6, intrinsic: 0n, value: 18_000_000n, maxLoss: 18_000_000n },
    })
  })

  it('have the mark of their series where makers show levels', async () => {
    const fixture = tradedFixture()
    fixture.sources.points = [{ t: NOW_S, p: 0.45 }]
    expect((await byType(fixture)).call).toMatchObject({ mark: null, intrinsic: 0n })
    const level = { seriesId: fixture.call.seriesId, bid: usd6(19_000n), ask: usd6(21_000n) }
    await fixture.relay.setLevels({ makerId: 'ada', levels: [level] })
    await fixture.clock.advance(5_000)
    const { call, put } = await byType(fixture)
    expect(Number(call?.mark)).toBeGreaterThan(19_000)
    expect(Number(call?.mark)).toBeLessThan(21_000)
    // At the money a call and a put are worth the same.
    expect(put?.mark).toBe(call?.mark)
  })

  it('are valued at a recorded price when the source has none newer, and have no value without either', async () => {
    const fixture = tradedFixture()
    await fixture.ports.store.prices.record('123456789', { t: NOW_S - 30, p: 0.7 })
    fixture.sources.points = null
    expect((await byType(fixture)).call).toMatchObject({ price: 0.7, intrinsic: 250_000n })
    await fixture.clock.advance(7_200_000)
    expect((await byType(fixture)).call).toMatchObject({ price: null, intrinsic: null, value: null, maxLoss: null })
  })

  it('are valued at a resolution as soon as it is pinned, and can be claimed once it is on the chain', async () => {
    const fixture = tradedFixture()
    fixture.chain.aheadS = 3_600
    fixture.sources.points = [{ t: EXPIRY_S, p: 0.5 }]
    await fixture.relay.prepareSettlement(fixture.call.seriesId)
    expect((await byType(fixture)).call).toMatchObject({ intrinsic: 50_000n, maxLoss: 0n, claimable: 0n })
    const settled = { ...fixture.call, resolutionBps: 50 as ResolutionBps }
    fixture.chain.registered.set(settled.seriesId, settled)
    expect((await byType(fixture)).call).toMatchObject({ value: 5_000_000n, claimable: 5_000_000n })
  })

  it('are listed by expiry, and a stranger has none', async () => {
    const fixture = tradedFixture()
    const later = { ...CALL_BUY.option, expiryMs: (EXPIRY_S + 60) * 1_000 }
    const late = fixture.register({ ...CALL_BUY, option: later })
    const held = fixture.chain.held.get(TAKER) ?? []
    fixture.chain.held.set(TAKER, [{ seriesId: late.seriesId, long: contracts(1n), short: contracts(0n) }, ...held])
    const positions = await fixture.relay.readPositions(TAKER)
    expect(positions.map(({ series }) => series.expiry)).toEqual([EXPIRY_S, EXPIRY_S, EXPIRY_S + 60])
    expect(await fixture.relay.readPositions('0x00000000000000000000000000000000000000AA')).toEqual([])
  })

  it('ask the source for a price at most every 15 seconds, however many look', async () => {
    let asked = 0
    const history = async () => {
      asked += 1
      return [{ t: NOW_S, p: 0.5 }]
    }
    const fixture = createTestRelay({ ports: { prices: { history } } })
    const call = fixture.register(CALL_BUY)
    fixture.chain.held.set(TAKER, [{ seriesId: call.seriesId, long: contracts(1n), short: contracts(0n) }])
    await Promise.all(Array.from({ length: 20 }, () => fixture.relay.readPositions(TAKER)))
    await fixture.clock.advance(14_999)
    await fixture.relay.readPositions(TAKER)
    expect(asked).toBe(1)
    await fixture.clock.advance(1)
    await fixture.relay.readPositions(TAKER)
    expect(asked).toBe(2)
  })

  it('are not known while the chain is down', async () => {
    const fixture = tradedFixture()
    fixture.chain.down = true
    expect(await refusal(fixture.relay.readPositions(TAKER))).toBe('chain_unavailable')
  })
})
