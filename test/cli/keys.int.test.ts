import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Environment } from '../../src/relay/config/sources.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

/** A relay and its directory, with commands run beside it. */
async function open(options: Parameters<typeof serveFrom>[1] = {}) {
  const dir = temporaryDir()
  const serving = await serveFrom(dir, options)
  const rfqctl = (line: string, more: { environment?: Environment; stdin?: string } = {}) =>
    run(line.split(' '), { cwd: dir, ...more })
  const json = async (line: string) => JSON.parse((await rfqctl(`${line} --json`)).stdout)
  return { dir, ...serving, rfqctl, json }
}

const statusWith = async (url: string, key: string) =>
  (await fetch(`${url}/v1/mm/quotes`, { headers: { 'x-api-key': key } })).status

describe('rfqctl login --dev', () => {
  test('signs in under any name, the same maker each time, and keeps the token for its owner only', async () => {
    const { dir, json } = await open()
    const ada = await json('login --dev ada')
    expect(ada).toEqual({
      type: 'login',
      id: expect.any(String),
      idpDid: 'dev:ada',
      makerId: expect.any(String),
      createdAt: expect.any(String),
    })
    const path = join(dir, '.rfqctl', 'login.json')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const { makerId } = await json('login --dev bob')
    expect(makerId).not.toBe(ada.makerId)
    expect((await json('login --dev ada')).makerId).toBe(ada.makerId)
  })

  test('outlives a restart of the relay on its port', async () => {
    const { dir, url, rfqctl, stop } = await open()
    await rfqctl('login --dev ada')
    await stop()
    await serveFrom(dir, { environment: { PORT: new URL(url).port }, argv: ['--port', new URL(url).port] })
    expect((await rfqctl('keys list')).code).toBe(0)
  })

  test.each<Record<string, string>>([
    { NODE_ENV: 'production' },
    { IDP_ISSUER: 'https://id.example', IDP_AUDIENCE: 'x', IDP_JWKS_URL: 'http://127.0.0.1:2/jwks' },
  ])('is not to be had with %j', async (environment) => {
    const { rfqctl } = await open({ environment })
    const { code, stderr } = await rfqctl('login --dev ada')
    expect(code).toBe(4)
    expect(stderr).toMatch(/^error: this relay has no identity provider of its own\n/)
  })

  test('refuses an invalid name', async () => {
    const { rfqctl, dir } = await open()
    const { code, stderr } = await rfqctl('login --dev ../ada')
    expect(code).toBe(2)
    expect(stderr).toMatch(/name cannot be used to sign in/)
    expect(existsSync(join(dir, '.rfqctl', 'login.json'))).toBe(false)
  })

  test('ends with the relay when that keeps nothing', async () => {
    const { rfqctl } = await open({ argv: ['--memory'] })
    expect((await rfqctl('login --dev ada')).code).toBe(0)
    expect((await rfqctl('keys create')).code).toBe(0)
  })
})

describe('rfqctl login --token-stdin', () => {
  test('signs in with a token from elsewhere, and refuses an invalid one', async () => {
    const { dir, rfqctl } = await open()
    await rfqctl('login --dev ada')
    const { accessToken } = JSON.parse(readFileSync(join(dir, '.rfqctl', 'login.json'), 'utf8'))
    expect((await rfqctl('login --token-stdin', { stdin: `${accessToken}\n` })).code).toBe(0)
    expect((await rfqctl('login --token-stdin', { stdin: 'forged' })).code).toBe(4)
    expect((await rfqctl('login --token-stdin', { stdin: '\n' })).code).toBe(2)
    expect((await rfqctl('login')).code).toBe(2)
    expect((await rfqctl('keys list')).code).toBe(0)
  })
})

describe('rfqctl keys', () => {
  test('makes a key whose secret alone is on stdout, lists it, and revokes it', async () => {
    const { rfqctl, url, json } = await open()
    await rfqctl('login --dev ada')
    const { code, stdout, stderr } = await rfqctl('keys create --name bot-1')
    expect({ code, key: stdout }).toEqual({ code: 0, key: expect.stringMatching(/^mk_live_\w{33}\n$/) })
    expect(stderr).toContain('key "bot-1" is shown only this once')
    expect(stderr).toMatch(
      /Next: rfqctl wallet create NAME, rfqctl faucet .*rfqctl maker approve .*rfqctl maker stream\n/,
    )
    const key = stdout.trim()
    expect(await statusWith(url, key)).toBe(200)
    const other = await json('keys create')
    expect(other).toEqual({
      type: 'api_key',
      key: expect.any(String),
      makerId: expect.any(String),
      apiKey: expect.objectContaining({ name: '' }),
    })
    const list = await rfqctl('keys list')
    expect(list.stdout).toMatch(new RegExp(`@1 .*${key.slice(0, 12)}….*bot-1\n@2 `))
    expect(list.stdout).not.toContain(key)
    const { apiKeys } = await json('keys list')
    expect((await rfqctl(`keys revoke ${apiKeys[0].id.slice(0, 8)}`)).stdout).toBe(`revoked ${key.slice(0, 12)}…\n`)
    expect(await statusWith(url, key)).toBe(401)
    expect((await json('keys list')).apiKeys).toEqual([expect.objectContaining({ id: other.apiKey.id })])
    expect((await rfqctl('keys revoke @1')).code).toBe(0)
    expect((await rfqctl('keys revoke @1')).code).toBe(5)
    expect((await rfqctl('keys list')).stdout).toBe('no keys\n')
  })

  test('names the maker with the first key, once', async () => {
    const { rfqctl, json } = await open()
    await rfqctl('login --dev ada')
    expect(await rfqctl('keys create --as Ada')).toMatchObject({ code: 2 })
    const { code, stderr } = await rfqctl('keys create --as ada')
    expect(code).toBe(0)
    expect(stderr).toContain('It is for the maker ada.')
    expect((await json('login --dev ada')).makerId).toBe('ada')
    const other = await rfqctl('keys create --as ada-2')
    expect(other.code).toBe(3)
    expect(other.stderr).toContain('leave --as out')
    await rfqctl('login --dev eve')
    expect((await rfqctl('keys create --as ada')).stderr).toContain('choose another name with --as')
  })

  test('needs a user who is signed in to this relay', async () => {
    const { rfqctl, dir, url } = await open()
    const nobody = await rfqctl('keys list')
    expect(nobody.code).toBe(4)
    expect(nobody.stderr).toMatch(/^error: you are not signed in\n {2}try: rfqctl login --dev NAME/)
    await rfqctl('login --dev ada')
    const elsewhere = await open()
    const { code, stderr } = await rfqctl(`keys list --url ${elsewhere.url}`)
    expect(code).toBe(4)
    expect(stderr).toContain(`to ${url}, not to ${elsewhere.url}`)
    const { accessToken } = JSON.parse(readFileSync(join(dir, '.rfqctl', 'login.json'), 'utf8'))
    const environment = { RFQCTL_ACCESS_TOKEN: accessToken }
    expect((await rfqctl(`keys list --url ${elsewhere.url}`, { environment })).code).toBe(4)
    expect((await rfqctl('keys list', { environment })).code).toBe(0)
    expect((await rfqctl('keys list', { environment: { RFQCTL_ACCESS_TOKEN: 'forged' } })).code).toBe(4)
  })
})
