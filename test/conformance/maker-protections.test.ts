import { describe, expect, it } from 'vitest'
import { failure } from './harness/match.ts'
import { openServices } from './harness/service.ts'
import { askedToSign } from './harness/trade.ts'

describe.concurrent.each(openServices(import.meta.url))('protections of makers, $mode', (service) => {
  const ONE = { windows: [{ ms: 60_000, maxAccepted: 1 }] }

  it('are off until they are put, come back as they were put, and are each maker its own', async () => {
    const [maker, other] = await Promise.all([service.maker({ funded: false }), service.maker({ funded: false })])
    const off = { cancelOnDisconnect: null, windows: [], freezeMs: null, maxQuoteSize: null, references: [] }
    const none = { status: 200, body: { success: true, protections: off, trip: null } }
    expect(await maker.call('GET', '/v1/mm/protections')).toMatchObject(none)
    const body = {
      cancelOnDisconnect: { graceMs: 2_000 },
      windows: [{ ms: 60_000, maxNotional: 12.5 }],
      references: [{ seriesId: '7', price: 0.2, maxDeviation: 0.01, expiresInMs: 60_000 }],
    }
    const put = await maker.call('PUT', '/v1/mm/protections', body)
    expect(put).toMatchObject({
      status: 200,
      body: {
        protections: {
          cancelOnDisconnect: { graceMs: 2_000, channels: 'all' },
          windows: [{ ms: 60_000, maxAccepted: null, maxNotional: 12.5 }],
          references: [{ seriesId: '7', price: 0.2, maxDeviation: 0.01, expiresAt: expect.any(String) }],
        },
      },
    })
    expect((await maker.call('GET', '/v1/mm/protections')).body).toEqual(put.body)
    expect(await other.call('GET', '/v1/mm/protections')).toMatchObject(none)
    expect(await maker.call('PUT', '/v1/mm/protections', {})).toMatchObject(none)
  })

  it.each([
    [{ windows: [{ ms: 60_000 }] }, 'windows.0'],
    [{ windows: [{ ms: 0, maxAccepted: 1 }] }, 'windows.0.ms'],
    [{ windows: [{ ms: 60_000, maxAcepted: 1 }] }, 'windows.0'],
    [{ windows: Array(9).fill(ONE.windows[0]) }, 'windows'],
    [{ freezeMs: 86_400_001 }, 'freezeMs'],
    [{ window: ONE.windows }, 'the body'],
    [{ cancelOnDisconnect: { graceMs: -1 } }, 'cancelOnDisconnect.graceMs'],
    [{ references: [{ price: 0.2, maxDeviation: 0.1 }] }, 'references.0'],
  ])('are refused beyond their bounds: %j', async (body, field) => {
    const maker = await service.maker({ funded: false })
    const answer = await maker.call('PUT', '/v1/mm/protections', body)
    expect(answer).toMatchObject({ status: 400, body: failure('invalid_request') })
    expect(answer.text).toContain(field)
  })

  it('give commits without a proof of the wallet a quarter of a window, and are not tripped by them (protect-7)', async () => {
    const maker = await service.maker()
    const socket = await maker.connect()
    await maker.call('PUT', '/v1/mm/protections', { windows: [{ ms: 600_000, maxAccepted: 4 }] })
    const [one, two] = await Promise.all([service.open(), service.open()])
    for (const { requestId } of [one, two]) await maker.quoted(requestId, { price: 0.2 })
    const wallet = service.wallet()
    const committing = service.commit(one.requestId, { wallet: wallet.address })
    const accepted = await askedToSign(socket, one.requestId)
    await maker.confirm(accepted.quoteId, await maker.sign(accepted))
    expect((await committing).status).toBe(200)
    const refused = await service.commit(two.requestId, { wallet: wallet.address })
    expect(refused).toMatchObject({ status: 422, body: failure('proof_required') })
    expect((await maker.call('GET', '/v1/mm/protections')).body).toMatchObject({ trip: null })
    const proven = service.commit(two.requestId, await service.proven(two.requestId, wallet))
    const asked = await askedToSign(socket, two.requestId)
    await maker.confirm(asked.quoteId, await maker.sign(asked))
    expect((await proven).status).toBe(200)
    socket.close()
  })

  it('trip on the order that would be too many, and end with a reset (invariant V11)', async () => {
    const maker = await service.maker()
    const socket = await maker.connect()
    await maker.call('PUT', '/v1/mm/protections', ONE)
    const [one, two] = await Promise.all([service.open(), service.open()])
    const first = await maker.quoted(one.requestId, { price: 0.2 })
    await maker.quoted(two.requestId, { price: 0.2 })
    const commit = async (requestId: string) => service.commit(requestId, await service.proven(requestId))
    const committing = commit(one.requestId)
    await maker.confirm(first, await maker.sign(await askedToSign(socket, one.requestId)))
    expect((await committing).status).toBe(200)
    expect(await commit(two.requestId)).toMatchObject({ status: 409, body: failure('no_valid_quotes') })
    const shown = await maker.call('GET', '/v1/mm/protections')
    expect(shown.body).toMatchObject({ trip: { until: null, used: { accepted: 1 }, withNext: { accepted: 2 } } })
    expect((await maker.call('GET', '/v1/mm/quotes')).body).toMatchObject({ quotes: [] })
    const quote = { maker: maker.wallet.address, side: 'buy', price: 0.2, size: 1_000 }
    const again = () => maker.call('POST', '/v1/mm/quotes', { requestId: two.requestId, quote })
    expect(await again()).toMatchObject({
      status: 409,
      body: { ...failure('protection_tripped'), trip: { until: null } },
    })
    expect(await maker.call('POST', '/v1/mm/protections/reset')).toMatchObject({ status: 200, body: { trip: null } })
    expect((await again()).status).toBe(200)
  })

  it('and all quotes of a maker are withdrawn by one call', async () => {
    const maker = await service.maker()
    const [one, two] = await Promise.all([service.open(), service.open()])
    await maker.quoted(one.requestId)
    await maker.quoted(two.requestId)
    const withdraw = (query: string) => maker.call('DELETE', `/v1/mm/quotes${query}`)
    expect(await withdraw('?seriesId=1')).toMatchObject({ status: 200, body: { success: true, withdrawn: 0 } })
    expect(await withdraw('?conditionId=no')).toMatchObject({ status: 400, body: failure('invalid_request') })
    expect(await withdraw('')).toMatchObject({ status: 200, body: { withdrawn: 2 } })
  })
})
