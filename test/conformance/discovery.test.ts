import { describe, expect, it } from 'vitest'
import { seriesIdOf } from './harness/chain.ts'
import { bytes32, decimalText, failure } from './harness/match.ts'
import { openServices } from './harness/service.ts'

type Series = {
  seriesId: string
  conditionId: string
  yesClobTokenId: string
  strikeBps: number
  expiry: number
  optionType: 'call' | 'put'
  settled: boolean
  resolutionBps: number | null
}
type Market = {
  name: string
  conditionId: string
  yesClobTokenId: string
  seriesCount: number
  strikes: number[]
  expiries: number[]
  optionTypes: string[]
}

const ascending = <Item>(items: readonly Item[]): Item[] => [...new Set(items)].sort()

describe.concurrent.each(openServices(import.meta.url))('discovery, $mode', (service) => {
  const listSeries = async (query = '') =>
    (await service.call<{ count: number; series: Series[] }>('GET', `/v1/series${query}`)).body
  const listMarkets = async () => (await service.call<{ count: number; markets: Market[] }>('GET', '/v1/markets')).body
  const someMarket = async () => (await listMarkets()).markets.find(({ name }) => name.endsWith('?')) as Market

  it('GET /v1/markets answers count and markets, each with the fields of Market summary', async () => {
    const { status, body } = await service.call<{ count: number; markets: Market[] }>('GET', '/v1/markets')
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true, count: body.markets.length })
    expect(body.count).toBeGreaterThan(0)
    for (const market of body.markets) {
      expect(market).toMatchObject({
        name: expect.any(String),
        conditionId: bytes32(),
        yesClobTokenId: decimalText(),
        seriesCount: expect.any(Number),
        strikes: expect.any(Array),
        expiries: expect.any(Array),
        optionTypes: expect.any(Array),
      })
    }
  })

  it('Market summary counts and lists what GET /v1/series has of the market', async () => {
    const market = await someMarket()
    const { series } = await listSeries(`?conditionId=${market.conditionId}`)
    expect(market.seriesCount).toBe(series.length)
    expect(ascending(market.strikes)).toEqual(ascending(series.map(({ strikeBps }) => strikeBps)))
    expect(ascending(market.expiries)).toEqual(ascending(series.map(({ expiry }) => expiry)))
    expect(ascending(market.optionTypes)).toEqual(ascending(series.map(({ optionType }) => optionType)))
  })

  it('GET /v1/series answers count and series, each with the fields of Series', async () => {
    const { status, body } = await service.call<{ count: number; series: Series[] }>('GET', '/v1/series')
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true, count: body.series.length })
    for (const series of body.series) {
      expect(series).toMatchObject({
        seriesId: decimalText(),
        conditionId: bytes32(),
        yesClobTokenId: decimalText(),
        strikeBps: expect.any(Number),
        expiry: expect.any(Number),
        optionType: expect.stringMatching(/^(call|put)$/),
        settled: expect.any(Boolean),
      })
      expect(Number.isInteger(series.expiry) && series.expiry > 1e9 && series.expiry < 1e11).toBe(true)
      if (!series.settled) expect(series.resolutionBps).toBeNull()
    }
  })

  it('Series.seriesId is the keccak256 hash of the terms (decision U6)', async () => {
    for (const { seriesId, yesClobTokenId, ...terms } of (await listSeries()).series) {
      expect(seriesId).toBe(seriesIdOf({ ...terms, yesTokenId: yesClobTokenId }))
    }
  })

  it('GET /v1/series takes conditionId in any case, optionType and settled, and all of them at once', async () => {
    const { conditionId } = await someMarket()
    const digits = conditionId.slice(2).toUpperCase()
    const ofMarket = await listSeries(`?conditionId=0x${digits}`)
    expect(new Set(ofMarket.series.map((series) => series.conditionId))).toEqual(new Set([conditionId]))
    const calls = await listSeries('?optionType=call')
    expect(new Set(calls.series.map(({ optionType }) => optionType))).toEqual(new Set(['call']))
    const unsettled = await listSeries('?settled=false')
    expect(unsettled.series.every(({ settled }) => !settled)).toBe(true)
    const settled = await listSeries('?settled=true')
    expect(settled.series.every((series) => series.settled)).toBe(true)
    const all = await listSeries(`?conditionId=${conditionId}&optionType=put&settled=false`)
    expect(all.count).toBeGreaterThan(0)
    expect(all.series.every((series) => series.optionType === 'put' && series.conditionId === conditionId)).toBe(true)
  })

  it.each(['conditionId=0x12', 'conditionId=', 'optionType=straddle', 'settled=maybe', 'settled=1'])(
    'a known query parameter with a bad value is 400: %s (decision E4)',
    async (query) => {
      const { status, body } = await service.call('GET', `/v1/series?${query}`)
      expect({ status, body }).toMatchObject({ status: 400, body: failure('invalid_request') })
    },
  )

  it('an unknown query parameter is ignored (decision E4)', async () => {
    const { status } = await service.call('GET', '/v1/series?page=7&__proto__[a]=1')
    expect(status).toBe(200)
  })

  it('GET /v1/series/{seriesId} answers one series', async () => {
    const [first] = (await listSeries()).series as [Series]
    const { status, body } = await service.call('GET', `/v1/series/${first.seriesId}`)
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true, series: first } })
  })

  it.each(['1', '0', '-1', '0x', '1e18', 'abc', String(2n ** 256n), '__proto__', '%00'])(
    'GET /v1/series/{seriesId} is 404 for one that is unknown, and malformed is unknown: %s (decision S5)',
    async (id) => {
      const { status, body } = await service.call('GET', `/v1/series/${id}`)
      expect({ status, body }).toMatchObject({ status: 404, body: failure('series_not_found') })
    },
  )

  it('GET /v1/series/{seriesId}/prices has the window of the series, and no prices before it begins (protocol series-6)', async () => {
    const { seriesId } = await service.option()
    const { series } = (await service.call<{ series: Series }>('GET', `/v1/series/${seriesId}`)).body
    const { status, body } = await service.call('GET', `/v1/series/${seriesId}/prices`)
    if (service.mode === 'simulated') return
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        success: true,
        seriesId,
        windowStart: series.expiry - 1_800,
        windowEnd: series.expiry,
        points: [],
        ...{ twap: null, resolutionBps: null, method: null },
      },
    })
  })

  it.each(['/v1/markets', '/v1/series', '/v1/series?optionType=put'])(
    '%s is public, and a key sent to it is ignored (protocol auth-7)',
    async (path) => {
      const { status } = await service.call('GET', path, { headers: { 'x-api-key': 'no-such-key' } })
      expect(status).toBe(200)
      const { status: inQuery } = await service.call(
        'GET',
        `${path}${path.includes('?') ? '&' : '?'}apiKey=no-such-key`,
      )
      expect(inQuery).toBe(200)
    },
  )

  it.skipIf(service.chain === null)(
    'a series that was registered since the last refresh is found when it is asked for (decision S5)',
    async () => {
      const { seriesId } = await service.option({ strikeBps: 6_100 })
      const { body } = await service.call('GET', `/v1/series/${seriesId}`)
      expect(body).toMatchObject({ series: { seriesId, strikeBps: 6_100, settled: false, resolutionBps: null } })
    },
  )

  it.skipIf(service.chain === null)(
    'a market without a known question is named by its shortened conditionId (decision S5)',
    async () => {
      const { seriesId, market } = await service.option({ strikeBps: 6_200 })
      await service.call('GET', `/v1/series/${seriesId}`)
      const found = (await listMarkets()).markets.find(({ conditionId }) => conditionId === market.conditionId)
      expect(found?.name.slice(0, 6)).toBe(market.conditionId.slice(0, 6))
      expect(found?.name.length).toBeLessThan(30)
    },
  )
})
