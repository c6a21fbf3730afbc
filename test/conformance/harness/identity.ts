import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a token says, beside what every good token says. */
export type Claims = Record<string, unknown>

/** An identity provider as anybody's: an issuer, a set of keys over HTTP, and tokens. Built on nothing but Node. */
export type IdentityProvider = {
  /** The settings that make a relay believe it. */
  settings: Record<string, string>
  /** A token of this subject that lives for an hour; claims given replace those of a good token. */
  token: (subject: string, claims?: Claims) => string
  /** Tokens that look like good ones of this subject and are not. */
  forgeries: (subject: string) => Record<string, string>
  close: () => Promise<void>
}

const ISSUER = 'https://identity.example'
const AUDIENCE = 'rfqctl-conformance'
const KID = 'conformance-key'

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Starts a provider on a free port. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const own = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const jwk = { ...own.publicKey.export({ format: 'jwk' }), kid: KID, use: 'sig', alg: 'RS256' }
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ keys: [jwk] }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const claimsOf = (sub: string, claims: Claims = {}) => {
    const now = Math.floor(Date.now() / 1_000)
    return { iss: ISSUER, aud: AUDIENCE, sub, iat: now, exp: now + 3_600, ...claims }
  }
  const unsigned = (header: Claims, claims: Claims) =>
    `${base64({ typ: 'JWT', kid: KID, ...header })}.${base64(claims)}`
  const signed = (claims: Claims, key: KeyObject = own.privateKey) => {
    const text = unsigned({ alg: 'RS256' }, claims)
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
  }

  return {
    settings: { IDP_ISSUER: ISSUER, IDP_AUDIENCE: AUDIENCE, IDP_JWKS_URL: `http://127.0.0.1:${port}/jwks.json` },
    token: (subject, claims) => signed(claimsOf(subject, claims)),
    forgeries: (subject) => {
      const good = claimsOf(subject)
      const hs256 = unsigned({ alg: 'HS256' }, good)
      const secret = own.publicKey.export({ format: 'pem', type: 'spki' })
      return {
        expired: signed({ ...good, exp: good.iat - 600 }),
        'for another audience': signed({ ...good, aud: 'somebody-else' }),
        'of another issuer': signed({ ...good, iss: 'https://evil.example' }),
        'not yet valid': signed({ ...good, nbf: good.iat + 3_600 }),
        'without a subject': signed({ ...good, sub: undefined }),
        'without an end': signed({ ...good, exp: undefined }),
        'signed by another key': signed(good, stranger.privateKey),
        'not signed at all': `${unsigned({ alg: 'none' }, good)}.`,
        'signed with the public key as a secret': `${hs256}.${createHmac('sha256', secret).update(hs256).digest('base64url')}`,
        'changed after signing': signed(good).replace(/\.[^.]+\./, `.${base64({ ...good, sub: 'root' })}.`),
        'no token': 'token',
        empty: '',
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
