import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { json } from '../kit/plays.ts'
import { type SourceServer, startSource } from '../relay/adapters/sources/source-server.ts'

export type IssuerKey = { alg: string; privateKey: CryptoKey; publicJwk: object; kid: string }

/** An identity provider on loopback: its published keys are `source.plays`, its requests `source.queries`. */
export type TestProvider = {
  source: SourceServer
  /** What a token is checked against. */
  settings: { issuer: string; audience: string; jwksUrl: string }
  key: IssuerKey
}

export const ISSUER = 'https://id.example'
export const AUDIENCE = 'rfqctl'

export async function newKey(kid: string, alg = 'ES256'): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { alg, kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** The document that publishes keys. */
export const published = (...keys: IssuerKey[]) => json({ keys: keys.map(({ publicJwk }) => publicJwk) })

/** A provider that publishes one key and ends with its test. */
export async function startProvider(alg = 'ES256'): Promise<TestProvider> {
  const key = await newKey('key-1', alg)
  const source = await startSource(published(key))
  return { source, key, settings: { issuer: ISSUER, audience: AUDIENCE, jwksUrl: source.url } }
}

/** A token of `did:ada` that is good for five minutes from `nowMs` on, with changes. */
export function tokenOf(
  { alg, kid, privateKey }: IssuerKey,
  { nowMs, claims = {}, header = {} }: { nowMs: number; claims?: JWTPayload; header?: object },
): Promise<string> {
  const seconds = Math.floor(nowMs / 1_000)
  const payload = { iss: ISSUER, aud: AUDIENCE, sub: 'did:ada', iat: seconds, exp: seconds + 300, ...claims }
  return new SignJWT(payload).setProtectedHeader({ alg, kid, ...header }).sign(privateKey)
}
