import assert from 'node:assert/strict'
import { signIn } from '../../kit/sign-in.ts'
import type { Attack } from '../lab/attack.ts'
import { flood } from '../lab/flood.ts'
import { only } from '../lab/steps.ts'
import type { Target } from '../lab/target.ts'

export const accountAttacks: readonly Attack[] = [
  {
    holds: 'one account does not have keys without a limit',
    known: true,
    aimsAtStore: true,
    run: async (target) => {
      const stranger = target.stranger()
      const headers = await signedIn(target, 'greedy')
      const { statuses } = await flood(300, 4, () =>
        stranger.ask('POST', '/v1/user/api-keys', { headers, body: { name: '\u{1f511}'.repeat(50) } }),
      )
      assert((statuses.get(200) ?? 0) < 300, 'every one of 300 keys was made')
      const { status, body } = await stranger.ask('GET', '/v1/user/api-keys', { headers })
      assert.equal(status, 200)
      assert((body.apiKeys as unknown[]).length <= 100)
    },
  },
  {
    holds: 'a key that was revoked opens nothing, at once, and is not spoken to any more',
    run: async (target) => {
      const stranger = target.stranger()
      const headers = await signedIn(target, 'fickle')
      const made = await stranger.ask('POST', '/v1/user/api-keys', { headers, body: {} })
      const { key, apiKey } = made.body as { key: string; apiKey: { id: string } }
      const asMaker = { 'x-api-key': key }
      assert.equal((await stranger.ask('GET', '/v1/mm/quotes', { headers: asMaker })).status, 200)
      const stream = await target.service.stream('/v1/mm/quote-requests/stream', asMaker)
      assert.equal((await stranger.ask('DELETE', `/v1/user/api-keys/${apiKey.id}`, { headers })).status, 200)
      assert.equal((await stranger.ask('GET', '/v1/mm/quotes', { headers: asMaker })).status, 401)
      await Promise.race([
        stream.ended,
        new Promise((_, reject) => setTimeout(reject, 3_000, new Error('it hears on'))),
      ])
    },
  },
  {
    holds: 'the keys of one account are no business of another',
    isQuick: true,
    run: async (target) => {
      const stranger = target.stranger()
      const [ada, eve] = [await signedIn(target, 'ada'), await signedIn(target, 'eve')]
      const made = await stranger.ask('POST', '/v1/user/api-keys', { headers: ada, body: { name: 'mine' } })
      const { id } = made.body.apiKey as { id: string }
      assert.equal((await stranger.ask('DELETE', `/v1/user/api-keys/${id}`, { headers: eve })).status, 404)
      const { text } = await stranger.ask('GET', '/v1/user/api-keys', { headers: eve })
      assert(!text.includes(id))
      assert.equal((await stranger.ask('DELETE', `/v1/user/api-keys/${id}`, { headers: ada })).status, 200)
      assert.equal((await stranger.ask('DELETE', `/v1/user/api-keys/${id}`, { headers: ada })).status, 404)
    },
  },
  {
    holds: 'tokens that are cut, swapped, unsigned or foreign are no tokens',
    isQuick: true,
    run: async (target) => {
      const stranger = target.stranger()
      const { authorization } = await signedIn(target, 'ada')
      const token = authorization.slice('Bearer '.length)
      const [head, claims, signature] = token.split('.') as [string, string, string]
      const none = Buffer.from('{"alg":"none"}').toString('base64url')
      const hmac = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')
      const jku = Buffer.from('{"alg":"ES256","jku":"http://127.0.0.1:1/keys","kid":"../../etc"}').toString('base64url')
      const wrong = [
        `${none}.${claims}.`,
        `${hmac}.${claims}.${signature}`,
        `${jku}.${claims}.${signature}`,
        `${head}.${claims}.`,
        `${head}.${claims}`,
        `${head}..${signature}`,
        `${token}x`,
        `${token}.x.y`,
        token.slice(0, -8),
        '',
        'null',
        'a.b.c',
        `${head}.${Buffer.from('{"sub":"root"}').toString('base64url')}.${signature}`,
        'e'.repeat(12_000),
      ]
      for (const forged of wrong) {
        const reply = await stranger.ask('GET', '/v1/user/profile', { headers: { authorization: `Bearer ${forged}` } })
        only(reply.status, [401, 431])
      }
      for (const scheme of ['bearer ', 'Basic ', 'Token ', '']) {
        const reply = await stranger.ask('GET', '/v1/user/profile', { headers: { authorization: `${scheme}${token}` } })
        only(reply.status, scheme === 'bearer ' ? [200, 401] : [401])
      }
    },
  },
  {
    holds: 'a thousand tokens of unknown keys at once are refused without asking the provider each time',
    run: async (target) => {
      const stranger = target.stranger()
      const { statuses } = await flood(1_000, 32, (n) => {
        const head = Buffer.from(JSON.stringify({ alg: 'ES256', kid: `k${n}` })).toString('base64url')
        return stranger.ask('GET', '/v1/user/profile', { headers: { authorization: `Bearer ${head}.e30.AAAA` } })
      })
      only(statuses, [401, 429, 503])
    },
  },
  {
    holds: "the operator's address knows only the operator",
    isQuick: true,
    run: async (target) => {
      const stranger = target.stranger()
      const { operatorToken } = target
      const { apiKey } = await target.maker({ funded: false })
      const wrong = [
        '',
        `Bearer ${operatorToken}x`,
        `Bearer ${operatorToken.slice(1)}`,
        operatorToken,
        `Basic ${operatorToken}`,
        `Bearer ${operatorToken.toUpperCase()}`,
        `Bearer ${operatorToken},${operatorToken}`,
        `Bearer ${apiKey}`,
        'Bearer null',
      ]
      for (const authorization of wrong)
        for (const [method, path] of [
          ['GET', '/ops/v1/events'],
          ['GET', '/ops/v1/reviews'],
          ['POST', '/ops/v1/reviews/1'],
          ['GET', `/ops/v1/audit/${crypto.randomUUID()}`],
        ] as const) {
          const { status } = await stranger.ask(method, path, {
            headers: { authorization, 'x-operator-token': operatorToken },
          })
          assert.equal(status, 401, `${authorization} at ${path}`)
        }
      const { status } = await stranger.ask(
        'GET',
        `/ops/v1/reviews?token=${operatorToken}&operatorToken=${operatorToken}`,
      )
      assert.equal(status, 401)
    },
  },
]

const signedIn = ({ ready, operatorToken }: Target, name: string) => signIn(ready.dataDir, { name, operatorToken })
