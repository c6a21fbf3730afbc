import { describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { failure, isoTime } from './harness/match.ts'
import { openServices } from './harness/service.ts'
import { OPERATOR_TOKEN } from './harness/settings.ts'
import { trade } from './harness/trade.ts'

describe.concurrent.each(openServices(import.meta.url))('operations, $mode (decision O1)', (service) => {
  const get = (path: string) => service.call('GET', path)

  it('GET / and /healthz say that it is alive', async () => {
    for (const path of ['/', '/healthz'])
      expect(await get(path)).toMatchObject({ status: 200, body: { success: true } })
  })

  it('/readyz looks at the store, the bus and the chain', async () => {
    const chain = service.chain === null ? 'off' : 'up'
    expect(await get('/readyz')).toMatchObject({ status: 200, body: { success: true, store: 'up', bus: 'up', chain } })
  })

  it('/status is a page for people', async () => {
    const { status, headers, text } = await get('/status')
    expect({ status, type: headers.get('content-type') }).toEqual({
      status: 200,
      type: expect.stringMatching(/^text\/html/),
    })
    expect(text).toContain('The relay works.')
  })

  it('/metrics speaks the text format of Prometheus', async () => {
    const { status, headers, text } = await get('/metrics')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/plain/)
    expect(text).toMatch(/^# TYPE rfqctl_\w+ (counter|gauge|histogram)$/m)
  })

  it('GET /time tells the clock of the relay', async () => {
    const { status, body } = await get('/time')
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true, serverTime: isoTime() } })
  })

  it('/maker/v1/status reports protocol 3 (protocol socket-4)', async () => {
    expect(await get('/maker/v1/status')).toMatchObject({ status: 200, body: { success: true, protocolVersion: 3 } })
  })

  it('GET /v1/positions answers for a wallet, and is 400 without one', async () => {
    const { address } = service.wallet()
    expect(await get(`/v1/positions?wallet=${address}`)).toMatchObject({ status: 200, body: { success: true } })
    for (const query of ['', '?wallet=maker.eth', `?wallet=0x${'0'.repeat(40)}`]) {
      expect(await get(`/v1/positions${query}`)).toMatchObject({ status: 400, body: failure('invalid_request') })
    }
  })

  it('GET /v1/trades shows a signed trade to anyone, without its parties (protocol trades-1, trades-2)', async () => {
    const { created, quoteId, committed } = await trade(service)
    const { execution_id } = committed.body.execution
    const { status, text, body } = await service.call<{ trades: { tradeId: string }[] }>('GET', '/v1/trades')
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true } })
    expect(body.trades.map(({ tradeId }) => tradeId)).toContain(execution_id)
    for (const hidden of [created.requestId, quoteId, '"maker', '"taker"', '"wallet"'])
      expect(text).not.toContain(hidden)
    expect(await get('/v1/trades?cursor=x')).toMatchObject({ status: 400, body: failure('invalid_request') })
  })

  it('/ops/v1/audit/{requestId} tells the life of a request to the operator', async () => {
    const { created, quoteId } = await trade(service)
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
    const { status, text } = await eventually(
      () => service.call('GET', `/ops/v1/audit/${created.requestId}`, { headers }),
      (answer) => answer.text.includes('confirmed'),
    )
    expect(status).toBe(200)
    expect(text).toContain(quoteId)
  })

  it('/ops/v1/events is an event stream for the operator', async () => {
    const stream = await service.stream('/ops/v1/events', { authorization: `Bearer ${OPERATOR_TOKEN}` })
    expect(stream.status).toBe(200)
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/)
    await stream.events.next()
  })

  it('/ops/v1/makers/{makerId}/block shuts a maker out until it is lifted', async () => {
    const maker = await service.maker({ funded: false })
    const { requestId } = await service.open()
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
    const block = `/ops/v1/makers/${maker.makerId}/block`
    expect(await service.call('POST', block, { headers, body: { reason: 'never signs' } })).toMatchObject({
      status: 200,
    })
    expect(await maker.quote(requestId)).toMatchObject({ status: 403, body: failure('maker_blocked') })
    expect((await service.call('GET', '/ops/v1/makers', { headers })).text).toContain('never signs')
    expect(await service.call('DELETE', block, { headers })).toMatchObject({ status: 200 })
    expect((await maker.quote(requestId)).status).not.toBe(403)
  })

  it('scenarios are played by rfqctl trigger, and the relay has no endpoint for them', async () => {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
    const answer = await service.call('POST', '/ops/v1/scenarios', { headers, body: {} })
    expect(answer).toMatchObject({ status: 404, body: failure('not_found') })
  })

  it.each(['/ops/v1/events', '/ops/v1/reviews', '/ops/v1/audit/x', '/ops/v1/makers'])(
    '%s is for the operator only',
    async (path) => {
      const answers = [
        await get(path),
        await service.call('GET', path, { headers: { authorization: 'Bearer wrong' } }),
        await get(`${path}?token=wrong`),
      ]
      for (const answer of answers) {
        expect(answer).toMatchObject({ status: 401, body: failure('operator_token_required') })
      }
    },
  )
})
