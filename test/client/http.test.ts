import { describe, expect, test } from 'vitest'
import { RelayError, RelayUnreachableError } from '../../src/client/errors.ts'
import { createHttp } from '../../src/client/http.ts'
import { eventually } from '../kit/eventually.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startFakeServer } from './fake-server.ts'

/** Any object will do. */
function decode(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Error('not an object')
  return body
}

/** Starts a call and lets the server answer it. */
async function answered(status: number, body: unknown, headers: Record<string, string> = {}) {
  const server = await startFakeServer()
  const call = createHttp({ url: `${server.url}/` }).call('POST', '/path', { body: { a: 1 }, decode })
  const outcome = call.catch((error: unknown) => error)
  const received = await server.nextCall()
  received.answer(status, body, headers)
  return { outcome: await outcome, received }
}

describe('calls to the relay', () => {
  test('send JSON and the common headers, and return the answer', async () => {
    const server = await startFakeServer()
    const clock = createFakeClock()
    const http = createHttp({ url: server.url, headers: { 'x-api-key': 'mk' }, clock })
    const answer = http.call('POST', '/v1/x?y=1', { body: { a: [1] }, headers: { 'x-taker-secret': 's' }, decode })
    const call = await server.nextCall()
    call.answer(200, { success: true, n: 3 })
    expect(await answer).toEqual({ success: true, n: 3 })
    expect(clock.pending()).toBe(0)
    expect(call).toMatchObject({ method: 'POST', path: '/v1/x?y=1', body: { a: [1] } })
    expect(call.headers).toMatchObject({
      'x-api-key': 'mk',
      'x-taker-secret': 's',
      'content-type': 'application/json',
    })
  })

  test('carry no content type without a body, and survive a slash at the end of the address', async () => {
    const server = await startFakeServer()
    const answer = createHttp({ url: `${server.url}//` }).call('GET', '/time', { decode })
    const call = await server.nextCall()
    call.answer(200, {})
    await answer
    expect(call.path).toBe('/time')
    expect(call.headers['content-type']).toBeUndefined()
  })

  test('reject with the code, sentence and figures of a refusal', async () => {
    const { outcome } = await answered(409, {
      success: false,
      error: 'Settled at 59.',
      code: 'series_already_settled',
      resolutionBps: 59,
    })
    expect(outcome).toBeInstanceOf(RelayError)
    expect(outcome).toMatchObject({
      code: 'series_already_settled',
      status: 409,
      message: 'Settled at 59.',
      retryable: false,
      data: { resolutionBps: 59 },
    })
  })

  test('read the specification’s named codes from `error`, with the sentence in `detail`', async () => {
    const { outcome } = await answered(422, {
      success: false,
      error: 'maker_insufficient_balance',
      code: 'maker_insufficient_balance',
      detail: 'Wallet 0xA holds 5, needs 7.',
    })
    expect(outcome).toMatchObject({ code: 'maker_insufficient_balance', message: 'Wallet 0xA holds 5, needs 7.' })
  })

  test('pass codes on that this library does not know', async () => {
    const { outcome } = await answered(418, { success: false, error: 'No.', code: 'kettle_only', retryable: true })
    expect(outcome).toMatchObject({ code: 'kettle_only', message: 'No.', retryable: true, hint: null })
  })

  test('take hint and retryability from the table when the answer is silent', async () => {
    const { outcome } = await answered(401, { success: false, error: 'Bad key.', code: 'invalid_api_key' })
    expect(outcome).toMatchObject({ hint: 'Send the key in the header X-API-Key.', retryable: false })
    const bare = await answered(404, { success: false, error: 'no_pending_acceptance' })
    expect(bare.outcome).toMatchObject({ code: 'no_pending_acceptance', retryable: false })
    expect(String(bare.outcome)).toContain('No acceptance of this quote is waiting for a signature.')
  })

  test('say when to come back', async () => {
    const { outcome } = await answered(
      429,
      { success: false, error: 'Wait.', code: 'faucet_cooldown', retryable: true },
      { 'retry-after': '90' },
    )
    expect(outcome).toMatchObject({ retryAfterMs: 90_000, retryable: true })
  })

  test('reject in the same way for a proxy’s page of HTML', async () => {
    const { outcome } = await answered(502, '<html>Bad gateway</html>')
    expect(outcome).toMatchObject({ code: 'http_502', status: 502, retryable: true })
  })

  test('reject a 200 that cannot be decoded', async () => {
    for (const body of ['<html>', '[]', 'null', '"text"']) {
      expect((await answered(200, body)).outcome).toMatchObject({ code: 'unexpected_answer', retryable: false })
    }
  })

  test('reject as unreachable when nothing listens or the connection breaks, without the query in the message', async () => {
    const server = await startFakeServer()
    const http = createHttp({ url: server.url })
    const cut = http.call('GET', '/x?apiKey=secret', { decode }).catch((error: unknown) => error)
    ;(await server.nextCall()).cut()
    expect(await cut).toBeInstanceOf(RelayUnreachableError)
    expect(String(await cut)).not.toContain('secret')
    await server.close()
    await expect(http.call('GET', '/x', { decode })).rejects.toThrow(/cannot be reached: ECONNREFUSED/)
  })

  test('do not follow a redirect, which would carry a key or a secret away', async () => {
    const server = await startFakeServer()
    const elsewhere = await startFakeServer()
    const http = createHttp({ url: server.url, headers: { 'x-api-key': 'mk' } })
    const call = http.call('GET', '/x', { decode }).catch((error: unknown) => error)
    ;(await server.nextCall()).answer(302, {}, { location: elsewhere.url })
    expect(await call).toBeInstanceOf(RelayUnreachableError)
    expect(elsewhere.calls).toEqual([])
  })

  test('give up on a relay that does not answer in time', async () => {
    const server = await startFakeServer()
    const clock = createFakeClock()
    const call = createHttp({ url: server.url, clock })
      .call('GET', '/x', { decode })
      .catch((error: unknown) => error)
    await server.nextCall()
    await clock.advance(15_000)
    expect(await call).toBeInstanceOf(RelayUnreachableError)
    expect(String(await call)).toContain('no answer within 15000 ms')
    expect(clock.pending()).toBe(0)
  })

  test('wait without a limit on request', async () => {
    const server = await startFakeServer()
    const clock = createFakeClock()
    const call = createHttp({ url: server.url, clock }).call('POST', '/commit', { timeoutMs: null, decode })
    const received = await server.nextCall()
    expect(clock.pending()).toBe(0)
    received.answer(200, { success: true })
    expect(await call).toEqual({ success: true })
  })

  test('end with the caller’s own reason when the caller aborts', async () => {
    const server = await startFakeServer()
    const http = createHttp({ url: server.url })
    const abort = new AbortController()
    const call = http.call('GET', '/x', { signal: abort.signal, decode }).catch((error: unknown) => error)
    await server.nextCall()
    const reason = new Error('changed my mind')
    abort.abort(reason)
    expect(await call).toBe(reason)
    await expect(http.call('GET', '/x', { signal: abort.signal, decode })).rejects.toBe(reason)
    await eventually(() => true)
    expect(server.calls).toHaveLength(1)
  })

  test('end with the caller’s own reason also where fetch does not hear the signal any more', async () => {
    const http = createHttp({ url: 'http://relay.test', fetch: () => new Promise(() => {}) })
    const abort = new AbortController()
    const call = http.call('GET', '/x', { signal: abort.signal, decode }).catch((error: unknown) => error)
    const reason = new Error('changed my mind')
    abort.abort(reason)
    expect(await call).toBe(reason)
  })
})
