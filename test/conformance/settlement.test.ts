import { getBytes, verifyTypedData } from 'ethers'
import { describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { newMarket, seriesIdOf } from './harness/chain.ts'
import { ATTESTATION_TYPES, type Domain } from './harness/eip712.ts'
import { failure, signatureText } from './harness/match.ts'
import { openChainService, openServices } from './harness/service.ts'
import { OPERATOR_TOKEN } from './harness/settings.ts'

type Attestation = {
  success: boolean
  seriesId: string
  resolutionBps: number
  validUntil: number
  signature: string
  domain: Domain
  types: typeof ATTESTATION_TYPES
  meta: Record<string, number | string>
}

type Point = { t: number; p: number }

const toHex = (seriesId: string): string => `0x${BigInt(seriesId).toString(16)}`

describe.concurrent.each(openServices(import.meta.url))('settlement, $mode', (service) => {
  const prepare = (seriesId: unknown) =>
    service.call<Attestation & { code?: string }>('POST', '/settlement/prepare', { body: { seriesId } })

  it('a series that has not expired is 409 (decision S1)', async () => {
    const { series } = (await service.call<{ series: { seriesId: string }[] }>('GET', '/v1/series?settled=false')).body
    const seriesId = series.at(-1)?.seriesId ?? ''
    for (const id of [seriesId, toHex(seriesId), toHex(seriesId).toUpperCase().replace('0X', '0x')]) {
      expect(await prepare(id)).toMatchObject({ status: 409, body: failure('series_not_expired') })
    }
  })

  it('an unknown series is 404, and decimal and hex form, in any case, name the same one (decision S1, fault A8)', async () => {
    for (const id of ['10', '0xa', '0x0A', '0x000000000000000000000000000000000000000000000000000000000000000a']) {
      expect(await prepare(id)).toMatchObject({ status: 404, body: failure('series_not_found') })
    }
  })

  it.each([
    String(2n ** 256n),
    '-1',
    '0x',
    `0x${'1'.repeat(65)}`,
    '1e18',
    '1.5',
    '',
    'abc',
    ' 1',
    10,
    null,
    undefined,
    ['1'],
  ])('a malformed seriesId is 400: %s (decision S1)', async (id) => {
    expect(await prepare(id)).toMatchObject({ status: 400, body: failure('invalid_request') })
  })
})

describe.concurrent('settlement of expired series', () => {
  const service = openChainService(import.meta.url)
  const { chain } = service
  const prepare = (seriesId: string) =>
    service.call<Attestation & { code?: string }>('POST', '/settlement/prepare', { body: { seriesId } })

  /** Registers a series of a market that expires in a few seconds, and waits until the chain says that it has. */
  async function expired(market: { conditionId: string; yesTokenId: string }, strikeBps = 5_000) {
    const terms = await chain.registerExpired({ ...market, strikeBps, optionType: 'call' as const })
    return { seriesId: seriesIdOf(terms), expiry: terms.expiry }
  }
  const marketNamed = async (start: string) => {
    type Listed = { name: string; conditionId: string; yesClobTokenId: string }
    const { markets } = (await service.call<{ markets: Listed[] }>('GET', '/v1/markets')).body
    const { conditionId, yesClobTokenId } = markets.find(({ name }) => name.startsWith(start)) as Listed
    return { conditionId, yesTokenId: yesClobTokenId }
  }

  it('POST /settlement/prepare: a TWAP over the 30 minutes that end at expiry, attested by the resolution signer', async () => {
    const { seriesId, expiry } = await expired(await marketNamed('Will the Harbour Bridge'))
    const { status, body } = await prepare(seriesId)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        success: true,
        seriesId,
        resolutionBps: expect.any(Number),
        validUntil: expect.any(Number),
        signature: signatureText(),
        meta: {
          method: 'twap',
          twap: expect.any(Number),
          pointCount: expect.any(Number),
          yesPrice: expect.any(Number),
          windowStart: expiry - 1_800,
          windowEnd: expiry,
        },
      },
    })
    const { resolutionBps, validUntil, signature, domain, types, meta } = body
    expect(Number.isInteger(resolutionBps) && resolutionBps >= 0 && resolutionBps <= 100).toBe(true)
    expect(resolutionBps).toBe(Math.round(Number(meta.twap) * 100))
    // 15 minutes of chain time (decision S4).
    expect(Math.abs(validUntil - (await chain.now()) - 900)).toBeLessThan(20)
    expect(types).toEqual(ATTESTATION_TYPES)
    expect(domain).toMatchObject({ chainId: 80_002, verifyingContract: service.ready.coreAddress })
    const signer = verifyTypedData(domain, ATTESTATION_TYPES, { seriesId, resolutionBps, validUntil }, signature)
    expect(signer).toBe(service.ready.resolutionSigner)
    expect(getBytes(signature)).toHaveLength(65)
  })

  it('each price counts for as long as it held, from the first in the window to expiry (decision S3)', async () => {
    const { seriesId, expiry } = await expired(await marketNamed('Will the Harbour Bridge'), 5_100)
    const { meta, resolutionBps } = (await prepare(seriesId)).body
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
    const shown = await service.call<{ points: Point[] }>('GET', `/ops/v1/reviews/${seriesId}`, { headers })
    const inWindow = shown.body.points.filter(({ t }) => t >= expiry - 1_800 && t <= expiry)
    expect(inWindow.length).toBeGreaterThan(1)
    const average = averageOf(inWindow, expiry)
    expect(meta).toMatchObject({ pointCount: inWindow.length, twap: expect.closeTo(average, 9) })
    expect(resolutionBps).toBe(Math.round(average * 100))
  })

  it('a series expires when the chain says so, and until then the answer tells its time (decision U7)', async () => {
    const terms = { ...newMarket(), strikeBps: 5_000, expiry: (await chain.now()) + 6, optionType: 'put' as const }
    await chain.register(terms)
    const before = await chain.now()
    const { status, body } = await prepare(seriesIdOf(terms))
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'series_not_expired', expiry: terms.expiry } })
    const { chainTime } = body as unknown as { chainTime: number }
    expect(chainTime).toBeGreaterThanOrEqual(before)
    expect(chainTime).toBeLessThan(terms.expiry)
    await eventually(chain.now, (now) => now >= terms.expiry)
    expect((await prepare(seriesIdOf(terms))).body.code).toBe('manual_review')
  })

  it('every later prepare signs the same number, by any form of the id (decision S4, invariant V5)', async () => {
    const { seriesId } = await expired(await marketNamed('Will the Northern League'))
    const answers = await Promise.all([prepare(seriesId), prepare(toHex(seriesId)), prepare(seriesId)])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.resolutionBps)).size).toBe(1)
    expect(new Set(answers.map(({ body }) => body.seriesId))).toEqual(new Set([seriesId]))
  })

  it('the outcome of a market that has closed settles it (protocol settle-2, decision S2)', async () => {
    const { seriesId } = await expired(await marketNamed('Will the Meridian rail tunnel'))
    const { status, body } = await prepare(seriesId)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { resolutionBps: 100, meta: { method: 'outcome', twap: 1, yesPrice: 1, pointCount: 0 } },
    })
  })

  it('without a price in the window nothing is signed and a person decides (protocol settle-4, decision S1)', async () => {
    const { seriesId, expiry } = await expired(newMarket())
    const { status, body } = await prepare(seriesId)
    expect({ status, body }).toMatchObject({
      status: 409,
      body: { ...failure('manual_review'), seriesId, windowStart: expiry - 1_800, windowEnd: expiry },
    })
    expect(body).not.toHaveProperty('signature')
  })

  it("after the operator's decision the attestation says manual, with that price (decision S2)", async () => {
    const { seriesId } = await expired(newMarket())
    expect((await prepare(seriesId)).body.code).toBe('manual_review')
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
    const waiting = await service.call('GET', '/ops/v1/reviews', { headers })
    expect(waiting.text).toContain(seriesId)
    const decision = { resolutionBps: 37, by: 'Ann', reason: 'Read from the exchange by hand.' }
    const path = `/ops/v1/reviews/${seriesId}`
    expect((await service.call('POST', path, { body: decision })).status).toBe(401)
    expect(await service.call('POST', path, { body: { ...decision, resolutionBps: 101 }, headers })).toMatchObject({
      status: 400,
    })
    expect(await service.call('POST', path, { body: decision, headers })).toMatchObject({ status: 200 })
    const again = await service.call('POST', path, { body: { ...decision, resolutionBps: 38 }, headers })
    expect(again).toMatchObject({ status: 409, body: failure('already_resolved') })
    const { status, body } = await prepare(seriesId)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { resolutionBps: 37, meta: { method: 'manual', twap: 0.37, yesPrice: 0.37 } },
    })
  })

  it('anyone settles on chain with the attestation', async () => {
    const { seriesId } = await expired(await marketNamed('Will the Helios-3 probe'))
    const { body } = await prepare(seriesId)
    await chain.settle(body)
    expect(await prepare(seriesId)).toMatchObject({
      status: 409,
      body: { ...failure('series_already_settled'), resolutionBps: body.resolutionBps },
    })
  })
})

/** The average of prices that each hold until the next one, the last until `end`. */
function averageOf(points: readonly Point[], end: number): number {
  const held = points.map(({ t, p }, i) => ({ p, seconds: (points[i + 1]?.t ?? end) - t }))
  const total = held.reduce((sum, { seconds }) => sum + seconds, 0)
  return held.reduce((sum, { p, seconds }) => sum + p * seconds, 0) / total
}
