import { exportJWK, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createJwtIdentity } from '../../../../src/relay/adapters/identity/jwt.ts'
import { hangUp, json, silence, stall, text } from '../../../kit/plays.ts'
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts'
import { createFakeLog } from '../../../support/fake-log.ts'
import {
  AUDIENCE,
  ISSUER,
  newKey,
  published,
  startProvider,
  type TestProvider,
  tokenOf,
} from '../../../support/identity-provider.ts'
import { refusal, START_MS } from '../../../support/test-relay.ts'

/** The identity of a provider under a clock that stands still until it is moved. Its answers are waited for longer than any takes. */
async function open(provider?: TestProvider) {
  const { source, key, settings } = provider ?? (await startProvider())
  const clock = createFakeClock(START_MS)
  const log = createFakeLog()
  const identity = createJwtIdentity({ ...settings, clock, log, deadlineMs: 60_000 })
  const verify = (token: string) => identity.verify(token)
  const token = (changes: Partial<Parameters<typeof tokenOf>[1]> = {}, by = key) =>
    tokenOf(by, { nowMs: clock.now(), ...changes })
  return { source, key, clock, log, verify, token, asked: () => source.queries.length }
}

const wait = (clock: FakeClock, seconds: number) => clock.advance(seconds * 1_000)

