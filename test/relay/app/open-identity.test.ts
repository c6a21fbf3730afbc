import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createCleanupStack } from '../../../src/lib/cleanup-stack.ts'
import { openIdentity } from '../../../src/relay/app/open-identity.ts'
import type { Settings } from '../../../src/relay/config/settings.ts'
import { temporaryDir } from '../../cli/support.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { createFakeLog } from '../../support/fake-log.ts'
import { refusal, START_MS } from '../../support/test-relay.ts'

const DEVELOPMENT: Settings['identity'] = { kind: 'development' }

async function open(dataDir: string, identity: Settings['identity'], store: Settings['store']['kind'] = 'file') {
  const cleanup = createCleanupStack()
  onTestFinished(cleanup.run)
  const settings = { dataDir, identity, store: { kind: store } } as Settings
  const tools = { clock: createFakeClock(START_MS), log: createFakeLog() }
  return openIdentity({ settings, secret: 'operator', tools, cleanup })
}

async function tokenFrom(identityUrl: string | null): Promise<string> {
  const headers = { authorization: 'Bearer operator' }
  const answer = await fetch(`${identityUrl}/token`, { method: 'POST', headers, body: '{"name":"ada"}' })
  return ((await answer.json()) as { access_token: string }).access_token
}

test('without an identity provider no one can sign in', async () => {
  expect(await open(temporaryDir(), null)).toEqual({ identity: null, identityUrl: null })
})

test('the key of development is kept for its owner only, so that tokens outlive a restart', async () => {
  const dir = temporaryDir()
  const first = await open(dir, DEVELOPMENT)
  const token = await tokenFrom(first.identityUrl)
  expect(statSync(join(dir, 'identity.json')).mode & 0o777).toBe(0o600)
  const kept = readFileSync(join(dir, 'identity.json'), 'utf8')
  const second = await open(dir, DEVELOPMENT)
  expect(await second.identity?.verify(token)).toEqual({ idpDid: 'dev:ada' })
  expect(readFileSync(join(dir, 'identity.json'), 'utf8')).toBe(kept)
})

test('with --memory it keeps no key, and its tokens end with it', async () => {
  const dir = temporaryDir()
  const token = await tokenFrom((await open(dir, DEVELOPMENT, 'memory')).identityUrl)
  expect(existsSync(join(dir, 'identity.json'))).toBe(false)
  const { identity } = await open(dir, DEVELOPMENT, 'memory')
  expect(await refusal(identity?.verify(token) ?? Promise.resolve())).toBe('invalid_access_token')
})

test('a provider that is configured is asked, and no token of development is taken', async () => {
  const dir = temporaryDir()
  const { identityUrl } = await open(dir, DEVELOPMENT)
  const settings = { issuer: 'https://id.example', audience: 'rfqctl', jwksUrl: `${identityUrl}/jwks` }
  const configured = await open(dir, { kind: 'provider', ...settings })
  expect(configured.identityUrl).toBeNull()
  const token = await tokenFrom(identityUrl)
  expect(await refusal(configured.identity?.verify(token) ?? Promise.resolve())).toBe('invalid_access_token')
})
