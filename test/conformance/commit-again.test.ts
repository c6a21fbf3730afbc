import { describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { parseRaw, rawSocket, readToEnd } from '../kit/raw.ts'
import { failure } from './harness/match.ts'
import { openServices } from './harness/service.ts'
import { askedToSign, trade } from './harness/trade.ts'

describe.concurrent.each(openServices(import.meta.url))('commits again, $mode', (service) => {
  /** A request with one quote, ready to be committed. */
  async function quotedRequest(fields: Record<string, unknown> = {}) {
    const maker = await service.maker()
    const socket = await maker.connect()
    const { requestId, takerSecret } = await service.open(fields)
    const quoteId = await maker.quoted(requestId)
    const sign = async () => maker.confirm(quoteId, await maker.sign(await askedToSign(socket, requestId)))
    return { maker, socket, requestId, takerSecret, quoteId, sign, wallet: service.wallet().address }
  }

  it('a commit of the same wallet joins the running one, and both get the same body (decision C3)', async () => {
    const { requestId, sign, wallet, socket } = await quotedRequest()
    const commits = [service.commit(requestId, { wallet }), service.commit(requestId, { wallet: wallet.toLowerCase() })]
    await sign()
    const [one, two] = await Promise.all(commits)
    expect(one?.status).toBe(200)
    expect(two?.text).toBe(one?.text)
    await socket.until('quote:confirmed', requestId)
    expect(socket.messages.all().filter(({ type }) => type === 'quote:accepted')).toHaveLength(1)
  })

  it('after success the same commit answers the same body (decision C3)', async () => {
    const { created, taker, committed } = await trade(service)
    const again = await service.commit(created.requestId, { wallet: taker.address })
    expect(again.status).toBe(200)
    expect(again.text).toBe(committed.text)
  })

  it('a commit whose protections the order does not keep is 409 with its price, and within them 200 (decisions C1, C3)', async () => {
    const { created, taker, committed } = await trade(service, { request: { trade: { side: 'buy', budgetUsd: 100 } } })
    const again = (terms: object) => service.commit(created.requestId, { wallet: taker.address, ...terms })
    const { quote_id: quoteId } = committed.body.quote
    for (const terms of [{ limitPrice: 0.11 }, { minContracts: 834 }, { expectedQuoteId: crypto.randomUUID() }]) {
      expect(await again(terms)).toMatchObject({
        status: 409,
        body: { ...failure('already_committed'), quoteId, price: 0.12, fillContracts: 833 },
      })
    }
    expect((await again({ limitPrice: 0.12, minContracts: 833, expectedQuoteId: quoteId })).text).toBe(committed.text)
  })

  it('a taker that disconnects loses nothing (fault C10)', async () => {
    const { requestId, maker, wallet, socket } = await quotedRequest()
    const leave = new AbortController()
    const left = service.call('POST', `/quote-requests/${requestId}/commit`, { body: { wallet }, signal: leave.signal })
    left.catch(() => {})
    const accepted = await askedToSign(socket, requestId)
    leave.abort()
    await expect(left).rejects.toThrow()
    const { status } = await maker.confirm(accepted.quoteId, await maker.sign(accepted))
    expect(status).toBe(200)
    const back = await service.commit(requestId, { wallet })
    expect(back).toMatchObject({ status: 200, body: { execution: { quote_id: accepted.quoteId } } })
  })

  it('another wallet, or other protections, during a commit is 409 at once (decision C2)', async () => {
    const { requestId, sign, wallet } = await quotedRequest()
    const first = service.commit(requestId, { wallet })
    await eventually(
      () => service.call('GET', `/quote-requests/${requestId}/quotes`),
      ({ body }) => body.confirming === true,
    )
    const others = [{ wallet: service.wallet().address }, { wallet, limitPrice: 0.5 }]
    for (const body of others) {
      expect(await service.commit(requestId, body)).toMatchObject({ status: 409, body: failure('commit_in_progress') })
    }
    await sign()
    expect((await first).status).toBe(200)
  })

  it('another wallet after the commit is 409 already_committed (decision C2)', async () => {
    const { created } = await trade(service)
    const { status, body } = await service.commit(created.requestId, { wallet: service.wallet().address })
    expect({ status, body }).toMatchObject({ status: 409, body: failure('already_committed') })
  })

  it('a cancelled request is 409 request_closed (decision C2)', async () => {
    const { requestId, takerSecret, wallet } = await quotedRequest()
    await service.call('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })
    const { status, body } = await service.commit(requestId, { wallet })
    expect({ status, body }).toMatchObject({ status: 409, body: failure('request_closed') })
  })

  it('fifty commits whose last byte arrives at once are one acceptance and one answer (fault C1)', async () => {
    const { requestId, sign, wallet, socket } = await quotedRequest()
    const body = JSON.stringify({ wallet })
    const head = `POST /quote-requests/${requestId}/commit HTTP/1.1\r\nHost: relay\r\nConnection: close\r\n`
    const text = `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const sockets = Array.from({ length: 50 }, () => rawSocket(service.ready.url))
    const answers = sockets.map(readToEnd)
    await Promise.all(sockets.map((open) => new Promise((resolve) => open.write(text.slice(0, -1), resolve))))
    for (const open of sockets) open.write(text.slice(-1))
    await sign()
    const bodies = (await Promise.all(answers)).map(parseRaw)
    expect(new Set(bodies.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(bodies.map((answer) => answer.body)).size).toBe(1)
    await socket.until('quote:confirmed', requestId)
    expect(socket.messages.all().filter(({ type }) => type === 'quote:accepted')).toHaveLength(1)
  })

  it('one of two commits of different wallets proceeds (fault C2)', async () => {
    const { requestId, sign } = await quotedRequest()
    const commits = [service.wallet(), service.wallet()].map(({ address }) =>
      service.commit(requestId, { wallet: address }),
    )
    await sign()
    const statuses = (await Promise.all(commits)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 409])
  })
})
