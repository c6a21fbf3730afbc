import { describe, expect, it, onTestFinished } from 'vitest'
import { newIssuerKey, startIdentityProvider } from '../../../../src/relay/adapters/identity/development-provider.ts'
import { createJwtIdentity } from '../../../../src/relay/adapters/identity/jwt.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { createFakeLog } from '../../../support/fake-log.ts'
import { refusal, START_MS } from '../../../support/test-relay.ts'

const SECRET = 'operator'
const HOUR_MS = 3_600_000

async function start(issuerKey?: Awaited<ReturnType<typeof newIssuerKey>>) {
  const clock = createFakeClock(START_MS)
  const key = issuerKey ?? (await newIssuerKey())
  const provider = await startIdentityProvider({ issuerKey: key, secret: SECRET, now: clock.now })
  onTestFinished(provider.close)
  const { verify } = createJwtIdentity({ ...provider, clock, log: createFakeLog() })
  return { ...provider, key, clock, verify }
}

type Token = { access_token: string }

const ask = (url: string, body: string, authorization = `Bearer ${SECRET}`) =>
  fetch(`${url}/token`, { method: 'POST', headers: { authorization }, body })

const tokenFor = async (url: string, name: string): Promise<string> =>
  ((await (await ask(url, JSON.stringify({ name }))).json()) as Token).access_token

describe('the identity provider of development', () => {
  it('gives a token for any name, which the relay accepts for twelve hours', async () => {
    const { url, verify, clock } = await start()
    const answer = await ask(url, '{"name":"ada"}')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const body = (await answer.json()) as Token
    expect(body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 43_200 })
    expect(await verify(body.access_token)).toEqual({ idpDid: 'dev:ada' })
    await clock.advance(13 * HOUR_MS)
    expect(await refusal(verify(body.access_token))).toBe('invalid_access_token')
  })

  it('gives none to who does not know its secret, and none for what is no name', async () => {
    const { url } = await start()
    for (const authorization of ['', 'Bearer', 'Bearer operator2', 'operator', `Basic ${SECRET}`])
      expect((await ask(url, '{"name":"ada"}', authorization)).status).toBe(401)
    for (const body of [
      '',
      'x',
      'null',
      '{}',
      '{"name":7}',
      '{"name":""}',
      '{"name":"a b"}',
      `{"name":"${'x'.repeat(65)}"}`,
    ])
      expect((await ask(url, body)).status).toBe(400)
  })

  it('publishes its public key only', async () => {
    const { jwksUrl, key } = await start()
    const text = await (await fetch(jwksUrl)).text()
    expect(JSON.parse(text).keys).toEqual([expect.objectContaining({ x: key.x, y: key.y, alg: 'ES256', use: 'sig' })])
    expect(text).not.toContain(key.d)
  })

  it('listens on the loopback only, and has nothing else', async () => {
    const { url } = await start()
    expect(new URL(url).hostname).toBe('127.0.0.1')
    for (const path of ['/', '/token', '/jwks?x=1', '/.well-known/openid-configuration'])
      expect((await fetch(`${url}${path}`)).status).toBe(404)
  })

  it('takes the tokens of its former run, if it has the same key', async () => {
    const first = await start()
    const token = await tokenFor(first.url, 'ada')
    expect(await (await start(first.key)).verify(token)).toEqual({ idpDid: 'dev:ada' })
    expect(await refusal((await start()).verify(token))).toBe('invalid_access_token')
  })
})