describe('an access token', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])('signed by %s is taken for its subject', async (alg) => {
    const { verify, token } = await open(await startProvider(alg))
    expect(await verify(await token())).toEqual({ idpDid: 'did:ada' })
  })

  it('may be for several audiences', async () => {
    const { verify, token } = await open()
    expect(await verify(await token({ claims: { aud: ['other', AUDIENCE] } }))).toEqual({ idpDid: 'did:ada' })
  })

  it('is taken by a clock that is 30 s off, and no more', async () => {
    const { verify, token, clock } = await open()
    const old = await token()
    await wait(clock, 329)
    expect(await refusal(verify(old))).toBe('not refused')
    await wait(clock, 1)
    await expect(verify(old)).rejects.toMatchObject({
      code: 'invalid_access_token',
      message: expect.stringMatching(/expired/),
    })
    const seconds = clock.now() / 1_000
    expect(await refusal(verify(await token({ claims: { nbf: seconds + 30 } })))).toBe('not refused')
    expect(await refusal(verify(await token({ claims: { nbf: seconds + 31 } })))).toBe('invalid_access_token')
  })

  it.each<[string, { header?: object; claims?: Record<string, unknown> }]>([
    ['of the type of RFC 9068', { header: { typ: 'at+jwt' } }],
    ['of that type, written in full', { header: { typ: 'application/AT+JWT' } }],
    ['of that type, whatever it says', { header: { typ: 'at+jwt' }, claims: { nonce: 'n' } }],
    ['of the type of any JWT', { header: { typ: 'JWT' } }],
    ['that Keycloak calls Bearer', { header: { typ: 'JWT' }, claims: { typ: 'Bearer', auth_time: 1, acr: '1' } }],
    ['that Cognito calls access', { claims: { token_use: 'access' } }],
  ])('%s is one', async (_, changes) => {
    const { verify, token } = await open()
    expect(await refusal(verify(await token(changes)))).toBe('not refused')
  })

  it.each<[string, { header?: object; claims?: Record<string, unknown> }]>([
    ['with the nonce of a sign-in', { claims: { nonce: 'n' } }],
    ['with the hash of an access token', { header: { typ: 'JWT' }, claims: { at_hash: 'x' } }],
    ['with the hash of a code', { claims: { c_hash: 'x' } }],
    ['that Keycloak calls ID', { header: { typ: 'JWT' }, claims: { typ: 'ID' } }],
    ['that Cognito calls id', { claims: { token_use: 'id' } }],
    ['for the end of a session', { header: { typ: 'logout+jwt' } }],
    ['whose type is no text', { header: { typ: { a: 1 } } }],
  ])('%s is not one', async (_, changes) => {
    const { verify, token } = await open()
    await expect(verify(await token(changes))).rejects.toMatchObject({
      code: 'invalid_access_token',
      message: expect.stringMatching(/^This is not an access token/),
    })
  })

  it.each<[string, Record<string, unknown>]>([
    ['another issuer', { iss: `${ISSUER}/` }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'other' }],
    ['no audience', { aud: undefined }],
    ['no expiry', { exp: undefined }],
    ['an expiry that is no number', { exp: '9999999999' }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a subject that is no text', { sub: 7 }],
    ['a subject with a control character', { sub: 'did:\u0000' }],
    ['a subject that is too long', { sub: 'x'.repeat(256) }],
  ])('with %s is refused', async (_, claims) => {
    const { verify, token } = await open()
    expect(await refusal(verify(await token({ claims })))).toBe('invalid_access_token')
  })

  it('with another key under a known name, or that was changed, is refused', async () => {
    const { verify, token } = await open()
    const forger = await newKey('key-1')
    expect(await refusal(verify(await token({}, forger)))).toBe('invalid_access_token')
    const [head, , signature] = (await token()).split('.')
    const [, body] = (await token({ claims: { sub: 'did:eve' } })).split('.')
    expect(await refusal(verify(`${head}.${body}.${signature}`))).toBe('invalid_access_token')
  })

  it('without a signature, or signed by a public secret, is refused', async () => {
    const { verify, key } = await open()
    const payload = { iss: ISSUER, aud: AUDIENCE, sub: 'did:eve', exp: START_MS / 1_000 + 300 }
    expect(await refusal(verify(new UnsecuredJWT(payload).encode()))).toBe('invalid_access_token')
    const secret = new TextEncoder().encode(JSON.stringify(key.publicJwk))
    const confused = await new SignJWT(payload).setProtectedHeader({ alg: 'HS256', kid: key.kid }).sign(secret)
    expect(await refusal(verify(confused))).toBe('invalid_access_token')
  })

  it('by an algorithm beyond the three is refused, also when the provider publishes its key', async () => {
    const provider = await startProvider('PS256')
    const { verify, token } = await open(provider)
    expect(await refusal(verify(await token()))).toBe('invalid_access_token')
    expect(provider.source.queries).toHaveLength(0)
  })

  it.each(['', 'x', 'a.b.c', 'mk_live_abc', '..', `${'a'.repeat(10_000)}.b.c`])('is not %j', async (token) => {
    const { verify } = await open()
    expect(await refusal(verify(token))).toBe('invalid_access_token')
  })

  it('gains nothing by a key of its own', async () => {
    const { verify, token } = await open()
    const forger = await newKey('forged')
    const header = { jwk: forger.publicJwk, jku: 'http://127.0.0.1:1/keys' }
    expect(await refusal(verify(await token({ header }, forger)))).toBe('invalid_access_token')
  })
})

