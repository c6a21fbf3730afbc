import { describe, expect, it } from 'vitest'
import { failure } from './harness/match.ts'
import { openServices } from './harness/service.ts'
import { askedToSign } from './harness/trade.ts'

describe.concurrent.each(openServices(import.meta.url))('requests that do not leak, $mode', (service) => {
  it('a request for some makers is none to the others: neither its opening, nor its end, nor a quote (protocol open-9)', async () => {
    const [chosen, other] = [await service.maker(), await service.maker()]
    const [heard, silent] = [await chosen.stream(), await other.stream()]
    const { makerId } = (await heard.until('connected')).data as { makerId: string }
    await Promise.all([heard.until('snapshot_complete'), silent.until('snapshot_complete')])
    const directed = await service.open({ makers: [makerId, 'nobody-of-this-name'] })
    expect(directed.makersConnected).toBe(1)
    const about = ({ requestId }: Record<string, unknown>) => requestId === directed.requestId
    const { data } = await heard.until('quote_request', about)
    expect(JSON.stringify(data)).not.toContain('nobody-of-this-name')
    expect(await other.quote(directed.requestId)).toMatchObject({ status: 404, body: failure('request_not_found') })
    expect((await chosen.quote(directed.requestId)).status).toBe(200)
    const { requestId, takerSecret } = directed
    await service.call('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })
    await heard.until('quote_request_expired', about)
    expect(await other.quote(requestId)).toMatchObject({ status: 404, body: failure('request_not_found') })
    const withheld = await service.open({ exceptMakers: [makerId] })
    const open = await service.open()
    await silent.until('quote_request', ({ requestId: id }) => id === withheld.requestId)
    await heard.until('quote_request', ({ requestId: id }) => id === open.requestId)
    expect(silent.events.all().filter(({ data: one }) => about(one))).toEqual([])
    expect(heard.events.all().filter(({ data: one }) => one.requestId === withheld.requestId)).toEqual([])
  })

  it('names of makers are bounded, and of one list (protocol open-9)', async () => {
    const terms = await service.option()
    const body = { market: terms.market, option: terms.option, trade: { side: 'buy', budgetUsd: 100 } }
    const refused = { status: 400, body: failure('invalid_request') }
    for (const wrong of [
      { makers: [] },
      { makers: Array.from({ length: 51 }, (_, n) => `maker-${n}`) },
      { exceptMakers: ['x'.repeat(65)] },
      { makers: ['ada'], exceptMakers: ['bob'] },
      { Makers: ['ada'] },
    ])
      expect(await service.call('POST', '/quote-requests', { body: { ...body, ...wrong } })).toMatchObject(refused)
  })

  it('a blind request shows its wallet to the maker that is asked to sign, and to no other (protocol open-10)', async () => {
    const [winner, loser] = [await service.maker(), await service.maker()]
    const [stream, socket, losing] = [await loser.stream(), await winner.connect(), await loser.connect()]
    await stream.until('snapshot_complete')
    const wallet = service.wallet().address
    const { requestId, takerSecret } = await service.open({ wallet, blind: true, locked: false })
    const { data } = await stream.until('quote_request', ({ requestId: id }) => id === requestId)
    expect(data).toMatchObject({ params: { wallet: null } })
    await loser.quoted(requestId, { price: 0.2 })
    await winner.quoted(requestId, { price: 0.1 })
    const locked = { status: 403, body: failure('taker_secret_required') }
    expect(await service.call('GET', `/quote-requests/${requestId}/quotes`)).toMatchObject(locked)
    const headers = { 'x-taker-secret': takerSecret }
    const commit = (from: string) =>
      service.call('POST', `/quote-requests/${requestId}/commit`, { headers, body: { wallet: from } })
    expect((await commit(service.wallet().address)).body).toMatchObject(failure('wallet_mismatch'))
    const committing = commit(wallet)
    const asked = await askedToSign(socket, requestId)
    expect((asked.order as { taker: string }).taker.toLowerCase()).toBe(wallet.toLowerCase())
    await winner.confirm(asked.quoteId, await winner.sign(asked))
    expect((await committing).status).toBe(200)
    await losing.until('quote:rejected', requestId)
    const seen = JSON.stringify([stream.events.all(), losing.messages.all()]).toLowerCase()
    expect(seen).not.toContain(wallet.slice(2).toLowerCase())
    expect(await service.call('POST', '/quote-requests', { body: { blind: true } })).toMatchObject({ status: 400 })
  })
})
