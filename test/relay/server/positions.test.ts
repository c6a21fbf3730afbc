import { describe, expect, it } from 'vitest'
import { contracts } from '../../../src/protocol/domain/units.ts'
import { decodePositions } from '../../../src/protocol/wire/positions.ts'
import { CALL_BUY, START_MS, TAKER } from '../../support/test-relay.ts'
import { startServer } from './support.ts'

describe('GET /v1/positions', () => {
  it('shows what a wallet has, in dollars, whatever the case of its address', async () => {
    const fixture = await startServer()
    const { seriesId } = fixture.register(CALL_BUY)
    fixture.chain.held.set(TAKER, [{ seriesId, long: contracts(833n), short: contracts(0n) }])
    fixture.sources.points = [{ t: START_MS / 1_000, p: 0.57 }]
    const { status, body } = await fixture.call('GET', `/v1/positions?wallet=${TAKER.toLowerCase()}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      success: true,
      wallet: TAKER,
      count: 1,
      claimableUsd: 0,
      positions: [
        {
          series: { seriesId, strikeBps: 4_500, settled: false },
          long: 833,
          short: 0,
          yesPrice: 0.57,
          markUsd: null,
          intrinsicUsd: 0.12,
          valueUsd: 99.96,
          maxLossUsd: 99.96,
          claimableUsd: 0,
        },
      ],
    })
    const [{ series, ...figures }] = decodePositions(body) as [ReturnType<typeof decodePositions>[number]]
    expect(series.seriesId).toBe(seriesId)
    expect(figures).toEqual({
      long: 833n,
      short: 0n,
      price: 0.57,
      mark: null,
      intrinsic: 120_000n,
      value: 99_960_000n,
      maxLoss: 99_960_000n,
      claimable: 0n,
    })
  })

  it('leaves figures open where there is no price', async () => {
    const fixture = await startServer()
    const { seriesId } = fixture.register(CALL_BUY)
    fixture.chain.held.set(TAKER, [{ seriesId, long: contracts(1n), short: contracts(0n) }])
    const { body } = await fixture.call('GET', `/v1/positions?wallet=${TAKER}`)
    const open = { yesPrice: null, markUsd: null, intrinsicUsd: null, valueUsd: null, maxLossUsd: null }
    expect(body.positions).toMatchObject([open])
    expect(decodePositions(body)).toMatchObject([
      { price: null, mark: null, intrinsic: null, value: null, maxLoss: null },
    ])
    fixture.chain.held.set(TAKER, [{ seriesId, long: contracts(0n), short: contracts(2n) }])
    const written = await fixture.call('GET', `/v1/positions?wallet=${TAKER}`)
    expect(written.body.positions).toMatchObject([{ ...open, maxLossUsd: 1.1 }])
  })

  it.each(['', '?wallet=', '?wallet=0x12', `?wallet=${TAKER.toLowerCase().replace('b', 'B')}`, '?wallet=vitalik.eth'])(
    'refuses "%s", which names no wallet',
    async (query) => {
      const { call } = await startServer()
      const { status, body } = await call('GET', `/v1/positions${query}`)
      expect([status, body.code]).toEqual([400, 'invalid_request'])
    },
  )
})
