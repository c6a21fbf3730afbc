import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import type { Answer } from '../kit/http.ts'
import { type RelayProcess, startRelay } from '../kit/relay-process.ts'
import type { MakerSocket } from '../kit/socket.ts'
import { keysOf } from './harness/keys.ts'
import type { Accepted, Maker } from './harness/maker.ts'
import { failure, namedFailure } from './harness/match.ts'
import { createService, type Service } from './harness/service.ts'
import { askedToSign } from './harness/trade.ts'

/** MaybePromise over, so that it costs a test little. On a machine that is held back makers miss it that mean to sign. */
const DEADLINE_MS = 1_500

const MODES = [
  ['simulated', ['--memory', '--no-chain']],
  ['embedded', ['--memory']],
] as const

describe.concurrent.each(MODES)('the confirmation deadline, %s', (mode, flags) => {
  const keys = keysOf(import.meta.url).slice(0, 10)
  let relay: RelayProcess
  let service: Service

  beforeAll(async () => {
    const env = {
      MAKER_API_KEYS: JSON.stringify(keys),
      MAKER_CONFIRMATION_MS: String(DEADLINE_MS),
      ORDER_VALIDITY_MS: '1000',
    }
    relay = await startRelay({ flags, env })
    service = createService(mode, relay.ready, [...keys])
  })
  afterAll(() => relay.stop())

  type Quoter = { maker: Maker; socket: MakerSocket; quoteId: string }

  /** A request with quotes at these prices, each of a maker with an open socket. */
  async function quotedAt(...prices: number[]) {
    const makers = await Promise.all(prices.map(() => service.maker()))
    const sockets = await Promise.all(makers.map((maker) => maker.connect()))
    // Named at once: what a maker declines of a taker that it was not shown does not count.
    const wallet = service.wallet().address
    const { requestId } = await service.open({ wallet })
    const quoters: Quoter[] = []
    for (const [index, maker] of makers.entries()) {
      const quoteId = await maker.quoted(requestId, { price: prices[index] })
      quoters.push({ maker, socket: sockets[index] as MakerSocket, quoteId })
    }
    const poll = async () => (await service.call('GET', `/quote-requests/${requestId}/quotes`)).body
    return { requestId, quoters, poll, commit: () => service.commit(requestId, { wallet }) }
  }

  const sign = async ({ maker, socket, quoteId }: Quoter, requestId: string) =>
    maker.confirm(quoteId, await maker.sign(await askedToSign(socket, requestId)))
  const typesOf = ({ socket }: Quoter) => new Set(socket.messages.all().map(({ type }) => type))

  /** What a commit comes to when this maker signs, which may be too late: then it is committed again. */
  async function signedInTime<Body>(
    quoter: Quoter,
    requestId: string,
    commit: () => Promise<Answer<Body>>,
    running = commit(),
  ): Promise<Answer<Body>> {
    await sign(quoter, requestId)
    const answer = await running
    return answer.status === 503 ? signedInTime(quoter, requestId, commit) : answer
  }

  it('a maker that misses it receives so at once where it asked to, and each finds its own record (protocol record-5, book-3)', async () => {
    const { requestId, quoters, commit } = await quotedAt(0.2, 0.3)
    const [silent, declining] = quoters as [Quoter, Quoter]
    silent.socket.send({ type: 'subscribe', to: 'standing' })
    const committing = commit()
    const { quoteId } = silent
    expect(await silent.socket.until('quote:missed', requestId)).toEqual({ type: 'quote:missed', requestId, quoteId })
    await askedToSign(declining.socket, requestId)
    const path = `/v1/mm/quotes/${declining.quoteId}/decline`
    expect((await declining.maker.call('POST', path)).status).toBe(200)
    expect((await committing).status).toBe(503)
    const { body } = await eventually(
      () => declining.maker.call<{ standing: { score: number | null } }>('GET', '/v1/mm/standing'),
      (answer) => answer.body.standing.score !== null,
    )
    const declined = { kind: 'declined', requestId, quoteId: declining.quoteId, at: expect.any(String) }
    expect(body).toMatchObject({
      success: true,
      standing: { score: 67, outcomes: { declined: 1, missed: 0 }, suspension: null, strikes: 0, newest: [declined] },
    })
    expect(typesOf(declining)).not.toContain('quote:missed')
  })

  it('a confirm after the deadline is 404 no_pending_acceptance (protocol confirm-1)', async () => {
    const { requestId, quoters, commit } = await quotedAt(0.1)
    const [{ maker, socket, quoteId }] = quoters as [Quoter]
    const committing = commit()
    const signature = await maker.sign(await askedToSign(socket, requestId))
    expect((await committing).status).toBe(503)
    const { status, body, text } = await maker.confirm(quoteId, signature)
    expect({ status, body }).toMatchObject({ status: 404, body: namedFailure('no_pending_acceptance') })
    expect(text).not.toContain(signature.slice(2))
  })

  it("when the deadline passes the commit falls back to the next-best maker's quote (protocol commit-2, fault C11)", async () => {
    const { requestId, quoters, commit } = await quotedAt(0.1, 0.2)
    const [late, next] = quoters as [Quoter, Quoter]
    const committing = commit()
    const missed = await askedToSign(late.socket, requestId)
    const lateSignature = await late.maker.sign(missed)
    const { status, body, text } = await signedInTime(next, requestId, commit, committing)
    expect({ status, quote: body.quote }).toMatchObject({ status: 200, quote: { quote_id: next.quoteId } })
    expect(text).not.toContain(lateSignature.slice(2))
    const [asked] = next.socket.messages.all().filter(({ type }) => type === 'quote:accepted')
    expect(Date.parse(String(asked?.confirmationDeadline))).toBeGreaterThan(Date.parse(missed.confirmationDeadline))
    expect(await late.maker.confirm(late.quoteId, lateSignature)).toMatchObject({
      status: 404,
      body: namedFailure('no_pending_acceptance'),
    })
    await late.socket.until('quote:rejected', requestId)
    expect(typesOf(late)).toEqual(new Set(['connected', 'quote:accepted', 'quote:rejected']))
  })

  it('when all candidates miss: 503, the request stays open, and a retry asks them again (protocol commit-6, fault C12)', async () => {
    const { requestId, quoters, commit, poll } = await quotedAt(0.1, 0.2)
    const [first, second] = quoters as [Quoter, Quoter]
    const begun = Date.now()
    const { status, body } = await commit()
    expect({ status, body }).toMatchObject({ status: 503, body: { ...failure('no_maker_confirmed'), retryable: true } })
    expect(Date.now() - begun).toBeGreaterThanOrEqual(2 * DEADLINE_MS - 50)
    expect(await poll()).toMatchObject({ status: 'open', closed: false, confirming: false, quoteCount: 2 })
    expect(typesOf(second)).toEqual(new Set(['connected', 'quote:accepted']))
    await askedToSign(first.socket, requestId)
    expect((await signedInTime(first, requestId, commit)).body.quote).toMatchObject({ quote_id: first.quoteId })
  })

  it('after validUntil the same commit is 409, the order being worth nothing (decisions C2, C3, C7)', async () => {
    const { requestId, quoters, commit } = await quotedAt(0.1)
    const [only] = quoters as [Quoter]
    expect((await signedInTime(only, requestId, commit)).status).toBe(200)
    const { body } = await eventually(commit, ({ status }) => status !== 200)
    expect(body).toMatchObject(failure('already_committed'))
    const accepted = only.socket.messages.all().findLast(({ type }) => type === 'quote:accepted') as Accepted
    expect(Date.now() / 1_000).toBeGreaterThanOrEqual(accepted.order.validUntil)
  })
})
