import { apiKeyOf, apiKeyPrefix } from '../../src/protocol/domain/api-key.ts'
import type { Address, Hex } from '../../src/protocol/domain/units.ts'
import type { Ids } from '../../src/relay/core/ports/runtime.ts'
import type { ApiKey, Store, User } from '../../src/relay/core/ports/store.ts'
import type { MakerIdentity } from '../../src/relay/core/relay.ts'
import { refusal } from '../support/test-relay.ts'
import type { World } from './world.ts'

/** Makers of the model: their wallets are numbers, their signatures name the signer, so that no run waits for a curve. */
export const MAKERS = ['ada', 'bob', 'cyd'] as const
export type MakerName = (typeof MAKERS)[number]

/** Those whose streams ask for packages. */
export const HEARS_PACKAGES: readonly MakerName[] = ['ada', 'bob']

/** Those whose streams ask for requests for both sides. */
export const HEARS_TWO_SIDED: readonly MakerName[] = ['bob', 'cyd']

/** A key as its maker has it. */
export type MakerKey = { secret: string; keyId: string }

const numberOf = (maker: MakerName): string => String(MAKERS.indexOf(maker) + 1)

export const walletOf = (maker: MakerName): Address => `0x${numberOf(maker).padStart(40, '0')}`

/** Whose wallet it is. */
export const ownerOf = (wallet: Address): MakerName => MAKERS.find((maker) => walletOf(maker) === wallet) ?? 'cyd'

/** A well-formed signature of a maker over anything; `attempt` makes each one another, so that it can be looked for. */
export const signatureOf = (maker: MakerName, attempt: number): Hex =>
  `0x${numberOf(maker).padStart(64, '0')}${`5ec${attempt}`.padStart(64, '0')}1b`

/** The wallet whose maker made a signature: what the world's `recover` says. */
export const signerOf = (signature: Hex): Address => `0x${signature.slice(26, 66)}`

const userOf = (maker: MakerName): User => ({
  userId: `user-${maker}`,
  idpDid: `did:${maker}`,
  makerId: maker,
  createdAt: 0,
})

/** Gives a maker its first key, as if long ago. */
export function insertKey(store: Store, ids: Ids, maker: MakerName): MakerKey {
  const secret = apiKeyOf(BigInt(1_000 + MAKERS.indexOf(maker)))
  const key: ApiKey = {
    keyId: `key-${maker}`,
    userId: userOf(maker).userId,
    makerId: maker,
    name: '',
    prefix: apiKeyPrefix(secret),
    digest: ids.digest(secret),
    createdAt: 0,
    lastUsedAt: null,
    revokedAt: null,
  }
  void store.users.findOrCreate(userOf(maker)).then(() => store.apiKeys.insert(key, 20))
  return { secret, keyId: key.keyId }
}

/** Who the relay takes a maker for, by its newest key. */
export const authenticate = async ({ relay, keys }: World, maker: MakerName): Promise<MakerIdentity> =>
  relay.authenticateMaker(keys.get(maker)?.at(-1)?.secret ?? null)

/** Revokes a maker's oldest key; from when the relay has said so, it must be refused. */
export function revokeKey(world: World, maker: MakerName): void {
  const key = world.keys.get(maker)?.shift()
  if (key === undefined) return
  const revoking = world.relay.revokeApiKey({ user: userOf(maker), keyId: key.keyId }).then(async () => {
    const isTaken = (await refusal(world.relay.authenticateMaker(key.secret))) === 'not refused'
    if (isTaken) world.trace.faults.push(`a revoked key of ${maker} is taken`)
  })
  world.start(revoking)
}

/** Gives a maker another key. */
export function createKey(world: World, maker: MakerName): void {
  const creating = world.relay.createApiKey({ user: userOf(maker), name: '' }).then(({ secret, apiKey }) => {
    world.collector.observe({ kind: 'secret', name: `a key of ${maker}`, value: secret })
    world.keys.get(maker)?.push({ secret, keyId: apiKey.keyId })
  })
  world.start(creating)
}
