import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'

/** Not an address, so that tokens outlive the port. */
const ISSUER = 'urn:rfqctl:development'
const AUDIENCE = 'rfqctl'

const ALGORITHM = 'ES256'

/** A working day, in seconds. */
const LIFETIME_S = 12 * 3_600

/** Safe in a token and in a terminal. */
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

export async function newIssuerKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  return exportJWK(privateKey)
}

/**
 * Starts a provider on a free port of the loopback: `GET /jwks` for anyone, and `POST /token` with `{"name"}` for
 * holders of `secret`, which makes a token for anyone of that name. For development only: the secret makes its holder
 * any user.
 */
export async function startIdentityProvider(parts: {
  issuerKey: JWK
  secret: string
  /** Unix milliseconds. */
  now: () => number
}) {
  const { issuerKey, secret, now } = parts
  const kid = await calculateJwkThumbprint(issuerKey)
  const { d: _, ...publicKey } = issuerKey
  const jwks = { keys: [{ ...publicKey, kid, alg: ALGORITHM, use: 'sig' }] }
  const key = await importJWK(issuerKey, ALGORITHM)

  async function issue(name: string): Promise<object> {
    const issuedAt = Math.floor(now() / 1_000)
    const token = await new SignJWT()
      .setProtectedHeader({ alg: ALGORITHM, kid })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(`dev:${name}`)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + LIFETIME_S)
      .sign(key)
    return { access_token: token, token_type: 'Bearer', expires_in: LIFETIME_S }
  }

  async function answer(request: IncomingMessage): Promise<[status: number, body: object]> {
    const place = `${request.method} ${request.url}`
    if (place === 'GET /jwks') return [200, jwks]
    if (place !== 'POST /token') return [404, { error: 'not_found' }]
    if (!isSame(request.headers.authorization ?? '', `Bearer ${secret}`)) return [401, { error: 'invalid_client' }]
    const name = nameOf(await text(request))
    return name === null ? [400, { error: 'invalid_request' }] : [200, await issue(name)]
  }

  const server = createServer((request, response) => {
    answer(request).then(
      ([status, body]) => send(response, status, body),
      () => send(response, 500, { error: 'server_error' }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    issuer: ISSUER,
    audience: AUDIENCE,
    jwksUrl: `${url}/jwks`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify(body))
}

function nameOf(body: string): string | null {
  try {
    const { name } = JSON.parse(body) as { name?: unknown }
    return typeof name === 'string' && NAME.test(name) ? name : null
  } catch {
    return null
  }
}

const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()
