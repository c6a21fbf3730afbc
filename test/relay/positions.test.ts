import { describe, expect, it } from 'vitest'
import type { Series } from '../../src/domain/series.ts'
import { contracts, type ResolutionBps } from '../../src/domain/units.ts'
import {
  CALL_BUY,
  createRelayHouse,
  EXPIRY_S,
  PUT_SELL,
  type RelayHouse,
  refusal,
  START_MS,
  TAKER,
} from '../support/relay-house.ts'

const NOW_S = START_MS / 1_000

/** The taker holds 100 calls and has written 40 puts, of the same market and strike. */
function tradedHouse(): RelayHouse & { call: Series; put: Series } {
  const house = createRelayHouse()
  const [call, put] = [house.register(CALL_BUY), house.register(PUT_SELL)]
  house.chain.held.set(TAKER, [
    { seriesId: call.seriesId, long: contracts(100n), short: contracts(0n) },
    { seriesId: put.seriesId, long: contracts(0n), short: contracts(40n) },
  ])
  return { ...house, call, put }
}

const byType = async ({ relay }: RelayHouse) => {
  const positions = await relay.readPositions(TAKER)
  const of = (type: string) => positions.find(({ series }) => series.optionType === type)
  return { call: of('call'), put: of('put') }
}

describe('the positions of a wallet', () => {
  it('are valued at the newest price of their market', async () => {
    const house = tradedHouse()
    house.sources.points = [
      { t: NOW_S - 60, p: 0.6 },
      { t: NOW_S - 120, p: 0.1 },
    ]
    expect(await byType(house)).toMatchObject({
      call: { long: 100n, short: 0n, price: 0.6, mark: 150_000n, value: 15_000_000n, claimable: 0n },
      put: { long: 0n, short: 40n, price: 0.6, mark: 0n, value: 18_000_000n, maxLoss: 18_000_000n },
    })
  })

  it('are valued at a recorded price when the source has none newer, and at none when nobody has one', async () => {
    const house = tradedHouse()
    await house.ports.store.prices.record('123456789', { t: NOW_S - 30, p: 0.7 })
    house.sources.points = null
    expect((await byType(house)).call).toMatchObject({ price: 0.7, mark: 250_000n })
    await house.clock.advance(7_200_000)
    expect((await byType(house)).call).toMatchObject({ price: null, mark: null, value: null, maxLoss: null })
  })

  it('are valued at a resolution as soon as it is pinned, and can be claimed once it is on the chain', async () => {
    const house = tradedHouse()
    house.chain.aheadS = 3_600
    house.sources.points = [{ t: EXPIRY_S, p: 0.5 }]
    await house.relay.prepareSettlement(house.call.seriesId)
    expect((await byType(house)).call).toMatchObject({ mark: 50_000n, maxLoss: 0n, claimable: 0n })
    const settled = { ...house.call, resolutionBps: 50 as ResolutionBps }
    house.chain.registered.set(settled.seriesId, settled)
    expect((await byType(house)).call).toMatchObject({ value: 5_000_000n, claimable: 5_000_000n })
  })

  it('are listed by expiry, and there are none for a stranger', async () => {
    const house = tradedHouse()
    const later = { ...CALL_BUY.option, expiryMs: (EXPIRY_S + 60) * 1_000 }
    const late = house.register({ ...CALL_BUY, option: later })
    const held = house.chain.held.get(TAKER) ?? []
    house.chain.held.set(TAKER, [{ seriesId: late.seriesId, long: contracts(1n), short: contracts(0n) }, ...held])
    const positions = await house.relay.readPositions(TAKER)
    expect(positions.map(({ series }) => series.expiry)).toEqual([EXPIRY_S, EXPIRY_S, EXPIRY_S + 60])
    expect(await house.relay.readPositions('0x00000000000000000000000000000000000000AA')).toEqual([])
  })

  it('ask the source for a price at most every 15 seconds, however many look', async () => {
    let asked = 0
    const history = async () => {
      asked += 1
      return [{ t: NOW_S, p: 0.5 }]
    }
    const house = createRelayHouse({ ports: { prices: { history } } })
    const call = house.register(CALL_BUY)
    house.chain.held.set(TAKER, [{ seriesId: call.seriesId, long: contracts(1n), short: contracts(0n) }])
    await Promise.all(Array.from({ length: 20 }, () => house.relay.readPositions(TAKER)))
    await house.clock.advance(14_999)
    await house.relay.readPositions(TAKER)
    expect(asked).toBe(1)
    await house.clock.advance(1)
    await house.relay.readPositions(TAKER)
    expect(asked).toBe(2)
  })

  it('are not known while the chain is down', async () => {
    const house = tradedHouse()
    house.chain.down = true
    expect(await refusal(house.relay.readPositions(TAKER))).toBe('chain_unavailable')
  })
})
