import { describe, expect, it } from 'vitest'
import { createOperatorClient } from '../../src/client/operator.ts'
import { createTakerClient } from '../../src/client/taker.ts'
import { contracts, type ResolutionBps, type StrikeBps, usd6 } from '../../src/protocol/domain/units.ts'
import { encodePositions } from '../../src/protocol/wire/positions.ts'
import { encodeDecided, encodeReview, encodeReviews } from '../../src/protocol/wire/reviews.ts'
import { startFakeServer } from './fake-server.ts'

const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const series = {
  seriesId: '7',
  conditionId: `0x${'11'.repeat(32)}`,
  yesTokenId: '123456789',
  strikeBps: 4_500 as StrikeBps,
  expiry: 1_800_000_000,
  optionType: 'call',
  resolutionBps: null,
} as const
const window = { windowStart: 1_799_998_200, windowEnd: 1_800_000_000 }
const review = { reason: 'no_price_data', escalatedAt: 1_800_000_001_000 }

describe("the operator's client", () => {
  it('lists, shows and decides what waits for a person, with its token', async () => {
    const server = await startFakeServer()
    const client = createOperatorClient({ url: server.url, token: 'op-token' })
    const list = client.listReviews()
    const listed = await server.nextCall()
    expect([listed.method, listed.path, listed.headers.authorization]).toEqual([
      'GET',
      '/ops/v1/reviews',
      'Bearer op-token',
    ])
    listed.answer(200, encodeReviews([{ series, ...window, ...review }]))
    expect(await list).toMatchObject([{ series, reason: 'no_price_data', escalatedAt: 1_800_000_001_000 }])

    const show = client.getReview({ seriesId: '7' })
    const shown = await server.nextCall()
    expect(shown.path).toBe('/ops/v1/reviews/7')
    shown.answer(
      200,
      encodeReview({
        series,
        ...window,
        review,
        resolution: null,
        sourceAvailable: true,
        points: [{ t: 1_799_999_000, p: 0.5, origin: 'fetched' }],
        pointCount: 1,
        maxGapS: null,
        twap: null,
      }),
    )
    expect(await show).toMatchObject({ points: [{ t: 1_799_999_000, p: 0.5, origin: 'fetched' }], twap: null })

    const decision = { resolutionBps: 59 as ResolutionBps, by: 'Ada', reason: 'she knows' }
    const decide = client.resolveReview({ seriesId: '7', ...decision })
    const decided = await server.nextCall()
    expect([decided.method, decided.path, decided.body]).toEqual(['POST', '/ops/v1/reviews/7', decision])
    const { by, reason, resolutionBps } = decision
    decided.answer(
      200,
      encodeDecided('7', { resolutionBps, method: 'manual', resolvedAt: 5, decision: { by, reason } }),
    )
    expect(await decide).toEqual({ resolutionBps: 59, method: 'manual', resolvedAt: 5, decision: { by, reason } })
  })
})

it('anyone may ask what a wallet has', async () => {
  const server = await startFakeServer()
  const positions = createTakerClient({ url: server.url }).listValuedPositions({ wallet: WALLET })
  const call = await server.nextCall()
  expect(call.path).toBe(`/v1/positions?wallet=${WALLET}`)
  const held = { long: contracts(5n), short: contracts(0n), price: 0.6 }
  const value = {
    mark: usd6(160_000n),
    intrinsic: usd6(150_000n),
    value: usd6(750_000n),
    maxLoss: usd6(750_000n),
    claimable: usd6(0n),
  }
  call.answer(200, encodePositions(WALLET, [{ series, ...held, ...value }]))
  expect(await positions).toEqual([{ series, ...held, ...value }])
})

it('a relay without surfaces calls the intrinsic value a mark', async () => {
  const server = await startFakeServer()
  const positions = createTakerClient({ url: server.url }).listValuedPositions({ wallet: WALLET })
  const held = { long: contracts(5n), short: contracts(0n), price: 0.6, mark: null, intrinsic: usd6(150_000n) }
  const value = { value: usd6(750_000n), maxLoss: usd6(750_000n), claimable: usd6(0n) }
  const answer = encodePositions(WALLET, [{ series, ...held, ...value }])
  const older = answer.positions.map(({ intrinsicUsd, ...rest }) => ({ ...rest, markUsd: intrinsicUsd }))
  ;(await server.nextCall()).answer(200, { ...answer, positions: older })
  expect(await positions).toEqual([{ series, ...held, ...value }])
})
