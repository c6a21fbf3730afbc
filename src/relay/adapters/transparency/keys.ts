import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  hash,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { keyIdOf, type VerifierKey } from '@rfqctl/protocol/domain/checkpoint'
import type { Sha256 } from '@rfqctl/protocol/domain/merkle-tree'
import { FifoMap } from 'toad-cache'

/** The secrets of a log, as they are kept: hex texts. Every key signs each checkpoint, the newest is first. */
export type StoredKeys = { origin: string; saltSecret: string; seeds: readonly string[] }

const SECRET = /^[0-9a-f]{64}$/

/**
 * Keys as they were kept; null for any other text. No part of the text comes to an error, as one of `JSON.parse` would have it.
 */
export function parseKeys(text: string): StoredKeys | null {
  try {
    const { origin, saltSecret, seeds } = JSON.parse(text)
    const isWhole =
      typeof origin === 'string' &&
      /^[^\s+]{1,100}$/.test(origin) &&
      Array.isArray(seeds) &&
      seeds.length > 0 &&
      [saltSecret, ...seeds].every((secret) => typeof secret === 'string' && SECRET.test(secret))
    return isWhole ? { origin, saltSecret, seeds } : null
  } catch {
    return null
  }
}

/** Signs checkpoints, and salts commitments. */
export type LogKeys = {
  origin: string
  verifierKeys: readonly VerifierKey[]
  sign: (text: string) => readonly { name: string; keyId: string; signature: Uint8Array }[]
  saltOf: (requestId: string, number: number) => Uint8Array
  /** Name of a maker for others, always the same, by which they do not find the maker. */
  pseudonymOf: (makerId: string) => string
}

const SECRET_BYTES = 32

export const sha256: Sha256 = (bytes) => hash('sha256', bytes, 'buffer')

const newSecret = (): string => randomBytes(SECRET_BYTES).toString('hex')

/** The name is by chance, so that no two logs have the same. */
export const newKeys = (): StoredKeys => ({
  origin: `rfqctl.log/${randomBytes(8).toString('hex')}`,
  saltSecret: newSecret(),
  seeds: [newSecret()],
})

export function openKeys({ origin, saltSecret, seeds }: StoredKeys): LogKeys {
  const signers = seeds.map((seed) => {
    const privateKey = privateKeyOf(Buffer.from(seed, 'hex'))
    const publicKey = publicKeyOf(privateKey)
    const key: VerifierKey = { name: origin, keyId: keyIdOf(sha256, { name: origin, publicKey }), publicKey }
    return { key, privateKey }
  })
  return {
    origin,
    verifierKeys: signers.map(({ key }) => key),
    sign: (text) =>
      signers.map(({ key: { name, keyId }, privateKey }) => ({
        name,
        keyId,
        signature: sign(null, Buffer.from(text), privateKey),
      })),
    saltOf: createSalts(Buffer.from(saltSecret, 'hex')),
    pseudonymOf: (makerId) =>
      createHmac('sha256', Buffer.from(saltSecret, 'hex')).update(`maker\n${makerId}`).digest('hex').slice(0, 16),
  }
}

/** Node takes an Ed25519 seed only in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

const privateKeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })

const publicKeyOf = (privateKey: KeyObject): Uint8Array =>
  Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x as string, 'base64url')

/** Salts that one call of the hash gives. */
const SALTS_AT_ONCE = 32

/** Requests whose salts are at hand. */
const REQUESTS_AT_HAND = 1_000

/** Salts of a request by their numbers, HMAC-SHA-256 of the request and a block as the seed of a stream (SHAKE256): one salt alone costs ten times as much. */
function createSalts(secret: Buffer): (requestId: string, number: number) => Uint8Array {
  const blocks = new FifoMap<Buffer>(REQUESTS_AT_HAND)
  return (requestId, number) => {
    const name = `${requestId}\n${Math.floor(number / SALTS_AT_ONCE)}`
    let block = blocks.get(name)
    if (block === undefined) {
      const seed = createHmac('sha256', secret).update(name).digest()
      block = createHash('shake256', { outputLength: SALTS_AT_ONCE * SECRET_BYTES })
        .update(seed)
        .digest()
      blocks.set(name, block)
    }
    const at = (number % SALTS_AT_ONCE) * SECRET_BYTES
    return block.subarray(at, at + SECRET_BYTES)
  }
}
