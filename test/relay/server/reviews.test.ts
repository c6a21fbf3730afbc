import { describe, expect, it } from 'vitest'
import { seriesTermsOf } from '../../../src/protocol/domain/request.ts'
import { seriesIdOf } from '../../../src/protocol/domain/series.ts'
import { CALL_BUY, EXPIRY_S, refusal } from '../../support/test-relay.ts'
import { startServer } from './support.ts'

const CALL = seriesIdOf(seriesTermsOf(CALL_BUY))
const TOKEN = 'token-of-the-operator'
const OPERATOR = { authorization: `Bearer ${TOKEN}` }
const DECISION = { resolutionBps: 59, by: 'Ada', reason: 'she knows' }

async function reviewServer() {
  const fixture = await startServer({ server: { operatorToken: TOKEN } })
  fixture.chain.aheadS = 3_600
  await refusal(fixture.relay.prepareSettlement(CALL))
  return fixture
}

describe('the review queue over HTTP', () => {
  it('is for the operator alone, and closed without a token', async () => {
    const [fixture, closed] = [await reviewServer(), await startServer()]
    const routes = [
      ['GET', '/ops/v1/reviews'],
      ['GET', `/ops/v1/reviews/${CALL}`],
      ['POST', `/ops/v1/reviews/${CALL}`],
    ] as const
    for (const [method, path] of routes) {
      for (const authorization of ['', `Bearer ${TOKEN}x`, TOKEN, 'Bearer ']) {
        const { status, body } = await fixture.call(method, path, { headers: { authorization } })
        expect([status, body.code]).toEqual([401, 'operator_token_required'])
      }
      expect((await closed.call(method, path, { headers: OPERATOR })).status).toBe(401)
    }
  })

  it('lists, shows and resolves', async () => {
    const { call } = await reviewServer()
    const list = await call('GET', '/ops/v1/reviews', { headers: OPERATOR })
    expect(list.status).toBe(200)
    expect(list.body).toMatchObject({ success: true, count: 2 })
    expect(list.body.reviews).toContainEqual(
      expect.objectContaining({ series: expect.objectContaining({ seriesId: CALL }), reason: 'no_price_data' }),
    )
    const shown = await call('GET', `/ops/v1/reviews/0x${BigInt(CALL).toString(16)}`, { headers: OPERATOR })
    expect(shown.body).toMatchObject({ windowEnd: EXPIRY_S, review: { reason: 'no_price_data' }, resolution: null })
    const resolved = await call('POST', `/ops/v1/reviews/${CALL}`, { headers: OPERATOR, body: DECISION })
    expect(resolved.body).toMatchObject({
      success: true,
      seriesId: CALL,
      resolution: { resolutionBps: 59, method: 'manual', by: 'Ada', reason: 'she knows' },
    })
    const prepared = await call('POST', '/settlement/prepare', { body: { seriesId: CALL } })
    expect(prepared.body).toMatchObject({ resolutionBps: 59, meta: { method: 'manual' } })
    const again = await call('POST', `/ops/v1/reviews/${CALL}`, { headers: OPERATOR, body: DECISION })
    expect([again.status, again.body.code, again.body.resolutionBps]).toEqual([409, 'already_resolved', 59])
  })

  it('knows no series by a malformed id, and takes no invalid decision', async () => {
    const { call } = await reviewServer()
    const unknown = await call('GET', '/ops/v1/reviews/seven', { headers: OPERATOR })
    expect([unknown.status, unknown.body.code]).toEqual([404, 'series_not_found'])
    const bad = await call('POST', `/ops/v1/reviews/${CALL}`, { headers: OPERATOR, body: { resolutionBps: 5_900 } })
    expect([bad.status, bad.body.code]).toEqual([400, 'invalid_request'])
  })

  it('is not for web pages of other origins', async () => {
    const { call } = await reviewServer()
    const { headers } = await call('GET', '/ops/v1/reviews', {
      headers: { ...OPERATOR, origin: 'https://evil.example' },
    })
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })
})
