import { describe, expect, it } from 'vitest'
import { createAccountClient } from '../../src/client/account.ts'
import { startServer } from '../relay/server/support.ts'
import { fakeIdentity } from '../support/fake-identity.ts'
import { refusal, START_MS } from '../support/test-relay.ts'
import { startFakeServer } from './fake-server.ts'

async function start(accessToken = 'token-of-ada') {
  const fixture = await startServer({ fixture: { ports: { identity: fakeIdentity } } })
  return { ...fixture, client: createAccountClient({ url: fixture.url, accessToken }) }
}

describe('the client of an account', () => {
  it('shows who is signed in', async () => {
    const { client } = await start()
    expect(await client.getProfile()).toEqual({
      id: expect.any(String),
      idpDid: 'did:ada',
      makerId: expect.any(String),
      createdAt: START_MS,
    })
  })

  it('makes a key that a maker can use at once, lists it, and revokes it', async () => {
    const { client, call } = await start()
    const { key, apiKey } = await client.createApiKey({ name: 'desk 1' })
    expect(apiKey).toMatchObject({ name: 'desk 1', keyPrefix: key.slice(0, 12), createdAt: START_MS, lastUsedAt: null })
    expect(await client.listApiKeys()).toEqual([apiKey])
    const use = async () => (await call('GET', '/v1/mm/quotes', { headers: { 'x-api-key': key } })).status
    expect(await use()).toBe(200)
    await client.revokeApiKey({ id: apiKey.id })
    expect(await use()).toBe(401)
    expect(await client.listApiKeys()).toEqual([])
    expect(await refusal(client.revokeApiKey({ id: apiKey.id }))).toBe('api_key_not_found')
  })

  it('chooses the makerId with the first key', async () => {
    const { client } = await start()
    expect((await client.createApiKey({ makerId: 'lovelace' })).makerId).toBe('lovelace')
    expect((await client.getProfile()).makerId).toBe('lovelace')
    expect((await client.createApiKey()).makerId).toBe('lovelace')
    expect(await refusal(client.createApiKey({ makerId: 'countess' }))).toBe('maker_id_settled')
  })

  it('makes a key without a name', async () => {
    const { client } = await start()
    expect((await client.createApiKey()).apiKey.name).toBe('')
  })

  it('is refused with an invalid token', async () => {
    const { client } = await start('forged')
    expect(await refusal(client.getProfile())).toBe('invalid_access_token')
  })

  it('lets no id lead a call elsewhere, and ends a call with its signal', async () => {
    const server = await startFakeServer()
    const client = createAccountClient({ url: server.url, accessToken: 'token' })
    const controller = new AbortController()
    const call = client.revokeApiKey({ id: '../profile?x=#', signal: controller.signal })
    const { path, headers } = await server.nextCall()
    expect([path, headers.authorization]).toEqual(['/v1/user/api-keys/..%2Fprofile%3Fx%3D%23', 'Bearer token'])
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
  })
})
