import { describe, expect, it } from 'vitest'
import { ADA, startServer, type TestServer } from './support.ts'

const TOKEN = 'the-operators-own-token'
const OPERATOR = { authorization: `Bearer ${TOKEN}` }
const BLOCK = '/ops/v1/makers/ada/block'

const block = ({ call }: TestServer, body: unknown = { by: 'Olga', reason: 'never signs' }) =>
  call('POST', BLOCK, { headers: OPERATOR, body })

describe('the block of a maker', () => {
  it('closes its stream and its socket and refuses its calls with 403, until it is lifted', async () => {
    const fixture = await startServer({ server: { operatorToken: TOKEN } })
    const stream = await fixture.stream('/v1/mm/quote-requests/stream', ADA)
    while ((await stream.event())?.event !== 'snapshot_complete');
    const socket = fixture.socket(`/maker/v1/ws?apiKey=${ADA['x-api-key']}`)
    expect(await socket.next()).toMatchObject({ type: 'connected' })
    expect(await block(fixture)).toMatchObject({ status: 200, body: { makerId: 'ada', blocked: true, by: 'Olga' } })
    expect(await socket.next()).toBe(4001)
    for (let frame = await stream.next().catch(() => null); frame !== null; )
      frame = await stream.next().catch(() => null)
    const { requestId } = await fixture.open()
    const body = {
      requestId,
      quote: { maker: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', side: 'buy', price: 0.1, size: 1_000 },
    }
    const refused = await fixture.call('POST', '/v1/mm/quotes', { headers: ADA, body })
    expect(refused).toMatchObject({ status: 403, body: { success: false, code: 'maker_blocked' } })
    const again = fixture.socket(`/maker/v1/ws?apiKey=${ADA['x-api-key']}`)
    expect(await again.next()).toBe(4001)
    const lifted = await fixture.call('DELETE', BLOCK, { headers: OPERATOR })
    expect(lifted).toMatchObject({ status: 200, body: { blocked: false, by: 'operator', reason: '' } })
    expect((await fixture.call('GET', '/v1/mm/quotes', { headers: ADA })).status).toBe(200)
  })

  it('can be lifted by the same call, needs no body, and is for operators only', async () => {
    const fixture = await startServer({ server: { operatorToken: TOKEN } })
    expect(await block(fixture, {})).toMatchObject({ status: 200, body: { blocked: true } })
    expect(await block(fixture, { blocked: false })).toMatchObject({ status: 200, body: { blocked: false } })
    for (const [method, path] of [
      ['POST', BLOCK],
      ['DELETE', BLOCK],
      ['GET', '/ops/v1/makers'],
    ] as const) {
      expect((await fixture.call(method, path, { headers: ADA })).status).toBe(401)
    }
    for (const body of [{ blocked: 'yes' }, { by: 'x'.repeat(101) }, { by: 'a\u0000' }]) {
      expect((await block(fixture, body)).status).toBe(400)
    }
    expect((await fixture.call('GET', '/v1/mm/quotes', { headers: ADA })).status).toBe(200)
  })

  it('is listed with who made it when and why, beside how makers stand', async () => {
    const fixture = await startServer({ server: { operatorToken: TOKEN } })
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    await block(fixture)
    const listing = fixture.call('GET', '/ops/v1/makers', { headers: OPERATOR })
    expect(await listing).toMatchObject({
      status: 200,
      body: {
        count: 1,
        makers: [{ makerId: 'ada', quotes: 1, demotedUntil: null }],
        blocks: [{ makerId: 'ada', blocked: true, by: 'Olga', reason: 'never signs', at: expect.any(String) }],
      },
    })
  })
})
