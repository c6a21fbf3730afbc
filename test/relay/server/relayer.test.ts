import { describe, expect, it } from 'vitest'
import { usd6 } from '../../../src/protocol/domain/units.ts'
import { encodeGaslessFill } from '../../../src/protocol/wire/gasless-fill.ts'
import { settle } from '../../support/fake-clock.ts'
import { fillOf, hashOf, mined, RECIPIENT, refused, STRANGER, TAKER, TRANSACTION } from '../relayer/fixture.ts'
import { startRelayerServer } from './relayer-fixture.ts'

describe('a relayer over HTTP', () => {
  it('says what it charges, for whom, and within which limits', async () => {
    const { call } = await startRelayerServer()
    expect(await call('GET', '/v1/relayer')).toMatchObject({
      status: 200,
      body: {
        success: true,
        chainId: 31_337,
        settlementAddress: '0x00000000000000000000000000000000000000A1',
        wallet: STRANGER,
        feeRecipient: RECIPIENT,
        fee: '50000',
        accepting: true,
        reason: null,
        limits: {
          maxGas: '1000000',
          maxGasPrice: '100000000000',
          maxCoinPerDay: '1000000000000000000',
          maxFillsPerHour: 100,
          maxFillsPerClient: 10,
          maxQueue: 4,
        },
      },
    })
  })

  it('says when it takes no fills, and is not ready then, but alive', async () => {
    const { chain, call } = await startRelayerServer()
    expect((await call('GET', '/readyz')).status).toBe(200)
    chain.coin = 0n
    const { body } = await call('GET', '/v1/relayer')
    expect(body).toMatchObject({ accepting: false, reason: 'Its wallet has too little coin for gas.' })
    expect(await call('GET', '/readyz')).toMatchObject({ status: 503, body: { code: 'not_ready' } })
    expect((await call('GET', '/healthz')).status).toBe(200)
  })

  it('answers 202 with the transaction of a fill that is on its way, and 200 once it has ended', async () => {
    const { chain, submit, call } = await startRelayerServer()
    chain.isQuick = false
    const path = `/v1/fills/${hashOf(fillOf().order)}`
    const sent = { orderHash: hashOf(fillOf().order), status: 'sent', transactionHash: TRANSACTION }
    expect(await submit()).toMatchObject({ status: 202, body: sent })
    expect(await call('GET', path)).toMatchObject({ status: 200, body: sent })
    chain.pending[0]?.(mined())
    await settle()
    const filled = { status: 200, body: { success: true, ...sent, status: 'filled', failure: null, reason: null } }
    expect(await submit()).toMatchObject(filled)
    expect(await call('GET', path.toUpperCase().replace('/V1/FILLS/0X', '/v1/fills/0x'))).toMatchObject(filled)
  })

  it('tells by code and name why the contract would refuse, and nothing that was signed', async () => {
    const { chain, submit } = await startRelayerServer()
    chain.refusal = refused('FeeAbovePremium')
    const { status, body } = await submit()
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { code: 'fill_refused', contractError: 'FeeAbovePremium' },
    })
    expect(JSON.stringify(body)).not.toMatch(/(11){20}|(22){20}|(33){20}/)
  })

  it('counts what it does for a collector', async () => {
    const { submit, call } = await startRelayerServer()
    await submit()
    expect((await call('GET', '/metrics')).text).toContain('submitted')
  })

  it('lets pages of other origins call it', async () => {
    const { url } = await startRelayerServer()
    const { headers } = await fetch(`${url}/v1/relayer`, { headers: { origin: 'https://app.example' } })
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  it('refuses what comes while it shuts down, and waits for what it has sent', async () => {
    const { chain, submit, server } = await startRelayerServer()
    chain.isQuick = false
    await submit()
    let hasClosed = false
    const closing = server.close().then(() => {
      hasClosed = true
    })
    expect(await submit(fillOf({ order: { nonce: 2 } }))).toMatchObject({
      status: 503,
      body: { code: 'shutting_down' },
    })
    expect(hasClosed).toBe(false)
    chain.pending[0]?.(mined())
    await closing
  })
})

describe('a client that means harm', () => {
  const body = () => encodeGaslessFill(fillOf())

  it.each([
    ['a signature of more than 4,096 bytes', { takerSignature: `0x${'11'.repeat(4_097)}` }],
    ['half a byte', { makerSignature: '0x111' }],
    ['no order', { order: null }],
    ['a fee of 78 digits beyond a uint256', { authorization: { ...body().authorization, maxFee: '9'.repeat(78) } }],
    ['a payment that there is not', { payment: { ...body().payment, method: 'cash' } }],
    ['a taker that is not an address', { order: { ...body().order, taker: TAKER.slice(0, -1) } }],
  ])('is refused %s before anything is read of the chain', async (_, fields) => {
    const { chain, call } = await startRelayerServer()
    const answer = await call('POST', '/v1/fills', { body: { ...body(), ...fields } })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(JSON.stringify(answer.body)).not.toContain('1111')
    expect(chain.simulated).toBe(0)
  })

  it('is refused a megabyte', async () => {
    const { call } = await startRelayerServer()
    const answer = await call('POST', '/v1/fills', {
      text: JSON.stringify({ ...body(), takerSignature: '1'.repeat(2 ** 20) }),
    })
    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
  })

  it('is refused a flood of trials, and learns when to come back', async () => {
    const { chain, clock, submit } = await startRelayerServer()
    chain.refusal = refused('SignatureInvalid')
    const answers = await Promise.all(Array.from({ length: 30 }, () => submit()))
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(20)
    const [flooded] = answers.filter(({ status }) => status === 429)
    expect(flooded).toMatchObject({ body: { code: 'too_many_requests', retryAfterS: 5 } })
    expect(flooded?.headers.get('retry-after')).toBe('5')
    expect(chain.simulated).toBe(20)
    await clock.advance(5_000)
    expect((await submit()).status).toBe(422)
  })

  it('finds no path that takes a fee, a recipient or a wallet of its choice', async () => {
    const { chain, submit } = await startRelayerServer()
    await submit(fillOf({ authorization: { maxFee: usd6(9_000_000n) } }))
    expect(chain.sent).toEqual([{ nonce: 1, fee: 50_000n }])
  })

  it('is an error for an invalid hash', async () => {
    const { call } = await startRelayerServer()
    expect(await call('GET', '/v1/fills/0x12')).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(await call('DELETE', '/v1/relayer')).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
  })
})
