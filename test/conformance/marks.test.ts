import { describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { failure } from './harness/match.ts'
import { openServices } from './harness/service.ts'

type Listed = { seriesId: string; conditionId: string; yesClobTokenId: string; expiry: number; strikeBps: number }
type Mark = Listed & {
  mark: number | null
  intrinsic: number
  volatility: number | null
  observed: { makers: number } | null
  indicative: { bid: number; ask: number; makers: number } | null
}

describe.concurrent.each(openServices(import.meta.url))('prices before one asks, $mode', (service) => {
  /** The call nearest to the YES price of its market, at the last expiry. */
  async function nearest() {
    const { markets } = (await service.call<{ markets: (Listed & { yesPrice: number })[] }>('GET', '/v1/markets')).body
    const { series } = (await service.call<{ series: Listed[] }>('GET', '/v1/series?optionType=call&settled=false'))
      .body
    const last = Math.max(...series.map(({ expiry }) => expiry))
    const priceOf = ({ conditionId }: Listed) =>
      markets.find((market) => market.conditionId === conditionId)?.yesPrice ?? 0
    const distance = (one: Listed) => Math.abs(one.strikeBps / 10_000 - priceOf(one))
    const [chosen] = series.filter(({ expiry }) => expiry === last).toSorted((a, b) => distance(a) - distance(b))
    return { ...(chosen as Listed), yesPrice: priceOf(chosen as Listed) }
  }

  const surfaceOf = async ({ conditionId, seriesId }: Listed) => {
    const { body } = await service.call<{ series: Mark[] }>('GET', `/v1/surface?conditionId=${conditionId}`)
    return body.series.find((one) => one.seriesId === seriesId)
  }

  it('GET /v1/prices shows the last day of a YES price, of listed markets alone (protocol prices-1)', async () => {
    const { yesClobTokenId } = await nearest()
    const { status, body } = await service.call<{ points: { t: number; price: number }[] }>(
      'GET',
      `/v1/prices?yesClobTokenId=${yesClobTokenId}`,
    )
    expect(status).toBe(200)
    expect(body.points.length).toBeLessThanOrEqual(1_000)
    for (const { t, price } of body.points) {
      expect(Number.isInteger(t)).toBe(true)
      expect(price).toBeGreaterThan(0)
      expect(price).toBeLessThan(1)
    }
    expect(await service.call('GET', '/v1/prices?yesClobTokenId=987')).toMatchObject({
      status: 404,
      body: failure('not_found'),
    })
    expect(await service.call('GET', '/v1/prices')).toMatchObject({ status: 400, body: failure('invalid_request') })
  })

  it('levels of a maker give a series its mark, and are replaced as a whole (protocol surface-1, level-1)', async () => {
    const maker = await service.maker({ funded: false })
    const series = await nearest()
    const { seriesId, strikeBps, yesPrice } = series
    const intrinsic = Math.max(0, yesPrice - strikeBps / 10_000)
    // Far enough above it that the YES price, which moves meanwhile, does not pass it: a price below the payoff has no volatility.
    const level = { seriesId, bid: Number((intrinsic + 0.06).toFixed(4)), ask: Number((intrinsic + 0.07).toFixed(4)) }
    expect(await maker.call('PUT', '/v1/mm/levels', { levels: [level] })).toMatchObject({
      status: 200,
      body: { success: true, count: 1, keptMs: 60_000 },
    })
    const { bid, ask } = level
    await eventually(async () => {
      const indicative = (await surfaceOf(series))?.indicative
      return indicative?.makers === 1 && indicative.bid === bid && indicative.ask === ask
    })
    const shown = await surfaceOf(series)
    expect(shown?.mark).toBeGreaterThan(intrinsic)
    expect(shown?.volatility).toBeGreaterThan(0)
    expect(shown?.observed).toMatchObject({ makers: 1 })

    const socket = await maker.connect()
    socket.send({ type: 'levels', ref: 'none', levels: [] })
    expect(await socket.until('levels:ok')).toMatchObject({ ref: 'none', count: 0, keptMs: 60_000 })
    await eventually(async () => (await surfaceOf(series))?.indicative === null)
  })

  it('levels that cannot be are refused, on HTTP and on the socket', async () => {
    const maker = await service.maker({ funded: false })
    const { seriesId } = await nearest()
    const levels = [{ seriesId, bid: 0.3, ask: 0.2 }]
    expect(await maker.call('PUT', '/v1/mm/levels', { levels })).toMatchObject({
      status: 400,
      body: failure('invalid_request'),
    })
    const socket = await maker.connect()
    socket.send({ type: 'levels', ref: 'crossed', levels })
    expect(await socket.until('quote:error')).toMatchObject({ ref: 'crossed', status: 400, code: 'invalid_request' })
  })
})
