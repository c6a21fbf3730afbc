import { Signature } from 'ethers'
import { describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { failure, isoTime, namedFailure, signatureText } from './harness/match.ts'
import { openServices } from './harness/service.ts'
import { CONFIRMATION_MS, OUTLIVED_MS } from './harness/settings.ts'
import { askedToSign, trade } from './harness/trade.ts'

/** The order of the curve: a signature (r, s) has a twin (r, N - s). */
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

describe.concurrent.each(openServices(import.meta.url))('confirm, $mode', (service) => {
  /** A commit that waits for the only maker's signature. */
  async function pending() {
    const maker = await service.maker()
    const socket = await maker.connect()
    const { requestId } = await service.open()
    const quoteId = await maker.quoted(requestId)
    const wallet = service.wallet().address
    const committing = service.commit(requestId, { wallet })
    const accepted = await askedToSign(socket, requestId)
    return { maker, socket, requestId, quoteId, wallet, committing, accepted }
  }

  it('POST /v1/mm/quotes/{quoteId}/confirm answers success, and the taker gets that very signature', async () => {
    const { confirmed, committed, signature } = await trade(service)
    expect(confirmed).toMatchObject({ status: 200, body: { success: true } })
    if (committed.body.onchain !== undefined) expect(committed.body.onchain.makerSignature).toBe(signature)
  })

  it('quote:accepted says the deadline as ISO 8601, by the setting (protocol commit-3)', async () => {
    const { accepted } = await trade(service)
    expect(accepted.confirmationDeadline).toEqual(isoTime())
    const left = Date.parse(accepted.confirmationDeadline) - Date.now()
    expect(left).toBeGreaterThan(-CONFIRMATION_MS)
    expect(left).toBeLessThanOrEqual(CONFIRMATION_MS)
  })

  it('unknown quotes, quotes of others and quotes without a commit are 404 (decision C8)', async () => {
    const { maker, quoteId, accepted, committing } = await pending()
    const stranger = await service.maker({ funded: false })
    const signature = await maker.sign(accepted)
    const idle = await maker.quoted((await service.open()).requestId)
    const refused = [
      await maker.confirm(crypto.randomUUID(), signature),
      await maker.confirm('__proto__', signature),
      await stranger.confirm(quoteId, signature),
      await maker.confirm(idle, signature),
      // Said before the signature is looked at.
      await maker.confirm(idle, 'no signature'),
    ]
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 404, body: namedFailure('no_pending_acceptance') })
    }
    expect((await maker.confirm(quoteId, signature)).status).toBe(200)
    expect((await committing).status).toBe(200)
  })

  it('a signature that is missing or no string is 400 for any quote (decision C8)', async () => {
    const maker = await service.maker({ funded: false })
    for (const body of [{}, { signature: null }, { signature: 5 }, { signature: ['0x'] }]) {
      const answer = await maker.call('POST', `/v1/mm/quotes/${crypto.randomUUID()}/confirm`, body)
      expect(answer).toMatchObject({ status: 400, body: failure('invalid_request') })
    }
  })

  it('a wrong signature is 400 and the right one may follow (decision C8)', async () => {
    const { maker, quoteId, accepted, committing } = await pending()
    const stranger = await service.maker({ funded: false })
    const right = await maker.sign(accepted)
    const { r, s, v } = Signature.from(right)
    const mirrored = `${r}${(N - BigInt(s)).toString(16).padStart(64, '0')}${v === 27 ? '1c' : '1b'}`
    const other = { ...accepted, order: { ...accepted.order, premiumAmount: '1' } }
    const refused = {
      'of another key': await stranger.sign(accepted),
      'of another order': await maker.sign(other),
      'with a high s': mirrored,
      'with v 29': `${right.slice(0, -2)}1d`,
      'cut short': right.slice(0, -4),
      'no hex': 'certainly!',
      empty: '0x',
      'too long': `${right}00`,
    }
    for (const [what, signature] of Object.entries(refused)) {
      const { status, body } = await maker.confirm(quoteId, signature)
      expect({ what, status, body }).toMatchObject({ what, status: 400, body: failure('invalid_signature') })
    }
    expect((await maker.confirm(quoteId, right)).status).toBe(200)
    expect((await committing).status).toBe(200)
  })

  it.each([
    ['with v as 0 or 1', ({ r, s, v }: Signature) => `${r}${s.slice(2)}0${v - 27}`],
    ['in 64 bytes', (signature: Signature) => signature.compactSerialized],
    ['in capitals', (signature: Signature) => `0x${signature.serialized.slice(2).toUpperCase()}`],
  ])('a signature %s is taken, and the taker gets 65 bytes with 27 or 28 (decision C8)', async (_form, write) => {
    const { maker, quoteId, accepted, committing } = await pending()
    const right = await maker.sign(accepted)
    expect((await maker.confirm(quoteId, write(Signature.from(right)))).status).toBe(200)
    const { status, body } = await committing
    expect(status).toBe(200)
    if (body.onchain !== undefined) {
      expect(body.onchain.makerSignature).toBe(right)
      expect(right).toEqual(signatureText())
    }
  })

  it('repeating a successful confirm is 200 and changes nothing (decision C8)', async () => {
    const { maker, quoteId, signature, socket, created } = await trade(service)
    expect(await maker.confirm(quoteId, signature)).toMatchObject({ status: 200, body: { success: true } })
    await socket.until('quote:confirmed', created.requestId)
    expect(socket.messages.all().filter(({ type }) => type === 'quote:confirmed')).toHaveLength(1)
  })

  it('fifty confirms at once are fifty successes and one confirmation (fault C4)', async () => {
    const { maker, quoteId, accepted, committing, socket, requestId } = await pending()
    const signature = await maker.sign(accepted)
    const answers = await Promise.all(Array.from({ length: 50 }, () => maker.confirm(quoteId, signature)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await committing).status).toBe(200)
    await socket.until('quote:confirmed', requestId)
    expect(socket.messages.all().filter(({ type }) => type === 'quote:confirmed')).toHaveLength(1)
  })

  it('while a confirmation is pending the status is open, and poll says confirming (decision Q8)', async () => {
    const { requestId, maker, quoteId, accepted, committing } = await pending()
    const poll = async () => (await service.call('GET', `/quote-requests/${requestId}/quotes`)).body
    expect(await poll()).toMatchObject({ status: 'open', closed: false, confirming: true })
    await maker.confirm(quoteId, await maker.sign(accepted))
    await committing
    expect(await poll()).toMatchObject({ status: 'committed', closed: true, confirming: false })
  })

  it('while its quote is out for signature a maker cannot change or withdraw it (decision Q7, fault C6)', async () => {
    const { requestId, maker, quoteId, accepted, committing } = await pending()
    expect(await maker.quote(requestId, { price: 0.5 })).toMatchObject({ status: 409, body: failure('quote_locked') })
    const withdrawn = await maker.call('DELETE', `/v1/mm/quotes/${quoteId}`)
    expect(withdrawn).toMatchObject({ status: 409, body: failure('quote_locked') })
    await maker.confirm(quoteId, await maker.sign(accepted))
    expect((await committing).body.quote).toMatchObject({ price: 0.12 })
  })

  it('a request that was committed takes no quotes any more (decision Q7)', async () => {
    const { created, maker } = await trade(service)
    const { status, body } = await maker.quote(created.requestId)
    expect({ status, body }).toMatchObject({ status: 409, body: failure('request_closed') })
  })

  it('the key of a confirm may stand in the query (protocol auth-1)', async () => {
    const { maker, quoteId, accepted, committing } = await pending()
    const path = `/v1/mm/quotes/${quoteId}/confirm?apiKey=${maker.apiKey}`
    const { status } = await service.call('POST', path, { body: { signature: await maker.sign(accepted) } })
    expect(status).toBe(200)
    expect((await committing).status).toBe(200)
  })

  it('committing the same request again reuses its nonce (decision C7)', async () => {
    const { maker, socket, requestId, wallet, quoteId, committing, accepted } = await pending()
    await maker.call('POST', `/v1/mm/quotes/${quoteId}/decline`)
    expect((await committing).status).toBe(503)
    const again = service.commit(requestId, { wallet })
    const second = await askedToSign(socket, requestId)
    expect(second.order.nonce).toBe(accepted.order.nonce)
    await maker.confirm(second.quoteId, await maker.sign(second))
    expect((await again).status).toBe(200)
  })

  it('a quote that expires after its selection can still be confirmed (fault C8)', async () => {
    const maker = await service.maker()
    const socket = await maker.connect()
    const { requestId } = await service.open()
    const quoteId = await maker.quoted(requestId, { expires_in_ms: OUTLIVED_MS })
    const committing = service.commit(requestId, { wallet: service.wallet().address })
    const accepted = await askedToSign(socket, requestId)
    const best = async () => (await service.call('GET', `/quote-requests/${requestId}/quotes`)).body.bestQuote
    await eventually(best, (quote) => quote === null)
    expect((await maker.confirm(quoteId, await maker.sign(accepted))).status).toBe(200)
    expect((await committing).status).toBe(200)
  })
})