describe('the keys of a provider (fault B10)', () => {
  it('are asked for once, also by many at the same time', async () => {
    const { verify, token, asked } = await open()
    const tokens = await Promise.all(Array.from({ length: 20 }, () => token()))
    await Promise.all(tokens.map(verify))
    expect(asked()).toBe(1)
  })

  it('may rotate: a token of the new one works after one question', async () => {
    const { verify, token, asked, clock, source, key } = await open()
    await verify(await token())
    const next = await newKey('key-2')
    source.plays[0] = published(key, next)
    await wait(clock, 30)
    expect(await verify(await token({}, next))).toEqual({ idpDid: 'did:ada' })
    expect(await verify(await token())).toEqual({ idpDid: 'did:ada' })
    expect(asked()).toBe(2)
  })

  it('are asked for at most once in 30 s, however many tokens name unknown ones', async () => {
    const { verify, token, asked, clock } = await open()
    const stranger = await newKey('unknown')
    const unknown = await token({ claims: { exp: START_MS / 1_000 + 3_600 } }, stranger)
    for (let i = 0; i < 1_000; i += 1) await refusal(verify(unknown))
    expect(asked()).toBe(1)
    expect(await refusal(verify(unknown))).toBe('invalid_access_token')
    await wait(clock, 29.999)
    await refusal(verify(unknown))
    expect(asked()).toBe(1)
    await wait(clock, 0.001)
    await Promise.all(Array.from({ length: 100 }, () => refusal(verify(unknown))))
    expect(asked()).toBe(2)
  })

  it('that were taken back are not taken after a minute', async () => {
    const { verify, token, source, clock } = await open()
    await verify(await token())
    source.plays[0] = published(await newKey('key-2'))
    await wait(clock, 60)
    await verify(await token())
    await expect.poll(async () => refusal(verify(await token()))).toBe('invalid_access_token')
  })

  it.each([
    ['hangs up', hangUp],
    ['is silent', silence],
    ['stalls in its answer', stall],
    ['fails', text('oops', 500)],
    ['answers in HTML', text('<html>sign in</html>', 200, { 'content-type': 'text/html' })],
    ['sends us elsewhere', text('', 302, { location: 'http://127.0.0.1:1/' })],
    ['publishes no keys', json({})],
    ['publishes null', json(null)],
    ['publishes what are no keys', json({ keys: [1, null] })],
  ])('hold for 10 min when it %s, then tokens cannot be checked; never a 500, never open', async (_, fault) => {
    const isSilent = fault === silence || fault === stall
    const { verify, token, source, clock, log, asked } = await open()
    await verify(await token())
    const deadline = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal)
    onTestFinished(() => timeout.mockRestore())
    const good = source.plays[0]
    source.plays[0] = fault
    await wait(clock, 599.999)
    expect(await verify(await token())).toEqual({ idpDid: 'did:ada' })
    await expect.poll(asked).toBe(2)
    if (isSilent) deadline.abort(new DOMException('too late', 'TimeoutError'))
    await expect.poll(() => log.lines.map(({ event }) => event)).toEqual(['identity_provider_down'])
    await wait(clock, 0.001)
    expect(await refusal(verify(await token()))).toBe('identity_unavailable')
    const before = asked()
    for (let i = 0; i < 50; i += 1) await refusal(verify(await token()))
    expect(asked()).toBe(before)
    timeout.mockRestore()
    source.plays[0] = good as typeof fault
    await wait(clock, 30)
    expect(await verify(await token())).toEqual({ idpDid: 'did:ada' })
    expect(log.lines.map(({ event }) => event)).toEqual(['identity_provider_down', 'identity_provider_back'])
  })

  it('cannot be had at the start: tokens cannot be checked, and it is asked at most once in 30 s', async () => {
    const { verify, token, source, clock, asked } = await open()
    const good = source.plays[0]
    source.plays[0] = text('oops', 503)
    for (let i = 0; i < 50; i += 1) expect(await refusal(verify(await token()))).toBe('identity_unavailable')
    expect(asked()).toBe(1)
    source.plays[0] = good as typeof silence
    await wait(clock, 30)
    expect(await verify(await token())).toEqual({ idpDid: 'did:ada' })
  })

  it('in an outage leave an unknown one unchecked', async () => {
    const { verify, token, source, clock } = await open()
    await verify(await token())
    source.plays[0] = hangUp
    await wait(clock, 30)
    expect(await refusal(verify(await token({}, await newKey('key-2'))))).toBe('identity_unavailable')
    expect(await verify(await token())).toEqual({ idpDid: 'did:ada' })
  })

  it('that are broken, or not public, are the fault of the provider', async () => {
    for (const fault of ['broken', 'private']) {
      const { verify, token, source, key } = await open()
      const secret = await exportJWK(key.privateKey)
      source.plays[0] = json({ keys: [{ ...key.publicJwk, ...(fault === 'broken' ? { x: 'AA' } : secret) }] })
      expect(await refusal(verify(await token()))).toBe('identity_unavailable')
    }
  })
})
