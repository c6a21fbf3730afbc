import { describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import type { MakerSocket } from '../kit/socket.ts'
import type { Maker } from './harness/maker.ts'
import { failure, namedFailure } from './harness/match.ts'
import { openServices } from './harness/service.ts'
import { CONFIRMATION_MS, OPERATOR_TOKEN, OUTLIVED_MS } from './harness/settings.ts'
import { askedToSign } from './harness/trade.ts'

describe.concurrent.each(openServices(import.meta.url))('the ladder of a commit, $mode', (service) => {
  type Quoter = { maker: Maker; socket: MakerSocket; quoteId: string }

  /** A request with quotes at these prices, each of a maker of its own with an open socket, in this order. */
  async function quotedAt(prices: readonly number[], fields: Record<string, unknown> = {}) {
    const makers = await Promise.all(prices.map(() => service.maker()))
    const sockets = await Promise.all(makers.map((maker) => maker.connect()))
    const { requestId } = await service.open(fields)
    const quoters: Quoter[] = []
    for (const [index, maker] of makers.entries()) {
      const quoteId = await maker.quoted(requestId, { price: prices[index] })
      quoters.push({ maker, socket: sockets[index] as MakerSocket, quoteId })
    }
    const wallet = service.wallet().address
    const commit = (protections: Record<string, unknown> = {}) => service.commit(requestId, { wallet, ...protections })
    const poll = async () =>
      (await service.call<Record<string, unknown>>('GET', `/quote-requests/${requestId}/quotes`)).body
    return { requestId, quoters, commit, poll, wallet }
  }

  const confirm = async ({ maker, socket, quoteId }: Quoter, requestId: string) =>
    maker.confirm(quoteId, await maker.sign(await askedToSign(socket, requestId)))
  const decline = async ({ maker, socket, quoteId }: Quoter, requestId: string, body?: unknown) => {
    await askedToSign(socket, requestId)
    return maker.call('POST', `/v1/mm/quotes/${quoteId}/decline`, body)
  }
  /** Closes a maker's socket, and waits until the relay has seen it go. */
  async function disconnect({ socket }: Quoter): Promise<void> {
    const makerId = socket.messages.all().find(({ type }) => type === 'connected')?.makerId
    socket.close()
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
    type Standings = { makers: { makerId: string; sockets: number }[] }
    await eventually(
      () => service.call<Standings>('GET', '/ops/v1/makers', { headers }),
      ({ body }) => body.makers.every((maker) => maker.makerId !== makerId || maker.sockets === 0),
    )
  }
  const typesOf = ({ socket }: Quoter) =>
    socket.messages
      .all()
      .map(({ type }) => type)
      .filter((type) => type !== 'connected')

  it('the best quote wins, its maker receives confirmed and the others rejected (protocol confirm-4)', async () => {
    const { requestId, quoters, commit } = await quotedAt([0.2, 0.1, 0.3])
    const [worse, best, worst] = quoters as [Quoter, Quoter, Quoter]
    const committing = commit()
    expect((await confirm(best, requestId)).status).toBe(200)
    expect((await committing).body.quote).toMatchObject({ quote_id: best.quoteId, price: 0.1 })
    const { requestId: id, quoteId } = await best.socket.until('quote:confirmed', requestId)
    expect({ id, quoteId }).toEqual({ id: requestId, quoteId: best.quoteId })
    for (const loser of [worse, worst]) {
      expect(await loser.socket.until('quote:rejected', requestId)).toMatchObject({
        quoteId: loser.quoteId,
        reason: 'another_quote_won',
      })
      expect(typesOf(loser)).toEqual(['quote:rejected'])
    }
    expect(typesOf(best)).toEqual(['quote:accepted', 'quote:confirmed'])
  })

  it('a silent maker without a record gets less time while one with a record waits, and its deadline says so', async () => {
    const proven = await service.maker()
    const provenSocket = await proven.connect()
    const wallet = service.wallet().address
    const trade = async (requestId: string) => {
      const asked = await askedToSign(provenSocket, requestId)
      return proven.confirm(String(asked.quoteId), await proven.sign(asked))
    }
    const first = await service.open()
    await proven.quoted(first.requestId, { price: 0.3 })
    const proving = service.commit(first.requestId, { wallet })
    await trade(first.requestId)
    expect((await proving).status).toBe(200)

    const { requestId } = await service.open()
    const ghosts = await Promise.all(
      [0.1, 0.11, 0.12, 0.13, 0.14].map(async (price) => {
        const maker = await service.maker()
        const socket = await maker.connect()
        await maker.quoted(requestId, { price })
        return socket
      }),
    )
    await proven.quoted(requestId, { price: 0.3 })
    const startedAt = Date.now()
    const committing = service.commit(requestId, { wallet })
    const asked = await askedToSign(ghosts[0] as MakerSocket, requestId)
    expect(Date.parse(String(asked.confirmationDeadline)) - startedAt).toBeLessThan(CONFIRMATION_MS / 2)
    await trade(requestId)
    expect(await committing).toMatchObject({ status: 200, body: { quote: { price: 0.3 } } })
    expect(Date.now() - startedAt).toBeLessThan(CONFIRMATION_MS / 2)
    expect(
      ghosts.map((socket) => socket.messages.all().filter(({ type }) => type === 'quote:accepted').length),
    ).toEqual([1, 1, 0, 0, 0])
  })

  it('a decline ends the wait at once and falls back (decision C9)', async () => {
    const { requestId, quoters, commit } = await quotedAt([0.1, 0.2])
    const [unwilling, next] = quoters as [Quoter, Quoter]
    const committing = commit()
    expect(await decline(unwilling, requestId, { reason: 'inventory' })).toMatchObject({
      status: 200,
      body: { success: true },
    })
    const asked = await askedToSign(next.socket, requestId)
    await next.maker.confirm(next.quoteId, await next.maker.sign(asked))
    expect((await committing).body.quote).toMatchObject({ quote_id: next.quoteId })
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
    type Audit = { entries: { kind: string; reason?: string }[] }
    const { entries } = (await service.call<Audit>('GET', `/ops/v1/audit/${requestId}`, { headers })).body
    expect(entries.find(({ kind }) => kind === 'declined')).toMatchObject({ reason: 'inventory' })
  })

  it('a decline needs no body, and an acceptance to decline (decision C9)', async () => {
    const { requestId, quoters, commit } = await quotedAt([0.1])
    const [only] = quoters as [Quoter]
    const early = await only.maker.call('POST', `/v1/mm/quotes/${only.quoteId}/decline`)
    expect(early).toMatchObject({ status: 404, body: namedFailure('no_pending_acceptance') })
    const committing = commit()
    expect((await decline(only, requestId)).status).toBe(200)
    expect(await committing).toMatchObject({ status: 503, body: failure('no_maker_confirmed') })
  })

  it('at most five makers are asked per commit, each once (decision C4)', async () => {
    const { requestId, quoters, commit } = await quotedAt([0.1, 0.11, 0.12, 0.13, 0.14, 0.15], {
      trade: { side: 'buy', budgetUsd: 1 },
    })
    const committing = commit()
    for (const quoter of quoters.slice(0, 5)) expect((await decline(quoter, requestId)).status).toBe(200)
    expect((await committing).status).toBe(503)
    expect(quoters.map((quoter) => typesOf(quoter).length)).toEqual([1, 1, 1, 1, 1, 0])
  })

  it('a miss outweighs a price, for display and for the next commit, and a re-quote does not clear it (decision Q6)', async () => {
    const { requestId, quoters, commit, poll } = await quotedAt([0.1, 0.2])
    const [missing, faithful] = quoters as [Quoter, Quoter]
    await disconnect(missing)
    // The protection keeps the second from being asked.
    expect((await commit({ limitPrice: 0.15 })).status).toBe(503)
    expect([typesOf(missing), typesOf(faithful)]).toEqual([[], []])
    await missing.maker.quoted(requestId, { price: 0.05 })
    expect((await poll()).bestQuote).toMatchObject({ quote_id: faithful.quoteId, price: 0.2 })
    const retry = commit()
    expect((await confirm(faithful, requestId)).status).toBe(200)
    expect((await retry).body.quote).toMatchObject({ quote_id: faithful.quoteId })
  })

  it('a decline is a miss: what was shown best and not honoured is not shown best again (decision Q6)', async () => {
    const { requestId, quoters, commit, poll } = await quotedAt([0.1, 0.2])
    const [unwilling, next] = quoters as [Quoter, Quoter]
    const committing = commit({ limitPrice: 0.15 })
    await decline(unwilling, requestId)
    expect((await committing).status).toBe(503)
    expect((await poll()).bestQuote).toMatchObject({ quote_id: next.quoteId, price: 0.2 })
  })

  it('a quote whose time ends while its maker signs is shown no more, and still trades (decision Q5, fault C8)', async () => {
    const { requestId, quoters, commit, poll } = await quotedAt([0.1])
    const [only] = quoters as [Quoter]
    await only.maker.quoted(requestId, { price: 0.1, expires_in_ms: OUTLIVED_MS })
    const stream = await service.stream(`/quote-requests/${requestId}/stream`)
    const committing = commit()
    const accepted = await askedToSign(only.socket, requestId)
    await stream.until('best_quote', ({ bestQuote, quoteCount }) => bestQuote === null && quoteCount === 0)
    expect(await poll()).toMatchObject({ status: 'open', confirming: true, bestQuote: null, quoteCount: 0 })
    expect((await only.maker.confirm(only.quoteId, await only.maker.sign(accepted))).status).toBe(200)
    expect((await committing).body.quote).toMatchObject({ quote_id: only.quoteId, price: 0.1 })
  })

  it('a better quote during a confirmation does not displace it, and is next in line (decision Q7, fault C7)', async () => {
    const { requestId, quoters, commit } = await quotedAt([0.2, 0.3])
    const [signing, worse] = quoters as [Quoter, Quoter]
    const committing = commit()
    await askedToSign(signing.socket, requestId)
    const newcomer = await service.maker()
    const socket = await newcomer.connect()
    const quoteId = await newcomer.quoted(requestId, { price: 0.1 })
    await signing.maker.call('POST', `/v1/mm/quotes/${signing.quoteId}/decline`)
    const asked = await askedToSign(socket, requestId)
    await newcomer.confirm(quoteId, await newcomer.sign(asked))
    expect((await committing).body.quote).toMatchObject({ quote_id: quoteId, price: 0.1 })
    await worse.socket.until('quote:rejected', requestId)
    expect(typesOf(worse)).toEqual(['quote:rejected'])
  })

  it('protections hold in the fallback too (decision C1)', async () => {
    const { requestId, quoters, commit } = await quotedAt([0.1, 0.3])
    const [first, dear] = quoters as [Quoter, Quoter]
    const committing = commit({ limitPrice: 0.2 })
    await decline(first, requestId)
    expect((await committing).status).toBe(503)
    expect(typesOf(dear)).toEqual([])
  })

  it('a winner without a socket gets a grace, then the next is asked (decision C5, fault D20)', async () => {
    const absent = await service.maker()
    const { requestId, quoters, commit } = await quotedAt([0.2])
    const [present] = quoters as [Quoter]
    await absent.quoted(requestId, { price: 0.1 })
    const begun = Date.now()
    const committing = commit()
    expect((await confirm(present, requestId)).status).toBe(200)
    expect((await committing).body.quote).toMatchObject({ quote_id: present.quoteId })
    expect(Date.now() - begun).toBeGreaterThanOrEqual(1_000)
  })

  it('a winner that appears within the grace is asked (decision C5)', async () => {
    const maker = await service.maker()
    const { requestId } = await service.open()
    const quoteId = await maker.quoted(requestId)
    const wallet = service.wallet().address
    // On a machine that is held back it may appear too late: then it leaves, and the request is committed again.
    for (let isAsked = false; !isAsked; ) {
      const committing = service.commit(requestId, { wallet })
      const socket = await maker.connect()
      const asked = askedToSign(socket, requestId).catch(() => null)
      const accepted = await Promise.race([asked, committing.then(() => null)])
      isAsked = accepted !== null
      if (accepted !== null) expect((await maker.confirm(quoteId, await maker.sign(accepted))).status).toBe(200)
      socket.close()
      await socket.closed
      expect((await committing).status).toBe(isAsked ? 200 : 503)
    }
  })

  it('a winner that lost its socket is asked again on the next one, with the same deadline (fault D19)', async () => {
    const { requestId, quoters, commit } = await quotedAt([0.1])
    const [{ maker, socket, quoteId }] = quoters as [Quoter]
    const committing = commit()
    const first = await askedToSign(socket, requestId)
    socket.close()
    const back = await maker.connect()
    const again = await askedToSign(back, requestId)
    expect(again).toEqual(first)
    await maker.confirm(quoteId, await maker.sign(again))
    expect((await committing).status).toBe(200)
    await back.until('quote:confirmed', requestId)
  })

  it('all sockets of a maker are asked, and the first confirm wins (fault D18)', async () => {
    const { requestId, quoters, commit } = await quotedAt([0.1])
    const [{ maker, socket, quoteId }] = quoters as [Quoter]
    const more = await Promise.all([maker.connect(), maker.connect()])
    const committing = commit()
    const asked = await Promise.all([socket, ...more].map((one) => askedToSign(one, requestId)))
    expect(new Set(asked.map((one) => JSON.stringify(one))).size).toBe(1)
    await maker.confirm(quoteId, await maker.sign(asked[2] as (typeof asked)[0]))
    expect((await committing).status).toBe(200)
    await Promise.all([socket, ...more].map((one) => one.until('quote:confirmed', requestId)))
  })
})
